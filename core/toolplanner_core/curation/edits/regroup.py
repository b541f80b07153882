"""Take over what a machine proposed: new toolkits and new members, as one edit.

Made of accepted proposals (re-clustering, new APIs) and by an import that places new APIs. Pins
are hard: a pinned API is never moved and a pinned toolkit neither gains, loses nor ends.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from toolplanner_core.curation.edits.edit import EditFields, Planned, known_apis, living
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
        toolkits: dict[ToolkitId, dict[str, Any]] = {
            ToolkitId(first + position): {
                "is_living": True,
                "name": name,
                "description": self._description(position),
                "name_author": Author.RULE,
                "description_author": Author.RULE,
            }
            for position, name in enumerate(self.new_names)
        }
        toolkits |= _left_empty(view, before, members)
        return Planned(label=self.title, changes=Changes(toolkits=toolkits, members=members))

    def _description(self, position: int) -> str:
        return self.new_descriptions[position] if position < len(self.new_descriptions) else ""

    def _check_pins(
        self,
        view: CuratedView,
        before: Any,
        members: dict[int, Membership | None],
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
            if (was is not None and was.toolkit in fixed) or (
                after is not None and after.toolkit in fixed
            ):
                raise BadInput(
                    "The members of a pinned toolkit would change",
                    todo="Unpin it first, or reject this part of the proposal",
                )


def _left_empty(
    view: CuratedView, before: Any, after: dict[int, Membership | None]
) -> dict[ToolkitId, dict[str, Any]]:
    changed: dict[ToolkitId, int] = {}
    for membership in before.values():
        changed[membership.toolkit] = changed.get(membership.toolkit, 0) - 1
    for membership in after.values():
        if membership is not None:
            changed[membership.toolkit] = changed.get(membership.toolkit, 0) + 1
    return {
        toolkit: {"is_living": False}
        for toolkit, n in changed.items()
        if n < 0 and len(view.members(toolkit)) + n == 0
    }
