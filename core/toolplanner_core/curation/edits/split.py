"""Toolkits put together anew: a person splits one, a machine's proposal regroups APIs as one edit.

Regrouping is made of accepted proposals (re-clustering, new APIs) and by an import that places new
APIs. Pins are hard: a pinned API is never moved and a pinned toolkit neither gains, loses nor ends.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain, repeat
from typing import Any, ClassVar

from toolplanner_core.curation.edits.edit import (
    Edit,
    Planned,
    emptied,
    known_apis,
    living,
    new_toolkit,
)
from toolplanner_core.domain.curated import Changes, CuratedView, Membership
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.errors import BadInput
from toolplanner_core.words.formatting import counted


@dataclass(frozen=True, slots=True, kw_only=True)
class Split(Edit):
    """Make new toolkits of parts of one.

    Attributes:
        parts: row ids of the APIs of each new toolkit; what is in none stays.
        names: of the new toolkits; "" takes the old name with a number.
        descriptions: of the new toolkits; () lets the rule write them.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Regroup(Edit):
    """Give APIs other toolkits.

    Attributes:
        title: for people, in the imperative.
        rowids: APIs that change.
        toolkits: for each of them the toolkit it goes to; 0 = none; -1, -2 ... = the first,
            second ... of the new ones.
        new_names, new_descriptions: of the new toolkits.
        new_by_person: whether a person wrote them, else a rule.
    """

    kind: ClassVar[str] = "regroup"

    title: str
    rowids: tuple[int, ...]
    toolkits: tuple[int, ...]
    new_names: tuple[str, ...] = ()
    new_descriptions: tuple[str, ...] = ()
    new_by_person: tuple[bool, ...] = ()

    def plan(self, view: CuratedView) -> Planned:
        """Memberships, new toolkits, and toolkits without a member retired."""
        if len(self.rowids) != len(self.toolkits):
            raise BadInput("Each API that is regrouped needs a toolkit")
        known_apis(view, self.rowids)
        first = view.next_toolkit()
        members: dict[int, Membership | None] = {}
        for rowid, toolkit in zip(self.rowids, self.toolkits, strict=True):
            to = ToolkitId(first - toolkit - 1) if toolkit < 0 else ToolkitId(toolkit)
            members[rowid] = Membership(to, False) if toolkit else None
        before = view.memberships(self.rowids)
        self._check_pins(view, before, members)
        told = chain(self.new_by_person, repeat(False))
        texts = zip(self.new_names, chain(self.new_descriptions, repeat("")), told, strict=False)
        toolkits = emptied(view, members) | {
            ToolkitId(first + position): new_toolkit(
                name, description, Author.PERSON if is_told else Author.RULE
            )
            for position, (name, description, is_told) in enumerate(texts)
        }
        return Planned(label=self.title, changes=Changes(toolkits=toolkits, members=members))

    def _check_pins(
        self,
        view: CuratedView,
        before: Mapping[int, Membership],
        members: Mapping[int, Membership | None],
    ) -> None:
        old = {membership.toolkit for membership in before.values()}
        new = {ToolkitId(toolkit) for toolkit in self.toolkits if toolkit > 0}
        fixed = {toolkit for toolkit in old | new if living(view, toolkit).is_pinned}
        for rowid, after in members.items():
            was = before.get(rowid)
            if was == after:
                continue
            if was is not None and was.is_pinned:
                raise BadInput(
                    "A pinned API would be moved",
                    where=f"“{living(view, was.toolkit).name}”",
                    todo="Unpin it first, or reject this part of the proposal",
                )
            if any(place is not None and place.toolkit in fixed for place in (was, after)):
                raise BadInput(
                    "The members of a pinned toolkit would change",
                    todo="Unpin it first, or reject this part of the proposal",
                )
