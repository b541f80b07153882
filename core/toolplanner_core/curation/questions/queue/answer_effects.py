"""What an answer would change, in figures before and after: size, cohesion, neighbours, silhouette.

Shown on the card before a person commits. Pure; some tens of milliseconds at 45,000 APIs.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.groups import nearest_groups
from toolplanner_core.curation.questions.kinds.evidence import Evidence
from toolplanner_core.curation.questions.queue.evidence_updates import follow_changes
from toolplanner_core.domain.curated import Changes
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.words.formatting import counted, one_line, score

_NEAREST = 3
_LOOKED_AT = 8
_SHARED = 4


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

    toolkit: ToolkitId
    name: str
    before: ToolkitState
    after: ToolkitState


class AnswerEffect(NamedTuple):
    """What would change.

    Attributes:
        toolkits: those whose members would change, the largest first.
        silhouette_before, silhouette_after: mean over all APIs that are in them at either time.
    """

    toolkits: tuple[ToolkitChange, ...]
    silhouette_before: float
    silhouette_after: float

    def in_words(self, *, outweighed_by: str = "") -> tuple[str, ...]:
        """The largest changes as sentences; none if no toolkit changes.

        Args:
            outweighed_by: what speaks for it where the silhouette does not; it is asked in spite of
                that figure, so that the sentence says why.
        """
        if not self.toolkits:
            return ()
        lines: list[str] = []
        for one in self.toolkits[:4]:
            before, after = one.before, one.after
            name = one_line(one.name, 60)
            if not after.size:
                lines.append(f"“{name}” ends ({counted(before.size, 'API')})")
                continue
            near = f"; nearest then “{one_line(after.nearest[0][0], 40)}”" if after.nearest else ""
            if not before.size:
                lines.append(
                    f"“{name}” begins: {counted(after.size, 'API')},"
                    f" fit {score(after.cohesion)}{near}"
                )
            elif (before.size, score(before.cohesion)) != (after.size, score(after.cohesion)):
                lines.append(
                    f"“{name}”: {before.size:,} → {counted(after.size, 'API')}, fit"
                    f" {score(before.cohesion)} → {score(after.cohesion)}{near}"
                )
        values = score(self.silhouette_before), score(self.silhouette_after)
        if values[0] != values[1]:
            is_better = self.silhouette_after > self.silhouette_before
            said = f", outweighed by {outweighed_by}" if outweighed_by else ""
            said = " (better)" if is_better else said
            lines.append(f"Silhouette of all these APIs: {values[0]} → {values[1]}{said}")
        return tuple(lines)


def effect_of_answer(before: Evidence, changes: Changes) -> AnswerEffect:
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
    return AnswerEffect(
        tuple(rows),
        _mean(before.cohesion.silhouette[inside]),
        _mean(after.cohesion.silhouette[inside]),
    )


def shared_neighbours(evidence: Evidence, *toolkits: ToolkitId) -> list[str]:
    """Names of toolkits that are among the nearest of two; the nearest to the first one first."""
    near = [_nearest(evidence, evidence.place_of(toolkit), _LOOKED_AT) for toolkit in toolkits]
    both = {place for place, _ in near[1]}
    return [evidence.toolkits[place].name for place, _ in near[0] if place in both][:_SHARED]


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
    return nearest_groups(sums, sizes, sums[place], most=most, without=place)


def _mean(values: NDArray[np.float32]) -> float:
    return float(values.mean()) if len(values) else 0.0
