"""A decision as edits of this workspace: the kinds that move APIs between toolkits.

An API that a person pinned elsewhere here is left there and told.
"""

from collections.abc import Sequence

from toolplanner_core.curation.edits.merge import TakeOut
from toolplanner_core.curation.edits.move import Move, NewToolkit
from toolplanner_core.curation.edits.pin import PinApis
from toolplanner_core.curation.edits.regroup import Regroup
from toolplanner_core.curation.edits.split import Split
from toolplanner_core.curation.sharing.decisions.place import PlacedDecision, Wanted
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.errors import BadInput


class MemberDecisions:
    """One decision about where APIs belong."""

    def __init__(self, place: PlacedDecision) -> None:
        self._place = place
        self._state = place.state
        self._asked = place.decision.asked
        self._makes = list(place.decision.makes)

    def move(self) -> Wanted:
        wanted = Wanted()
        to = self._target(self._asked["to"])
        is_pinned = self._asked.get("is_pinned", True)
        here = self._place.here(self._asked["apis"], wanted)
        moving = self._place.free(here, to, wanted)
        if moving:
            wanted.edits.append(Move(rowids=tuple(moving), to=to, is_pinned=is_pinned))
        if loose := self._loose(here, to):
            wanted.edits.append(PinApis(rowids=tuple(loose)))
        return wanted

    def new_toolkit(self) -> Wanted:
        wanted = Wanted()
        here = self._place.here(self._asked["apis"], wanted)
        same = self._toolkit_of_just(here)
        if same is not None and self._is_as_wanted(same):
            self._learn(0, same)
            return wanted
        moving = self._place.free(here, None, wanted)
        moving += [rowid for rowid in here if rowid not in self._state.toolkit_of]
        if moving:
            wanted.edits.append(
                NewToolkit(
                    rowids=tuple(moving),
                    name=self._asked["name"],
                    description=self._asked.get("description", ""),
                )
            )
            wanted.makes = self._makes[:1]
        return wanted

    def split(self) -> Wanted:
        wanted = Wanted()
        toolkit = self._place.find_free(ToolkitId(self._asked["toolkit"]))
        members = self._state.members(toolkit)
        kept: list[int] = []
        parts: list[tuple[int, ...]] = []
        for number, apis in enumerate(self._asked["parts"]):
            here = self._place.here(apis, wanted)
            apart = self._toolkit_of_just(here)
            if apart is not None and apart != toolkit:
                self._learn(number, apart)
                continue
            inside = [rowid for rowid in here if rowid in members]
            if outside := [rowid for rowid in here if rowid not in members]:
                name = self._state.toolkits[toolkit].name
                wanted.refuse(f"not in “{name}” here", *outside)
            if inside:
                kept.append(number)
                parts.append(tuple(inside))
        if parts:
            wanted.edits.append(
                Split(
                    toolkit=toolkit,
                    parts=tuple(parts),
                    names=self._chosen("names", kept),
                    descriptions=self._chosen("descriptions", kept),
                    name_author=self._asked.get("name_author", Author.RULE.value),
                )
            )
            wanted.makes = [self._makes[number] for number in kept if number < len(self._makes)]
        return wanted

    def take_out(self) -> Wanted:
        wanted = Wanted()
        rowids: list[int] = []
        origins: list[ToolkitId] = []
        for api, number in zip(self._asked["apis"], self._asked["origins"], strict=False):
            here = self._place.here([api], wanted)
            try:
                origin = self._place.resolver.find_retired(
                    ToolkitId(number), self._place.decision.toolkits
                )
            except BadInput as error:
                wanted.refuse(error.sentence, *here)
                continue
            for rowid in here:
                was = self._place.before.members.get(rowid)
                now = self._state.toolkit_of.get(rowid)
                is_one = was is not None and self._place.resolver.is_same(
                    was.toolkit, origin, self._place.decision.toolkits
                )
                if is_one and was is not None and was.toolkit != number:
                    name = self._place.decision.toolkits[ToolkitId(number)].name
                    wanted.refuse(f"“{name}” and what it was merged into are one here", rowid)
                elif now is not None and now.toolkit == origin:
                    rowids.append(rowid)
                    origins.append(origin)
                else:
                    free = self._place.free([rowid], origin, wanted)
                    rowids += free
                    origins += [origin] * len(free)
        if rowids:
            wanted.edits.append(TakeOut(rowids=tuple(rowids), origins=tuple(origins)))
        return wanted

    def pin(self) -> Wanted:
        wanted = Wanted()
        here = self._place.here(self._asked["apis"], wanted)
        if not self._asked.get("is_pinned", True):
            self._unpin(here, wanted)
            return wanted
        there: list[int] = []
        by_target: dict[ToolkitId | None, list[int]] = {}
        for rowid in here:
            after = self._place.after.members.get(rowid)
            if after is not None:
                by_target.setdefault(after.toolkit, []).append(rowid)
        for number, rowids in by_target.items():
            try:
                to = self._target(number)
            except BadInput as error:
                wanted.refuse(error.sentence, *rowids)
                continue
            there += self._loose(rowids, to)
            if moving := self._place.free(rowids, to, wanted):
                wanted.edits.append(Move(rowids=tuple(moving), to=to))
        if there:
            wanted.edits.insert(0, PinApis(rowids=tuple(there)))
        return wanted

    def regroup(self) -> Wanted:
        wanted = Wanted()
        targets: dict[int, list[int]] = {}
        for api, number in zip(self._asked["apis"], self._asked["toolkits"], strict=False):
            for rowid in self._place.here([api], wanted):
                targets.setdefault(number, []).append(rowid)
        goes: dict[int, int] = {}
        made: list[int] = []
        # A new toolkit that had no API there either is made empty here, too.
        names = range(-len(self._asked.get("new_names", ())), 0)
        empty = set(names) - set(self._asked["toolkits"])
        for number in sorted(targets.keys() | empty, reverse=True):
            free = self._regrouped(number, targets.get(number, ()), wanted)
            if not free and number not in empty:
                continue
            if number < 0:
                made.append(-number - 1)
                to = -len(made)
            else:
                to = self._target(number) if number else 0
            goes |= dict.fromkeys(free, to or 0)
        if made and not goes:
            goes = self._idle([rowid for rowids in targets.values() for rowid in rowids])
        if goes:
            wanted.edits.append(
                Regroup(
                    title=self._asked["title"],
                    rowids=tuple(goes),
                    toolkits=tuple(goes.values()),
                    new_names=self._chosen("new_names", made),
                    new_descriptions=self._chosen("new_descriptions", made),
                )
            )
            wanted.makes = [self._makes[i] for i in made if i < len(self._makes)]
        return wanted

    def _idle(self, rowids: Sequence[int]) -> dict[int, int]:
        """One API and the toolkit it is in: an edit that makes only empty toolkits names one."""
        where = self._state.memberships(rowids)
        return {r: where[r].toolkit if r in where else 0 for r in rowids[:1]}

    def _regrouped(self, number: int, rowids: Sequence[int], wanted: Wanted) -> list[int]:
        """Those APIs that may go there; a pin here is hard even where it was known."""
        to: ToolkitId | None = None
        if number > 0:
            try:
                to = self._target(number)
            except BadInput as error:
                wanted.refuse(error.sentence, *rowids)
                return []
            if to is not None and self._state.toolkits[to].is_pinned:
                others = [r for r in rowids if r not in self._state.members(to)]
                if others:
                    wanted.refuse(f"“{self._state.toolkits[to].name}” is pinned here", *others)
                return []
        free = self._place.free(rowids, to, wanted)
        if number < 0:
            free += [rowid for rowid in rowids if rowid not in self._state.toolkit_of]
        loose: list[int] = []
        for rowid in free:
            now = self._state.toolkit_of.get(rowid)
            if now is not None and (now.is_pinned or self._state.toolkits[now.toolkit].is_pinned):
                wanted.refuse("pinned here", rowid)
            else:
                loose.append(rowid)
        return loose

    def _unpin(self, rowids: Sequence[int], wanted: Wanted) -> None:
        loose: list[int] = []
        for rowid in rowids:
            was, here = self._place.before.members.get(rowid), self._state.toolkit_of.get(rowid)
            if was is None or here is None or not here.is_pinned:
                continue
            if self._place.resolver.is_same(
                was.toolkit, here.toolkit, self._place.decision.toolkits
            ):
                loose.append(rowid)
            else:
                wanted.refuse(f"pinned in “{self._state.toolkits[here.toolkit].name}” here", rowid)
        if loose:
            wanted.edits.append(PinApis(rowids=tuple(loose), is_pinned=False))

    def _loose(self, rowids: Sequence[int], to: ToolkitId | None) -> list[int]:
        """APIs that are in the right toolkit already, not pinned, and that the decision pinned."""
        return [
            rowid
            for rowid in rowids
            if (here := self._state.toolkit_of.get(rowid)) is not None
            and here.toolkit == to
            and not here.is_pinned
            and (after := self._place.after.members.get(rowid)) is not None
            and after.is_pinned
        ]

    def _target(self, number: int | None) -> ToolkitId | None:
        return None if number is None else self._place.find(ToolkitId(number))

    def _toolkit_of_just(self, rowids: Sequence[int]) -> ToolkitId | None:
        """The toolkit that has exactly these members, if there is one."""
        where = {m.toolkit for m in self._state.memberships(rowids).values()}
        if len(where) != 1:
            return None
        toolkit = next(iter(where))
        is_all = self._state.members_of[toolkit].keys() == set(rowids)
        return toolkit if is_all else None

    def _is_as_wanted(self, toolkit: ToolkitId) -> bool:
        fields = self._state.toolkits[toolkit]
        is_same = (fields.name, fields.name_author) == (
            self._asked["name"].strip(),
            Author.PERSON,
        )
        return is_same and all(self._state.members(toolkit).values())

    def _learn(self, position: int, toolkit: ToolkitId) -> None:
        if position < len(self._makes):
            self._place.resolver.learn(self._makes[position], toolkit)

    def _chosen(self, field: str, positions: Sequence[int]) -> tuple[str, ...]:
        """The texts of the parts that are kept; "" where there is none."""
        texts = self._asked.get(field, ())
        if not texts:
            return ()
        return tuple(texts[i] if i < len(texts) else "" for i in positions)
