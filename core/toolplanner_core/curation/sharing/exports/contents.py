"""What is exported: toolkits with their APIs, what is excluded, what belongs to none.

Read at one moment, so that a file is never half of one state and half of another.
"""

from collections.abc import Collection
from dataclasses import dataclass

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.curated import ToolkitFields
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.errors import NotFound
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import all_rowids, apis_by_rowid
from toolplanner_core.workspace.curated_tables import all_exclusions, all_memberships, all_toolkits
from toolplanner_core.workspace.import_changes import waiting_rowids
from toolplanner_core.workspace.toolkits import ranked_members


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedMember:
    """An API of a toolkit.

    Attributes:
        centrality: cosine to the toolkit's centroid; 0 if nothing is embedded.
        excluded: why no plan is offered it, may be ""; None = it is offered.
        is_waiting: its documentation changed and nobody has accepted it yet, so that it is neither
            planned with nor called.
    """

    api: Api
    is_pinned: bool
    centrality: float
    excluded: str | None
    is_waiting: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportedToolkit:
    """A toolkit with its members, most central first."""

    id: ToolkitId
    fields: ToolkitFields
    members: tuple[ExportedMember, ...]

    @property
    def offered(self) -> list[ExportedMember]:
        """The members that plans may use."""
        return [member for member in self.members if member.excluded is None]

    @property
    def usable(self) -> list[ExportedMember]:
        """Those of them whose documentation is accepted: what a model may be given."""
        return [member for member in self.offered if not member.is_waiting]

    @property
    def excluded(self) -> list[ExportedMember]:
        """The members that plans may not use."""
        return [member for member in self.members if member.excluded is not None]

    @property
    def cohesion(self) -> float | None:
        """Mean cosine of the members to their centroid; None for one alone, or without vectors."""
        if len(self.members) < 2 or not any(member.centrality for member in self.members):
            return None
        return sum(member.centrality for member in self.members) / len(self.members)


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """Everything that an export can tell.

    Attributes:
        workspace: its name.
        toolkits: by name.
        homeless: number of APIs that belong to no toolkit.
        loose: these, in the order of the catalogue; none where only some toolkits are exported.
    """

    workspace: str
    toolkits: tuple[ExportedToolkit, ...]
    homeless: int
    loose: tuple[ExportedMember, ...] = ()


def read_contents(workspace: Workspace, toolkits: Collection[ToolkitId] | None = None) -> Contents:
    """What is exported; about a second for 45,000 APIs.

    Args:
        toolkits: only these; None = all living ones.

    Raises:
        NotFound: one of them is no living toolkit.
    """
    with workspace.snapshot() as db:
        living = all_toolkits(db)
        memberships = all_memberships(db)
        excluded, waiting = all_exclusions(db), waiting_rowids(db)
        chosen = living.keys() if toolkits is None else set(toolkits)
        if unknown := chosen - living.keys():
            raise NotFound(f"There is no toolkit {min(unknown)}")
        ranked = {toolkit: ranked_members(workspace, toolkit) for toolkit in chosen}
        apis = apis_by_rowid(workspace, [row[0] for rows in ranked.values() for row in rows])
        rowids = all_rowids(workspace)
        loose = [] if toolkits is not None else [r for r in rowids if r not in memberships]
        apis |= apis_by_rowid(workspace, loose)
    return Contents(
        workspace=workspace.path.stem,
        toolkits=tuple(
            ExportedToolkit(
                id=toolkit,
                fields=living[toolkit],
                members=tuple(
                    ExportedMember(
                        api=apis[rowid],
                        is_pinned=memberships[rowid].is_pinned,
                        centrality=centrality,
                        excluded=excluded.get(rowid),
                        is_waiting=rowid in waiting,
                    )
                    for rowid, centrality in ranked[toolkit]
                ),
            )
            for toolkit in sorted(chosen, key=lambda t: (living[t].name.casefold(), t))
        ),
        homeless=len(rowids) - len(memberships),
        loose=tuple(
            ExportedMember(
                api=apis[rowid], is_pinned=False, centrality=0.0, excluded=excluded.get(rowid)
            )
            for rowid in loose
        ),
    )
