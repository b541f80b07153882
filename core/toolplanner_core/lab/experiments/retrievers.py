"""What retrievers find of the gold of a data set: recall, nDCG, completeness, each with interval.

Compared on the same queries, with near-duplicates as one. A retriever that was trained on one of
the queries is refused: what it has learned by heart says nothing of what it finds.

Source: measures as in `training/search_metrics.py`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from toolplanner_core.domain.lab import DataSet, Query
from toolplanner_core.embedding.trained import KIND
from toolplanner_core.errors import BadInput
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.lab.datasets.checking import check_data_set
from toolplanner_core.lab.statistics.bootstrap import bootstrap_mean
from toolplanner_core.lab.statistics.estimates import Estimate
from toolplanner_core.training.search_metrics import (
    MeasuredSearch,
    complete,
    measure_embedders,
    ndcg,
    recall,
)
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import stored_documents

MEASURES: Mapping[str, Callable[[Sequence[int]], float]] = {
    f"{name}@{depth}": partial(of, depth=depth)
    for name, of, depths in (
        ("recall", recall, (5, 10, 50)),
        ("ndcg", ndcg, (10,)),
        ("complete", complete, (5, 10, 50)),
    )
    for depth in depths
}


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrieverFigures:
    """The figures of one embedder, in the hybrid search of the program.

    Attributes:
        figures: by measure, over the queries.
        differences: to the first embedder of the comparison, paired by query; empty for itself.
    """

    embedder: str
    figures: Mapping[str, Estimate]
    differences: Mapping[str, Estimate]


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrieverComparison:
    """Retrievers on one data set.

    Attributes:
        queries: that were measured: those with gold of which the catalogue holds something. Gold
            that it lacks counts as not found.
        left_out: queries without gold, or with none that the catalogue holds.
        apis: that were searched among.
    """

    queries: int
    left_out: int
    apis: int
    retrievers: tuple[RetrieverFigures, ...]


def compare_retrievers(
    workspace: Workspace,
    data_set: DataSet,
    specs: Sequence[str],
    *,
    pool: int = 0,
    seed: int = 0,
    has_new_tools: bool = False,
    progress: Progress,
) -> RetrieverComparison:
    """Measure embedders on a data set. Blocks; vectors that are missing are made, for minutes.

    Args:
        specs: embedders, such as "words" and "trained:NAME"; the first is compared with.
        pool: APIs beside the gold ones that are searched among, 0 = all.
        has_new_tools: the claim is about tools that were never seen: a retriever that learned about
            a tool of the gold is refused, too.

    Raises:
        BadInput: no query has gold in the catalogue, or a retriever has seen what it is asked.
        EmbedderUnavailable: an embedder cannot be opened.
    """
    _refuse_trained_on(workspace, data_set, specs, has_new_tools=has_new_tools)
    known = {document.key for document in stored_documents(workspace)}
    asked = [query for query in data_set if any(keys & known for keys in query.gold)]
    pairs = [
        (at, query.text, keys)
        for at, query in enumerate(asked)
        for keys in query.gold
        if keys & known
    ]
    found = measure_embedders(
        workspace,
        specs,
        [(text, keys) for _, text, keys in pairs],
        pool=pool,
        seed=seed,
        progress=progress,
    )
    query_of = [at for at, _, _ in pairs]
    values = [_best_values(each, query_of, len(asked)) for each in found]
    return RetrieverComparison(
        queries=len(asked),
        left_out=len(data_set) - len(asked),
        apis=found[0].apis,
        retrievers=_with_intervals([each.embedder for each in found], values, asked, seed=seed),
    )


def _with_intervals(
    embedders: Sequence[str],
    values: Sequence[Mapping[str, Sequence[float]]],
    queries: Sequence[Query],
    *,
    seed: int,
) -> tuple[RetrieverFigures, ...]:
    """Figures of each embedder, and its differences to the first one.

    Args:
        values: of each embedder, by measure, the value of each query.
    """
    groups = [query.cluster or query.id for query in queries]

    def over(rows: Sequence[float], span: tuple[float, float]) -> Estimate:
        return bootstrap_mean(rows, groups, span=span, seed=seed)

    first = values[0]
    made: list[RetrieverFigures] = []
    for at, (embedder, own) in enumerate(zip(embedders, values, strict=True)):
        apart = {
            name: [a - b for a, b in zip(own[name], first[name], strict=True)]
            for name in (MEASURES if at else ())
        }
        made.append(
            RetrieverFigures(
                embedder=embedder,
                figures={name: over(own[name], (0, 1)) for name in MEASURES},
                differences={name: over(rows, (-1, 1)) for name, rows in apart.items()},
            )
        )
    return tuple(made)


def _best_values(
    measured: MeasuredSearch, query_of: Sequence[int], queries: int
) -> dict[str, list[float]]:
    """Each measure of each query, of the gold set that does best."""
    best = {name: [0.0] * queries for name in MEASURES}
    for at, ranks in zip(query_of, measured.ranks, strict=True):
        for name, value in MEASURES.items():
            best[name][at] = max(best[name][at], value(ranks))
    return best


def _refuse_trained_on(
    workspace: Workspace, data_set: DataSet, specs: Sequence[str], *, has_new_tools: bool
) -> None:
    if not any(spec.startswith(f"{KIND}:") for spec in specs):
        return
    for overlap in check_data_set(data_set, workspace).overlaps:
        name = overlap.model.partition("@")[0]
        if name not in {spec.partition("@")[0] for spec in specs}:
            continue
        if overlap.queries:
            raise BadInput(
                f"{name} was trained on {overlap.queries:,} of the queries of {data_set.name}",
                why="What was learned by heart says nothing of what is found",
                todo="Measure it on queries that it has not seen",
            )
        if has_new_tools and overlap.tools:
            raise BadInput(
                f"{name} has learned about tools that {overlap.tools:,} of the queries need",
                todo="Take queries of other tools, or say nothing of tools that were never seen",
            )
