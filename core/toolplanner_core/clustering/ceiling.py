"""The ceiling of a shortlist under groups that nobody has made yet: how many queries have all APIs
that they need inside the first toolkits.

No plan can call an API whose toolkit is not on the shortlist. A group stands in the list by its
best API here, since it has neither a name nor a text of its own yet; `toolplanner lab ceiling`
counts the toolkits of a workspace by all that is known of them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.groups import Labels

SHORTLIST = 60
"""Toolkits of a shortlist, as Tool-Planner is offered them by default."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class QueryRanking:
    """A query whose APIs are known.

    Attributes:
        order: (m,) int32, positions of the APIs that fit it best, best first.
        gold: sets of positions; each of them alone answers it.
    """

    order: NDArray[np.int32]
    gold: tuple[frozenset[int], ...]


def share_held(
    labels: Labels, queries: Sequence[QueryRanking], *, shortlist: int = SHORTLIST
) -> float | None:
    """The share of queries with a gold set that lies in the first groups; None without queries.

    Args:
        labels: (n,) int32, group of each API, -1 for none.
    """
    if not queries:
        return None
    return sum(_is_held(labels, query, shortlist) for query in queries) / len(queries)


def _is_held(labels: Labels, query: QueryRanking, shortlist: int) -> bool:
    ranked = labels[query.order]
    groups, first = np.unique(ranked[ranked >= 0], return_index=True)
    listed = set(groups[np.argsort(first)][:shortlist].tolist())
    return any(all(int(labels[at]) in listed for at in gold) for gold in query.gold)
