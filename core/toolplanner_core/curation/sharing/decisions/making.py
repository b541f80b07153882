"""A decision as edits of this workspace: the kinds that name, merge and pin toolkits.

What a person decided here is never overwritten: a value that differs from the one the decision was
made on, and that a person set, is a conflict; one that a rule set is not.
"""

from collections.abc import Callable, Sequence
from itertools import combinations

from toolplanner_core.curation.edits.curated_state import CuratedState
from toolplanner_core.curation.edits.describe import Describe, Note, Rename
from toolplanner_core.curation.edits.exclude import Exclude, Include
from toolplanner_core.curation.edits.link import Link
from toolplanner_core.curation.edits.merge import Merge
from toolplanner_core.curation.edits.pin import PinToolkits
from toolplanner_core.curation.sharing.decisions.decision import Decision
from toolplanner_core.curation.sharing.decisions.making_members import MemberDecisions
from toolplanner_core.curation.sharing.decisions.place import PlacedDecision, Wanted
from toolplanner_core.domain.curated import LinkKind
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.errors import BadInput


def wanted_edits(place: PlacedDecision) -> Wanted:
    """The edits that make a decision in the state of `place`.

    Raises:
        BadInput: nothing of it can be made here: a conflict.
    """
    members = MemberDecisions(place)
    toolkits = _ToolkitDecisions(place)
    makers: dict[str, Callable[[], Wanted]] = {
        "rename": toolkits.rename,
        "describe": toolkits.describe,
        "note": toolkits.note,
        "merge": toolkits.merge,
        "pin_toolkits": toolkits.pin,
        "exclude": toolkits.exclude,
        "include": toolkits.include,
        "link": toolkits.link,
        "move": members.move,
        "new_toolkit": members.new_toolkit,
        "split": members.split,
        "take_out": members.take_out,
        "pin_apis": members.pin,
        "regroup": members.regroup,
    }
    return makers[place.decision.kind]()


class _ToolkitDecisions:
    """One decision about toolkits as such, exclusions or links."""

    def __init__(self, place: PlacedDecision) -> None:
        self._place = place
        self._decision: Decision = place.decision
        self._state: CuratedState = place.state
        self._asked = place.decision.asked

    def rename(self) -> Wanted:
        number = ToolkitId(self._asked["toolkit"])
        toolkit = self._place.find_free(number)
        self._check_name(toolkit, number, " ".join(self._asked["name"].split()))
        author = self._asked.get("author", Author.PERSON.value)
        return Wanted(edits=[Rename(toolkit=toolkit, name=self._asked["name"], author=author)])

    def describe(self) -> Wanted:
        number = ToolkitId(self._asked["toolkit"])
        toolkit = self._place.find_free(number)
        here = self._state.toolkits[toolkit]
        text = self._asked["description"]
        is_own = here.description_author == Author.PERSON
        if is_own and here.description not in (text.strip(), self._before(number, "description")):
            raise BadInput(f"“{here.name}” has a description by a person here")
        author = self._asked.get("author", Author.PERSON.value)
        return Wanted(edits=[Describe(toolkit=toolkit, description=text, author=author)])

    def note(self) -> Wanted:
        number = ToolkitId(self._asked["toolkit"])
        toolkit = self._place.find(number)
        here = self._state.toolkits[toolkit]
        text = self._asked["note"]
        if here.note not in ("", text.strip(), self._before(number, "note")):
            raise BadInput(f"“{here.name}” has another note here")
        return Wanted(edits=[Note(toolkit=toolkit, note=text)])

    def merge(self) -> Wanted:
        wanted = Wanted()
        number = ToolkitId(self._asked["into"])
        into = self._place.find_free(number)
        sources = [
            source
            for source in self._found(self._asked["toolkits"], wanted, is_free=True)
            if source != into
        ]
        name = " ".join(self._asked.get("name", "").split())
        if name:
            try:
                self._check_name(into, number, name)
            except BadInput as error:
                wanted.refuse(error.sentence)
                name = ""
        if sources:
            left_out = self._place.here(self._asked.get("left_out", ()), wanted)
            wanted.edits.append(
                Merge(toolkits=tuple(sources), into=into, left_out=tuple(left_out), name=name)
            )
        elif name:
            wanted.edits.append(Rename(toolkit=into, name=name))
        return wanted

    def pin(self) -> Wanted:
        wanted = Wanted()
        toolkits = self._found(self._asked["toolkits"], wanted)
        if toolkits:
            is_pinned = self._asked.get("is_pinned", True)
            wanted.edits.append(PinToolkits(toolkits=tuple(toolkits), is_pinned=is_pinned))
        return wanted

    def exclude(self) -> Wanted:
        wanted = Wanted()
        reason = self._asked.get("reason", "").strip()
        chosen: list[int] = []
        for rowid in self._place.here(self._asked["apis"], wanted):
            here = self._state.excluded.get(rowid)
            if here not in (None, reason, self._place.before.excluded.get(rowid)):
                wanted.refuse("excluded here for another reason", rowid)
            elif here != reason:
                chosen.append(rowid)
        if chosen:
            wanted.edits.append(Exclude(rowids=tuple(chosen), reason=reason))
        return wanted

    def include(self) -> Wanted:
        wanted = Wanted()
        chosen: list[int] = []
        for rowid in self._place.here(self._asked["apis"], wanted):
            here = self._state.excluded.get(rowid)
            if here is None:
                continue
            if here == self._place.before.excluded.get(rowid):
                chosen.append(rowid)
            else:
                wanted.refuse("excluded here for another reason", rowid)
        if chosen:
            wanted.edits.append(Include(rowids=tuple(chosen)))
        return wanted

    def link(self) -> Wanted:
        wanted = Wanted()
        chosen = self._place.here(self._asked["apis"], wanted)
        kind = LinkKind(self._asked["link"]) if self._asked["link"] else None
        inside = set(chosen)
        for pair, here in self._state.linked.items():
            if inside.issuperset(pair) and here not in (kind, self._place.before.links.get(pair)):
                wanted.refuse(f"linked as “{here}” here", *pair)
        if wanted.refused or len(chosen) < 2:
            return wanted
        before, after = self._place.before.links, self._place.after.links
        meant = after.keys() | {pair for pair, old in before.items() if old == kind}
        if kind is LinkKind.MUST or meant >= set(combinations(sorted(chosen), 2)):
            wanted.edits.append(Link(rowids=tuple(chosen), link=self._asked["link"]))
        else:
            # Some pairs were linked by an edit that was reverted since.
            wanted.edits += [Link(rowids=p, link=self._asked["link"]) for p in sorted(after)]
        return wanted

    def _found(
        self, numbers: Sequence[int], wanted: Wanted, *, is_free: bool = False
    ) -> list[ToolkitId]:
        """The toolkits that are meant, each once; what cannot be found is refused."""
        found: list[ToolkitId] = []
        for number in numbers:
            try:
                find = self._place.find_free if is_free else self._place.find
                found.append(find(ToolkitId(number)))
            except BadInput as error:
                wanted.refuse(error.sentence)
        return list(dict.fromkeys(found))

    def _check_name(self, toolkit: ToolkitId, number: ToolkitId, name: str) -> None:
        here = self._state.toolkits[toolkit]
        old = self._before(number, "name") or self._decision.toolkits[number].name
        if here.name_author == Author.PERSON and here.name not in (old, name):
            raise BadInput(f"A person called it “{here.name}” here, not “{name}”")

    def _before(self, number: ToolkitId, field: str) -> str:
        return str(self._place.before.toolkits.get(number, {}).get(field, ""))
