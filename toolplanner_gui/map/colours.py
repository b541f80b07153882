"""A colour for each toolkit, so that toolkits side by side on the map never share one.

Twelve colours are the most that stay apart for every eye (palette.py), and four would do for a
planar map: so colours are not names of toolkits, they only say "another one begins here". Each
toolkit asks for the colour that its permanent number is worth and gives way to neighbours; so a few
edits recolour few toolkits, and given the colours from before, only what an edit touches. Called by
derivation.py in a worker; pure and deterministic; 111,000 toolkits in a second and a half beside
the 3 s that finding their neighbours takes.

Source: colouring in the reverse of the order in which nodes with at most five neighbours left are
taken away needs at most six colours on a planar graph (smallest last: Matula and Beck 1983); many
nodes at once, those with the highest number among their uncoloured neighbours (Jones and Plassmann
1993).
"""

from __future__ import annotations

import numpy as np

from toolplanner_gui.map.neighbours import centres, neighbour_pairs, touching_pairs
from toolplanner_gui.map.palette import COLOUR_COUNT, NO_TOOLKIT

FEW_NEIGHBOURS = 5
WIDENINGS = 4
TAKEN = 1e9
WISH_SHARE = 1e-3


def assign_colours(
    xy: np.ndarray,
    labels: np.ndarray,
    n_labels: int,
    previous: np.ndarray | None = None,
    *,
    keys: np.ndarray | None = None,
) -> np.ndarray:
    """Choose a colour for each toolkit.

    Args:
        xy: `(n, 2)` float, places on the map.
        labels: `(n,) int`, toolkit of each point, -1 for none.
        n_labels: number of toolkits.
        previous: `(m,) int` colours from before, -1 for new ones; kept unless neighbours clash now.
        keys: `(n_labels,) int` permanent numbers of the toolkits; their positions if none.

    Returns:
        `(n_labels,) int64` index into the palette; `NO_TOOLKIT` for a toolkit without points.
    """
    middles = centres(xy, labels, n_labels)
    graph = _Graph(neighbour_pairs(middles), *touching_pairs(xy, labels), n_labels)
    is_there = np.isfinite(middles[:, 0])
    number = np.arange(n_labels, dtype=np.int64) if keys is None else np.asarray(keys, np.int64)
    wish = _wish(number)
    colours = np.full(n_labels, -1, np.int64)
    if previous is not None:
        kept = min(len(previous), n_labels)
        colours[:kept] = np.where(previous[:kept] < COLOUR_COUNT, previous[:kept], -1)
        colours[~is_there] = -1
        # The later of two neighbours that share a colour gives way.
        first, second = graph.hard.T
        colours[second[(colours[first] >= 0) & (colours[first] == colours[second])]] = -1
    open_now = is_there & (colours < 0)
    for _ in range(WIDENINGS):
        _colour(open_now, graph, wish, colours)
        stuck = _stuck(graph.hard, colours)
        if not len(stuck):
            break
        # Old colours left no free one: those around have to move, too.
        open_now = np.zeros(n_labels, dtype=bool)
        open_now[stuck] = True
        touched = open_now[graph.hard].any(axis=1)
        open_now[graph.hard[touched].ravel()] = True
        colours[open_now] = -1
    else:
        colours[is_there] = -1
        _colour(is_there, graph, wish, colours)
    colours[colours < 0] = NO_TOOLKIT
    return colours


def provisional_colours(n_labels: int, keys: np.ndarray | None = None) -> np.ndarray:
    """What toolkits look like until their neighbours are known: by number, `(n_labels,) int64`."""
    return _wish(np.arange(n_labels, dtype=np.int64) if keys is None else keys)


def _wish(number: np.ndarray) -> np.ndarray:
    # Knuth's multiplicative hash: toolkits with numbers side by side are often similar, their
    # colours must not be.
    return ((number * 2654435761) % 2**32 >> 7) % COLOUR_COUNT


class _Graph:
    """Neighbours that must differ (`hard`) and points that touch (`soft`, with weights).

    The ends are listed both ways, sorted by the first, so that all neighbours of a toolkit lie
    together.
    """

    def __init__(
        self, pairs: np.ndarray, touching: np.ndarray, weights: np.ndarray, n: int
    ) -> None:
        self.n = n
        self.hard = pairs.reshape(-1, 2)
        self.hard_of, self.hard_to, _ = _both_ways(self.hard, np.ones(len(self.hard)))
        self.soft_of, self.soft_to, self.soft_weight = _both_ways(
            touching.reshape(-1, 2), weights.astype(np.float64)
        )


def _both_ways(pairs: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    start = np.concatenate([pairs[:, 0], pairs[:, 1]])
    end = np.concatenate([pairs[:, 1], pairs[:, 0]])
    order = np.argsort(start, kind="stable")
    return start[order], end[order], np.concatenate([weights, weights])[order]


def _stuck(pairs: np.ndarray, colours: np.ndarray) -> np.ndarray:
    first, second = pairs[:, 0], pairs[:, 1]
    return pairs[(colours[first] >= 0) & (colours[first] == colours[second])].ravel()


def _layers(is_open: np.ndarray, graph: _Graph) -> list[np.ndarray]:
    """The open toolkits in groups: each has few neighbours in its own and in later groups."""
    left = is_open.copy()
    of, to = graph.hard_of, graph.hard_to
    layers: list[np.ndarray] = []
    while left.any():
        alive = left[of] & left[to]
        of, to = of[alive], to[alive]
        degree = np.bincount(of, minlength=graph.n)
        least = int(degree[left].min())
        taken = left & (degree <= max(FEW_NEIGHBOURS, least))
        layers.append(np.flatnonzero(taken))
        left &= ~taken
    return layers


def _colour(is_open: np.ndarray, graph: _Graph, wish: np.ndarray, colours: np.ndarray) -> None:
    """Colour the open toolkits in place, as far from what is around them as can be."""
    # A fixed scramble of the positions: equal numbers cannot occur.
    priority = np.random.default_rng(0).permutation(graph.n)
    for layer in reversed(_layers(is_open, graph)):
        waiting = np.zeros(graph.n, dtype=bool)
        waiting[layer] = True
        inside = waiting[graph.hard_of]
        hard_of, hard_to = graph.hard_of[inside], graph.hard_to[inside]
        touched = waiting[graph.soft_of]
        soft = graph.soft_of[touched], graph.soft_to[touched], graph.soft_weight[touched]
        while waiting.any():
            both = waiting[hard_of] & waiting[hard_to]
            of, to = hard_of[both], hard_to[both]
            ready = waiting.copy()
            ready[of[priority[of] < priority[to]]] = False
            _choose(np.flatnonzero(ready), (hard_of, hard_to), soft, wish, colours)
            waiting &= ~ready


def _choose(
    chosen: np.ndarray,
    hard: tuple[np.ndarray, np.ndarray],
    soft: tuple[np.ndarray, np.ndarray, np.ndarray],
    wish: np.ndarray,
    colours: np.ndarray,
) -> None:
    """The cheapest colour for each of `chosen`, of which no two are neighbours."""
    row = np.full(len(colours), -1, np.int64)
    row[chosen] = np.arange(len(chosen))
    steps = np.arange(COLOUR_COUNT)
    cost = ((steps[None, :] - wish[chosen, None]) % COLOUR_COUNT) * WISH_SHARE
    for of, to, weight in ((*hard, None), soft):
        counts = (row[of] >= 0) & (colours[to] >= 0)
        cells = row[of[counts]] * COLOUR_COUNT + colours[to[counts]]
        worth = np.full(len(cells), TAKEN) if weight is None else weight[counts]
        cost += np.bincount(cells, worth, minlength=cost.size).reshape(cost.shape)
    colours[chosen] = cost.argmin(axis=1)
