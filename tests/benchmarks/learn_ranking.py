"""Learn the weights of the re-ranker from public query sets: resources/ranking/weights.json.

    python tests/benchmarks/learn_ranking.py [--embedder words --embedder minilm]

DRAFT, MetaTool, API-Bank, Seal-Tools and RestBench are learned from, each query set with the same
weight; StableToolBench's queries are only tested on. Prints what the order gains on each set when
it was learned from the others alone, which is the honest figure. Takes minutes.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "core"), str(ROOT / "tests")]

from fixtures.catalogues import add_apis  # noqa: E402
from fixtures.query_sets import TEST_ONLY, QuerySet, small_sets, toolbench_sets  # noqa: E402

from toolplanner_core.embedding.embed import embed  # noqa: E402
from toolplanner_core.jobs.progress import Progress  # noqa: E402
from toolplanner_core.retrieval.hybrid import HybridIndex  # noqa: E402
from toolplanner_core.retrieval.reranking import (  # noqa: E402
    DEPTH,
    FEATURES,
    SearchScores,
    centred,
    features,
)
from toolplanner_core.sources.importing import import_source  # noqa: E402
from toolplanner_core.workspace import Workspace  # noqa: E402
from toolplanner_core.workspace.catalogue import words_of_apis  # noqa: E402

TARGET = ROOT / "resources" / "ranking" / "weights.json"
STRENGTH = 0.1
"""Inverse of the regularisation (scikit-learn's C), on features of unit variance."""
DEPTHS = (5, 10)


class Ranked(NamedTuple):
    """One query: centred features of its first APIs, which are gold, how many gold there are."""

    features: NDArray[np.float32]
    is_gold: NDArray[np.bool_]
    gold: int


def ranked_queries(workspace: Workspace, queries: QuerySet) -> list[Ranked]:
    """What the re-ranker sees of each query that can be answered."""
    index = HybridIndex(workspace)
    key_of = dict(workspace.reader().execute("SELECT rowid, key FROM apis").fetchall())
    keys = [key_of[int(rowid)] for rowid in index.catalogue().rowids]
    found: list[Ranked] = []
    for text, gold in queries.questions:
        scores = index.score_all(text)
        if scores is None or scores.vectors is None or not gold & set(keys):
            continue
        best = list({keys[i]: i for i in reversed(scores.best(DEPTH))}.values())[::-1]
        top = np.array(best, dtype=np.int64)
        rowids = scores.catalogue.rowids[top].tolist()
        words = words_of_apis(workspace, rowids)
        parts = SearchScores(scores.catalogue.tools, scores.bm25, scores.vectors, scores.total)
        matrix = features(text, [words[rowid] for rowid in rowids], top, parts)
        is_gold = np.array([keys[i] in gold for i in best], dtype=np.bool_)
        found.append(Ranked(centred(matrix), is_gold, len(gold)))
    return found


def learn(sets: Sequence[Sequence[Ranked]]) -> NDArray[np.float64]:
    """(features,) weights; each set counts alike, however many queries it has."""
    from sklearn.linear_model import LogisticRegression

    used = [(query, len(queries)) for queries in sets for query in queries if query.is_gold.any()]
    x = np.concatenate([query.features for query, _ in used])
    y = np.concatenate([query.is_gold for query, _ in used])
    share = np.concatenate([np.full(len(query.is_gold), 1 / many) for query, many in used])
    spread = x.std(axis=0) + 1e-9
    model = LogisticRegression(C=STRENGTH, max_iter=2000)
    model.fit(x / spread, y, sample_weight=share / share.mean())
    return model.coef_[0] / spread


def recall(queries: Sequence[Ranked], depth: int, weights: NDArray[np.float64] | None) -> float:
    """Mean Recall@depth, in the order of the sum without weights."""
    found = 0.0
    for query in queries:
        order = np.arange(len(query.is_gold))
        if weights is not None:
            order = np.argsort(-(query.features @ weights), kind="stable")
        found += float(query.is_gold[order[:depth]].sum()) / query.gold
    return found / len(queries)


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")


def main() -> None:
    """Learn, print the table, write the file."""
    parser = argparse.ArgumentParser(description="Learn the weights of the re-ranker.")
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--embedder", action="append", default=[])
    parser.add_argument("--kept", type=Path, default=None, help="folder of prepared workspaces")
    asked = parser.parse_args()
    sets: dict[tuple[str, str], list[Ranked]] = {}
    with tempfile.TemporaryDirectory() as made:
        folder = asked.kept or Path(made)
        for embedder in asked.embedder or ["words", "minilm"]:
            for queries in [*small_sets(asked.data), *toolbench_sets(asked.data)]:
                catalogue = "toolbench" if queries.apis is None else queries.name
                file = folder / f"{catalogue}-{embedder}.toolplanner"
                with Workspace.open(file) if file.exists() else Workspace.create(file) as workspace:
                    if queries.apis is None:
                        archive = asked.data / "toolbench" / "toolenv.zip"
                        import_source(workspace, archive, source_name="toolbench")
                    elif not HybridIndex(workspace).catalogue().rowids.size:
                        add_apis(workspace, queries.apis)
                    embed(workspace, embedder, progress=Progress())
                    sets[queries.name, embedder] = ranked_queries(workspace, queries)
                _say(f"{queries.name}, {embedder}: {len(sets[queries.name, embedder])} queries")
    gains: dict[str, dict[str, list[float]]] = {}
    for (name, embedder), queries in sets.items():
        others = [found for (other, _), found in sets.items() if other not in (name, TEST_ONLY)]
        weights = learn(others)
        row = [round(recall(queries, depth, by), 3) for depth in DEPTHS for by in (None, weights)]
        gains.setdefault(name, {})[embedder] = row
        _say(f"{name}, {embedder}: Recall@5 {row[0]} -> {row[1]}, @10 {row[2]} -> {row[3]}")
    weights = learn([found for (name, _), found in sets.items() if name != TEST_ONLY])
    content = {
        "made_by": "tests/benchmarks/learn_ranking.py",
        "learned_from": sorted({name for name, _ in sets} - {TEST_ONLY}),
        "recall@5 and @10, before and after, learned from the other sets alone": gains,
        "weights": {name: round(float(w), 4) for name, w in zip(FEATURES, weights, strict=True)},
    }
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
