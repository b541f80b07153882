"""HDBSCAN: toolkits wherever APIs lie more densely than around; needs no distance to be chosen.

Says honestly what belongs nowhere: on a crawled catalogue about half of the APIs. Those stay
without a toolkit until a person, or another method for the free ones, decides.

Source: Campello, Moulavi, Sander 2013; scikit-learn's implementation, on 20 principal components
(16,000 APIs: 5.5 s, in all dimensions many minutes: design/map.md, "Clustering"), with the leaves
of the tree as groups: its default, the most stable branches, makes toolkits of several hundred.
"""

from dataclasses import dataclass

import numpy as np

from toolplanner_core.clustering.clustering import ClusteringPlugin
from toolplanner_core.clustering.groups import Labels, Vectors, distinct, number_by_size, reduce
from toolplanner_core.jobs.progress import Report
from toolplanner_core.options.option import option

_DIMENSIONS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class HdbscanOptions:
    """Options of `hdbscan`."""

    min_size: int = option(4, "The fewest different APIs that make a toolkit.", minimum=2)
    min_points: int = option(
        2,
        "How many neighbours, itself counted, make a place dense; more give fewer, surer toolkits.",
        minimum=1,
    )


def group(
    vectors: Vectors,
    n_given: int,  # noqa: ARG001 - it finds as many as there are
    *,
    options: HdbscanOptions,
    seed: int,
    report: Report,
) -> Labels:
    """Group what lies densely; the rest is -1."""
    from sklearn.cluster import HDBSCAN

    report("Reducing dimensions", 0, len(vectors))
    # Copies would be infinitely dense; each distinct vector counts once.
    points, which, copies = distinct(reduce(vectors, seed, dimensions=_DIMENSIONS))
    found = np.full(len(points), -1, dtype=np.int64)
    if len(points) > max(options.min_size, options.min_points):
        report("Looking for dense places", 0, None)
        model = HDBSCAN(
            min_cluster_size=options.min_size,
            min_samples=options.min_points,
            cluster_selection_method="leaf",
            algorithm="kd_tree",
            copy=True,  # pyright: ignore[reportArgumentType] - its stub says str
        )
        found = model.fit_predict(points)
    # Enough copies of one text are a dense place by themselves.
    alone = np.flatnonzero((found < 0) & (copies >= options.min_size))
    found[alone] = np.arange(len(alone)) + found.max(initial=-1) + 1
    return number_by_size(found[which])


PLUGIN = ClusteringPlugin(
    id="hdbscan",
    title="HDBSCAN",
    description="Toolkits wherever APIs lie densely, of any size; leaves out what is unlike all.",
    options=HdbscanOptions,
    group=group,
)
