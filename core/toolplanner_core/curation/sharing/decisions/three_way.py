"""Join two states that began as one, value by value: what only one side changed is taken, what both
changed differently is a conflict.

Works on states in memory; `merging.py` makes them of two decisions files. Values: where an API
belongs, pins, names, descriptions, notes, exclusions, links.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

from toolplanner_core.curation.edits.curated_state import CuratedState
from toolplanner_core.curation.sharing.decisions.difference import (
    Difference,
    Key,
    Settle,
    Side,
    Sides,
)
from toolplanner_core.domain.curated import Membership, ToolkitFields
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Author

_RANK = {None: 0, Author.RULE: 1, Author.MODEL: 2, Author.PERSON: 3}
"""Of two authors of the same text the one who counts more is kept."""


class _Text(NamedTuple):
    text: str
    author: Author | None


class _Fields(NamedTuple):
    before: ToolkitFields | None
    mine: ToolkitFields
    yours: ToolkitFields


def _text_and_author(fields: ToolkitFields | None, name: str) -> _Text:
    if fields is None:
        return _Text("", None)
    return _Text(getattr(fields, name), getattr(fields, f"{name}_author", None))


class ThreeWay:
    """Joins the sides.

    Attributes:
        goal: the joined state, after `join`.
        differences: the conflicts, after `join`.
        left_out: in words, what one side wrote about a toolkit that the other side ended.
    """

    def __init__(self, sides: Sides, settle: Settle) -> None:
        self._sides = sides
        self._settle = settle
        self.goal = CuratedState(rowids=sides.base.rowids)
        self.differences: list[Difference] = []
        self.left_out: list[str] = []

    def join(self) -> None:
        """Make `goal` and `differences`."""
        self._join_members()
        self._join_toolkits()
        self._join_values("exclusion", "excluded", "excluded", _exclusion)
        self._join_values(
            "link", "linked", "link", lambda kind: "no link" if kind is None else kind
        )

    def _join_members(self) -> None:
        base, ours, theirs = self._sides
        groups: dict[tuple[Membership | None, ...], list[int]] = {}
        for rowid in sorted(base.rowids):
            values = tuple(state.toolkit_of.get(rowid) for state in self._sides)
            one, other = self._followed(values[1], theirs), self._followed(values[2], ours)
            agreed = self._agreed(values, (one, other))
            if isinstance(agreed, Membership):
                self._put(rowid, agreed)
            elif agreed is not None:
                # Both values as they would be settled: where one side ended the other's toolkit,
                # its own value is where it put what was in it.
                mine = values[1] if values[1] != values[0] else other
                yours = values[2] if values[2] != values[0] else one
                groups.setdefault((values[0], mine, yours), []).append(rowid)
        for (before, mine, yours), rowids in groups.items():
            side = self._note(
                "membership",
                rowids=rowids,
                texts=(self._home(before, base), self._home(mine, ours), self._home(yours, theirs)),
                keys=tuple(("member", rowid, "") for rowid in rowids),
            )
            chosen = {"ours": mine, "theirs": yours, "": before}[side]
            for rowid in rowids:
                if chosen is not None:
                    self._put(rowid, chosen)

    def _agreed(
        self, values: Sequence[Membership | None], followed: Sequence[Membership | None]
    ) -> "Membership | Literal[False] | None":
        """The joined value; False = conflict."""
        before, mine, yours = values
        followed_mine, followed_yours = followed
        if mine == yours:
            return mine
        if mine is not None and yours is not None and mine.toolkit == yours.toolkit:
            was = before is not None and before.toolkit == mine.toolkit and before.is_pinned
            return Membership(mine.toolkit, _changed(was, mine.is_pinned, yours.is_pinned))
        if mine == before:
            return yours if followed_yours == yours else False
        if yours == before:
            return mine if followed_mine == mine else False
        return False

    def _followed(self, value: Membership | None, by: CuratedState) -> Membership | None:
        """Where the other side put what was in this toolkit, if it ended it."""
        if value is None or value.toolkit in by.toolkits:
            return value
        members = self._sides.base.members(value.toolkit)
        if not members:
            return value  # new on this side: the other never knew it
        went = Counter(m.toolkit for m in by.memberships(members).values())
        return Membership(went.most_common(1)[0][0], value.is_pinned) if went else None

    def _put(self, rowid: int, membership: Membership) -> None:
        self.goal.toolkit_of[rowid] = membership
        self.goal.members_of.setdefault(membership.toolkit, {})[rowid] = membership.is_pinned

    def _join_toolkits(self) -> None:
        base, ours, theirs = self._sides
        for toolkit in sorted(ours.toolkits.keys() | theirs.toolkits.keys() | base.toolkits.keys()):
            mine, yours = ours.toolkits.get(toolkit), theirs.toolkits.get(toolkit)
            before = base.toolkits.get(toolkit)
            is_on_both = mine is not None and yours is not None
            if not self.goal.members(toolkit) and not is_on_both:
                self._note_what_is_lost(before, mine, yours)
                continue
            known = [fields for fields in (mine, yours, before) if fields is not None]
            mine, yours = mine or before or known[0], yours or before or known[0]
            self.goal.toolkits[toolkit] = self._joined(toolkit, _Fields(before, mine, yours))

    def _note_what_is_lost(
        self, before: ToolkitFields | None, *ended: ToolkitFields | None
    ) -> None:
        mine, yours = ended
        for side, other, fields in (("ours", "theirs", mine), ("theirs", "ours", yours)):
            if before is None or fields is None:
                continue
            changed = [
                name
                for name in ("name", "description", "note")
                if getattr(fields, name) != getattr(before, name)
            ]
            if changed:
                self.left_out.append(
                    f"“{before.name}” was ended by {other}: its new {' and '.join(changed)} by"
                    f" {side} was left out"
                )

    def _joined(self, toolkit: ToolkitId, sides: _Fields) -> ToolkitFields:
        before, mine, yours = sides
        joined = mine
        for name in ("name", "description", "note"):
            side = self._side_of_text(toolkit, name, sides)
            source = {"ours": mine, "theirs": yours, "": before or mine}[side]
            changed: dict[str, Any] = {name: getattr(source, name)}
            if name != "note":
                changed[f"{name}_author"] = getattr(source, f"{name}_author")
            joined = replace(joined, **changed)
        was = before is not None and before.is_pinned
        return replace(joined, is_pinned=_changed(was, mine.is_pinned, yours.is_pinned))

    def _side_of_text(self, toolkit: ToolkitId, name: str, sides: _Fields) -> Side | Literal[""]:
        """Whose text is taken; text and author are one value, but only texts can conflict."""
        old, one, other = (_text_and_author(fields, name) for fields in sides)
        if one == old:
            return "theirs"
        if other == old:
            return "ours"
        if one.text == other.text:
            return "ours" if _RANK[one.author] >= _RANK[other.author] else "theirs"
        if sides.before is not None and old.text in (one.text, other.text):
            return "theirs" if one.text == old.text else "ours"
        return self._note(
            name,
            what=(sides.before or sides.mine).name,
            texts=(old.text, one.text, other.text),
            keys=(("toolkit", toolkit, name), ("toolkit", toolkit, "is_living")),
        )

    def _join_values(self, kind: str, field: str, key: str, told: Callable[[Any], str]) -> None:
        """Join what is one value for each API or pair of APIs.

        Args:
            kind: of the conflicts.
            field: of the states.
            key: what `Changes.keys` calls it.
            told: a value in words.
        """
        base, ours, theirs = (getattr(state, field) for state in self._sides)
        for what in sorted(base.keys() | ours.keys() | theirs.keys()):
            before, mine, yours = base.get(what), ours.get(what), theirs.get(what)
            if yours in (mine, before):
                joined = mine
            elif mine == before:
                joined = yours
            else:
                rowids = what if isinstance(what, tuple) else (what,)
                texts = told(before), told(mine), told(yours)
                side = self._note(kind, rowids=rowids, texts=texts, keys=((key, what, ""),))
                joined = {"ours": mine, "theirs": yours, "": before}[side]
            if joined is not None:
                getattr(self.goal, field)[what] = joined

    def _note(
        self,
        kind: str,
        *,
        texts: tuple[str, str, str],
        keys: tuple[Key, ...],
        what: str = "",
        rowids: Sequence[int] = (),
    ) -> Side | Literal[""]:
        number = len(self.differences) + 1
        settled = self._settle(number)
        self.differences.append(
            Difference(
                number=number,
                kind=kind,
                what=what,
                rowids=tuple(rowids),
                base=texts[0],
                ours=texts[1],
                theirs=texts[2],
                keys=keys,
                settled=settled,
            )
        )
        return settled

    def _home(self, value: Membership | None, state: CuratedState) -> str:
        if value is None:
            return "no toolkit"
        fields = state.toolkits.get(value.toolkit) or state.gone.get(value.toolkit)
        fields = fields or self._sides.base.toolkits[value.toolkit]
        return f"“{fields.name}”" + (", pinned" if value.is_pinned else "")


def _exclusion(reason: str | None) -> str:
    return "included" if reason is None else f"excluded: {reason}".rstrip(": ")


def _changed(was: bool, mine: bool, yours: bool) -> bool:
    """Of two answers to yes or no the one that is new: both can only be the same."""
    return mine if mine != was else yours
