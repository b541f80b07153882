"""Groups in which all are alike: coarse groups are parted, and the parts joined to a given number.

k-means puts what is like nothing else together, since each centre wins something: of the ToolBench
catalogue's 5,032 toolkits a fifth held APIs that had nothing in common and so offered false
fallbacks. Here only what is alike on average is joined, the most alike first, so that such APIs are
left in small groups or alone, and what is one subject is one group. Called by `kmeans.py` and, for
the chart beside the choice of k, by `quality.py`.

Source: average linkage (UPGMA), Sokal and Michener 1958, of cosines to the catalogue's mean. The
mean cosine of two groups is the product of their mean vectors, so that no pair of points is needed;
only near groups are compared.
"""

import heapq
from array import array
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.groups import Vectors, blocks, group_sums, unit
from toolplanner_core.clustering.misfits import propose_groups
from toolplanner_core.clustering.neighbour_descent import neighbour_candidates
from toolplanner_core.clustering.neighbours import EXACT_UP_TO
from toolplanner_core.jobs.progress import Report, silent

_ALIKE = 0.6
"""Mean cosine of what is one part from the beginning; also finer parts give the same groups."""
_NEAR, _KEPT = 12, 40
"""Groups that each part is compared with, and a group that grew."""
_LONELY = 0.1
"""What is alone joins a group that is less like it by so much: without, 1,050 of the ToolBench
catalogue's toolkits have one API, with it 450, and 189 by k-means."""
_READ_AT_ONCE = 100_000
"""Pairs of the first order that are made Python's at once."""
_NOBODY = array("i")
"""Whom a group is compared with that was joined to another."""
_LARGEST = 4.5
"""Groups are not joined to more than so many times the mean size: names and reviews of hundreds of
APIs tell nothing."""


class Parts(NamedTuple):
    """What is joined.

    Attributes:
        centred: (m, dim) float32, rows of length 1: each distinct vector without what all share.
        copies: (m,) float32, how often each occurs.
        of_point: (m,) int32, the part of each.
    """

    centred: Vectors
    copies: NDArray[np.float32]
    of_point: NDArray[np.int32]


def part_groups(points: Vectors, copies: NDArray[np.float32], coarse: NDArray[np.int32]) -> Parts:
    """Part each coarse group into parts that are alike.

    Args:
        points: (m, dim) float32, rows of length 1, each once.
        copies: (m,) how often each occurs.
        coarse: (m,) int32 labels of few, large groups; no part reaches over two of them.
    """
    centred = unit(points - (copies @ points / copies.sum()).astype(np.float32))
    of_point = np.full(len(points), -1, dtype=np.int32)
    order = np.argsort(coarse, kind="stable")
    count = 0
    for members in np.split(order, np.flatnonzero(np.diff(coarse[order])) + 1):
        if len(members) < 2:
            continue
        for part in propose_groups(centred[members], least_cosine=_ALIKE, least_size=1):
            of_point[members[part]] = count
            count += 1
    alone = np.flatnonzero(of_point < 0)
    of_point[alone] = np.arange(count, count + len(alone))
    return Parts(centred, copies, of_point)


def join_parts(parts: Parts, k: int, *, report: Report) -> NDArray[np.int32]:
    """Join the most alike until there are k groups.

    Args:
        parts: of `part_groups`.
        k: how many groups; fewer only if there are fewer distinct points.
        report: told how many joins are done.

    Returns:
        (m,) int32 labels below k of the distinct points.
    """
    centred, copies, labels = parts
    if labels.max() + 1 < k:
        labels = np.arange(len(copies), dtype=np.int32)
    most = _LARGEST * float(copies.sum()) / k
    while (count := int(labels.max()) + 1) > k:
        sizes = np.bincount(labels, weights=copies, minlength=count).astype(np.float32)
        mean = group_sums(centred * copies[:, None], labels, count)
        mean /= sizes[:, None]
        joined = _join_near(mean, sizes, k, most, report)
        if joined.max() + 1 == count:
            most = np.inf  # None of those that are near may be joined.
        labels = joined[labels]
    return labels


def _join_near(
    mean: NDArray[np.float32], sizes: NDArray[np.float32], k: int, most: float, report: Report
) -> NDArray[np.int32]:
    """The group of each part after joining near ones until k are left, or none that may be.

    Args:
        mean: (parts, dim) mean vectors; the row of a part becomes that of what it is joined to.
    """
    count = len(sizes)
    size: list[float] = sizes.tolist()
    links = _near_parts(mean)
    first = _pairs_by_likeness(mean, sizes, links)
    parent, row = list(range(count)), list(range(count))
    queue: list[tuple[float, int, int]] = []
    left, head = count, next(first, None)
    while left > k and (head or queue):
        if head and not (queue and queue[0] < head):
            (_, a, b), head = head, next(first, None)
        else:
            _, a, b = heapq.heappop(queue)
        if parent[a] != a or parent[b] != b or size[a] + size[b] > most:
            continue
        new, both = len(size), size[a] + size[b]
        mean[row[a]] = (mean[row[a]] * size[a] + mean[row[b]] * size[b]) / both
        size.append(both)
        row.append(row[a])
        parent[a] = parent[b] = new
        parent.append(new)
        near = sorted(c for c in {*links[a], *links[b]} if parent[c] == c)
        links[a] = links[b] = _NOBODY
        rows = [row[c] for c in near]
        likeness: list[float] = (mean[rows] @ mean[row[new]]).tolist() if near else []
        best = sorted(zip(near, likeness, strict=True), key=lambda one: -one[1])[:_KEPT]
        links.append(array("i", [c for c, _ in best]))
        for c, alike in best:
            links[c].append(new)
            heapq.heappush(queue, (-(alike + _ease(size[c], both)), c, new))
        left -= 1
        if left % 500 == 0:
            report("Joining toolkits", count - left, count - k, "steps")
    for one in range(len(parent) - 1, -1, -1):
        parent[one] = parent[parent[one]]
    return np.unique(parent[:count], return_inverse=True)[1].astype(np.int32)


def _ease(one: float, other: float) -> float:
    return _LONELY if (one == 1) != (other == 1) else 0.0


def _pairs_by_likeness(
    mean: NDArray[np.float32], sizes: NDArray[np.float32], links: Sequence["array[int]"]
) -> Iterator[tuple[float, int, int]]:
    """Linked parts, each pair once, as the queue has them: the most alike first."""
    second = np.concatenate([np.asarray(of, dtype=np.int32) for of in links])
    first = np.repeat(np.arange(len(links), dtype=np.int32), [len(of) for of in links])
    is_once = second > first
    first, second = first[is_once], second[is_once]
    unlike = np.empty(len(first))
    for rows in blocks(len(first), 2 * mean.shape[1], stage="Joining toolkits", report=silent):
        a, b = first[rows], second[rows]
        eased = np.where((sizes[a] == 1) != (sizes[b] == 1), _LONELY, 0.0)
        unlike[rows] = -(np.einsum("id,id->i", mean[a], mean[b]).astype(np.float64) + eased)
    order = np.lexsort((second, first, unlike))
    for begin in range(0, len(order), _READ_AT_ONCE):
        some = order[begin : begin + _READ_AT_ONCE]
        yield from zip(
            unlike[some].tolist(), first[some].tolist(), second[some].tolist(), strict=True
        )


def _near_parts(means: NDArray[np.float32]) -> list["array[int]"]:
    """Which parts each part is compared with; whoever is near another is compared by both."""
    count = len(means)
    near = min(_NEAR, count - 1)
    found = _found_near(means, near) if count > EXACT_UP_TO else _all_compared(means, near)
    codes: list[NDArray[np.int64]] = []
    for first, best in found:
        one = np.arange(first, first + len(best), dtype=np.int64)[:, None]
        codes += [(one * count + best).ravel(), (best.astype(np.int64) * count + one).ravel()]
    pairs = np.unique(np.concatenate(codes))
    others = (pairs % count).astype(np.int32)
    ends = np.searchsorted(pairs, np.arange(1, count, dtype=np.int64) * count)
    return [array("i", of.tobytes()) for of in np.split(others, ends)]


def _all_compared(
    means: NDArray[np.float32], near: int
) -> Iterator[tuple[int, NDArray[np.integer[Any]]]]:
    """For blocks of parts: the first one, and (rows, near) the parts that are most like each."""
    count = len(means)
    for rows in blocks(count, count, stage="Joining toolkits", report=silent):
        cosines = means[rows] @ means.T
        at = np.arange(rows.stop - rows.start)
        cosines[at, at + rows.start] = -np.inf
        yield rows.start, np.argpartition(-cosines, near - 1, axis=1)[:, :near]


def _found_near(
    means: NDArray[np.float32], near: int
) -> Iterator[tuple[int, NDArray[np.integer[Any]]]]:
    """As `_all_compared`, of so many parts that only those are compared that NN-descent finds."""
    candidates = neighbour_candidates(unit(means), near, report=silent)
    width = candidates.shape[1]
    for rows in blocks(len(means), width * means.shape[1], stage="Joining toolkits", report=silent):
        of_rows = candidates[rows]
        cosines = np.einsum("id,ikd->ik", means[rows], means[of_rows], optimize=True)
        cosines[of_rows < 0] = -np.inf
        best = np.argpartition(-cosines, near - 1, axis=1)[:, :near]
        # Where fewer were found, the part itself stands in: it links to nobody.
        own = np.arange(rows.start, rows.stop)[:, None]
        taken = np.take_along_axis(of_rows, best, axis=1)
        yield rows.start, np.where(taken < 0, own, taken)
