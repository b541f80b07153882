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

import numpy as np
from numpy.typing import NDArray

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "core"), str(ROOT / "tests")]

from fixtures.catalogues import add_apis  # noqa: E402
from fixtures.query_sets import TEST_ONLY, small_sets, toolbench_sets  # noqa: E402

from toolplanner_core.embedding.embed import embed  # noqa: E402
from toolplanner_core.jobs.progress import Progress  # noqa: E402
from toolplanner_core.retrieval.hybrid import HybridIndex  # noqa: E402
from toolplanner_core.retrieval.reranking import FEATURES  # noqa: E402
from toolplanner_core.sources.importing import import_source  # noqa: E402
from toolplanner_core.training.reranker_training import RankedQuery, learned_weights, ranked_queries  # noqa: E402
from toolplanner_core.workspace import Workspace  # noqa: E402

TARGET = ROOT / "resources" / "ranking" / "weights.json"
DEPTHS = (5, 10)


def recall(
    queries: Sequence[RankedQuery], depth: int, weights: NDArray[np.float64] | None
) -> float:
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
    sets: dict[tuple[str, str], list[RankedQuery]] = {}
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
                    sets[queries.name, embedder] = ranked_queries(
                        workspace, queries.questions, Progress()
                    )
                _say(f"{queries.name}, {embedder}: {len(sets[queries.name, embedder])} queries")
    gains: dict[str, dict[str, list[float]]] = {}
    for (name, embedder), queries in sets.items():
        others = [found for (other, _), found in sets.items() if other not in (name, TEST_ONLY)]
        weights = learned_weights(others)
        row = [round(recall(queries, depth, by), 3) for depth in DEPTHS for by in (None, weights)]
        gains.setdefault(name, {})[embedder] = row
        _say(f"{name}, {embedder}: Recall@5 {row[0]} -> {row[1]}, @10 {row[2]} -> {row[3]}")
    weights = learned_weights([found for (name, _), found in sets.items() if name != TEST_ONLY])
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
