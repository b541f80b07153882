"""A decision as edits of this workspace: the kinds that move APIs between toolkits.

An API that a person pinned elsewhere here is left there and told.
"""

from collections.abc import Sequence

from toolplanner_core.curation.edits.marks import PinApis
from toolplanner_core.curation.edits.move import Move, NewToolkit, TakeOut
from toolplanner_core.curation.edits.split import Regroup, Split
from toolplanner_core.curation.sharing.decisions.place import PlacedDecision
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Author


def move(place: PlacedDecision) -> None:
    """APIs into another toolkit, or out of all."""
    to = place.find_target(place.asked["to"])
    here = place.here(place.asked["apis"])
    if moving := place.free(here, to):
        is_pinned = place.asked.get("is_pinned", True)
        place.edits.append(Move(rowids=tuple(moving), to=to, is_pinned=is_pinned))
    if loose := _loose(place, here, to):
        place.edits.append(PinApis(rowids=loose))


def new_toolkit(place: PlacedDecision) -> None:
    """APIs into a toolkit of their own."""
    asked, here = place.asked, place.here(place.asked["apis"])
    same = _toolkit_of_just(place, here)
    if same is not None and _is_as_wanted(place, same):
        _learn(place, 0, same)
        return
    moving = place.free(here, None)
    moving += [rowid for rowid in here if rowid not in place.state.toolkit_of]
    if moving:
        told = {name: asked[name] for name in ("description", "author") if name in asked}
        place.edits.append(NewToolkit(rowids=tuple(moving), name=asked["name"], **told))
        place.makes = place.decision.makes[:1]


def split(place: PlacedDecision) -> None:
    """Parts of a toolkit into toolkits of their own."""
    asked = place.asked
    toolkit = place.find_free(asked["toolkit"])
    members = place.state.members(toolkit)
    parts: dict[int, tuple[int, ...]] = {}
    for number, apis in enumerate(asked["parts"]):
        here = place.here(apis)
        apart = _toolkit_of_just(place, here)
        if apart is not None and apart != toolkit:
            _learn(place, number, apart)
            continue
        if outside := [rowid for rowid in here if rowid not in members]:
            place.refuse(f"not in “{place.state.toolkits[toolkit].name}” here", *outside)
        if inside := tuple(rowid for rowid in here if rowid in members):
            parts[number] = inside
    if parts:
        place.edits.append(
            Split(
                toolkit=toolkit,
                parts=tuple(parts.values()),
                names=_chosen(place, "names", [*parts]),
                descriptions=_chosen(place, "descriptions", [*parts]),
                name_author=asked.get("name_author", Author.RULE.value),
            )
        )
        place.makes = _made(place, [*parts])


def take_out(place: PlacedDecision) -> None:
    """Members of a merge back to where they came from."""
    origins: dict[int, ToolkitId] = {}
    for api, number in zip(place.asked["apis"], place.asked["origins"], strict=False):
        here = place.here([api])
        with place.refusing(*here):
            origin = place.resolver.find_retired(number, place.decision.toolkits)
            for rowid in here:
                was, now = place.before.members.get(rowid), place.state.toolkit_of.get(rowid)
                if was and was.toolkit != number and place.is_same(was.toolkit, origin):
                    name = place.decision.toolkits[number].name
                    place.refuse(f"“{name}” and what it was merged into are one here", rowid)
                elif (now and now.toolkit == origin) or place.free([rowid], origin):
                    origins[rowid] = origin
    if origins:
        place.edits.append(TakeOut(rowids=tuple(origins), origins=tuple(origins.values())))


def pin(place: PlacedDecision) -> None:
    """APIs pinned where they are, or not any more."""
    here = place.here(place.asked["apis"])
    if not place.asked.get("is_pinned", True):
        _unpin(place, here)
        return
    there: list[int] = []
    by_target: dict[ToolkitId, list[int]] = {}
    for rowid in here:
        if (after := place.after.members.get(rowid)) is not None:
            by_target.setdefault(after.toolkit, []).append(rowid)
    for number, rowids in by_target.items():
        with place.refusing(*rowids):
            to = place.find(number)
            there += _loose(place, rowids, to)
            if moving := place.free(rowids, to):
                place.edits.append(Move(rowids=tuple(moving), to=to))
    if there:
        place.edits.insert(0, PinApis(rowids=tuple(there)))


def regroup(place: PlacedDecision) -> None:
    """Many APIs at once, into toolkits that are there and into new ones."""
    asked = place.asked
    targets: dict[int, list[int]] = {}
    for api, number in zip(asked["apis"], asked["toolkits"], strict=False):
        for rowid in place.here([api]):
            targets.setdefault(number, []).append(rowid)
    goes: dict[int, int] = {}
    made: list[int] = []
    # A new toolkit that had no API there either is made empty here, too.
    empty = set(range(-len(asked.get("new_names", ())), 0)) - set(asked["toolkits"])
    for number in sorted(targets.keys() | empty, reverse=True):
        rowids = targets.get(number, [])
        with place.refusing(*rowids):
            to = place.find(number) if number > 0 else None
            free = _regrouped(place, number, to, rowids)
            if number < 0 and (free or number in empty):
                made.append(-number - 1)
            goes |= dict.fromkeys(free, -len(made) if number < 0 else to or 0)
    if made and not goes:
        # An edit that makes only empty toolkits names one API, and leaves it where it is.
        for rowid in [rowid for rowids in targets.values() for rowid in rowids][:1]:
            now = place.state.toolkit_of.get(rowid)
            goes[rowid] = now.toolkit if now else 0
    if goes:
        place.edits.append(
            Regroup(
                title=asked["title"],
                rowids=tuple(goes),
                toolkits=tuple(goes.values()),
                new_names=_chosen(place, "new_names", made),
                new_descriptions=_chosen(place, "new_descriptions", made),
                new_by_person=_by_person(place, made),
            )
        )
        place.makes = _made(place, made)


def _regrouped(
    place: PlacedDecision, number: int, to: ToolkitId | None, rowids: Sequence[int]
) -> list[int]:
    """Those APIs that may go there; a pin here is hard even where it was known."""
    state = place.state
    if to is not None and state.toolkits[to].is_pinned:
        if others := [rowid for rowid in rowids if rowid not in state.members(to)]:
            place.refuse(f"“{state.toolkits[to].name}” is pinned here", *others)
        return []
    free = place.free(rowids, to)
    if number < 0:
        free += [rowid for rowid in rowids if rowid not in state.toolkit_of]
    loose: list[int] = []
    for rowid in free:
        now = state.toolkit_of.get(rowid)
        if now is not None and (now.is_pinned or state.toolkits[now.toolkit].is_pinned):
            place.refuse("pinned here", rowid)
        else:
            loose.append(rowid)
    return loose


def _unpin(place: PlacedDecision, rowids: Sequence[int]) -> None:
    loose: list[int] = []
    for rowid in rowids:
        was, here = place.before.members.get(rowid), place.state.toolkit_of.get(rowid)
        if was is None or here is None or not here.is_pinned:
            continue
        if place.is_same(was.toolkit, here.toolkit):
            loose.append(rowid)
        else:
            place.refuse(f"pinned in “{place.state.toolkits[here.toolkit].name}” here", rowid)
    if loose:
        place.edits.append(PinApis(rowids=tuple(loose), is_pinned=False))


def _loose(place: PlacedDecision, rowids: Sequence[int], to: ToolkitId | None) -> tuple[int, ...]:
    """APIs that are in the right toolkit already, not pinned, and that the decision pinned."""
    return tuple(
        rowid
        for rowid in rowids
        if place.state.toolkit_of.get(rowid) == (to, False)
        and (after := place.after.members.get(rowid)) is not None
        and after.is_pinned
    )


def _toolkit_of_just(place: PlacedDecision, rowids: Sequence[int]) -> ToolkitId | None:
    """The toolkit that has exactly these members, if there is one."""
    where = {m.toolkit for m in place.state.memberships(rowids).values()}
    if len(where) != 1:
        return None
    (toolkit,) = where
    return toolkit if place.state.members_of[toolkit].keys() == set(rowids) else None


def _is_as_wanted(place: PlacedDecision, toolkit: ToolkitId) -> bool:
    fields = place.state.toolkits[toolkit]
    is_same = (fields.name, fields.name_author) == (place.asked["name"].strip(), Author.PERSON)
    return is_same and all(place.state.members(toolkit).values())


def _learn(place: PlacedDecision, position: int, toolkit: ToolkitId) -> None:
    for number in _made(place, [position]):
        place.resolver.learn(number, toolkit)


def _made(place: PlacedDecision, positions: Sequence[int]) -> list[ToolkitId]:
    """The numbers of the toolkits that the kept parts made where they were decided."""
    makes = place.decision.makes
    return [makes[i] for i in positions if i < len(makes)]


def _chosen(place: PlacedDecision, field: str, positions: Sequence[int]) -> tuple[str, ...]:
    """The texts of the parts that are kept; "" where there is none."""
    texts = place.asked.get(field, ())
    return tuple(texts[i] if i < len(texts) else "" for i in positions) if texts else ()


def _by_person(place: PlacedDecision, positions: Sequence[int]) -> tuple[bool, ...]:
    """Which of the parts that are kept a person named; none where no part was."""
    told: Sequence[bool] = place.asked.get("new_by_person", ())
    found = tuple(i < len(told) and told[i] for i in positions)
    return found if any(found) else ()
