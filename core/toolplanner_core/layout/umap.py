"""UMAP: what is near in meaning is near on the map. The default layout.

Source: McInnes, Healy, Melville 2018, arXiv 1802.03426; the settings kept neighbours and filled the
map best on 16,000 real APIs (design/map.md, "Layout"; tests/benchmarks measures it). With min_dist
0.2 instead of 0.4 slightly more neighbours are kept, but a toolkit is one speck. The building
blocks of umap-learn are called one by one, not its `UMAP` class: so exact neighbours can be given
for any number of points, stages and epochs can be reported, and the start is ours.
"""

import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.jobs.progress import Report
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

_EPOCHS_FEW, _EPOCHS_MANY, _MANY = 500, 200, 10_000
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
    report("Loading UMAP", 0, None)
    with warnings.catch_warnings():
        # umap-learn warns of what is meant here: disconnected neighbourhoods, a fixed seed.
        warnings.simplefilter("ignore")
        from umap.umap_ import (
            discrete_metric_simplicial_set_intersection,
            find_ab_params,
            fuzzy_simplicial_set,
            simplicial_set_embedding,
        )

        k = max(2, min(options.neighbours, neighbours.indices.shape[1]))
        random = np.random.RandomState(seed)
        report("Joining neighbours", 0, n)
        graph: Any = fuzzy_simplicial_set(
            vectors,
            k,
            random,
            "cosine",
            knn_indices=np.ascontiguousarray(neighbours.indices[:, :k]),
            knn_dists=np.ascontiguousarray(neighbours.distances[:, :k]),
        )[0]
        start = _start(vectors, graph, random, report)
        if options.toolkit_weight > 0 and (labels >= 0).any():
            # Source: umap-learn, `UMAP.fit` with a categorical target.
            graph = discrete_metric_simplicial_set_intersection(
                graph, labels, far_dist=2.5 / (1 - options.toolkit_weight)
            )
        epochs = _EPOCHS_FEW if n <= _MANY else _EPOCHS_MANY
        report("Placing APIs", 0, epochs, "rounds")
        a, b = find_ab_params(options.spread, options.min_dist)
        positions: Any = simplicial_set_embedding(
            vectors,
            graph,
            n_components=2,
            initial_alpha=1.0,
            a=a,
            b=b,
            gamma=1.0,
            negative_sample_rate=5,
            n_epochs=epochs,
            init=start,
            random_state=random,
            metric="cosine",
            metric_kwds={},
            densmap=False,
            densmap_kwds={},
            output_dens=False,
            tqdm_kwds={
                "disable": False,
                "file": _EpochListener(report, epochs),
                "bar_format": "{n_fmt}",
                "mininterval": 0.1,
            },
        )[0]
        report("Placing APIs", epochs, epochs, "rounds")
        return centred(positions)


def _start(
    vectors: Vectors, graph: Any, random: np.random.RandomState, report: Report
) -> NDArray[np.float32]:
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
    positions *= 10 / max(float(np.abs(positions).max()), 1e-12)
    return (positions + random.normal(scale=0.01, size=(n, 2))).astype(np.float32)


class _EpochListener:
    """A text file for tqdm that reports what is written to it as finished rounds."""

    def __init__(self, report: Report, epochs: int) -> None:
        self._report = report
        self._epochs = epochs

    def write(self, text: str) -> None:
        number = text.strip()
        if number.isdigit():
            self._report("Placing APIs", int(number), self._epochs, "rounds")

    def flush(self) -> None:
        """Nothing is kept back."""


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
