"""k-means: as many toolkits as asked for. The default clustering.

Unless a person wants the plain one, k-means only finds coarse groups, which are then parted and
joined by what is alike (`linkage.py`): to the same number of toolkits, in less time.

Source: Tool-Planner (arXiv 2406.03807) section 3.1: k-means++ start, about 9 APIs per toolkit
(k = 1,800 for 16,464 APIs). The start is the original k-means++ (Arthur and Vassilvitskii 2007, one
trial per centre): scikit-learn's greedy variant needs 79 s instead of 2.6 s for 16,000 points and
ends at the same inertia (design/map.md, "Clustering").

So many centres for so many points would cost the square of the catalogue: above 60,000 points main
groups are found first, on a sample, and coarse groups within each. CPU seconds of coarse groups:

    APIs                    45,284   100,000   200,000
    all at once                3.4      17.1      69.7
    main groups first          3.4       3.2       5.5
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.clustering import ClusteringPlugin
from toolplanner_core.clustering.groups import (
    Labels,
    Vectors,
    distinct,
    group_sums,
    number_by_size,
    reduce,
)
from toolplanner_core.clustering.linkage import Parts, join_parts, part_groups
from toolplanner_core.jobs.progress import Report, silent
from toolplanner_core.options.option import option
from toolplanner_core.options.published import PaperSetting, PaperSource, PublishedSettings

APIS_PER_TOOLKIT = 9
"""Source: Tool-Planner, table 5: 1,800 toolkits for 16,464 APIs give the best pass rate."""

_SETTLED = 0.002
"""The rounds end when at most this share of the points changes its group: one in 500."""
_COARSE, _COARSE_ROUNDS = 45, 8
"""Points of a coarse group, and rounds that find them: their borders do not stay."""
_AT_ONCE = 60_000
"""Of more points main groups are found first."""
_MAIN = 10_000
"""Points of a main group, in the mean."""
_SAMPLED = 50_000
"""Points of which main groups are found."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupCount:
    """The option of clusterings that make a given number of toolkits."""

    k: int | None = option(
        None,
        "How many toolkits to make.",
        title="Toolkits",
        minimum=1,
        none_means="one for every 9 APIs",
    )

    def of(self, n: int, n_given: int) -> int:
        """How many to make of n free points, beside the given ones; at least one."""
        return max(1, round(n / APIS_PER_TOOLKIT) if self.k is None else self.k - n_given)


@dataclass(frozen=True, slots=True, kw_only=True)
class KMeansOptions(GroupCount):
    """Options of `kmeans`."""

    max_rounds: int = option(
        30, "Rounds that move the centres, at most, where toolkits are left as found.", minimum=1
    )
    is_plain: bool = option(
        False,
        "Leave toolkits as k-means finds them: of like size, but some of APIs that are not alike.",
        title="Leave as found",
    )


def group(
    vectors: Vectors,
    n_given: int,
    *,
    options: KMeansOptions,
    seed: int,
    report: Report,
) -> Labels:
    """Group into k toolkits, given ones counted; fewer if there are fewer distinct vectors."""
    k = options.of(len(vectors), n_given)
    # Equal texts are common (a third of a crawled catalogue shares its description); once each is
    # enough to find the centres, and no centre can then be lost to a copy of another.
    report("Reducing dimensions", 0, len(vectors))
    if not options.is_plain:
        parts, which = find_parts(vectors, seed, report=report)
        return number_by_size(join_parts(parts, k, report=report)[which])
    points, which, copies = distinct(reduce(vectors, seed))
    if k >= len(points):
        return number_by_size(which)
    report("Choosing first centres", 0, k, "toolkits")
    centres = first_centres(points, copies, k, seed)
    labels = move_centres(points, copies, centres, options.max_rounds, report)
    return number_by_size(labels[which])


def find_parts(vectors: Vectors, seed: int, *, report: Report) -> tuple[Parts, NDArray[np.int64]]:
    """What toolkits are joined from, whatever their number; also `sweep_k` joins it.

    Returns:
        Parts of the distinct vectors, and for each vector its number among these.
    """
    points, which, copies = distinct(vectors)
    coarse = _coarse_groups(reduce(points, seed), copies, seed, report)
    return part_groups(points, copies, coarse), which


def _coarse_groups(
    points: Vectors, copies: NDArray[np.float32], seed: int, report: Report
) -> NDArray[np.int32]:
    """(n,) int32 labels of groups of some 45 points that are near each other."""
    n = len(points)
    main = np.zeros(n, dtype=np.int32) if n <= _AT_ONCE else _main_groups(points, copies, seed)
    order = np.argsort(main, kind="stable")
    coarse = np.empty(n, dtype=np.int32)
    count = done = 0
    for members in np.split(order, np.flatnonzero(np.diff(main[order])) + 1):
        if len(members) == n:
            return _groups_at_once(points, copies, seed, report)
        report("Moving centres", done, n)
        labels = (_coarse_groups if len(members) > _AT_ONCE else _groups_at_once)(
            points[members], copies[members], seed, silent
        )
        coarse[members] = labels + count
        count += int(labels.max()) + 1
        done += len(members)
    return coarse


def _main_groups(points: Vectors, copies: NDArray[np.float32], seed: int) -> NDArray[np.int32]:
    """(n,) int32 labels of few, large groups, found on a sample."""
    sample = np.random.default_rng(seed).choice(len(points), _SAMPLED, replace=False)
    sample.sort()
    sampled, of_sample = points[sample], copies[sample]
    centres = first_centres(sampled, of_sample, -(-len(points) // _MAIN), seed)
    labels = move_centres(sampled, of_sample, centres, _COARSE_ROUNDS, silent)
    sums = group_sums(sampled * of_sample[:, None], labels, len(centres))
    weight = np.bincount(labels, weights=of_sample, minlength=len(centres))[:, None]
    moved = np.where(weight > 0, sums / np.maximum(weight, 1), centres).astype(np.float32)
    return _nearest(points, moved)


def _groups_at_once(
    points: Vectors, copies: NDArray[np.float32], seed: int, report: Report
) -> NDArray[np.int32]:
    k = max(1, len(points) // _COARSE)
    report("Choosing first centres", 0, k, "groups")
    centres = first_centres(points, copies, k, seed)
    return move_centres(points, copies, centres, _COARSE_ROUNDS, report)


def first_centres(points: Vectors, copies: NDArray[np.float32], k: int, seed: int) -> Vectors:
    """(k, dim) float32: k-means++ with one trial per centre."""
    from sklearn.cluster import kmeans_plusplus

    centres, _ = kmeans_plusplus(
        points, k, sample_weight=copies, random_state=seed, n_local_trials=1
    )
    return np.asarray(centres, dtype=np.float32)


def move_centres(
    points: Vectors,
    copies: NDArray[np.float32],
    centres: Vectors,
    max_rounds: int,
    report: Report,
) -> NDArray[np.int32]:
    """Lloyd's rounds until hardly a label changes; also `splitting.py` uses them.

    A centre that loses all its points stays where it is and may win some back; in the end the empty
    ones are left out.
    """
    labels = np.full(len(points), -1, dtype=np.int32)
    weighted = points * copies[:, None]
    for done in range(max_rounds):
        report("Moving centres", done, max_rounds, "rounds")
        nearest = _nearest(points, centres)
        changed = int(np.count_nonzero(nearest != labels))
        labels = nearest
        if changed <= _SETTLED * len(points):
            break
        weight = np.bincount(labels, weights=copies, minlength=len(centres))[:, None]
        sums = group_sums(weighted, labels, len(centres))
        moved = np.where(weight > 0, sums / np.maximum(weight, 1), centres)
        centres = moved.astype(np.float32)
    report("Moving centres", max_rounds, max_rounds, "rounds")
    return labels


def _nearest(points: Vectors, centres: Vectors) -> NDArray[np.int32]:
    # |p - c|^2 without |p|^2, which is the same for all centres.
    half = (centres * centres).sum(axis=1) / 2
    nearest = np.empty(len(points), dtype=np.int32)
    block = max(256, 8_000_000 // len(centres))
    for begin in range(0, len(points), block):
        part = slice(begin, begin + block)
        nearest[part] = np.argmax(points[part] @ centres.T - half, axis=1)
    return nearest


PLUGIN = ClusteringPlugin(
    id="kmeans",
    title="k-means",
    description="A given number of toolkits, of APIs that are alike; every API is in one.",
    options=KMeansOptions,
    group=group,
    published=PublishedSettings(
        settings=(
            PaperSetting(option="k", says="1,800 for 16,464: one for 9", value=None),
            PaperSetting(
                option="is_plain",
                says="k-means++",
                value=True,
                why="parted and joined afterwards, toolkits are more alike",
            ),
            PaperSetting(
                option="max_rounds",
                says="until it is settled",
                value=300,
                source=PaperSource.NOBODY,
                why="hardly any point changes after 30",
            ),
        ),
        differences=(
            "k is one toolkit for every 9 APIs, as 1,800 are for the paper's 16,464; give --k"
            " 65 for its APIBench.",
            "Vectors are reduced before they are grouped, and groups whose points hardly"
            " change end the rounds early.",
            "Vectors are those of this workspace's embedder; the paper's are of SimCSE, of"
            " texts that a model wrote.",
        ),
    ),
)
