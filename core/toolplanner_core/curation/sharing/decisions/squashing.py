"""The fewest plain edits that lead from one state of the toolkits to another.

Merges and splits are made as such, so that members that are new elsewhere follow them.
"""

from collections import Counter
from collections.abc import Iterator

from toolplanner_core.curation.edits.curated_state import CuratedState
from toolplanner_core.curation.edits.describe import Describe, Note, Rename
from toolplanner_core.curation.edits.edit import Edit
from toolplanner_core.curation.edits.marks import Exclude, Include, Link, PinApis, PinToolkits
from toolplanner_core.curation.edits.move import Merge, Move, NewToolkit
from toolplanner_core.curation.edits.split import Split
from toolplanner_core.domain.curated import Membership
from toolplanner_core.domain.ids import ToolkitId


class Squasher:
    """Yields edits; whoever takes one makes it on `state` before taking the next.

    Args:
        state: where the edits are made.
        goal: what it shall be; toolkits of both have the same numbers, those that only `goal` has
            are new.
    """

    def __init__(self, state: CuratedState, goal: CuratedState) -> None:
        self._state = state
        self._goal = goal
        self._new: dict[ToolkitId, ToolkitId] = {}

    def edits(self) -> Iterator[Edit]:
        """The edits, in an order in which each fits the state."""
        kept = self._protected()
        if kept:
            yield PinToolkits(toolkits=tuple(kept))
        yield from self._merges()
        yield from self._new_toolkits()
        yield from self._moves()
        yield from self._pins()
        for toolkit in sorted(self._goal.toolkits):
            yield from self._texts(toolkit)
        yield from self._toolkit_pins()
        yield from self._exclusions()
        yield from self._links()

    def _protected(self) -> list[ToolkitId]:
        """Toolkits that lose all members before others come; pinned, they do not end between."""
        return [
            toolkit
            for toolkit, fields in self._state.toolkits.items()
            if toolkit in self._goal.toolkits
            and not fields.is_pinned
            and self._state.members(toolkit)
            and not self._state.members(toolkit).keys() & self._goal.members(toolkit).keys()
        ]

    def _merges(self) -> Iterator[Edit]:
        for toolkit in sorted(self._state.toolkits.keys() - self._goal.toolkits.keys()):
            members = self._state.members(toolkit)
            if self._state.toolkits[toolkit].is_pinned:
                yield PinToolkits(toolkits=(toolkit,), is_pinned=False)
            went = Counter(m.toolkit for m in self._goal.memberships(members).values())
            into = next((t for t, _ in went.most_common() if t in self._state.toolkits), None)
            if into is None or 2 * went[into] <= len(members):
                continue
            left = [r for r in members if self._target(r) != into]
            yield Merge(toolkits=(toolkit,), into=into, left_out=tuple(left))

    def _new_toolkits(self) -> Iterator[Edit]:
        for toolkit in sorted(self._goal.toolkits.keys() - self._state.toolkits.keys()):
            members = self._goal.members(toolkit)
            if not members:
                continue
            fields = self._goal.toolkits[toolkit]
            where = {self._state.toolkit_of.get(rowid) for rowid in members}
            homes = {None if m is None else m.toolkit for m in where}
            home = next(iter(homes))
            self._new[toolkit] = self._state.next_toolkit()
            if (
                len(homes) == 1
                and home is not None
                and len(self._state.members(home)) > len(members)
                and not any(members.values())
            ):
                yield Split(
                    toolkit=home,
                    parts=(tuple(members),),
                    names=(fields.name,),
                    descriptions=(fields.description,),
                    name_author=fields.name_author.value,
                )
            else:
                yield NewToolkit(
                    rowids=tuple(members),
                    name=fields.name,
                    description=fields.description,
                    author=fields.name_author.value,
                )

    def _moves(self) -> Iterator[Edit]:
        moving: dict[Membership | None, list[int]] = {}
        for rowid in sorted(self._state.toolkit_of.keys() | self._goal.toolkit_of.keys()):
            now, to = self._state.toolkit_of.get(rowid), self._wanted(rowid)
            if (None if now is None else now.toolkit) != (None if to is None else to.toolkit):
                moving.setdefault(to, []).append(rowid)
        for to, rowids in moving.items():
            yield Move(
                rowids=tuple(rowids),
                to=None if to is None else to.toolkit,
                is_pinned=to is None or to.is_pinned,
            )

    def _pins(self) -> Iterator[Edit]:
        for is_pinned in (True, False):
            rowids = [
                rowid
                for rowid, now in sorted(self._state.toolkit_of.items())
                if now.is_pinned != is_pinned and self._wanted(rowid) == (now.toolkit, is_pinned)
            ]
            if rowids:
                yield PinApis(rowids=tuple(rowids), is_pinned=is_pinned)

    def _texts(self, number: ToolkitId) -> Iterator[Edit]:
        toolkit = self._new.get(number, number)
        now, goal = self._state.toolkits.get(toolkit), self._goal.toolkits[number]
        if now is None:
            return
        if (now.name, now.name_author) != (goal.name, goal.name_author):
            yield Rename(toolkit=toolkit, name=goal.name, author=goal.name_author.value)
        if (now.description, now.description_author) != (
            goal.description,
            goal.description_author,
        ):
            author = goal.description_author.value
            yield Describe(toolkit=toolkit, description=goal.description, author=author)
        if now.note != goal.note:
            yield Note(toolkit=toolkit, note=goal.note)

    def _toolkit_pins(self) -> Iterator[Edit]:
        for is_pinned in (True, False):
            toolkits = [
                toolkit
                for number, goal in sorted(self._goal.toolkits.items())
                if (toolkit := self._new.get(number, number)) in self._state.toolkits
                and goal.is_pinned == is_pinned
                and self._state.toolkits[toolkit].is_pinned != is_pinned
            ]
            if toolkits:
                yield PinToolkits(toolkits=tuple(toolkits), is_pinned=is_pinned)

    def _exclusions(self) -> Iterator[Edit]:
        reasons: dict[str, list[int]] = {}
        for rowid, reason in self._goal.excluded.items():
            if self._state.excluded.get(rowid) != reason:
                reasons.setdefault(reason, []).append(rowid)
        for reason, rowids in reasons.items():
            yield Exclude(rowids=tuple(rowids), reason=reason)
        if included := sorted(self._state.excluded.keys() - self._goal.excluded.keys()):
            yield Include(rowids=tuple(included))

    def _links(self) -> Iterator[Edit]:
        for pair in sorted(self._state.linked.keys() | self._goal.linked.keys()):
            goal = self._goal.linked.get(pair)
            if self._state.linked.get(pair) != goal:
                yield Link(rowids=pair, link="" if goal is None else goal.value)

    def _target(self, rowid: int) -> ToolkitId | None:
        goal = self._goal.toolkit_of.get(rowid)
        return None if goal is None else goal.toolkit

    def _wanted(self, rowid: int) -> Membership | None:
        """Where an API shall be, in the numbers of `state`."""
        goal = self._goal.toolkit_of.get(rowid)
        if goal is None:
            return None
        return Membership(self._new.get(goal.toolkit, goal.toolkit), goal.is_pinned)
