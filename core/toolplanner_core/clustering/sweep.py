"""How many toolkits? Mean size and silhouette against k, for the chart beside the choice of k.

Runs in a worker process, one k after the other, and hands out each point of the curve as soon as it
is known.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from toolplanner_core.clustering.kmeans import APIS_PER_TOOLKIT, first_centres, move_centres
from toolplanner_core.clustering.labels import Vectors, number_by_size
from toolplanner_core.clustering.quality import measure
from toolplanner_core.clustering.reducing import distinct, reduce
from toolplanner_core.jobs.progress import Report, silent

MEAN_SIZES = (40, 25, 16, 12, APIS_PER_TOOLKIT, 7, 5, 4)
"""Mean sizes that are tried, from few toolkits to many; the paper's 9 is among them."""

_ROUNDS = 12
"""Rounds that move the centres: the curve needs no last percent."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SweepPoint:
    """One number of toolkits and what it gives.

    Attributes:
        k: toolkits asked for.
        toolkits: toolkits there were; fewer than k if fewer APIs differ.
        mean_size: mean number of APIs in a toolkit.
        singletons: toolkits of one API.
        silhouette: mean on a sample, -1 to 1; None with fewer than two toolkits.
        is_papers: whether this is the 9 APIs per toolkit of Tool-Planner.
    """

    k: int
    toolkits: int
    mean_size: float
    singletons: int
    silhouette: float | None
    is_papers: bool


def sweep_k(
    vectors: Vectors,
    *,
    ks: Sequence[int] | None = None,
    seed: int,
    report: Report,
    emit: Callable[[SweepPoint], None] | None = None,
) -> list[SweepPoint]:
    """Cluster by k-means for several k.

    Args:
        vectors: (n, dim) float32, rows of length 1.
        ks: numbers of toolkits, each at least 1; None takes those of `MEAN_SIZES`.
        seed: same vectors and seed, same curve.
        report: told which k is worked on.
        emit: called with each point as soon as it is there (`run_in_worker(on_piece=...)`).

    Returns:
        One point for each k, in growing order.
    """
    n = len(vectors)
    papers = max(1, round(n / APIS_PER_TOOLKIT))
    wanted = sorted({max(1, round(n / size)) for size in MEAN_SIZES} if ks is None else set(ks))
    report("Trying numbers of toolkits", 0, len(wanted), "numbers")
    points, which, copies = distinct(reduce(vectors, seed))
    curve: list[SweepPoint] = []
    for done, k in enumerate(wanted):
        report("Trying numbers of toolkits", done, len(wanted), "numbers")
        if k >= len(points):
            found = np.arange(len(points), dtype=np.int32)
        else:
            centres = first_centres(points, copies, k, seed)
            found = move_centres(points, copies, centres, _ROUNDS, silent)
        quality = measure(vectors, number_by_size(found[which]), seed=seed, report=silent)
        point = SweepPoint(
            k=k,
            toolkits=quality.groups,
            mean_size=quality.mean_size,
            singletons=quality.singletons,
            silhouette=quality.silhouette,
            is_papers=k == papers,
        )
        curve.append(point)
        if emit is not None:
            emit(point)
    report("Trying numbers of toolkits", len(wanted), len(wanted), "numbers")
    return curve
