"""Move APIs into a toolkit, a new toolkit, or out of all toolkits.

What a person puts somewhere is pinned there: no later clustering moves it again.
"""

from dataclasses import dataclass
from typing import ClassVar

from toolplanner_core.curation.edits.edit import EditFields, Planned, emptied, known_apis, living
from toolplanner_core.domain.curated import Changes, CuratedView, Membership
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.errors import BadInput
from toolplanner_core.words.wording import counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Move(EditFields):
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
        return Planned(
            label=f"Move {counted(len(moving), 'API')} to {where}",
            changes=Changes(
                toolkits=emptied(view, moving),
                members={
                    rowid: None if self.to is None else Membership(self.to, self.is_pinned)
                    for rowid in moving
                },
            ),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class NewToolkit(EditFields):
    """Make a toolkit of these APIs, wherever they are now."""

    kind: ClassVar[str] = "new_toolkit"

    rowids: tuple[int, ...]
    name: str
    description: str = ""

    def plan(self, view: CuratedView) -> Planned:
        """A new toolkit with the APIs pinned in it."""
        chosen = known_apis(view, self.rowids)
        if not self.name.strip():
            raise BadInput("A new toolkit needs a name")
        new = view.next_toolkit()
        return Planned(
            label=f"Make “{self.name.strip()}” of {counted(len(chosen), 'API')}",
            changes=Changes(
                toolkits=emptied(view, chosen)
                | {
                    new: {
                        "is_living": True,
                        "name": self.name.strip(),
                        "description": self.description.strip(),
                        "name_author": Author.PERSON,
                        "description_author": Author.PERSON,
                    }
                },
                members={rowid: Membership(new, True) for rowid in chosen},
            ),
        )
