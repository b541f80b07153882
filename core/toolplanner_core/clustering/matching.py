"""Which new group continues which old one, and what became of the others.

A re-clustering or re-import numbers its groups anew; a person knows toolkits by name. The two
groupings are matched by overlap, and the difference is told in the words of an edit: moved, merged,
split, new, gone. Called by `curation/` to make proposals.

Source: assignment on Jaccard, Kuhn 1955. Toolkits that share no member cannot be matched, so the
overlaps are a sparse matrix; matching is done in each of its connected parts. A small part is
solved by `linear_sum_assignment`, a large one by its sparse relative (Jonker and Volgenant 1987).
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.clustering import Labels

_DENSE_CELLS = 250_000
"""Parts with at most so many pairs are solved densely: 500 x 500 takes some milliseconds."""

_MOST = 0.5
"""A group has gone into another one if more than this share of its members is there."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GroupMatch:
    """An old grouping compared with a new one.

    A group is written as its label. An old group can be continued *and* have been split: the new
    group with the greatest overlap continues it.

    Attributes:
        continues: (new groups,) int32, the old group that each new one continues, -1 for none.
        overlap: (new groups,) float32, Jaccard of the two, 0 for none.
        same: old groups whose members are exactly those of the group that continues them.
        moved: (m,) int64 positions of points that are in another group than the continuation of
            their old one; points without an old group or without a new one count as well.
        merged: for each new group that took in most of each of several old ones: those old ones.
        split: for each old group that several new ones are mostly made of: those new ones.
        new: new groups that continue none and are no part of a split.
        gone: old groups that are neither continued nor merged nor split; empty ones are left out.
    """

    continues: NDArray[np.int32]
    overlap: NDArray[np.float32]
    same: list[int]
    moved: NDArray[np.int64]
    merged: dict[int, list[int]]
    split: dict[int, list[int]]
    new: list[int]
    gone: list[int]


def match_groups(old: Labels, new: Labels, *, least_overlap: float = 0.1) -> GroupMatch:
    """Compare two groupings of the same points.

    Args:
        old: (n,) int32, -1 for a point that was in no group, or was not there.
        new: (n,) int32, likewise.
        least_overlap: pairs with a smaller Jaccard do not continue one another.
    """
    from scipy.sparse import csr_array

    n_old, n_new = int(old.max(initial=-1)) + 1, int(new.max(initial=-1)) + 1
    both = (old >= 0) & (new >= 0)
    ones = np.ones(int(both.sum()), dtype=np.int64)
    common = csr_array((ones, (old[both], new[both])), shape=(n_old, n_new)).tocoo()
    common.sum_duplicates()
    sizes_old = np.bincount(old[old >= 0], minlength=n_old)
    sizes_new = np.bincount(new[new >= 0], minlength=n_new)
    a, b, shared = common.row, common.col, common.data
    jaccard = np.asarray(shared / (sizes_old[a] + sizes_new[b] - shared), dtype=np.float64)
    continues = np.full(n_new, -1, dtype=np.int32)
    overlap = np.zeros(n_new, dtype=np.float32)
    wide = jaccard >= least_overlap
    for edge in _assign(a[wide], b[wide], jaccard[wide], n_old, n_new):
        continues[b[wide][edge]] = a[wide][edge]
        overlap[b[wide][edge]] = jaccard[wide][edge]
    merged = _several(b, a, shared > _MOST * sizes_old[a])
    split = _several(a, b, shared > _MOST * sizes_new[b])
    in_merges = {group for groups in merged.values() for group in groups}
    in_splits = {group for groups in split.values() for group in groups}
    kept = set(continues[continues >= 0].tolist())
    expected = np.where(new >= 0, continues[new] if n_new else -1, -1)
    differs = (old != expected) & ((old >= 0) | (new >= 0))
    # A whole new group without a past has not moved anywhere; its points with an old group have.
    moved = np.flatnonzero(differs & ~((old < 0) & (new >= 0) & (expected < 0)))
    return GroupMatch(
        continues=continues,
        overlap=overlap,
        same=continues[overlap == 1].tolist(),
        moved=moved,
        merged=merged,
        split=split,
        new=[
            g
            for g in np.flatnonzero((continues < 0) & (sizes_new > 0)).tolist()
            if g not in in_splits
        ],
        gone=[
            g
            for g in np.flatnonzero(sizes_old > 0).tolist()
            if g not in kept and g not in in_merges and g not in split
        ],
    )


def _several(
    wholes: NDArray[np.int32], parts: NDArray[np.int32], is_most: NDArray[np.bool_]
) -> dict[int, list[int]]:
    """Wholes that hold most of at least two parts, with these parts."""
    found: dict[int, list[int]] = {}
    for whole, part in zip(wholes[is_most].tolist(), parts[is_most].tolist(), strict=True):
        found.setdefault(whole, []).append(part)
    return {whole: sorted(group) for whole, group in found.items() if len(group) > 1}


def _assign(
    a: NDArray[np.int32],
    b: NDArray[np.int32],
    value: NDArray[np.float64],
    n_a: int,
    n_b: int,
) -> list[int]:
    """The edges of the matching with the greatest sum of values; positions in `a`."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    if not len(a):
        return []
    n = n_a + n_b
    graph = coo_array((np.ones(len(a), dtype=np.int8), (a, b + n_a)), shape=(n, n))
    part = connected_components(graph, directed=False)[1][a]
    order = np.argsort(part, kind="stable")
    chosen: list[int] = []
    for edges in np.split(order, np.flatnonzero(np.diff(part[order])) + 1):
        if len(edges) == 1:
            chosen.append(int(edges[0]))
            continue
        rows, row = np.unique(a[edges], return_inverse=True)
        columns, column = np.unique(b[edges], return_inverse=True)
        dense = len(rows) * len(columns) <= _DENSE_CELLS
        solve = _solve_dense if dense else _solve_sparse
        chosen.extend(edges[solve(row, column, value[edges], len(rows), len(columns))].tolist())
    return chosen


def _solve_dense(
    row: NDArray[Any], column: NDArray[Any], value: NDArray[np.float64], n: int, m: int
) -> NDArray[np.int64]:
    from scipy.optimize import linear_sum_assignment

    table = np.zeros((n, m))
    edge = np.full((n, m), -1, dtype=np.int64)
    table[row, column] = value
    edge[row, column] = np.arange(len(row))
    found = edge[linear_sum_assignment(table, maximize=True)]
    return found[found >= 0]


def _solve_sparse(
    row: NDArray[Any], column: NDArray[Any], value: NDArray[np.float64], n: int, m: int
) -> NDArray[np.int64]:
    """As `_solve_dense`; each row may also take a column of its own that is worth nothing, so that
    a full matching always exists, which the sparse solver asks for."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    # Costs must not be 0, which sparse matrices leave out: 2 - value is 1 to 2, "none" costs 2.
    costs = np.concatenate((2 - value, np.full(n, 2.0)))
    rows = np.concatenate((row, np.arange(n)))
    columns = np.concatenate((column, m + np.arange(n)))
    table = csr_array((costs, (rows, columns)), shape=(n, m + n))
    edge = csr_array((np.arange(1, len(row) + 1), (row, column)), shape=(n, m + n))
    taken_rows, taken_columns = min_weight_full_bipartite_matching(table)
    found = np.asarray(edge[taken_rows, taken_columns]).ravel() - 1
    return found[found >= 0].astype(np.int64)
