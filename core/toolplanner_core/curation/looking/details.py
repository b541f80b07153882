"""What details show of a toolkit and of an API beside the catalogue: read at once off the GUI
thread, as plain data for the pages.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from toolplanner_core.curation.edits.provenance import (
    Reason,
    WhyHere,
    edits_of_toolkit,
    lineage,
    note_of_toolkit,
    why_here,
)
from toolplanner_core.curation.looking.curated_catalogue import CuratedCatalogue
from toolplanner_core.curation.looking.toolkit_columns import ALONE
from toolplanner_core.domain.curated import Functionality
from toolplanner_core.domain.ids import EditId, ToolkitId
from toolplanner_core.domain.toolkit import Author, Toolkit
from toolplanner_core.probing.stored_protocols import ProtocolComparison, compare_protocol
from toolplanner_core.words.formatting import counted, one_line, score, when
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.call_statistics import CallFigures
from toolplanner_core.workspace.catalogue import apis_by_rowid
from toolplanner_core.workspace.curated_tables import CuratedTables
from toolplanner_core.workspace.edit_history import StoredEdit
from toolplanner_core.workspace.import_changes import waiting_rowids
from toolplanner_core.workspace.point_sets import neighbours_of_api
from toolplanner_core.workspace.toolkits import ranked_members

NEVER_PLANNED = "excluded from planning"
_NEIGHBOURS = 10

AUTHOR_ICONS = {
    Author.RULE: "cog-outline",
    Author.MODEL: "robot-outline",
    Author.PERSON: "account-outline",
}
AUTHOR_WORDS = {
    Author.RULE: "by rule",
    Author.MODEL: "by a model",
    Author.PERSON: "by a person",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolkitMember:
    """An API of a toolkit.

    Attributes:
        centrality: cosine of its vector to the toolkit's centroid.
        is_pinned: no machine may move it.
        is_excluded: no plan is offered it.
        is_waiting: the same, until somebody accepts how it is documented now.
    """

    rowid: int
    title: str
    description: str
    centrality: float = 0.0
    is_pinned: bool = False
    is_excluded: bool = False
    is_waiting: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolkitDetails:
    """A toolkit beyond its name."""

    members: tuple[ToolkitMember, ...]
    note: str
    edits: tuple[StoredEdit, ...]
    origins: Mapping[EditId, tuple[str, ...]]


class Neighbour(NamedTuple):
    """A similar API and the toolkit it belongs to."""

    rowid: int
    title: str
    cosine: float
    toolkit: ToolkitId | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiDetails:
    """An API beyond its documentation.

    Attributes:
        told: the text that is embedded and searched for it, and who wrote it.
        learnt: what probing found, whatever was decided of it; None = it was never probed.
    """

    why: WhyHere
    neighbours: tuple[Neighbour, ...]
    told: Functionality
    learnt: ProtocolComparison | None = None


def read_toolkit_details(workspace: Workspace, toolkit: ToolkitId) -> ToolkitDetails:
    """Members, note, edits and lineage of a toolkit. On a reader thread."""
    return ToolkitDetails(
        members=tuple(read_members(workspace, toolkit)),
        note=note_of_toolkit(workspace, toolkit),
        edits=tuple(edits_of_toolkit(workspace, toolkit)),
        origins=lineage(workspace, toolkit),
    )


def read_api_details(workspace: Workspace, catalogue: CuratedCatalogue, rowid: int) -> ApiDetails:
    """Why an API is where it is, and what is similar. On a reader thread."""
    near = neighbours_of_api(workspace, rowid)[:_NEIGHBOURS]
    apis = apis_by_rowid(workspace, [rowid, *(other for other, _ in near)])
    points = catalogue.places_of(np.array([other for other, _ in near], np.int64)).tolist()
    owners = [catalogue.toolkit_of_point(point) if point >= 0 else None for point in points]
    neighbours = tuple(
        Neighbour(other, apis[other].title, cosine, None if owner is None else owner.id)
        for (other, cosine), owner in zip(near, owners, strict=True)
        if other in apis
    )
    learnt = compare_protocol(workspace, apis[rowid].id) if rowid in apis else None
    told = CuratedTables(workspace.reader()).texts([rowid]).get(rowid)
    return ApiDetails(
        why=why_here(workspace, rowid),
        neighbours=neighbours,
        told=told or Functionality("", Author.RULE),
        learnt=learnt,
    )


def calls_in_words(calls: CallFigures | None) -> str:
    """ "12 of 14 calls ok, last error timeout, 10:04"; "" without a call."""
    if calls is None:
        return ""
    text = calls.words
    if calls.last_error:
        text += f", last error {calls.last_error}, {when(calls.last_error_us / 1e6)}"
    return text


def toolkit_in_words(
    toolkit: Toolkit, *, cohesion: float | None, calls: CallFigures | None, n_excluded: int = 0
) -> str:
    """The line below a toolkit's name.

    Args:
        n_excluded: its APIs that no plan is offered.
    """
    parts = [ALONE if toolkit.size == 1 else counted(toolkit.size, "API")]
    if n_excluded:
        all_or_some = "all" if n_excluded == toolkit.size > 1 else f"{n_excluded:,}"
        parts.append(NEVER_PLANNED if toolkit.size == 1 else f"{all_or_some} {NEVER_PLANNED}")
    if cohesion is not None and toolkit.size > 1:
        parts.append(f"fit {score(cohesion)}")
    if calls is not None:
        parts.append(calls_in_words(calls))
    if toolkit.pinned:
        parts.append("pinned")
    return " · ".join(parts)


def why_in_words(why: WhyHere) -> list[str]:
    """Why an API is where it is, in sentences."""
    said: list[str] = []
    if why.reason is Reason.NOWHERE:
        said.append("It belongs to no toolkit yet.")
    elif why.reason is Reason.RULE:
        said.append("Here since the toolkits were first made.")
    elif why.reason is Reason.PLACED:
        said.append("Placed here by rule after a later import.")
    elif why.edit is not None:
        who = why.edit.who or why.edit.actor.value
        label = one_line(why.edit.label, 120)
        said.append(f"Here by “{label}” ({who}, {when(why.edit.made_us / 1e6)}).")
    if why.confidence == 0:
        said.append("No evidence for the placement: nothing known is like it.")
    elif why.confidence is not None:
        said.append(f"Its best place was {score(why.confidence)} likely when it came in.")
    if why.is_pinned:
        said.append("Pinned: no machine moves it.")
    if why.is_waiting:
        said.append("Its documentation changed: neither planned with nor called until accepted.")
    if why.is_missing:
        said.append("Not seen in the last crawl of its source: it may be gone.")
    if why.excluded is not None:
        reason = f": {why.excluded}" if why.excluded else ""
        said.append(f"Excluded from planning{reason}.")
    return said


def read_members(
    workspace: Workspace, toolkit: ToolkitId, begin: int = 0, most: int | None = None
) -> Sequence[ToolkitMember]:
    """Members of a toolkit from a position on, most central first; a few milliseconds a page."""
    ranked = ranked_members(workspace, toolkit)[begin:]
    ranked = ranked if most is None else ranked[:most]
    rowids = [rowid for rowid, _ in ranked]
    apis = apis_by_rowid(workspace, rowids)
    view = CuratedTables(workspace.reader())
    waiting = waiting_rowids(workspace.reader())
    memberships, excluded = view.memberships(rowids), view.exclusions(rowids)
    return [
        ToolkitMember(
            rowid=rowid,
            title=apis[rowid].title,
            description=apis[rowid].description,
            centrality=centrality,
            is_pinned=rowid in memberships and memberships[rowid].is_pinned,
            is_excluded=rowid in excluded,
            is_waiting=rowid in waiting,
        )
        for rowid, centrality in ranked
        if rowid in apis
    ]
