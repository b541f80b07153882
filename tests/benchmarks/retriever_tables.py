"""What a trained retriever gains and loses: searches on public query sets, misses, its map.

    python tests/benchmarks/retriever_tables.py searches NAME WORKSPACE [--pool 10000] [--order]
    python tests/benchmarks/retriever_tables.py misses NAME WORKSPACE
    python tests/benchmarks/retriever_tables.py map NAME WORKSPACE [--apis 10000]

WORKSPACE holds ToolBench's catalogue; NAME is a model that was trained on it (`toolplanner train
start`). The queries of `retriever_sets.py` are searched for with it, with MiniLM and with BM25
alone, and compared query by query. `--order` adds an order of searches, learned from
StableToolBench's other queries; over catalogues of others it shows what such an order does to
strange queries. Minutes to an hour; `make measure` trains a model and writes all tables
(`test_trained_retriever.py`).
"""

import argparse
import sys
import tempfile
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "core"), str(ROOT / "tests")]

from benchmarks.retriever_map import map_shares  # noqa: E402
from benchmarks.retriever_misses import Misses, misses  # noqa: E402
from benchmarks.retriever_sets import held_out, judged_sets  # noqa: E402
from fixtures.catalogues import add_apis  # noqa: E402
from fixtures.query_sets import TEST_ONLY, Question, toolbench_sets  # noqa: E402

from toolplanner_core.embedding.trained import TrainedModel, trained_model  # noqa: E402
from toolplanner_core.jobs.progress import Progress  # noqa: E402
from toolplanner_core.retrieval.reranking import save_weights, workspace_weights  # noqa: E402
from toolplanner_core.training.labelled import NEAR, query_words, similarity  # noqa: E402
from toolplanner_core.training.reranker_training import learn_order  # noqa: E402
from toolplanner_core.training.search_metrics import (  # noqa: E402  # noqa: E402
    MeasuredSearch,
    complete,
    measure_embedders,
    ndcg,
    recall,
)
from toolplanner_core.workspace import Workspace  # noqa: E402
from toolplanner_core.workspace.settings import get_setting, set_setting  # noqa: E402

BEFORE = "minilm"
RESAMPLES = 2_000
SHOWN: dict[str, Callable[[Sequence[int]], float]] = {
    "recall@5": lambda ranks: recall(ranks, 5),
    "recall@10": lambda ranks: recall(ranks, 10),
    "recall@50": lambda ranks: recall(ranks, 50),
    "ndcg@10": lambda ranks: ndcg(ranks, 10),
    "complete@10": lambda ranks: complete(ranks, 10),
}
_ACTIVE, _ORDER = "active_embedder", "search_order"

Write = Callable[[str], object]
Both = tuple[MeasuredSearch, MeasuredSearch]


def searches(
    large: Workspace,
    model: TrainedModel,
    data: Path,
    *,
    only: Sequence[str] = (),
    pool: int = 0,
    most: int = 1_000,
    order: Mapping[str, float] | None = None,
    write: Write = sys.stdout.write,
) -> dict[str, Both]:
    """Write the tables of searches; what was measured with MiniLM and the model, by set.

    Args:
        only: names of sets; none = all.
        order: weights with which searches are measured beside the usual ones.
    """
    every = judged_sets(large, model, data, most=most)
    wanted = [each for each in every if not only or each.queries.name in only]
    row(("queries of", "queries", "near a learned one", "of a learned tool"), write)
    for each in wanted:
        name, questions, _ = each.queries
        row((name, f"{len(questions):,}", str(each.near), str(each.known)), write)
    write("\n")
    row(("queries of", "queries / APIs", "how", *SHOWN), write)
    found: dict[str, Both] = {}
    for name, questions, apis in (each.queries for each in wanted):
        if apis is None:
            with _in_order(large, order):
                found[name] = compare(name, large, questions, model, pool=pool, write=write)
            continue
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "small.toolplanner"
            with Workspace.create(file) as small, _in_order(small, order):
                add_apis(small, apis)
                found[name] = compare(name, small, questions, model, write=write)
    return found


def compare(
    name: str,
    workspace: Workspace,
    queries: Sequence[Question],
    model: TrainedModel,
    *,
    pool: int = 0,
    write: Write = sys.stdout.write,
) -> Both:
    """Write a set's rows: both embedders, and what is gained query by query."""
    asked = [(query.text, query.gold) for query in queries]
    before, after = measure_embedders(
        workspace, [BEFORE, f"trained:{model.name}"], asked, pool=pool, progress=Progress()
    )
    rows = [("BM25", before.words)]
    gains = [("trained over plain", usual(before), usual(after))]
    for called, each in (("plain", before), ("trained", after)):
        rows += [(f"{called}, dense", each.dense), (f"{called}, hybrid", each.usual or each.hybrid)]
        if each.usual:
            rows += [(f"{called}, hybrid + order", each.hybrid)]
            gains += [(f"order over none, {called}", usual(each), each.ranks)]
    if before.usual:
        gains += [("trained + order over plain", usual(before), after.ranks)]
    for said, figures in rows:
        cells = [figures[measure].formatted() for measure in SHOWN]
        row((name, f"{before.queries:,} / {before.apis:,}", said, *cells), write)
    for said, old, new in gains:
        row((name, "paired", said, *(_gain(old, new, value) for value in SHOWN.values())), write)
    return before, after


def learned_order(workspace: Workspace, model: TrainedModel, data: Path) -> Mapping[str, float]:
    """The order that StableToolBench's queries teach, without those that the model keeps for tests
    and their like.

    With MiniLM: the model knows these queries, and its vectors would pass for better than they are.
    """
    tests = [query_words(each.text) for each in held_out(model)]
    stable = next(each.questions for each in toolbench_sets(data) if each.name == TEST_ONLY)
    asked = [
        (each.text, each.gold)
        for each in stable
        if not any(similarity(query_words(each.text), other) >= NEAR for other in tests)
    ]
    with _with_setting(workspace, _ACTIVE, BEFORE):
        return learn_order(workspace, asked, progress=Progress()).weights


def tell_misses(
    large: Workspace, model: TrainedModel, *, write: Write = sys.stdout.write
) -> dict[str, Misses]:
    """Write why held-out queries miss their APIs, with MiniLM and with the model."""
    row(("embedder", *Misses._fields), write)
    found: dict[str, Misses] = {}
    for each in (BEFORE, model.id):
        with _with_setting(large, _ACTIVE, each):
            found[each] = misses(large, held_out(model))
        row((each, *(f"{count:,}" for count in found[each])), write)
    return found


def tell_maps(
    large: Workspace, model: TrainedModel, *, apis: int, write: Write = sys.stdout.write
) -> None:
    """Write how true the maps of both embedders are, over the same APIs."""
    row(("embedder", "neighbours kept", "same toolkit", "same tool", "filled"), write)
    for each in (BEFORE, f"trained:{model.name}"):
        row((each, *(f"{share:.3f}" for share in map_shares(large, each, apis))), write)


def row(cells: Sequence[str], write: Write) -> None:
    """Write a row of a table."""
    write("| " + " | ".join(cells) + " |\n")


def usual(measured: MeasuredSearch) -> Sequence[Sequence[int]]:
    """Ranks of the hybrid search in the usual order."""
    return measured.usual_ranks or measured.ranks


@contextmanager
def _in_order(workspace: Workspace, order: Mapping[str, float] | None) -> Generator[None]:
    """Searches have this order meanwhile, if one is given."""
    with _with_setting(workspace, _ORDER, get_setting(workspace, _ORDER, {})):
        save_weights(workspace, order or {})
        assert (workspace_weights(workspace) is None) == (order is None)
        yield


@contextmanager
def _with_setting(workspace: Workspace, name: str, value: object) -> Generator[None]:
    """The setting has this value meanwhile."""
    before = get_setting(workspace, name, None)
    set_setting(workspace, name, value)
    try:
        yield
    finally:
        set_setting(workspace, name, before)


def _gain(
    before: Sequence[Sequence[int]], after: Sequence[Sequence[int]], value: Callable[..., float]
) -> str:
    gains = np.array([value(new) - value(old) for old, new in zip(before, after, strict=True)])
    drawn = np.random.default_rng(0).integers(0, len(gains), size=(RESAMPLES, len(gains)))
    low, high = np.percentile(gains[drawn].mean(axis=1), [2.5, 97.5])
    return f"{gains.mean():+.3f} [{low:+.3f}, {high:+.3f}]"


def main() -> None:
    """Print one of the tables."""
    parser = argparse.ArgumentParser(description="Compare a trained retriever with MiniLM.")
    parser.add_argument("what", choices=["searches", "map", "misses"])
    parser.add_argument("name")
    parser.add_argument("workspace", type=Path)
    parser.add_argument("--pool", type=int, default=0, help="APIs beside the gold ones; 0 = all")
    parser.add_argument("--apis", type=int, default=10_000, help="APIs on the map")
    parser.add_argument("--data", type=Path, default=ROOT.parent / "shared" / "data")
    parser.add_argument("--most", type=int, default=1_000, help="queries of MetaTool")
    parser.add_argument("--only", action="append", default=[], help="a set's name; repeatable")
    parser.add_argument("--order", action="store_true", help="with an order learned for it, too")
    asked = parser.parse_args()
    model = trained_model(asked.name)
    with Workspace.open(asked.workspace) as large:
        if asked.what == "map":
            tell_maps(large, model, apis=asked.apis)
        elif asked.what == "misses":
            tell_misses(large, model)
        else:
            searches(
                large,
                model,
                asked.data,
                only=asked.only,
                pool=asked.pool,
                most=asked.most,
                order=learned_order(large, model, asked.data) if asked.order else None,
            )


if __name__ == "__main__":
    main()
