"""Regions: a level above toolkits, so that a map or list of thousands of them can be overseen.

Toolkits whose centroids lie together form a region; `region_names.py` names it. Found once, kept
from then on (`region_keeping.py`). Pure functions.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.groups import unit
from toolplanner_core.curation.grouping.region_names import name_regions
from toolplanner_core.curation.naming.meaning import name_vectors
from toolplanner_core.curation.naming.trades import trade_of
from toolplanner_core.jobs.isolation import Isolation

FEWEST_TOOLKITS = 60
"""Fewer are seen at one glance."""
_FEWEST, _MOST = 6, 36
_TEXT_WEIGHT, _NAME_WEIGHT, _PLACE_WEIGHT, _TRADE_WEIGHT = 0.7, 0.7, 0.5, 1.0
"""Of what a toolkit's members say, its name, its place on the map and its trade. Of the ToolBench
catalogue 61 % of the APIs are in the largest category of their region (28 % by texts and places
alone), and 6 of 35 regions have no subject instead of 16. With less of the place, regions lie
strewn; with less of the trade, some are of all sorts."""
_STARTS = 4
"""The best of so many is taken: one alone may put two trades into a region."""
_SURE = 15.0
"""How far a toolkit is taken for the trade that its words are nearest to: e to the power of this
for each unit of cosine, beside the categories that its members were put into."""
_FARTHEST = 2.0
"""Typical distances from the middle beyond which a place counts as this far."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Regions:
    """Which region each toolkit belongs to.

    Attributes:
        of_toolkit: (t,) int32, index into `names`, -1 for a toolkit without a centroid.
        names: of the regions, unique, largest region first.
    """

    of_toolkit: NDArray[np.int32]
    names: tuple[str, ...]


def count_for(toolkits: int) -> int:
    """How many regions that many toolkits are put into; 0 if they need none."""
    if toolkits < FEWEST_TOOLKITS:
        return 0
    return min(max(round(math.sqrt(toolkits) / 2), _FEWEST), _MOST)


def find_regions(
    centroids: NDArray[np.float32],
    sizes: NDArray[np.int64],
    names: Sequence[str],
    *,
    places: NDArray[np.floating[Any]] | None = None,
    categories: Sequence[Mapping[str, int]] = (),
    count: int | None = None,
    seed: int = 0,
    isolation: Isolation | None = None,
) -> Regions:
    """Put toolkits into regions; 5,000 take about a second.

    Args:
        centroids: (t, dim) float32, any length; zeros for a toolkit without vectors.
        sizes: (t,) APIs of each toolkit: large ones weigh more, but not as much more.
        names: (t,) of the toolkits.
        places: (t, 2) of the toolkits on the map, nan for none: regions are also areas of it then,
            which an eye can take in; texts alone leave a catch-all strewn everywhere.
        categories: (t,) how many APIs of each toolkit are of which category, if that is known.
        count: number of regions; a fitting one if none.
        seed: of the clustering.
        isolation: what remembers the regions on which the rule for names failed.

    Returns:
        No regions for few toolkits.
    """
    there = np.flatnonzero(np.linalg.norm(centroids, axis=1) > 0)
    wanted = count_for(len(there)) if count is None else count
    of_toolkit = np.full(len(centroids), -1, dtype=np.int32)
    if wanted < 1 or len(there) < wanted:
        return Regions(of_toolkit=of_toolkit, names=())
    weight = np.sqrt(np.maximum(sizes[there], 1)).astype(np.float64)
    features = _features(
        unit(centroids[there]),
        [names[i] for i in there.tolist()],
        None if places is None else places[there],
        [categories[i] for i in there.tolist()] if categories else [],
        weight,
    )
    groups = _grouped(features, wanted, weight, seed)
    wanted = int(groups.max()) + 1
    mass = np.bincount(groups, weights=sizes[there], minlength=wanted)
    order = np.argsort(-mass, kind="stable")
    rank = np.empty(wanted, dtype=np.int32)
    rank[order] = np.arange(wanted, dtype=np.int32)
    of_toolkit[there] = rank[groups]
    named = name_regions(
        names, of_toolkit, sizes, wanted, categories=categories, isolation=isolation
    )
    return Regions(of_toolkit=of_toolkit, names=tuple(named))


def _features(
    units: NDArray[np.float32],
    names: Sequence[str],
    places: NDArray[np.floating[Any]] | None,
    categories: Sequence[Mapping[str, int]],
    weight: NDArray[np.float64],
) -> NDArray[np.float32]:
    """(t, f) float32: all that says which toolkits belong together, side by side."""
    # Texts of one catalogue share a direction ("get", "api"); without it angles say more.
    origin = np.average(units, axis=0, weights=weight).astype(np.float32)
    parts = [_TEXT_WEIGHT * unit(units - origin)]
    if (spoken := name_vectors(names)) is not None:
        parts.append(_NAME_WEIGHT * spoken)
    about = unit(np.concatenate(parts, axis=1))
    if places is not None:
        parts.append(_PLACE_WEIGHT * _scaled(places))
    if categories:
        parts.append(_TRADE_WEIGHT * _spread(_trades(categories), about, weight))
    return np.concatenate(parts, axis=1)


def _grouped(
    features: NDArray[np.float32], wanted: int, weight: NDArray[np.float64], seed: int
) -> NDArray[np.int64]:
    """(t,) region of each, from 0 without a gap; fewer than wanted where toolkits are equal."""
    from sklearn.cluster import KMeans

    distinct = len({row.tobytes() for row in features})
    # Float64: sklearn's float32 path sums in another order on other machines.
    # A number is allowed, too, whatever its stub says.
    clustering = KMeans(min(wanted, distinct), n_init=_STARTS, random_state=seed)  # pyright: ignore[reportArgumentType]
    fitted = clustering.fit(features.astype(np.float64), sample_weight=weight)
    return np.unique(np.asarray(fitted.labels_, np.int64), return_inverse=True)[1]


def _trades(categories: Sequence[Mapping[str, int]]) -> NDArray[np.float32]:
    """(t, trades) float32, of length 1 or 0: how many APIs of each toolkit are of which trade."""
    trades = sorted({trade for each in categories for name in each if (trade := trade_of(name))})
    column = {trade: i for i, trade in enumerate(trades)}
    shares = np.zeros((len(categories), len(trades)), dtype=np.float32)
    for row, each in zip(shares, categories, strict=True):
        for name, times in each.items():
            if trade := trade_of(name):
                row[column[trade]] += times
    return unit(shares)


def _spread(
    trades: NDArray[np.float32], about: NDArray[np.float32], weight: NDArray[np.float64]
) -> NDArray[np.float32]:
    """(t, trades) float32, of length 1: trades of toolkits, half of them by what others of each
    trade are about, since categories are chosen carelessly and a fifth say nothing."""
    if not trades.shape[1]:
        return trades
    middles = unit((trades.T * weight).astype(np.float32) @ about)
    near = np.exp(_SURE * (about @ middles.T))
    near /= near.sum(axis=1, keepdims=True)
    own = trades / np.maximum(trades.sum(axis=1, keepdims=True), 1e-9)
    return unit((own + near).astype(np.float32))


def _scaled(places: NDArray[np.floating[Any]]) -> NDArray[np.float32]:
    """Places around the middle of all, the typical distance as 1."""
    known = np.isfinite(places[:, 0]) & np.isfinite(places[:, 1])
    middle = np.median(places[known], axis=0) if known.any() else np.zeros(2)
    # Far places are drawn in, so that islands far out do not get regions of their own.
    off = np.where(known.reshape(-1, 1), places - middle, 0.0)
    scale = np.sqrt(np.median(off**2, axis=0).sum()) or 1.0
    off = off / scale
    far = np.linalg.norm(off, axis=1, keepdims=True)
    off *= np.minimum(1.0, _FARTHEST / np.maximum(far, 1e-9))
    return off.astype(np.float32)
