"""What a trained retriever gains and loses: searches on public query sets, and its map.

    python tests/benchmarks/retriever_tables.py searches NAME WORKSPACE [--pool 10000]
    python tests/benchmarks/retriever_tables.py map NAME WORKSPACE [--apis 10000]

WORKSPACE holds ToolBench's catalogue; NAME is a model that was trained on it (`toolplanner train
start`). Its held-out queries and those of the other public sets are searched for with it, with
MiniLM and with BM25 alone, and compared query by query; DRAFT's without those that are nearly one
that was learned from, and then without those of a tool that was. The map is laid out for both over
the same APIs. Minutes to an hour.
"""

import argparse
import random
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "core"), str(ROOT / "tests")]

from benchmarks.test_layout_quality import neighbourhood, occupancy  # noqa: E402
from fixtures.catalogues import add_apis  # noqa: E402
from fixtures.query_sets import Question, small_sets, toolbench_sets  # noqa: E402

from toolplanner_core.curation.grouping.points import load_points  # noqa: E402
from toolplanner_core.curation.grouping.prepare import prepare  # noqa: E402
from toolplanner_core.curation.looking.curated_catalogue import read_catalogue  # noqa: E402
from toolplanner_core.embedding.trained_files import trained_model  # noqa: E402
from toolplanner_core.jobs.progress import Progress  # noqa: E402
from toolplanner_core.sources.importing import import_apis  # noqa: E402
from toolplanner_core.training.figures import complete, ndcg, recall  # noqa: E402
from toolplanner_core.training.labelled import NEAR, query_words, similarity  # noqa: E402
from toolplanner_core.training.measuring import MeasuredSearch, measure_embedders  # noqa: E402
from toolplanner_core.workspace import Workspace  # noqa: E402
from toolplanner_core.workspace.catalogue import all_rowids, apis_by_rowid  # noqa: E402
from toolplanner_core.workspace.labelled_documents import stored_documents  # noqa: E402
from toolplanner_core.workspace.vectors import (  # noqa: E402
    embedder_state,
    load_vectors,
    put_embedder_state,
    store_vectors,
    stored_embedders,
    texts_of_rowids,
)

BEFORE = "minilm"
RESAMPLES = 2_000
SHOWN: dict[str, Callable[[Sequence[int]], float]] = {
    "recall@5": lambda ranks: recall(ranks, 5),
    "recall@10": lambda ranks: recall(ranks, 10),
    "ndcg@10": lambda ranks: ndcg(ranks, 10),
    "complete@10": lambda ranks: complete(ranks, 10),
}


def compare(name: str, workspace: Workspace, queries: Sequence[Question], spec: str, pool: int):
    """Print a set's rows: both embedders, and the gain query by query."""
    asked = [(query.text, query.gold) for query in queries]
    before, after = measure_embedders(
        workspace, [BEFORE, spec], asked, pool=pool, progress=Progress()
    )
    rows = [("BM25", before.words)]
    for how in ("dense", "hybrid"):
        rows += [(f"{each.embedder}, {how}", getattr(each, how)) for each in (before, after)]
    for said, figures in rows:
        cells = [figures[measure].said() for measure in SHOWN]
        _row(name, f"{before.queries:,} / {before.apis:,}", said, *cells)
    gains = [_gain(before, after, value) for value in SHOWN.values()]
    _row(name, "", "hybrid gain, paired", *gains)


class Learned(NamedTuple):
    """What a model was trained on: the words of its queries, and their tools."""

    queries: Sequence[frozenset[str]]
    tools: frozenset[str]

    def is_near(self, question: Question) -> bool:
        """Whether it is nearly one of the queries."""
        words = query_words(question.text)
        return any(similarity(words, other) >= NEAR for other in self.queries)


def unseen(
    questions: Sequence[Question], learned: Learned, tool_of: Mapping[str, str]
) -> tuple[list[Question], list[Question]]:
    """The questions that are no near-duplicates of learned ones, and those of them that need no
    tool that was learned about.

    Args:
        tool_of: the tool of each API by its key.
    """
    new = [each for each in questions if not learned.is_near(each)]
    strange = [each for each in new if not {tool_of.get(key) for key in each.gold} & learned.tools]
    return new, strange


def compare_maps(workspace: Workspace, spec: str, apis: int) -> None:
    """Print how true the map is to the vectors, for both embedders over the same APIs."""
    rowids = all_rowids(workspace)
    chosen = sorted(random.Random(0).sample(rowids, min(apis, len(rowids))))
    picked = apis_by_rowid(workspace, chosen)
    tool_of = _tools(workspace)
    with tempfile.TemporaryDirectory() as folder:
        for each in (BEFORE, spec):
            file = Path(folder) / f"{each.partition(':')[0]}.toolplanner"
            with Workspace.create(file) as small:
                for source in sorted({api.source for api in picked.values()}):
                    import_apis(
                        small,
                        (picked[rowid] for rowid in chosen if picked[rowid].source == source),
                        source_name=source,
                        format_id="toolbench",
                        location="some",
                    )
                _copy_vectors(workspace, small, each)
                prepare(small, embedder=each, progress=Progress())
                loaded, vectors = read_catalogue(small), load_points(small).vectors
                assert loaded.xy is not None
                kept, same = neighbourhood(loaded, vectors)
                keys = {document.rowid: document.key for document in stored_documents(small)}
                tools = [tool_of[keys[int(rowid)]] for rowid in loaded.rowids]
                shares = (kept, same, same_tool(loaded.xy, tools), occupancy(loaded.xy))
                _row(each, f"{len(loaded.rowids):,}", *(f"{share:.3f}" for share in shares))


def same_tool(xy: np.ndarray, tools: Sequence[str]) -> float:
    """Share of each point's 15 nearest on the map that are of its tool, which no embedder names."""
    from scipy.spatial import cKDTree

    near = cKDTree(xy).query(xy, 16)[1][:, 1:]
    numbers = np.unique(tools, return_inverse=True)[1]
    return float((numbers[near] == numbers[:, None]).mean())


def _gain(before: MeasuredSearch, after: MeasuredSearch, value: Callable[..., float]) -> str:
    pairs = zip(before.ranks, after.ranks, strict=True)
    gains = np.array([value(new) - value(old) for old, new in pairs])
    drawn = np.random.default_rng(0).integers(0, len(gains), size=(RESAMPLES, len(gains)))
    low, high = np.percentile(gains[drawn].mean(axis=1), [2.5, 97.5])
    return f"{gains.mean():+.3f} [{low:+.3f}, {high:+.3f}]"


def _copy_vectors(source: Workspace, target: Workspace, spec: str) -> None:
    """What the large workspace has need not be made again."""
    found = [state.id for state in stored_embedders(source)]
    wanted = trained_model(spec.partition(":")[2]).id if ":" in spec else spec
    if wanted not in found:
        return
    put_embedder_state(target, embedder_state(source, wanted))
    hash_of = {text.text: text.text_hash for text in texts_of_rowids(target, all_rowids(target))}
    texts = [(d.rowid, hash_of[d.text]) for d in stored_documents(source) if d.text in hash_of]
    once = {text_hash: rowid for rowid, text_hash in texts}
    loaded = load_vectors(source, wanted, [*once.values()])
    there = np.setdiff1d(np.arange(len(once)), loaded.missing)
    hashes = [*once]
    store_vectors(target, wanted, [hashes[int(at)] for at in there], loaded.vectors[there])


def _learned(name: str) -> Learned:
    seen = trained_model(name).record["learned"]
    return Learned([query_words(text) for text in seen["queries"]], frozenset(seen["tools"]))


def _tools(workspace: Workspace) -> dict[str, str]:
    return {document.key: document.tool for document in stored_documents(workspace)}


def _draft(data: Path) -> list[Question]:
    return next(each.questions for each in toolbench_sets(data) if each.name == "DRAFT")


def _row(*cells: str) -> None:
    sys.stdout.write("| " + " | ".join(cells) + " |\n")
    sys.stdout.flush()


def main() -> None:
    """Print one of the tables."""
    parser = argparse.ArgumentParser(description="Compare a trained retriever with MiniLM.")
    parser.add_argument("what", choices=["searches", "map"])
    parser.add_argument("name")
    parser.add_argument("workspace", type=Path)
    parser.add_argument("--pool", type=int, default=0, help="APIs beside the gold ones; 0 = all")
    parser.add_argument("--apis", type=int, default=10_000, help="APIs on the map")
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--most", type=int, default=1_000, help="queries of MetaTool")
    parser.add_argument("--only", action="append", default=[], help="a set's name; repeatable")
    asked = parser.parse_args()
    spec = f"trained:{asked.name}"
    with Workspace.open(asked.workspace) as large:
        if asked.what == "map":
            _row("embedder", "APIs", "neighbours kept", "same toolkit", "same tool", "occupied")
            compare_maps(large, spec, asked.apis)
            return
        _row("queries of", "queries / APIs", "how", *SHOWN)
        test = trained_model(asked.name).record["test"]
        held = [Question(row["query"], frozenset(row["gold"])) for row in test]
        new, strange = unseen(_draft(asked.data), _learned(asked.name), _tools(large))
        for name, queries in (("held out", held), ("DRAFT", new), ("DRAFT, other tools", strange)):
            if not asked.only or name in asked.only:
                compare(name, large, queries, spec, asked.pool)
    for each in small_sets(asked.data, most=asked.most):
        if asked.only and each.name not in asked.only:
            continue
        with (
            tempfile.TemporaryDirectory() as folder,
            Workspace.create(Path(folder) / "small.toolplanner") as small,
        ):
            add_apis(small, each.apis or [])
            compare(each.name, small, each.questions, spec, 0)


if __name__ == "__main__":
    main()
