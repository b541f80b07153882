"""UMAP: what is near in meaning is near on the map. The default layout.

Source: McInnes, Healy, Melville 2018, arXiv 1802.03426; the settings kept neighbours and filled the
map best on 16,000 real APIs (design/map.md, "Layout"; tests/benchmarks measures it). With min_dist
0.2 instead of 0.4 slightly more neighbours are kept, but a toolkit is one speck. The work is
umap-learn's; it gets the neighbours that everybody else uses, and a start that is ours. With a seed
it runs on one core: its descent on several moves a point while another thread reads it, so that no
two maps are equal.
"""

import warnings
from dataclasses import dataclass

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
from toolplanner_core.options.option import option

_FEWEST = 10
"""Fewer points have no neighbourhoods to keep: their principal plane is shown instead."""

_SMOOTHINGS = 20
"""Steps that draw each point's start towards its neighbours."""

_ROUNDS_FEW, _ROUNDS_MANY, _MANY = 500, 200, 10_000
"""Source: defaults of umap-learn."""

_ROUNDS_DENSITY = 200
"""More of them where the density counts. Source: umap-learn, `simplicial_set_embedding`."""

_MOST_WEIGHT = 0.95
"""With more, umap-learn's strengths of bonds between toolkits become 0 in float32, and a point that
has no other bonds is nowhere."""


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
) -> Positions:
    """Place so that neighbours stay neighbours."""
    n = len(vectors)
    if n < _FEWEST:
        return centred(principal_plane(vectors))
    k = max(2, min(options.neighbours, neighbours.indices.shape[1], n - 1))
    indices, distances = neighbours.indices[:, :k], neighbours.distances[:, :k]
    start = _start(vectors, indices, seed, report)
    rounds = _ROUNDS_FEW if n <= _MANY else _ROUNDS_MANY
    rounds += _ROUNDS_DENSITY if options.density else 0
    counts = options.toolkit_weight > 0 and (labels >= 0).any()
    umap = umap_learn(report)
    report("Joining neighbours", 0, n)
    model = umap.UMAP(
        n_neighbors=k,
        # Copies: it writes into them.
        precomputed_knn=(indices.copy(), distances.copy()),
        disconnection_distance=np.inf,
        init=start,
        n_epochs=rounds,
        min_dist=min(options.min_dist, options.spread),
        spread=options.spread,
        target_weight=min(options.toolkit_weight, _MOST_WEIGHT),
        densmap=options.density,
        random_state=seed,
        n_jobs=1,
        tqdm_kwds={
            "disable": False,
            "file": _Rounds(report, rounds),
            "bar_format": "{n}",
            "mininterval": 0.05,
        },
    )
    with warnings.catch_warnings():
        # Neighbours without a search tree cannot place further points: `placing.py` does.
        warnings.filterwarnings("ignore", "precomputed_knn.2.", UserWarning)
        # Of the first argument it reads only how many rows there are, and copies it several times.
        positions = model.fit(start, labels if counts else None).embedding_
    report("Placing APIs", rounds, rounds, "rounds")
    return centred(positions)


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
    fit(vectors, neighbours, labels, options=UmapOptions(), seed=0, report=report)


class _Rounds:
    """The file that umap-learn writes its progress to: numbers of rounds, which are reported."""

    def __init__(self, report: Report, rounds: int) -> None:
        self._report = report
        self._rounds = rounds

    def write(self, text: str) -> None:
        """Report the number, if it is one: the rest moves the cursor."""
        done = text.strip()
        if done.isdecimal():
            self._report("Placing APIs", int(done), self._rounds, "rounds")

    def flush(self) -> None:
        """Nothing waits."""


def _start(
    vectors: Vectors, indices: NDArray[np.int32], seed: int, report: Report
) -> NDArray[np.float32]:
    """Where the points begin: their principal plane, each drawn towards its neighbours.

    A fixed number of steps, so the time is known. UMAP's own spectral start looks for the ends of
    that process by eigenvectors: on vectors of `lsa`, whose neighbourhoods hardly touch, it did not
    end within ten minutes. A little noise lets equal points part.

    Args:
        indices: (n, k), itself first.
    """
    from scipy.sparse import csr_array, diags_array

    n, k = indices.shape
    report("Choosing a start", 0, n)
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
    compile_all=compile_all,
)
