"""APIs that wait until a person accepts how they are documented now, with what changed of each."""

from collections.abc import Sequence
from dataclasses import dataclass

from toolplanner_core.curation.edits.accept import AcceptDocumentation
from toolplanner_core.domain.api import Api
from toolplanner_core.sources.documentation_changes import ApiChange, change_of
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.import_changes import waiting_apis


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """An API that waits.

    Attributes:
        api: as it is documented now.
        since_us: when the import brought that, microseconds since 1970.
    """

    rowid: int
    api: Api
    change: ApiChange
    since_us: int


def read_waiting(workspace: Workspace, *, source: str = "") -> list[Waiting]:
    """All that wait, of one source or all; a millisecond for each ten. Blocks."""
    return [
        Waiting(
            rowid=each.rowid,
            api=each.now,
            change=change_of(each.before, each.now),
            since_us=each.since_us,
        )
        for each in waiting_apis(workspace, source=source)
    ]


def acceptance_of(chosen: Sequence[Waiting]) -> AcceptDocumentation:
    """The edit that accepts exactly what was shown of these."""
    return AcceptDocumentation(
        rowids=tuple(each.rowid for each in chosen),
        hashes=tuple(each.api.doc_hash for each in chosen),
    )
