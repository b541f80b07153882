"""What a person has settled and no clustering may undo: pinned groups, pairs that belong together,
pairs that never do.

A clustering groups only what is free; this file turns the constraints into free *components* before
it and puts everything together after it, so the constraints hold for every plug-in alike.

Source: Wagstaff et al. 2001, "Constrained k-means clustering with background knowledge"
(transitive closure, hard constraints). Unlike there a conflict never makes the clustering fail: the
less central side moves to its next best group or founds one.
"""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.groups import Labels, Vectors, group_sums, number_by_size, unit
from toolplanner_core.clustering.repairing import part_forbidden_pairs
from toolplanner_core.errors import BadInput

Pairs = NDArray[np.int32]
"""(m, 2) int32: positions of two points each."""

_WORST_SHARE = 0.1
"""A point that must leave its group joins another one only if it fits there no worse than the worst
tenth of all points fit into theirs."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Constraints:
    """Decisions of a person that a clustering must keep.

    Free points are grouped among themselves; given groups stay exactly as they are.

    Attributes:
        fixed: (n,) int32, the group of each point whose group is given, -1 for a free one.
        must_link: pairs that belong to one group, transitively.
        cannot_link: pairs that never belong to one group.
    """

    fixed: NDArray[np.int32]
    must_link: Pairs = field(default_factory=lambda: np.zeros((0, 2), np.int32))
    cannot_link: Pairs = field(default_factory=lambda: np.zeros((0, 2), np.int32))

    @property
    def is_empty(self) -> bool:
        """Whether nothing is constrained."""
        return not (len(self.must_link) or len(self.cannot_link) or (self.fixed >= 0).any())

    @property
    def first_new(self) -> int:
        """Label of the first group that is not given: one above the greatest given one."""
        return int(self.fixed.max(initial=-1)) + 1


def fit_constrained(
    vectors: Vectors,
    constraints: Constraints | None,
    group: Callable[[Vectors, int], Labels],
) -> Labels:
    """Group what is free by `group` and keep what is settled.

    Args:
        vectors: (n, dim) float32.
        constraints: None or empty: the labels are those of `group`.
        group: the clustering without constraints; its second argument is the number of groups that
            are given already and count towards a number of groups that was asked for.

    Returns:
        (n,) int32. Given groups keep their labels; new ones are numbered from
        `constraints.first_new`, the largest first; -1 for none.

    Raises:
        BadInput: the constraints contradict each other; the message names the pair.
    """
    if constraints is None or constraints.is_empty:
        return group(vectors, 0)
    component, given = components(constraints, len(vectors))
    free = np.flatnonzero(given < 0)
    representatives = _representatives(vectors, component, len(given))
    labels = given.copy()
    if len(free):
        n_given = len(np.unique(given[given >= 0]))
        found = group(np.ascontiguousarray(representatives[free]), n_given)
        new = np.where(found >= 0, found + constraints.first_new, -1)
        # A clustering that calls them noise still knows that these points belong together.
        sizes = np.bincount(component, minlength=len(given))[free]
        alone = np.flatnonzero((new < 0) & (sizes > 1))
        new[alone] = np.arange(len(alone)) + max(int(new.max()) + 1, constraints.first_new)
        labels[free] = new
    weights = np.bincount(component, minlength=len(given))
    part_forbidden_pairs(
        representatives,
        weights,
        labels,
        pairs=component[constraints.cannot_link],
        is_given=given >= 0,
        first_new=constraints.first_new,
        least=_least_fit(representatives, weights, labels, free),
    )
    spread = labels[component]
    is_new = spread >= constraints.first_new
    spread[is_new] = number_by_size(spread[is_new]) + constraints.first_new
    return spread.astype(np.int32)


def components(constraints: Constraints, n: int) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """What moves as one: the component of each point, and the given group of each component.

    Returns:
        (n,) int32 numbers of components in the order of their first points, and (components,)
        int32 labels, -1 for a free one.

    Raises:
        BadInput: a length or a position is wrong, or two constraints contradict each other.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    must, cannot, fixed = constraints.must_link, constraints.cannot_link, constraints.fixed
    if len(fixed) != n:
        raise BadInput(f"The constraints are for {len(fixed)} points, there are {n}")
    for pairs in (must, cannot):
        if len(pairs) and (pairs.min() < 0 or pairs.max() >= n):
            raise BadInput(f"A constraint names a point outside 0 to {n - 1}")
    links = coo_array((np.ones(len(must), dtype=np.int8), (must[:, 0], must[:, 1])), (n, n))
    component = connected_components(links, directed=False)[1].astype(np.int32)
    count = int(component.max(initial=-1)) + 1
    given = np.full(count, -1, dtype=np.int32)
    pinned = np.flatnonzero(fixed >= 0)
    # Written backwards, so that the first pinned point of a component decides.
    given[component[pinned[::-1]]] = fixed[pinned[::-1]]
    wrong = pinned[given[component[pinned]] != fixed[pinned]]
    if len(wrong):
        first = pinned[component[pinned] == component[wrong[0]]][0]
        raise BadInput(
            f"Points {first} and {wrong[0]} must be together but are pinned to groups"
            f" {fixed[first]} and {fixed[wrong[0]]}",
            todo="Unpin one of them or take back that they belong together",
        )
    ends = component[cannot]
    joined = np.flatnonzero(ends[:, 0] == ends[:, 1])
    if len(joined):
        a, b = cannot[joined[0]]
        raise BadInput(
            f"Points {a} and {b} must be together and must not be together",
            todo="Take one of the two back",
        )
    same = np.flatnonzero((given[ends[:, 0]] >= 0) & (given[ends[:, 0]] == given[ends[:, 1]]))
    if len(same):
        a, b = cannot[same[0]]
        raise BadInput(
            f"Points {a} and {b} must not be together but both are pinned to group"
            f" {given[component[a]]}",
            todo="Unpin one of them or take back that they must not be together",
        )
    return component, given


def _representatives(vectors: Vectors, component: NDArray[np.int32], count: int) -> Vectors:
    """(components, dim) float32: a point itself where it is alone, else the mean of length 1."""
    sums = group_sums(vectors, component, count)
    is_alone = np.bincount(component, minlength=count) == 1
    means = unit(sums)
    own = is_alone[component]
    means[component[own]] = vectors[own]
    return means


def _own_cosines(
    points: Vectors, weights: NDArray[np.int64], labels: NDArray[np.int32]
) -> NDArray[np.float32]:
    """(components,) float32: cosine of each to the rest of its group; -1 without a rest."""
    cosines = np.full(len(points), -1, dtype=np.float32)
    grouped = np.flatnonzero(labels >= 0)
    if not len(grouped):
        return cosines
    weighted = points[grouped] * weights[grouped, None].astype(np.float32)
    count = int(labels.max()) + 1
    sums = group_sums(weighted, labels[grouped], count)
    sizes = np.bincount(labels[grouped], minlength=count)
    rest = unit((sums[labels[grouped]] - weighted).astype(np.float32))
    cosines[grouped] = np.where(
        sizes[labels[grouped]] > 1, (points[grouped] * rest).sum(axis=1), -1
    )
    return cosines


def _least_fit(
    points: Vectors,
    weights: NDArray[np.int64],
    labels: NDArray[np.int32],
    free: NDArray[np.int64],
) -> float:
    own = _own_cosines(points, weights, labels)[free]
    own = own[own > -1]
    return float(np.quantile(own, _WORST_SHARE)) if len(own) else 1.0
