"""A colour for each toolkit, so that toolkits side by side on the map never share one.

Twelve colours are the most that stay apart for every eye (palette.py), and four would do for a
planar map: so colours are not names of toolkits, they only say "another one begins here". Each
toolkit asks for the colour that its number is worth and gives way to neighbours; so a few edits
recolour few toolkits, and given the colours from before, only what an edit touches. Called by the
canvas in a worker; pure and deterministic. Source: greedy colouring in smallest-last order (Matula
and Beck 1983) needs at most six colours on a planar graph.
"""

from __future__ import annotations

import numpy as np

from toolplanner_gui.map.neighbours import centres, neighbour_pairs, touching_pairs
from toolplanner_gui.map.palette import COLOUR_COUNT, NO_TOOLKIT


def assign_colours(
    xy: np.ndarray,
    labels: np.ndarray,
    n_labels: int,
    previous: np.ndarray | None = None,
) -> np.ndarray:
    """Choose a colour for each toolkit.

    Args:
        xy: `(n, 2)` float, places on the map.
        labels: `(n,) int`, toolkit of each point, -1 for none.
        n_labels: number of toolkits.
        previous: `(m,) int` colours from before, -1 for new ones; kept unless neighbours clash now.

    Returns:
        `(n_labels,) int64` index into the palette; `NO_TOOLKIT` for a toolkit without points.
    """
    middles = centres(xy, labels, n_labels)
    pairs = neighbour_pairs(middles)
    touching, weights = touching_pairs(xy, labels)
    hard = _adjacency(pairs, n_labels)
    soft = _weighted(touching, weights, n_labels)
    present = [int(i) for i in np.flatnonzero(np.isfinite(middles[:, 0]))]
    colours = np.full(n_labels, -1, np.int64)
    if previous is not None:
        kept = min(len(previous), n_labels)
        colours[:kept] = np.where(previous[:kept] < COLOUR_COUNT, previous[:kept], -1)
        absent = np.ones(n_labels, dtype=bool)
        absent[present] = False
        colours[absent] = -1
        _drop_clashes(colours, pairs)
    order = [i for i in reversed(_smallest_last(hard, present)) if colours[i] < 0]
    if not _colour(order, hard, soft, colours):
        # Old colours left no free one for a new toolkit: rare enough to begin afresh.
        colours[:] = -1
        _colour(list(reversed(_smallest_last(hard, present))), hard, soft, colours)
    colours[colours < 0] = NO_TOOLKIT
    return colours


def provisional_colours(n_labels: int) -> np.ndarray:
    """What toolkits look like until their neighbours are known: by number, `(n_labels,) int64`."""
    return _wish(np.arange(n_labels, dtype=np.int64))


def _wish(label: np.ndarray) -> np.ndarray:
    # Knuth's multiplicative hash: toolkits with numbers side by side are often similar, their
    # colours must not be.
    return ((label * 2654435761) % 2**32 >> 7) % COLOUR_COUNT


def _adjacency(pairs: np.ndarray, n: int) -> list[list[int]]:
    lists: list[list[int]] = [[] for _ in range(n)]
    for first, second in pairs.tolist():
        lists[first].append(second)
        lists[second].append(first)
    return lists


def _weighted(pairs: np.ndarray, weights: np.ndarray, n: int) -> list[list[tuple[int, int]]]:
    lists: list[list[tuple[int, int]]] = [[] for _ in range(n)]
    for (first, second), weight in zip(pairs.tolist(), weights.tolist(), strict=True):
        lists[first].append((second, weight))
        lists[second].append((first, weight))
    return lists


def _drop_clashes(colours: np.ndarray, pairs: np.ndarray) -> None:
    """Forget the colour of the later of two neighbours that share one."""
    for first, second in pairs.tolist():
        if colours[first] >= 0 and colours[first] == colours[second]:
            colours[second] = -1


def _smallest_last(adjacency: list[list[int]], present: list[int]) -> list[int]:
    """Toolkits in the order in which one with the fewest neighbours left is taken away.

    Ties by number.
    """
    import heapq

    degree = {i: len(adjacency[i]) for i in present}
    heap = [(d, i) for i, d in degree.items()]
    heapq.heapify(heap)
    taken: list[int] = []
    while heap:
        d, i = heapq.heappop(heap)
        if degree.get(i) != d:
            continue
        del degree[i]
        taken.append(i)
        for j in adjacency[i]:
            if j in degree:
                degree[j] -= 1
                heapq.heappush(heap, (degree[j], j))
    return taken


def _colour(
    order: list[int],
    hard: list[list[int]],
    soft: list[list[tuple[int, int]]],
    colours: np.ndarray,
) -> bool:
    """Colour greedily, in place; whether every toolkit differs from its neighbours."""
    chosen: list[int] = colours.tolist()
    wishes: list[int] = _wish(np.arange(len(chosen), dtype=np.int64)).tolist()
    complete = True
    for i in order:
        cost = [0.0] * COLOUR_COUNT
        for j, weight in soft[i]:
            if chosen[j] >= 0:
                cost[chosen[j]] += weight
        taken = {chosen[j] for j in hard[i]}
        free = [c for c in range(COLOUR_COUNT) if c not in taken]
        if not free:
            complete = False
            free = list(range(COLOUR_COUNT))
        wish = wishes[i]
        chosen[i] = min(free, key=lambda c: (cost[c], (c - wish) % COLOUR_COUNT))
    colours[:] = chosen
    return complete
