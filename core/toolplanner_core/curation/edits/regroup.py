"""Take over what a machine proposed: new toolkits and new members, as one edit.

Made of accepted proposals (re-clustering, new APIs) and by an import that places new APIs. Pins
are hard: a pinned API is never moved and a pinned toolkit neither gains, loses nor ends.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain, repeat
from typing import ClassVar

from toolplanner_core.curation.edits.edit import (
    EditFields,
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Regroup(EditFields):
    """Give APIs other toolkits.

    Attributes:
        title: for people, in the imperative.
        rowids: APIs that change.
        toolkits: for each of them the toolkit it goes to; 0 = none; -1, -2 ... = the first,
            second ... of the new ones.
        new_names, new_descriptions: of the new toolkits, written by rule.
    """

    kind: ClassVar[str] = "regroup"

    title: str
    rowids: tuple[int, ...]
    toolkits: tuple[int, ...]
    new_names: tuple[str, ...] = ()
    new_descriptions: tuple[str, ...] = ()

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
        texts = zip(self.new_names, chain(self.new_descriptions, repeat("")), strict=False)
        toolkits = emptied(view, members) | {
            ToolkitId(first + position): new_toolkit(name, description, Author.RULE)
            for position, (name, description) in enumerate(texts)
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
