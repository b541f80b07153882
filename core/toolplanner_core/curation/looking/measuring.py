"""What is computed of a catalogue only when somebody asks: silhouettes, other numbers of toolkits.

Both work in a process of their own and may take a minute on a large catalogue.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.cohesion import measure_cohesion
from toolplanner_core.clustering.quality import SweepPoint, sweep_k
from toolplanner_core.curation.looking.curated_catalogue import CuratedCatalogue
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.jobs.worker import run_in_worker
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.settings import get_setting
from toolplanner_core.workspace.vectors import load_vectors


class Silhouettes(NamedTuple):
    """How well each API lies in its toolkit.

    Attributes:
        values: (m,) float32, -1 to 1.
        rowids: (m,) int64, the APIs that have a toolkit.
    """

    values: NDArray[np.float32]
    rowids: NDArray[np.int64]


def measure_silhouettes(
    workspace: Workspace, catalogue: CuratedCatalogue, *, progress: Progress
) -> Silhouettes:
    """The silhouette of every API that has a toolkit.

    Raises:
        Cancelled, WorkerDied: nothing was found.
    """
    vectors, grouped = _vectors_of(workspace, catalogue)
    measured = run_in_worker(
        measure_cohesion,
        vectors,
        catalogue.labels[grouped],
        len(catalogue.toolkits),
        progress=progress,
        what="silhouette",
    )
    return Silhouettes(measured.silhouette, catalogue.rowids[grouped])


def try_toolkit_counts(
    workspace: Workspace,
    catalogue: CuratedCatalogue,
    *,
    progress: Progress,
    on_point: Callable[[SweepPoint], None],
) -> int:
    """How good other numbers of toolkits would be; how many were tried.

    Args:
        on_point: hears of each as soon as it is known, on another thread.

    Raises:
        Cancelled, WorkerDied: what was heard of holds.
    """
    vectors, _ = _vectors_of(workspace, catalogue)
    curve = run_in_worker(
        sweep_k,
        vectors,
        seed=0,
        progress=progress,
        what="numbers of toolkits",
        on_piece=on_point,
    )
    return len(curve)


def _vectors_of(
    workspace: Workspace, catalogue: CuratedCatalogue
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Vectors (m, dim) of the points that have a toolkit, and their positions (m,)."""
    embedder: str = get_setting(workspace, "active_embedder", "")
    grouped = np.flatnonzero(catalogue.labels >= 0)
    rowids = catalogue.rowids[grouped].tolist()
    return load_vectors(workspace, embedder, rowids).vectors, grouped
