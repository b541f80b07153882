"""What an answer would change, in figures before and after: size, cohesion, neighbours, silhouette.

Shown on the card before a person commits. Pure; some tens of milliseconds at 45,000 APIs. Callers:
`viewmodels/review.py`, `cli/review.py`.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.sums import unit
from toolplanner_core.curation.review.evidence import Evidence
from toolplanner_core.curation.review_queue.following import follow_changes, place_of
from toolplanner_core.domain.curated import Changes

_NEAREST = 3
_LOOKED_AT = 8


class ToolkitState(NamedTuple):
    """A toolkit at one moment.

    Attributes:
        size: its APIs; 0 = it is not there.
        cohesion: mean cosine of the members to their centroid, 0 to 1.
        nearest: the most similar other toolkits with their cosines, the nearest first.
    """

    size: int
    cohesion: float
    nearest: tuple[tuple[str, float], ...]


class ToolkitChange(NamedTuple):
    """A toolkit before and after."""

    toolkit: int
    name: str
    before: ToolkitState
    after: ToolkitState


class Consequences(NamedTuple):
    """What would change.

    Attributes:
        toolkits: those whose members would change, the largest first.
        silhouette_before, silhouette_after: mean over all APIs that are in them at either time.
    """

    toolkits: tuple[ToolkitChange, ...]
    silhouette_before: float
    silhouette_after: float


def foresee(before: Evidence, changes: Changes) -> Consequences:
    """The figures around an edit that was not made yet.

    Args:
        changes: of `history.preview`.
    """
    after, touched = follow_changes(before, changes)
    places = [i for i, one in enumerate(after.toolkits) if one.id in touched]
    rows: list[ToolkitChange] = []
    for place in places:
        fact = after.toolkits[place]
        one, other = _state(before, place), _state(after, place)
        if one.size or other.size:
            rows.append(ToolkitChange(fact.id, fact.name, one, other))
    rows.sort(key=lambda row: (-max(row.before.size, row.after.size), row.toolkit))
    inside = np.isin(before.labels, places) | np.isin(after.labels, places)
    return Consequences(
        tuple(rows),
        _mean(before.cohesion.silhouette[inside]),
        _mean(after.cohesion.silhouette[inside]),
    )


def shared_neighbours(evidence: Evidence, one: int, other: int, most: int = 4) -> list[str]:
    """Names of toolkits that are among the nearest of both, by ids; the nearest to the first one
    first."""
    near = [_nearest(evidence, place_of(evidence, toolkit), _LOOKED_AT) for toolkit in (one, other)]
    both = {place for place, _ in near[1]}
    return [evidence.toolkits[place].name for place, _ in near[0] if place in both][:most]


def _state(evidence: Evidence, place: int) -> ToolkitState:
    cohesion = evidence.cohesion
    if place >= len(cohesion.sizes) or not cohesion.sizes[place]:
        return ToolkitState(0, 0.0, ())
    return ToolkitState(
        int(cohesion.sizes[place]),
        float(cohesion.cohesion[place]),
        tuple(
            (evidence.toolkits[i].name, cosine) for i, cosine in _nearest(evidence, place, _NEAREST)
        ),
    )


def _nearest(evidence: Evidence, place: int, most: int) -> list[tuple[int, float]]:
    """Positions and cosines of the toolkits most similar to one, the nearest first."""
    sums, sizes = evidence.cohesion.sums, evidence.cohesion.sizes
    if not 0 <= place < len(sizes):
        return []
    near = unit(sums) @ unit(sums[place][None, :])[0]
    near[sizes == 0] = -2
    near[place] = -2
    order = np.argsort(-near, kind="stable")[:most]
    return [(i, float(near[i])) for i in order.tolist() if near[i] > -2]


def _mean(values: NDArray[np.float32]) -> float:
    return float(values.mean()) if len(values) else 0.0
