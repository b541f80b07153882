"""Bars of the charts beside the map, and what is computed for them only when somebody asks:
silhouettes, other numbers of toolkits. Both work in a process of their own and may take a minute.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering import silhouettes
from toolplanner_core.clustering.dbscan import propose_eps
from toolplanner_core.clustering.quality import SweepPoint, sweep_k
from toolplanner_core.clustering.sweeping import SweptValue, sweep_values, usual_values
from toolplanner_core.curation.looking.curated_catalogue import CuratedCatalogue
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.jobs.worker import run_in_worker
from toolplanner_core.retrieval.ranked_queries import AskedQuery, rank_queries
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.settings import get_setting
from toolplanner_core.workspace.vectors import load_vectors

PAPERS_SIZE = 9
"""APIs per toolkit in Tool-Planner (Source: arXiv 2406.03807)."""

_SIZE_EDGES = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 13, 17, 26, 41, 101)
_COHESION_STEP = 0.05
_SILHOUETTE_STEP = 0.1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Bar:
    """One bar.

    Attributes:
        label: below it; below its left edge if it has an `end`.
        end: below its right edge, of a bar that stands on a scale.
        count: toolkits or APIs it stands for; its height unless there is another.
        height: of a bar that counts nothing.
        toolkits: what it stands for, if toolkits.
        rowids: what it stands for, if APIs: (m,) int64.
        is_marked: drawn to stand out: the paper's size, or bad fits.
        meaning: in words, for the tooltip and screen readers.
    """

    label: str
    count: int
    end: str = ""
    toolkits: tuple[ToolkitId, ...] = ()
    rowids: np.ndarray | None = None
    is_marked: bool = False
    meaning: str = ""
    height: float | None = None


def toolkits_with(catalogue: CuratedCatalogue, rowids: np.ndarray) -> tuple[Toolkit, ...]:
    """The toolkits that have any of these APIs, (m,) int64, with a point or without one."""
    places = catalogue.places_of(rowids)
    labels = set(catalogue.labels[places[places >= 0]].tolist())
    others = catalogue.others
    ids = {others[rowid].toolkit for rowid in rowids[places < 0].tolist() if rowid in others}
    found = enumerate(catalogue.toolkits)
    return tuple(toolkit for i, toolkit in found if i in labels or toolkit.id in ids)


def size_bars(toolkits: Sequence[Toolkit]) -> list[Bar]:
    """Toolkits by their number of APIs; the bar of the paper's 9 is marked."""
    ends = (*(edge - 1 for edge in _SIZE_EDGES[1:]), None)
    bars: list[Bar] = []
    for begin, end in zip(_SIZE_EDGES, ends, strict=True):
        inside = [t.id for t in toolkits if t.size >= begin and (end is None or t.size <= end)]
        label = str(begin) if end == begin else f"{begin}–{end}" if end else f"{begin}+"
        is_papers = begin == PAPERS_SIZE
        apis = "API" if label == "1" else "APIs"
        note = ", the mean size in the paper" if is_papers else ""
        bars.append(
            Bar(
                label=label,
                count=len(inside),
                toolkits=tuple(inside),
                is_marked=is_papers,
                meaning=f"{counted(len(inside), 'toolkit')} of {label} {apis}{note}",
            )
        )
    while len(bars) > 1 and bars[-1].count == 0 and not bars[-1].is_marked:
        bars.pop()
    return bars


def cohesion_bars(
    toolkits: Sequence[Toolkit], cohesion: Callable[[ToolkitId], float | None]
) -> list[Bar]:
    """Toolkits by how well they hold together; toolkits of one API are left out."""
    known = [
        (value, t.id) for t in toolkits if t.size > 1 and (value := cohesion(t.id)) is not None
    ]
    values = np.array([value for value, _ in known])
    return [
        Bar(
            label=f"{begin:.2f}",
            end=f"{begin + _COHESION_STEP:.2f}",
            count=len(places),
            toolkits=tuple(known[place][1] for place in places.tolist()),
            meaning=f"{counted(len(places), 'toolkit')} with a fit of {begin:.2f} to"
            f" {begin + _COHESION_STEP:.2f}",
        )
        for begin, places in _heaps(values, _COHESION_STEP)
    ]


def silhouette_bars(values: np.ndarray, rowids: np.ndarray) -> list[Bar]:
    """APIs by silhouette; those nearer to another toolkit than to their own are marked.

    Args:
        values: (n,) silhouette of each API, -1 to 1.
        rowids: (n,) int64.
    """
    return [
        Bar(
            label=f"{begin:.1f}",
            end=f"{begin + _SILHOUETTE_STEP:.1f}",
            count=len(places),
            rowids=rowids[places],
            is_marked=begin < -_SILHOUETTE_STEP / 2,
            meaning=f"{counted(len(places), 'API')} with a silhouette of {begin:.1f} to"
            f" {begin + _SILHOUETTE_STEP:.1f}",
        )
        for begin, places in _heaps(values, _SILHOUETTE_STEP)
    ]


def _heaps(values: np.ndarray, step: float) -> list[tuple[float, np.ndarray]]:
    """`(begin, positions)` of all steps between the least and the greatest value; 1, above which
    there is none, belongs to the step below it."""
    if not len(values):
        return []
    # A hair up: 0.3 / 0.1 is less than 3.
    number = np.floor(values / step + 1e-9).astype(np.int64)
    number = np.minimum(number, round(1 / step) - 1)
    return [
        (round(int(i) * step, 6), np.flatnonzero(number == i))
        for i in range(int(number.min()), int(number.max()) + 1)
    ]


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
    """The silhouette of every API that has a toolkit, against all others; a few seconds for 45,000.

    Raises:
        Cancelled, WorkerDied: nothing was found.
    """
    vectors, grouped = _vectors_of(workspace, catalogue)
    values = run_in_worker(
        silhouettes.measure_silhouettes,
        vectors,
        catalogue.labels[grouped],
        len(catalogue.toolkits),
        progress=progress,
        what="silhouette",
    )
    return Silhouettes(values, catalogue.rowids[grouped])


def try_toolkit_counts(
    workspace: Workspace,
    catalogue: CuratedCatalogue,
    *,
    progress: Progress,
    on_point: Callable[[SweepPoint], None],
    is_plain: bool = False,
    asked: Iterable[AskedQuery] = (),
) -> int:
    """How good other numbers of toolkits would be; how many were tried.

    Args:
        is_plain: as k-means++ finds them, as in the paper.
        asked: queries whose APIs are known, for the ceiling of shortlists.
        on_point: hears of each as soon as it is known, on another thread.

    Raises:
        Cancelled, WorkerDied: what was heard of holds.
    """
    vectors, grouped = _vectors_of(workspace, catalogue)
    curve = run_in_worker(
        sweep_k,
        vectors,
        seed=0,
        is_plain=is_plain,
        queries=rank_queries(workspace, catalogue.rowids[grouped].tolist(), asked, progress),
        progress=progress,
        what="numbers of toolkits",
        on_piece=on_point,
    )
    return len(curve)


def try_distances(
    workspace: Workspace,
    catalogue: CuratedCatalogue,
    *,
    progress: Progress,
    on_point: Callable[[SweptValue], None],
    asked: Iterable[AskedQuery] = (),
) -> float:
    """What DBSCAN would make at the paper's distances and at those about the one that these vectors
    propose, which is given back.

    Args:
        asked: queries whose APIs are known, for the ceiling of shortlists.
        on_point: hears of each as soon as it is known, on another thread.

    Raises:
        Cancelled, WorkerDied: what was heard of holds.
    """
    vectors, grouped = _vectors_of(workspace, catalogue)
    run_in_worker(
        sweep_values,
        vectors,
        method="dbscan",
        values=usual_values("dbscan", vectors),
        options={},
        seed=0,
        queries=rank_queries(workspace, catalogue.rowids[grouped].tolist(), asked, progress),
        progress=progress,
        what="distances",
        on_piece=on_point,
    )
    return propose_eps(vectors, 1)


def _vectors_of(
    workspace: Workspace, catalogue: CuratedCatalogue
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Vectors (m, dim) of the points that have a toolkit, and their positions (m,)."""
    embedder: str = get_setting(workspace, "active_embedder", "")
    grouped = np.flatnonzero(catalogue.labels >= 0)
    rowids = catalogue.rowids[grouped].tolist()
    return load_vectors(workspace, embedder, rowids).vectors, grouped
