"""The ceiling of planning over toolkits: is all gold inside the first s toolkits of a shortlist?

No plan can call an API whose toolkit is not on the shortlist, whatever model makes it. So the share
of queries whose whole gold is inside the first s toolkits (complete@s) bounds what any strategy
over these toolkits can solve at once. Queries whose gold the catalogue lacks stay in the
denominator, and are counted apart.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.lab import DataSet, Query
from toolplanner_core.errors import BadInput
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.lab.statistics.estimates import Estimate
from toolplanner_core.lab.statistics.shares import share_of_plan
from toolplanner_core.retrieval.hybrid import HybridIndex
from toolplanner_core.retrieval.toolkits import ToolkitIndex
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import stored_documents

SIZES = (5, 10, 20, 40, 60, 100, 200, 400)
NEVER = math.inf
"""Rank of a gold set that no shortlist holds whole."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ceiling:
    """How often a shortlist holds all gold.

    Attributes:
        toolkits: of the workspace that can be planned with.
        ranks: for each query with gold the size of the shortest list that holds one of its gold
            sets whole; `NEVER` where none does.
        complete: share of these queries by the size of the list.
        missing: queries none of whose gold sets is in toolkits whole.
    """

    toolkits: int
    ranks: Mapping[str, float]
    complete: Mapping[int, Estimate]
    missing: int


def shortlist_ceiling(
    workspace: Workspace,
    data_set: DataSet,
    sizes: Sequence[int] = SIZES,
    *,
    seed: int = 0,
    progress: Progress | None = None,
) -> Ceiling:
    """Shortlist toolkits for every query of a data set. Blocks for some 10 ms a query.

    Raises:
        BadInput: no query has gold, the workspace has no toolkits, or a size is not above 0.
        Cancelled: at the progress given.
    """
    asked = [query for query in data_set if query.gold]
    if not asked or not sizes or min(sizes) < 1:
        raise BadInput("A ceiling needs queries with gold APIs, and sizes from 1 up")
    owners: dict[str, set[ToolkitId]] = {}
    for document in stored_documents(workspace):
        if document.toolkit is not None:
            owners.setdefault(document.key, set()).add(ToolkitId(document.toolkit))
    count = len({toolkit for held in owners.values() for toolkit in held})
    if not count:
        raise BadInput("The workspace has no toolkits to be on a shortlist")
    index = ToolkitIndex(workspace, HybridIndex(workspace))
    rank_of_text: dict[str, dict[ToolkitId, int]] = {}
    ranks: dict[str, float] = {}
    for at, query in enumerate(asked):
        if progress is not None:
            progress.report("Shortlisting", at, len(asked), unit="queries")
        if query.text not in rank_of_text:
            ranked = index.rank_toolkits(query.text, count)
            rank_of_text[query.text] = {
                scored.toolkit.id: rank for rank, scored in enumerate(ranked, start=1)
            }
        ranks[query.id] = _least_size(query, rank_of_text[query.text], owners)
    groups = [query.cluster or query.id for query in asked]

    def complete(size: int) -> Estimate:
        reached = [float(rank <= size) for rank in ranks.values()]
        return share_of_plan(reached, groups, seed=seed).if_missing_fail

    return Ceiling(
        toolkits=count,
        ranks=ranks,
        complete={size: complete(size) for size in sorted(set(sizes))},
        missing=sum(rank == NEVER for rank in ranks.values()),
    )


def _least_size(
    query: Query, rank_of: Mapping[ToolkitId, int], owners: Mapping[str, set[ToolkitId]]
) -> float:
    """Rank of the last toolkit that is needed for the easiest gold set."""

    def rank(key: str) -> float:
        held = [rank_of[toolkit] for toolkit in owners.get(key, ()) if toolkit in rank_of]
        return min(held, default=NEVER)

    return min(max(map(rank, keys)) for keys in query.gold)
