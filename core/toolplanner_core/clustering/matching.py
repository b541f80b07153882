"""Which new group continues which old one.

A re-clustering or re-import numbers its groups anew; a person knows toolkits by name. The two
groupings are matched by overlap.

Source: assignment on Jaccard, Kuhn 1955, by Jonker and Volgenant 1987 for sparse matrices: toolkits
that share no member cannot be matched. 5,000 against 5,000 take a quarter of a second; the dense
`linear_sum_assignment`, also one for each connected part, takes several.
"""

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.groups import Labels


def continued_groups(old: Labels, new: Labels, *, least_overlap: float = 0.1) -> NDArray[np.int32]:
    """The old group that each new one continues, (new groups,) int32, -1 for none.

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
    wide = jaccard >= least_overlap
    a, b = a[wide], b[wide]
    chosen = _assign(a, b, jaccard[wide], n_old, n_new)
    continues[b[chosen]] = a[chosen]
    return continues


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
