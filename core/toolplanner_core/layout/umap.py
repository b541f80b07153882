"""UMAP: what is near in meaning is near on the map, and a region is a place. The default layout.

Source: McInnes, Healy, Melville 2018, arXiv 1802.03426. The work is umap-learn's; it gets the
neighbours that everybody else uses, and a start that is ours. Bonds between neighbours of different
toolkits, and of different regions, are weakened: umap-learn's intersection with a categorical
target, once for each. With a seed it runs on one core: its descent on several moves a point while
another thread reads it, so that no two maps are equal.

Measured on the 45,284 APIs of ToolBench (5,032 toolkits in 35 regions). Shares: of a toolkit's ten
nearest on the map, those of its region; of an API's 15 nearest on the map, those that are among its
15 nearest in meaning, and those of its toolkit. CPU seconds of the placing alone.

    strength that bonds lose between                 same region   meaning   same toolkit   CPU s
    toolkits 0.97, regions found on the map                 0.16      0.41           0.66      13
    the rest with a start by region:
    toolkits 0.97, regions 0.97                             0.38      0.41           0.67      11
    toolkits 0.86, regions 0.98                             0.58      0.42           0.61      12
    toolkits 0.63, regions 0.99                             0.64      0.41           0.56      12
    toolkits 0.75, regions 0.99 (the default)               0.63      0.41           0.58      18
    the same as densMAP                                     0.55      0.19           0.31      34

On a sample of 12,000 the start alone takes the share of the same region from 0.47 to 0.66.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.jobs.compiled_code import umap_learn
from toolplanner_core.jobs.progress import Report
from toolplanner_core.layout.layout import (
    LayoutPlugin,
    Neighbourhood,
    Positions,
    Vectors,
    centred,
)
from toolplanner_core.layout.pca import principal_plane
from toolplanner_core.layout.region_start import start_by_region
from toolplanner_core.options.option import option

_FEWEST = 10
"""Fewer points have no neighbourhoods to keep: their principal plane is shown instead."""

_SMOOTHINGS = 20
"""Steps that draw each point's start towards its neighbours."""

_ROUNDS_FEW, _ROUNDS_MANY, _MANY = 500, 200, 10_000
"""Source: defaults of umap-learn."""

_RATE, _PUSHES = 1.0, 5
"""How far the first round moves a point, and from how many others each pull pushes it. Source: the
same."""

_ROUNDS_DENSITY = 200
"""More of them where the density counts. Source: umap-learn, `simplicial_set_embedding`."""

_DENSITY = {"lambda": 2.0, "frac": 0.3, "var_shift": 0.1}
"""How densMAP keeps density. Source: defaults of umap-learn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UmapOptions:
    """Options of `umap`."""

    neighbours: int = option(
        8,
        "How many neighbours of each API are kept near, itself counted.",
        minimum=2,
        maximum=16,
    )
    min_dist: float = option(
        0.4,
        "Least distance of neighbours on the map, as a share of the spread's unit.",
        title="Least distance",
        minimum=0,
        maximum=1,
    )
    spread: float = option(2.0, "How far groups are pulled apart.", minimum=0.5, maximum=20)
    toolkit_weight: float = option(
        0.75,
        "How much weaker neighbours of different toolkits are drawn together, 0 = not at all; the"
        " meaning of the texts counts either way.",
        minimum=0,
        maximum=0.99,
    )
    region_weight: float = option(
        0.99,
        "The same between regions, which lie apart then, like islands; 0 = regions do not count, as"
        " where toolkits do not.",
        minimum=0,
        maximum=0.99,
    )
    density: bool = option(
        False,
        "Leave APIs that are alike to many as dense on the map as they are in meaning (densMAP):"
        " slower.",
        title="Keep density",
    )


def fit(
    vectors: Vectors,
    neighbours: Neighbourhood,
    labels: NDArray[np.int32],
    *,
    options: UmapOptions,
    seed: int,
    report: Report,
    regions: NDArray[np.int32] | None = None,
) -> Positions:
    """Place so that neighbours stay neighbours.

    Args:
        regions: (n,) region of each row, -1 for none; None where there are none.
    """
    n = len(vectors)
    if n < _FEWEST:
        return centred(principal_plane(vectors))
    k = max(2, min(options.neighbours, neighbours.indices.shape[1], n - 1))
    indices, distances = neighbours.indices[:, :k], neighbours.distances[:, :k]
    report("Choosing a start", 0, n)
    targets = [(labels, options.toolkit_weight)]
    if regions is not None and options.region_weight > 0 and (regions >= 0).any():
        targets.append((regions, options.region_weight))
        start = start_by_region(vectors, regions, seed)
    else:
        start = _start(vectors, indices, seed)
    rounds = _ROUNDS_FEW if n <= _MANY else _ROUNDS_MANY
    rounds += _ROUNDS_DENSITY if options.density else 0
    umap = umap_learn(report).umap_
    report("Joining neighbours", 0, n)
    random = np.random.RandomState(seed)
    graph, *lengths = _bonds(umap, indices, distances, targets, random, has_lengths=options.density)
    spread_a, spread_b = umap.find_ab_params(options.spread, min(options.min_dist, options.spread))
    positions, _ = umap.simplicial_set_embedding(
        start,
        graph,
        2,
        _RATE,
        spread_a,
        spread_b,
        1.0,
        _PUSHES,
        rounds,
        start,
        random,
        "euclidean",
        {},
        options.density,
        {**_DENSITY, "n_neighbors": k, "graph_dists": lengths[0] if lengths else None},
        False,
        tqdm_kwds=_Rounds(report, rounds).shown_by_tqdm(),
    )
    report("Placing APIs", rounds, rounds, "rounds")
    return centred(positions)


def first_places(
    vectors: Vectors, regions: NDArray[np.int32], *, seed: int, report: Report
) -> Positions:
    """Where `fit` begins with these regions; they lie about there in the end, too.

    45,284 points: a second.
    """
    report("Choosing a start", 0, len(vectors))
    return centred(start_by_region(vectors, regions, seed))


def _bonds(
    umap: Any,
    indices: NDArray[np.int32],
    distances: NDArray[np.float32],
    targets: Sequence[tuple[NDArray[np.int32], float]],
    random: np.random.RandomState,
    *,
    has_lengths: bool,
) -> tuple[Any, ...]:
    """How strongly points are drawn together, (n, n) sparse, and how long these bonds are if asked.

    Args:
        umap: the module of umap-learn.
        targets: groups (n,), -1 for none, each with the share of their strength that bonds between
            different ones lose.
    """
    n, k = indices.shape
    # Of the first argument it reads only how many rows there are; into the neighbours it writes.
    graph, _, _, *lengths = umap.fuzzy_simplicial_set(
        np.zeros((n, 1), np.float32),
        k,
        random,
        "euclidean",
        knn_indices=indices.copy(),
        knn_dists=distances.copy(),
        return_dists=has_lengths or None,
    )
    for groups, weight in targets:
        if weight > 0 and (groups >= 0).any():
            graph = umap.discrete_metric_simplicial_set_intersection(
                graph, groups, far_dist=-math.log1p(-weight)
            )
    return graph, *lengths


def compile_all(report: Report) -> None:
    """Place a few points, so that the compiled code of it is there for the next process."""
    n, k = 4 * _FEWEST, UmapOptions().neighbours
    vectors = np.random.default_rng(0).normal(size=(n, 4)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    distance = 1 - vectors @ vectors.T
    np.fill_diagonal(distance, 0)
    near = np.argsort(distance, axis=1)[:, :k].astype(np.int32)
    neighbours = Neighbourhood(near, np.take_along_axis(distance, near, axis=1))
    labels = np.arange(n, dtype=np.int32) % 3
    options = UmapOptions()
    fit(vectors, neighbours, labels, options=options, seed=0, report=report, regions=labels)


class _Rounds:
    """The file that umap-learn writes its progress to: numbers of rounds, which are reported."""

    def __init__(self, report: Report, rounds: int) -> None:
        self._report = report
        self._rounds = rounds

    def shown_by_tqdm(self) -> dict[str, Any]:
        """The settings of tqdm that make it write here."""
        return {"disable": False, "file": self, "bar_format": "{n}", "mininterval": 0.05}

    def write(self, text: str) -> None:
        """Report the number, if it is one: the rest moves the cursor."""
        done = text.strip()
        if done.isdecimal():
            self._report("Placing APIs", int(done), self._rounds, "rounds")

    def flush(self) -> None:
        """Nothing waits."""


def _start(vectors: Vectors, indices: NDArray[np.int32], seed: int) -> NDArray[np.float32]:
    """Where the points begin: their principal plane, each drawn towards its neighbours.

    A fixed number of steps, so the time is known. UMAP's own spectral start looks for the ends of
    that process by eigenvectors: on vectors of `lsa`, whose neighbourhoods hardly touch, it did not
    end within ten minutes. A little noise lets equal points part.

    Args:
        indices: (n, k), itself first.
    """
    from scipy.sparse import csr_array, diags_array

    n, k = indices.shape
    ones = np.ones(n * (k - 1), dtype=np.float32)
    graph = csr_array((ones, indices[:, 1:].ravel(), np.arange(0, n * (k - 1) + 1, k - 1)), (n, n))
    graph = graph.maximum(graph.T)
    walk = diags_array(1 / np.maximum(graph.sum(axis=1), 1)) @ graph
    positions = principal_plane(vectors)
    for _ in range(_SMOOTHINGS):
        positions = (positions + walk @ positions) / 2
    positions -= positions.mean(axis=0)
    noise = np.random.RandomState(seed).normal(scale=0.01, size=(n, 2))
    positions *= 10 / max(float(np.abs(positions).max()), 1e-12)
    return (positions + noise).astype(np.float32)


def _uses_labels(options: UmapOptions) -> bool:
    return options.toolkit_weight > 0


def _uses_regions(options: UmapOptions) -> bool:
    # Whoever wants meaning alone does not have to take the regions out, too.
    return options.toolkit_weight > 0 and options.region_weight > 0


def _legend(options: UmapOptions) -> str:
    return "Placed with its toolkit" if options.toolkit_weight > 0 else "Placed by meaning alone"


PLUGIN = LayoutPlugin(
    id="umap",
    title="UMAP",
    description="Similar APIs lie together; toolkits and regions too, unless their weight is 0.",
    options=UmapOptions,
    fit=fit,
    uses_labels=_uses_labels,
    uses_regions=_uses_regions,
    legend=_legend,
    first_places=first_places,
    compile_all=compile_all,
)
