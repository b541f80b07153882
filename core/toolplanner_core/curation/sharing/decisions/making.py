"""A decision as edits of this workspace: the kinds that name, merge and pin toolkits.

What a person decided here is never overwritten: a value that differs from the one the decision was
made on, and that a person set, is a conflict; one that a rule set is not.
"""

from collections.abc import Callable, Sequence
from itertools import combinations

from toolplanner_core.curation.edits.describe import Describe, Note, Rename
from toolplanner_core.curation.edits.marks import Exclude, Include, Link, PinToolkits
from toolplanner_core.curation.edits.move import Merge
from toolplanner_core.curation.sharing.decisions import making_members
from toolplanner_core.curation.sharing.decisions.place import PlacedDecision
from toolplanner_core.domain.curated import LinkKind
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.errors import BadInput


def want_decision(place: PlacedDecision) -> None:
    """Note in `place` the edits that make its decision there, and what stands against it."""
    with place.refusing():
        _MAKERS[place.decision.kind](place)


def _rename(place: PlacedDecision) -> None:
    toolkit, name = place.find_free(place.asked["toolkit"]), place.asked["name"]
    _check_name(place, toolkit, place.asked["toolkit"], " ".join(name.split()))
    place.edits.append(Rename(toolkit=toolkit, name=name, author=_author(place)))


def _describe(place: PlacedDecision) -> None:
    number, text = place.asked["toolkit"], place.asked["description"]
    toolkit = place.find_free(number)
    here = place.state.toolkits[toolkit]
    known = (text.strip(), _before(place, number, "description"))
    if here.description_author == Author.PERSON and here.description not in known:
        raise BadInput(f"“{here.name}” has a description by a person here")
    place.edits.append(Describe(toolkit=toolkit, description=text, author=_author(place)))


def _note(place: PlacedDecision) -> None:
    number, text = place.asked["toolkit"], place.asked["note"]
    toolkit = place.find(number)
    here = place.state.toolkits[toolkit]
    if here.note not in ("", text.strip(), _before(place, number, "note")):
        raise BadInput(f"“{here.name}” has another note here")
    place.edits.append(Note(toolkit=toolkit, note=text))


def _merge(place: PlacedDecision) -> None:
    number = place.asked["into"]
    into = place.find_free(number)
    found = _found(place, place.find_free)
    sources = tuple(source for source in found if source != into)
    name = " ".join(place.asked.get("name", "").split())
    if name:
        try:
            _check_name(place, into, number, name)
        except BadInput as error:
            place.refuse(error.sentence)
            name = ""
    if sources:
        place.compare_members(place.asked["toolkits"], found=(*found, into))
        left_out = tuple(place.here(place.asked.get("left_out", ())))
        place.edits.append(Merge(toolkits=sources, into=into, left_out=left_out, name=name))
    elif name:
        place.edits.append(Rename(toolkit=into, name=name))


def _pin(place: PlacedDecision) -> None:
    if toolkits := _found(place, place.find):
        is_pinned = place.asked.get("is_pinned", True)
        place.edits.append(PinToolkits(toolkits=tuple(toolkits), is_pinned=is_pinned))


def _exclude(place: PlacedDecision) -> None:
    reason = place.asked.get("reason", "").strip()
    if chosen := _to_exclude(place, reason):
        place.edits.append(Exclude(rowids=chosen, reason=reason))


def _include(place: PlacedDecision) -> None:
    if chosen := _to_exclude(place, None):
        place.edits.append(Include(rowids=chosen))


def _to_exclude(place: PlacedDecision, reason: str | None) -> tuple[int, ...]:
    """APIs that are not yet excluded for a reason, or not yet included again (None)."""
    chosen: list[int] = []
    for rowid in place.here(place.asked["apis"]):
        here = place.state.excluded.get(rowid)
        if here not in (None, reason, place.before.excluded.get(rowid)):
            place.refuse("excluded here for another reason", rowid)
        elif here != reason:
            chosen.append(rowid)
    return tuple(chosen)


def _link(place: PlacedDecision) -> None:
    chosen, word = place.here(place.asked["apis"]), place.asked["link"]
    kind = LinkKind(word) if word else None
    before, after = place.before.links, place.after.links
    for pair, here in place.state.linked.items():
        if set(chosen).issuperset(pair) and here not in (kind, before.get(pair)):
            place.refuse(f"linked as “{here}” here", *pair)
    if place.refused or len(chosen) < 2:
        return
    meant = after.keys() | {pair for pair, old in before.items() if old == kind}
    if kind is LinkKind.MUST or meant >= set(combinations(sorted(chosen), 2)):
        place.edits.append(Link(rowids=tuple(chosen), link=word))
    else:
        # Some pairs were linked by an edit that was reverted since.
        place.edits += [Link(rowids=pair, link=word) for pair in sorted(after)]


_MAKERS: dict[str, Callable[[PlacedDecision], None]] = {
    "rename": _rename,
    "describe": _describe,
    "note": _note,
    "merge": _merge,
    "pin_toolkits": _pin,
    "exclude": _exclude,
    "include": _include,
    "link": _link,
    "move": making_members.move,
    "new_toolkit": making_members.new_toolkit,
    "split": making_members.split,
    "take_out": making_members.take_out,
    "pin_apis": making_members.pin,
    "regroup": making_members.regroup,
}


def _found(place: PlacedDecision, find: Callable[[int], ToolkitId]) -> Sequence[ToolkitId]:
    """The toolkits that are meant, each once; what cannot be found is refused."""
    found: dict[ToolkitId, None] = {}
    for number in place.asked["toolkits"]:
        with place.refusing():
            found[find(number)] = None
    return [*found]


def _check_name(place: PlacedDecision, toolkit: ToolkitId, number: int, name: str) -> None:
    here = place.state.toolkits[toolkit]
    old = _before(place, number, "name") or place.decision.toolkits[ToolkitId(number)].name
    if here.name_author == Author.PERSON and here.name not in (old, name):
        raise BadInput(f"A person called it “{here.name}” here, not “{name}”")


def _author(place: PlacedDecision) -> str:
    return place.asked.get("author", Author.PERSON.value)


def _before(place: PlacedDecision, number: int, field: str) -> str:
    return str(place.before.toolkits.get(ToolkitId(number), {}).get(field, ""))
