"""All that the review queue judges by, as arrays over the catalogue.

Gathered once after a clustering (`gather_evidence`), then carried from edit to edit
(`after_edit`), which computes again only what the edit touched. Toolkits are written as *positions*
in `toolkits`; a toolkit keeps its position for as long as the evidence lives, also when it has lost
all members.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.clustering.cohesion import Cohesion, measure_cohesion, update_cohesion
from toolplanner_core.clustering.misfits import LEAST_SIZE, propose_groups
from toolplanner_core.curation.questions.kinds.alike import (
    AlikePairs,
    measure_alike,
)
from toolplanner_core.curation.questions.kinds.copies import find_copies
from toolplanner_core.curation.questions.kinds.documents import Documents
from toolplanner_core.curation.questions.kinds.group_shares import is_in
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.jobs.progress import Report
from toolplanner_core.workspace.stand_ins import StandInCount

_AS_DENSE = 0.9
"""APIs without a home are proposed as a toolkit if they are about as alike as in a typical one."""

_REGROUPED = 600
"""So many homeless APIs are grouped anew after each edit (some milliseconds)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRecord:
    """How a toolkit did in runs.

    Attributes:
        used: steps that it was chosen for.
        failed: of these, steps that failed in it.
        incomplete: of these, steps that no API of it could do.
        replanned_to: id of the toolkit that then did the step -> how often.
    """

    used: int
    failed: int
    incomplete: int = 0
    replanned_to: Mapping[ToolkitId, int] = field(default_factory=dict[ToolkitId, int])


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolkitFacts:
    """A toolkit as the review sees it."""

    id: ToolkitId
    name: str = ""
    description: str = ""
    name_author: Author = Author.RULE
    is_pinned: bool = False

    @property
    def is_held(self) -> bool:
        """Whether a person named or pinned it: others may join it, it never ends by a question."""
        return self.is_pinned or self.name_author == Author.PERSON

    def with_fields(self, values: Mapping[str, Any]) -> "ToolkitFacts":
        """With those of a toolkit's fields that are reviewed."""
        return replace(self, **{name: values[name] for name in values if hasattr(self, name)})


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ReviewedCatalogue:
    """What the review reads of a catalogue.

    Attributes:
        rowids: (n,) int32, row ids of the APIs.
        vectors: (n, dim) float32, rows of length 1.
        neighbours: (n, k) int32 positions, each point itself first.
        labels: (n,) int32 positions in `toolkits`, -1 for no home.
        is_pinned: (n,) bool, APIs that a person has pinned where they are.
        toolkits: facts of each toolkit.
        runs: by toolkit id.
        placements: for each API that was placed by rule, the toolkit it fits best and how likely.
        stand_ins: what experiments say of two APIs, by both row ids, the smaller first.
    """

    rowids: NDArray[np.int32]
    vectors: NDArray[np.float32]
    neighbours: NDArray[np.int32]
    labels: NDArray[np.int32]
    is_pinned: NDArray[np.bool_]
    toolkits: Sequence[ToolkitFacts]
    runs: Mapping[ToolkitId, RunRecord]
    placements: Mapping[int, tuple[ToolkitId | None, float]] = field(
        default_factory=dict[int, tuple[ToolkitId | None, float]]
    )
    stand_ins: Mapping[tuple[int, int], StandInCount] = field(
        default_factory=dict[tuple[int, int], StandInCount]
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Evidence(ReviewedCatalogue):
    """The state of the catalogue for the review.

    Attributes:
        documents: words, parameters, addresses and copies; does not change with edits.
        alike: pairs of toolkits that may do the same job.
        cohesion: of vectors and labels.
        homeless: groups among the APIs without a home, positions.
        copies: sets of APIs that are one and the same, positions.
        changed: positions of the points whose toolkit or fit the last edit changed.
    """

    documents: Documents
    cohesion: Cohesion
    alike: AlikePairs
    homeless: Sequence[NDArray[np.int64]]
    copies: Sequence[NDArray[np.int64]]
    changed: NDArray[np.int64]

    def id_of(self, position: int) -> ToolkitId:
        """The id of the toolkit at a position."""
        return self.toolkits[position].id

    def place_of(self, toolkit: ToolkitId) -> int:
        """The position of a toolkit; -1 if it is not known."""
        return next((i for i, one in enumerate(self.toolkits) if one.id == toolkit), -1)

    def rowids_of(self, points: NDArray[Any]) -> tuple[int, ...]:
        """Row ids of points, in their order."""
        return tuple(self.rowids[points].tolist())


def gather_evidence(
    catalogue: ReviewedCatalogue, documents: Documents, *, report: Report
) -> Evidence:
    """Measure everything once; some seconds for 45,000 APIs, in a worker or a thread."""
    vectors, labels = catalogue.vectors, catalogue.labels
    cohesion = measure_cohesion(
        vectors,
        labels,
        len(catalogue.toolkits),
        neighbours=catalogue.neighbours,
        report=report,
    )
    return Evidence(
        **{each.name: getattr(catalogue, each.name) for each in fields(catalogue)},
        documents=documents,
        cohesion=cohesion,
        alike=measure_alike(
            documents,
            cohesion,
            labels,
            catalogue.neighbours,
            [toolkit.name for toolkit in catalogue.toolkits],
        ),
        homeless=_group_homeless(vectors, np.flatnonzero(labels < 0), cohesion),
        copies=find_copies(vectors, catalogue.neighbours, documents),
        changed=np.arange(len(labels)),
    )


def after_edit(
    before: Evidence,
    *,
    labels: NDArray[np.int32],
    toolkits: Sequence[ToolkitFacts],
    touched: set[ToolkitId],
) -> Evidence:
    """The evidence after an edit; tens of milliseconds for 45,000 APIs.

    Args:
        labels: (n,) int32 after the edit.
        toolkits: facts after the edit: the old ones at their old positions, new ones behind.
        touched: ids of all toolkits that lost or gained members.
    """
    places = positions_of(toolkits, touched)
    cohesion = update_cohesion(before.cohesion, before.vectors, labels, len(toolkits), places)
    names = [toolkit.name for toolkit in toolkits]
    measured = measure_alike(
        before.documents, cohesion, labels, before.neighbours, names, touched=places
    )
    homeless = before.homeless
    if not np.array_equal(labels < 0, before.labels < 0):
        points = np.flatnonzero(labels < 0)
        if len(points) <= _REGROUPED:
            homeless = _group_homeless(before.vectors, points, cohesion)
        else:
            left = [group[labels[group] < 0] for group in homeless]
            homeless = [group for group in left if len(group) >= LEAST_SIZE]
    has_changed = (labels != before.labels) | (cohesion.silhouette != before.cohesion.silhouette)
    # Asked about alone before and together now, or the other way round.
    has_changed[np.setxor1d(points_in(before.homeless), points_in(homeless))] = True
    return replace(
        before,
        changed=np.flatnonzero(has_changed),
        labels=labels,
        toolkits=toolkits,
        cohesion=cohesion,
        alike=before.alike.without(places).with_others(measured),
        homeless=homeless,
    )


def positions_of(toolkits: Sequence[ToolkitFacts], ids: set[ToolkitId]) -> NDArray[np.int64]:
    """Positions of the toolkits with these ids, ascending."""
    return np.array([i for i, toolkit in enumerate(toolkits) if toolkit.id in ids], dtype=np.int64)


def rechecked_points(evidence: Evidence, groups: NDArray[np.int64]) -> NDArray[np.bool_]:
    """(n,) bool: the points whose own questions the last edit may have changed.

    Args:
        groups: positions of the toolkits that it touched.
    """
    is_near = is_in(groups, len(evidence.toolkits))[evidence.labels]
    is_near[evidence.changed] = True
    return np.asarray(is_near[evidence.neighbours].any(axis=1))


def points_in(groups: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
    """(m,) int64, the points of all groups."""
    return np.concatenate([np.zeros(0, dtype=np.int64), *groups])


def _group_homeless(
    vectors: NDArray[np.float32], points: NDArray[np.int64], cohesion: Cohesion
) -> list[NDArray[np.int64]]:
    several = cohesion.sizes > 1
    sizes = cohesion.sizes[several]
    # Mean cosine of two different members: the squared length of the mean without the members
    # themselves.
    pairs = (cohesion.cohesion[several] ** 2 - 1 / sizes) / (1 - 1 / sizes)
    least = _AS_DENSE * float(np.median(pairs)) if len(pairs) else _AS_DENSE
    return [points[group] for group in propose_groups(vectors[points], least_cosine=least)]
