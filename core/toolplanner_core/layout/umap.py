"""UMAP: what is near in meaning is near on the map. The default layout.

Source: McInnes, Healy, Melville 2018, arXiv 1802.03426; the settings kept neighbours and filled the
map best on 16,000 real APIs (design/map.md, "Layout"; tests/benchmarks measures it). With min_dist
0.2 instead of 0.4 slightly more neighbours are kept, but a toolkit is one speck. The graph is that
of umap-learn (`fuzzy_graph.py`), its descent moves many pairs at once (`descent.py`), and the start
is ours.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.jobs.progress import Report
from toolplanner_core.layout.descent import curve_of, descend
from toolplanner_core.layout.fuzzy_graph import drawn_by_labels, fuzzy_graph
from toolplanner_core.layout.layout import (
    LayoutPlugin,
    Neighbourhood,
    Positions,
    Vectors,
    centred,
)
from toolplanner_core.layout.pca import principal_plane
from toolplanner_core.options.option import option

_FEWEST = 10
"""Fewer points have no neighbourhoods to keep: their principal plane is shown instead."""

_SMOOTHINGS = 20
"""Steps that draw each point's start towards its neighbours."""

_ROUNDS_FEW, _ROUNDS_MANY, _MANY = 500, 200, 10_000
"""Source: defaults of umap-learn."""


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
        0.3,
        "How strongly APIs of one toolkit are drawn together, 0 = not at all; the meaning of the"
        " texts counts either way.",
        minimum=0,
        maximum=0.99,
    )


def fit(
    vectors: Vectors,
    neighbours: Neighbourhood,
    labels: NDArray[np.int32],
    *,
    options: UmapOptions,
    seed: int,
    report: Report,
) -> Positions:
    """Place so that neighbours stay neighbours."""
    n = len(vectors)
    if n < _FEWEST:
        return centred(principal_plane(vectors))
    k = max(2, min(options.neighbours, neighbours.indices.shape[1]))
    report("Joining neighbours", 0, n)
    graph = fuzzy_graph(neighbours, k)
    start = _start(vectors, graph, seed, report)
    if options.toolkit_weight > 0 and (labels >= 0).any():
        graph = drawn_by_labels(graph, labels, options.toolkit_weight)
    rounds = _ROUNDS_FEW if n <= _MANY else _ROUNDS_MANY
    positions = descend(
        graph,
        start,
        rounds=rounds,
        curve=curve_of(options.spread, options.min_dist),
        seed=seed,
        report=report,
    )
    report("Placing APIs", rounds, rounds, "rounds")
    return centred(positions)


def _start(vectors: Vectors, graph: Any, seed: int, report: Report) -> NDArray[np.float32]:
    """Where the points begin: their principal plane, each drawn towards its neighbours.

    A fixed number of steps, so the time is known. UMAP's own spectral start looks for the ends of
    that process by eigenvectors: on vectors of `lsa`, whose neighbourhoods hardly touch, it did not
    end within ten minutes. A little noise lets equal points part.
    """
    from scipy.sparse import diags_array

    n = len(vectors)
    report("Choosing a start", 0, n)
    weight = np.maximum(np.asarray(graph.sum(axis=1)).ravel(), 1e-12)
    walk = diags_array(1 / weight) @ graph
    positions = principal_plane(vectors)
    for _ in range(_SMOOTHINGS):
        positions = (positions + walk @ positions) / 2
    positions -= positions.mean(axis=0)
    noise = np.random.RandomState(seed).normal(scale=0.01, size=(n, 2))
    positions *= 10 / max(float(np.abs(positions).max()), 1e-12)
    return (positions + noise).astype(np.float32)


def _uses_labels(options: UmapOptions) -> bool:
    return options.toolkit_weight > 0


def _legend(options: UmapOptions) -> str:
    return "Placed with its toolkit" if options.toolkit_weight > 0 else "Placed by meaning alone"


PLUGIN = LayoutPlugin(
    id="umap",
    title="UMAP",
    description="Similar APIs lie together; toolkits hold together unless their weight is 0.",
    options=UmapOptions,
    fit=fit,
    uses_labels=_uses_labels,
    legend=_legend,
)
