"""APIs that go to another toolkit: moved, made a new one, merged, taken out of a merge."""

from dataclasses import dataclass
from typing import ClassVar

from toolplanner_core.curation.edits.edit import (
    Edit,
    Planned,
    emptied,
    known_apis,
    living,
    new_toolkit,
)
from toolplanner_core.domain.curated import Changes, CuratedView, Membership, revived_fields
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.errors import BadInput
from toolplanner_core.words.formatting import counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Move(Edit):
    """Put APIs into a toolkit that is there.

    Attributes:
        to: None takes them out of their toolkits: "no home yet".
        is_pinned: whether no machine may move them again.
    """

    kind: ClassVar[str] = "move"

    rowids: tuple[int, ...]
    to: ToolkitId | None
    is_pinned: bool = True

    def plan(self, view: CuratedView) -> Planned:
        """New memberships; toolkits that become empty are retired unless pinned."""
        chosen = known_apis(view, self.rowids)
        where = "no toolkit" if self.to is None else f"“{living(view, self.to).name}”"
        there = view.members(self.to) if self.to is not None else {}
        moving = [rowid for rowid in chosen if rowid not in there]
        if not moving:
            raise BadInput(f"All of them are in {where} already")
        home = None if self.to is None else Membership(self.to, self.is_pinned)
        members = dict.fromkeys(moving, home)
        return Planned(
            label=f"Move {counted(len(moving), 'API')} to {where}",
            changes=Changes(toolkits=emptied(view, members), members=members),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class NewToolkit(Edit):
    """Make a toolkit of these APIs, wherever they are now.

    Attributes:
        description: "" lets the rule write one.
        author: who wrote both.
    """

    kind: ClassVar[str] = "new_toolkit"

    rowids: tuple[int, ...]
    name: str
    description: str = ""
    author: str = Author.PERSON.value

    def plan(self, view: CuratedView) -> Planned:
        """A new toolkit with the APIs pinned in it."""
        chosen = known_apis(view, self.rowids)
        if not self.name.strip():
            raise BadInput("A new toolkit needs a name")
        name, new = self.name.strip(), view.next_toolkit()
        members = dict.fromkeys(chosen, Membership(new, True))
        text = self.description.strip()
        author = Author(self.author)
        told_by = author if text else Author.RULE
        begun = {new: new_toolkit(name, text, told_by, name_author=author)}
        return Planned(
            label=f"Make “{name}” of {counted(len(chosen), 'API')}",
            changes=Changes(toolkits=emptied(view, members) | begun, members=members),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge(Edit):
    """Move the members of some toolkits into one.

    Attributes:
        toolkits: what is merged; may name `into` too.
        left_out: APIs that stay where they are: their toolkits live on.
        name: a new name for the result; "" keeps the one of `into`.
    """

    kind: ClassVar[str] = "merge"

    toolkits: tuple[ToolkitId, ...]
    into: ToolkitId
    left_out: tuple[int, ...] = ()
    name: str = ""

    def plan(self, view: CuratedView) -> Planned:
        """Members of the others move; emptied toolkits are retired."""
        target = living(view, self.into)
        sources = [toolkit for toolkit in dict.fromkeys(self.toolkits) if toolkit != self.into]
        if not sources:
            raise BadInput("A merge needs at least two toolkits", todo="Choose another one")
        stays = set(self.left_out)
        toolkits: dict[ToolkitId, dict[str, object]] = {}
        members: dict[int, Membership | None] = {}
        for source in sources:
            living(view, source)
            of_source = view.members(source)
            members |= {
                rowid: Membership(self.into, is_pinned)
                for rowid, is_pinned in of_source.items()
                if rowid not in stays
            }
            if not stays & of_source.keys():
                toolkits[source] = {"is_living": False}
        if self.name and self.name != target.name:
            toolkits[self.into] = {
                "name": self.name,
                "name_author": Author.PERSON,
                "proposed_name": "",
            }
        what = (
            f"“{living(view, sources[0]).name}”"
            if len(sources) == 1
            else counted(len(sources), "toolkit")
        )
        return Planned(
            label=f"Merge {what} into “{self.name or target.name}”",
            changes=Changes(toolkits=toolkits, members=members),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeOut(Edit):
    """Bring members of a merge back to the toolkits they came from, which live again if need be.

    Attributes: rowids: APIs that the merge moved. origins: the toolkit each of them came from;
    `take_out_of_merge` in `curation/edits/provenance.py` reads them from the history.
    """

    kind: ClassVar[str] = "take_out"

    rowids: tuple[int, ...]
    origins: tuple[ToolkitId, ...]

    def plan(self, view: CuratedView) -> Planned:
        """Memberships as before the merge; pinned, since a person said so."""
        if len(self.rowids) != len(self.origins):
            raise BadInput("Each API that is taken out needs the toolkit it came from")
        known_apis(view, self.rowids)
        for origin in self.origins:
            if view.toolkit(origin) is None and view.retired(origin) is None:
                raise BadInput(f"There never was a toolkit {origin}")
        revived = {
            origin: revived_fields(gone)
            for origin in self.origins
            if (gone := view.retired(origin)) is not None
        }
        members = {
            rowid: Membership(origin, True)
            for rowid, origin in zip(self.rowids, self.origins, strict=True)
        }
        return Planned(
            label=f"Take {counted(len(members), 'API')} out of a merge",
            changes=Changes(toolkits=revived, members=members),
        )
