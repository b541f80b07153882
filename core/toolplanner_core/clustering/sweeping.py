"""One method of clustering with several values of one option, side by side: how many toolkits come
of each, how alike their APIs are, and how many stand alone.

Tool-Planner tries numbers of toolkits and radii of DBSCAN in this way (arXiv 2406.03807, figure 3
and table 8). Called by `toolplanner sweep` and by the chart of distances; runs in a worker process
and hands out each value as soon as it is known.
"""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np

from toolplanner_core.clustering.ceiling import SHORTLIST, QueryRanking, share_held
from toolplanner_core.clustering.clustering import clusterings
from toolplanner_core.clustering.dbscan import propose_eps
from toolplanner_core.clustering.groups import Vectors
from toolplanner_core.clustering.quality import MEAN_SIZES, Quality, measure
from toolplanner_core.jobs.progress import Report, silent
from toolplanner_core.options.values import make_options


class Swept(NamedTuple):
    """What can be swept of a method.

    Attributes:
        option: its name; is_whole: its values are whole numbers.
        papers: the paper's values, () = they hang on the number of APIs.
    """

    option: str
    is_whole: bool
    papers: tuple[float, ...] = ()


SWEPT = {
    "kmeans": Swept("k", is_whole=True),
    "dbscan": Swept("eps", is_whole=False, papers=(0.001, 0.01, 0.02, 0.04, 0.08, 0.16)),
}
"""By method; the radii are those of Tool-Planner's table 8."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SweptValue(Quality):
    """A value and what it gives.

    Attributes:
        largest: APIs of the largest toolkit.
        ceiling: share of the queries whose APIs a shortlist holds, see `ceiling.py`; None without.
    """

    value: float
    largest: int
    ceiling: float | None = None


_AROUND = (0.5, 0.75, 1.0, 1.25)
"""Of the distance that these vectors propose, what else is tried."""


def usual_values(method: str, vectors: Vectors) -> list[float]:
    """What is tried where nobody says: the paper's values, and beside them what these vectors
    propose; or sizes about the paper's 9. Blocks."""
    swept = SWEPT[method]
    if not swept.papers:
        return sorted({float(max(1, round(len(vectors) / size))) for size in MEAN_SIZES})
    own = propose_eps(vectors, 1)
    return sorted({*swept.papers, *(round(own * part, 2) for part in _AROUND)})


def sweep_values(
    vectors: Vectors,
    *,
    method: str,
    values: Sequence[float],
    options: dict[str, Any],
    seed: int,
    report: Report,
    emit: Callable[[SweptValue], None] | None = None,
    queries: Sequence[QueryRanking] = (),
    shortlist: int = SHORTLIST,
) -> list[SweptValue]:
    """Cluster once with each value.

    Args:
        vectors: (n, dim) float32, rows of length 1.
        method: a key of `SWEPT`.
        options: others of the method, the same each time.
        emit: called with each as soon as it is there (`run_in_worker(on_piece=...)`).
        queries: for the ceiling; shortlist: toolkits of one.

    Raises:
        BadInput: a value does not fit the option.
    """
    plugin, swept = clusterings.get(method), SWEPT[method]
    given = [int(value) if swept.is_whole else value for value in values]
    chosen = [
        make_options(plugin.options, {**options, swept.option: value}, of=f"clustering {method}")
        for value in given
    ]
    found: list[SweptValue] = []
    for done, (value, each) in enumerate(zip(given, chosen, strict=True)):
        report("Trying values", done, len(given), "values")
        labels = plugin.fit(vectors, options=each, seed=seed, report=silent)
        sizes = np.bincount(labels[labels >= 0])
        quality = measure(vectors, labels, seed=seed, report=silent)
        one = SweptValue(
            **asdict(quality),
            value=value,
            largest=int(sizes.max()) if len(sizes) else 0,
            ceiling=share_held(labels, queries, shortlist=shortlist),
        )
        found.append(one)
        if emit is not None:
            emit(one)
    return found
