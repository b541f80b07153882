"""Which new group continues which old one, and what became of the others.

A re-clustering or re-import numbers its groups anew; a person knows toolkits by name. The two
groupings are matched by overlap, and the difference is told in the words of an edit: moved, merged,
split, new, gone.

Source: assignment on Jaccard, Kuhn 1955, by Jonker and Volgenant 1987 for sparse matrices: toolkits
that share no member cannot be matched. 5,000 against 5,000 take a quarter of a second; the dense
`linear_sum_assignment`, also one for each connected part, takes several.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.labels import Labels

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
    a_wide, b_wide, value = a[wide], b[wide], jaccard[wide]
    chosen = _assign(a_wide, b_wide, value, n_old, n_new)
    continues[b_wide[chosen]] = a_wide[chosen]
    overlap[b_wide[chosen]] = value[chosen]
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
    a: NDArray[np.int32], b: NDArray[np.int32], value: NDArray[np.float64], n_a: int, n_b: int
) -> NDArray[np.int64]:
    """The edges of the matching with the greatest sum of values; positions in `a`.

    Each old group may also take a column of its own that is worth nothing, so that a full matching
    always exists, which the solver asks for.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    if not len(a):
        return np.zeros(0, dtype=np.int64)
    # Costs must not be 0, which sparse matrices leave out: 2 - value is 1 to 2, "none" costs 2.
    costs = np.concatenate((2 - value, np.full(n_a, 2.0)))
    rows = np.concatenate((a, np.arange(n_a)))
    columns = np.concatenate((b, n_b + np.arange(n_a)))
    shape = (n_a, n_b + n_a)
    taken = min_weight_full_bipartite_matching(csr_array((costs, (rows, columns)), shape=shape))
    column_of = np.full(n_a, -1, dtype=np.int64)
    column_of[taken[0]] = taken[1]
    return np.flatnonzero(column_of[a] == b)
