"""The colours of toolkits on the map: a palette for each theme, and which toolkit has which.

The colours of toolkits on the map: twelve for each theme, apart for every eye. Made once from a
pool of glasbey's by `python tests/gui/map/make_palettes.py` (glasbey 0.4.0, which is no dependency
of the program). Nearest pairs, in CIEDE2000, for normal sight and for full deuteranopia,
protanopia, tritanopia: dark 16.7, 8.9, 9.1, 9.2; light 15.6, 8.2, 8.7, 9.5. Asked for are 15 and 8;
a test holds them, and a contrast of 3 : 1 on the map. Sorted by hue.

Which toolkits lie beside each other on the map: the graph that the colours are chosen for. Two
toolkits are neighbours when their centres share an edge of the Delaunay triangulation; on a planar
graph every toolkit can differ from all of its neighbours. Members scatter, so pairs of touching
points of two toolkits are counted as well, as a wish.

A colour for each toolkit, so that toolkits side by side on the map never share one. Twelve colours
are the most that stay apart for every eye, and four would do for a planar map: so colours are not
names of toolkits, they only say "another one begins here". Each toolkit asks for the colour that
its permanent number is worth and gives way to neighbours; so a few edits recolour few toolkits, and
given the colours from before, only what an edit touches. Pure and deterministic; 111,000 toolkits
in a second and a half beside the 3 s that finding their neighbours takes.

Source: colouring in the reverse of the order in which nodes with at most five neighbours left are
taken away needs at most six colours on a planar graph (smallest last: Matula and Beck 1983); many
nodes at once, those with the highest number among their uncoloured neighbours (Jones and Plassmann
1993).
"""

from __future__ import annotations

from functools import cache

import numpy as np
from PySide6.QtGui import QColor

from toolplanner_gui.theme.tokens import Tokens

COLOUR_COUNT = 12
NO_TOOLKIT = COLOUR_COUNT
"""Index of the grey of points without a toolkit."""
CATEGORY_COUNT = 36
NO_CATEGORY = CATEGORY_COUNT
"""Index of the grey of points without a category, or of one too rare for a colour of its own."""
RAMP_STEPS = 32
NO_VALUE = RAMP_STEPS
"""Index of the grey of points without a figure."""
RAMP_LIGHTNESS = {True: (0.42, 0.94), False: (0.80, 0.30)}
"""Of the low and the high end in OKLab, dark theme or not: what is high stands out."""

DARK_COLOURS = (
    "#61f4f3", "#3fb6d6", "#8c84df", "#c269ad", "#c39da7", "#d26562",
    "#d79865", "#f9c353", "#a38916", "#c1b794", "#a6ef9b", "#6e9688",
)  # fmt: skip
LIGHT_COLOURS = (
    "#2d706f", "#5d9d9c", "#6f81fe", "#625e94", "#a083b9", "#9544d7",
    "#b62768", "#cf6f90", "#8d4e4c", "#d95353", "#a28708", "#64742a",
)  # fmt: skip

# Of categories, the farthest apart first: the twelve of toolkits, then more, each the one of all
# colours with enough contrast that is farthest from those before it, at its worst sight; the last
# twelve also from the grey, and none of them nearly black or white. 36, for a catalogue of 45,284
# APIs has 35 regions. Nearest pairs of the first four, twelve, 24, all, in CIEDE2000 for normal
# sight: dark 27.2, 16.7, 12.9, 9.9; light 33.5, 15.6, 11.6, 9.0; for the three kinds of colour
# blindness at least 12, 8.2, 6.2, 4.7.
DARK_CATEGORIES = (
    "#c269ad", "#a6ef9b", "#6e9688", "#a38916", "#61f4f3", "#d79865", "#c39da7", "#d26562",
    "#8c84df", "#c1b794", "#3fb6d6", "#f9c353", "#871ef0", "#1e782d", "#785a69", "#5a6987",
    "#ff96ff", "#c32d1e", "#ffd2c3", "#c31e87", "#5a694b", "#96b41e", "#96c3c3", "#875ab4",
    "#1e9669", "#b44bff", "#69873c", "#ffe11e", "#b4c3e1", "#6996c3", "#1ec378", "#ff4b96",
    "#a56978", "#ff4bff", "#4b7869", "#3cff78",
)  # fmt: skip
LIGHT_CATEGORIES = (
    "#6f81fe", "#a28708", "#b62768", "#2d706f", "#625e94", "#64742a", "#a083b9", "#cf6f90",
    "#5d9d9c", "#9544d7", "#d95353", "#8d4e4c", "#4b3c1e", "#1e1eb4", "#691e69", "#878769",
    "#781e3c", "#f03ce1", "#1e4b96", "#966987", "#2d874b", "#1e4b4b", "#695a1e", "#5a78a5",
    "#5a1eff", "#698778", "#4b5a3c", "#b45a3c", "#1e87d2", "#b45ab4", "#5a4bb4", "#694b4b",
    "#873c78", "#f05a78", "#4b3c5a", "#96963c",
)  # fmt: skip


@cache
def toolkit_palette(tokens: Tokens) -> tuple[QColor, ...]:
    """The colours on the map of a theme.

    `COLOUR_COUNT` and the grey of points without a toolkit.
    """
    colours = DARK_COLOURS if tokens.is_dark else LIGHT_COLOURS
    return tuple(QColor(colour) for colour in (*colours, tokens.waiting))


@cache
def category_colours(tokens: Tokens) -> tuple[QColor, ...]:
    """The colours of categories: `CATEGORY_COUNT` and the grey of points without one."""
    colours = DARK_CATEGORIES if tokens.is_dark else LIGHT_CATEGORIES
    return tuple(QColor(colour) for colour in (*colours, tokens.waiting))


@cache
def scale_colours(tokens: Tokens) -> tuple[QColor, ...]:
    """The colours of a scale: `RAMP_STEPS` and the grey of points without a figure.

    From the accent to the warm colour of the theme; lightness runs evenly through it, so that the
    order is seen without any sense of hue. Source: OKLab (Ottosson 2020).
    """
    low, high = RAMP_LIGHTNESS[tokens.is_dark]
    share = np.linspace(0, 1, RAMP_STEPS)[:, None]
    ends = _oklab(np.array([_rgb(tokens.accent), _rgb(tokens.fell_back)]))
    lab = ends[:1] * (1 - share) + ends[1:] * share
    lab[:, 0] = low + (high - low) * share[:, 0]
    rgb = np.clip(_from_oklab(lab), 0, 1)
    return (*(QColor.fromRgbF(r, g, b) for r, g, b in rgb.tolist()), QColor(tokens.waiting))


def _rgb(colour: str) -> list[float]:
    return [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]


_TO_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def _oklab(rgb: np.ndarray) -> np.ndarray:
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return np.cbrt(linear @ _TO_CONES.T) @ _TO_LAB.T


def _from_oklab(lab: np.ndarray) -> np.ndarray:
    linear = (lab @ np.linalg.inv(_TO_LAB).T) ** 3 @ np.linalg.inv(_TO_CONES).T
    linear = np.clip(linear, 0, 1)
    return np.where(linear <= 0.0031308, linear * 12.92, 1.055 * linear ** (1 / 2.4) - 0.055)


NEAREST_POINTS = 5
SMALL = 12
MOST_TOUCHING = 100_000
"""Of more points these many are looked at: touching is a wish, and a sample says the same."""


def centres(xy: np.ndarray, labels: np.ndarray, n_labels: int) -> np.ndarray:
    """The middle of each toolkit: the median of its points in each direction.

    Which outliers do not pull away.

    Args:
        xy: `(n, 2)` float.
        labels: `(n,) int`, -1 for none.
        n_labels: number of toolkits.

    Returns:
        `(n_labels, 2) float64`; nan for a toolkit without points.
    """
    result = np.full((n_labels, 2), np.nan)
    used = np.flatnonzero(labels >= 0)
    if len(used) == 0:
        return result
    own = labels[used]
    count = np.bincount(own, minlength=n_labels)
    start = np.cumsum(count) - count
    present = np.flatnonzero(count)
    low = start[present] + (count[present] - 1) // 2
    high = start[present] + count[present] // 2
    for axis in range(2):
        values = np.asarray(xy[used, axis], np.float64)
        values = values[np.lexsort((values, own))]
        result[present, axis] = (values[low] + values[high]) / 2
    return result


def neighbour_pairs(middles: np.ndarray) -> np.ndarray:
    """Pairs of toolkits that lie beside each other.

    Args:
        middles: `(k, 2)` float, nan for what is not on the map.

    Returns:
        `(m, 2) int64`, each pair once, the smaller number first, rising.
    """
    present = np.flatnonzero(np.isfinite(middles).all(axis=1))
    if len(present) <= SMALL:
        first, second = np.triu_indices(len(present), 1)
        return np.column_stack([present[first], present[second]])
    from scipy.spatial import Delaunay

    places = middles[present] - middles[present].mean(axis=0)
    places = places / max(float(np.abs(places).max()), 1e-12)
    # QJ moves points by a hair, so that equal and collinear centres have neighbours too.
    corners = Delaunay(places, qhull_options="QJ Pp").simplices.astype(np.int64)
    sides = np.concatenate([corners[:, [0, 1]], corners[:, [1, 2]], corners[:, [0, 2]]])
    return np.unique(np.sort(present[sides], axis=1), axis=0)


def touching_pairs(xy: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of toolkits whose points are among each other's nearest, and how often.

    Args:
        xy: `(n, 2)` float.
        labels: `(n,) int`, -1 for none.

    Returns:
        `(m, 2) int64` pairs, the smaller number first, rising, and `(m,) int64` counts.
    """
    used = np.flatnonzero(labels >= 0)
    if len(used) > MOST_TOUCHING:
        used = used[:: -(-len(used) // MOST_TOUCHING)]
    if len(used) < 2:
        return np.zeros((0, 2), np.int64), np.zeros(0, np.int64)
    from scipy.spatial import KDTree

    points = np.asarray(xy[used], np.float64)
    k = min(NEAREST_POINTS + 1, len(used))
    _distance, near = KDTree(points).query(points, k=k)
    own = labels[used].astype(np.int64)
    pairs = np.column_stack([np.repeat(own, k), own[near.ravel()]])
    pairs = np.sort(pairs[pairs[:, 0] != pairs[:, 1]], axis=1)
    return np.unique(pairs, axis=0, return_counts=True)


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
