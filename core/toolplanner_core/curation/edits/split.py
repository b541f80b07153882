"""Split a toolkit into several: by a selection, or as `curation/grouping/splitting.py` proposes.

The largest part keeps the id, the name and the description; each other part is a new toolkit.
"""

from dataclasses import dataclass
from itertools import chain, repeat
from typing import Any, ClassVar

from toolplanner_core.curation.edits.edit import (
    EditFields,
    Planned,
    known_apis,
    living,
    new_toolkit,
)
from toolplanner_core.domain.curated import Changes, CuratedView, Membership
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.errors import BadInput
from toolplanner_core.words.wording import counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Split(EditFields):
    """Make new toolkits of parts of one.

    Attributes:
        parts: row ids of the APIs of each new toolkit; what is in none stays.
        names: of the new toolkits; "" takes the old name with a number.
        descriptions: of the new toolkits; () leaves them empty.
        name_author: who wrote the names.
    """

    kind: ClassVar[str] = "split"

    toolkit: ToolkitId
    parts: tuple[tuple[int, ...], ...]
    names: tuple[str, ...] = ()
    descriptions: tuple[str, ...] = ()
    name_author: str = Author.RULE.value

    def plan(self, view: CuratedView) -> Planned:
        """Memberships of the parts; pins are kept."""
        whole = living(view, self.toolkit)
        members = view.members(self.toolkit)
        self._check(view, members.keys())
        toolkits: dict[ToolkitId, dict[str, Any]] = {}
        moved: dict[int, Membership | None] = {}
        first, author = view.next_toolkit(), Author(self.name_author)
        names, texts = chain(self.names, repeat("")), chain(self.descriptions, repeat(""))
        for position, (part, name, text) in enumerate(zip(self.parts, names, texts, strict=False)):
            new = ToolkitId(first + position)
            toolkits[new] = new_toolkit(
                name or f"{whole.name} ({position + 2})",
                text,
                author,
                name_author=author if name else Author.RULE,
            )
            moved |= {rowid: Membership(new, members[rowid]) for rowid in part}
        return Planned(
            label=f"Split “{whole.name}” into {counted(len(self.parts) + 1, 'part')}",
            changes=Changes(toolkits=toolkits, members=moved),
        )

    def _check(self, view: CuratedView, members: Any) -> None:
        chosen = [rowid for part in self.parts for rowid in part]
        known_apis(view, chosen)
        if any(not part for part in self.parts):
            raise BadInput("A part of the split is empty")
        if len(set(chosen)) < len(chosen):
            raise BadInput("An API is in two parts of the split")
        if foreign := [rowid for rowid in chosen if rowid not in members]:
            raise BadInput(
                f"{len(foreign):,} of the chosen APIs are not in the toolkit that is split",
                todo="Choose APIs of one toolkit, or make a new toolkit from the selection",
            )
        if len(chosen) == len(members):
            raise BadInput(
                "Nothing would be left in the toolkit",
                todo="Leave at least one API out of the new toolkits",
            )
