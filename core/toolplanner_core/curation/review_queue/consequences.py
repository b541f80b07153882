"""What an answer would change, in figures before and after: size, cohesion, neighbours, silhouette.

Shown on the card before a person commits. Pure; some tens of milliseconds at 45,000 APIs. Callers:
`viewmodels/review.py`, `cli/review.py`.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.sums import unit
from toolplanner_core.curation.review.evidence import Evidence
from toolplanner_core.curation.review_queue.following import follow_changes
from toolplanner_core.domain.curated import Changes

_NEAREST = 3


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


def _state(evidence: Evidence, place: int) -> ToolkitState:
    cohesion = evidence.cohesion
    if place >= len(cohesion.sizes) or not cohesion.sizes[place]:
        return ToolkitState(0, 0.0, ())
    near = unit(cohesion.sums) @ unit(cohesion.sums[place][None, :])[0]
    near[cohesion.sizes == 0] = -2
    near[place] = -2
    order = np.argsort(-near, kind="stable")[:_NEAREST]
    return ToolkitState(
        int(cohesion.sizes[place]),
        float(cohesion.cohesion[place]),
        tuple((evidence.toolkits[i].name, float(near[i])) for i in order.tolist() if near[i] > -2),
    )


def _mean(values: NDArray[np.float32]) -> float:
    return float(values.mean()) if len(values) else 0.0
