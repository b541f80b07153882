"""What an edit means for names by rule: they stay, and others are proposed.

A name is given once. Where a toolkit was parted, or a third of its members are others, the rule
looks for another name, if the rule named it and it is not pinned; what it finds is *proposed*, and
a person takes it or not (`AnswerNames` in `describe.py`). The proposal goes with the edit that
changes the members, so that an undo takes it back exactly. And what no person wrote is nobody
else's name: where an edit would give it twice, the toolkit that it is given to gets another one.
"""

from collections.abc import Collection, Mapping
from itertools import count

from toolplanner_core.curation.edits.remembered_names import names_by_rule
from toolplanner_core.curation.edits.turnover import members_after, turnover
from toolplanner_core.curation.naming.same_name import differs_in_form_only
from toolplanner_core.domain.curated import Changes
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.workspace import Database
from toolplanner_core.workspace.curated_tables import CuratedTables, all_names, all_proposed_names

_OTHERS = 1 / 3
"""Share of members that come or go from which another name is looked for."""
_PARTED = 1 / 10
"""The same where they begin toolkits of their own: a name may be about what is told apart now. One
of forty says nothing of the others."""


def with_names(changes: Changes, db: Database) -> Changes:
    """The changes with another name for what a machine would give a name that is taken, and with
    names that are proposed for toolkits by rule that hold others than before."""
    view = CuratedTables(db)
    given = _given_by_machine(changes, view)
    if given:
        changes = _unlike(changes, given, db)
    outgrown = _outgrown(changes, view)
    if not outgrown and not any("name" in fields for fields in changes.all_fields.values()):
        return changes
    names = _names_after(changes, db)
    pending = {**all_proposed_names(db)}
    proposed = _proposed(changes, outgrown, names, pending, db)
    # What somebody is called by now is no proposal any more.
    given_now = {
        names[t].casefold()
        for t, fields in changes.all_fields.items()
        if "name" in fields and t in names
    }
    for toolkit, name in pending.items():
        if toolkit not in proposed and name.casefold() in given_now:
            proposed[toolkit] = ""
    own = {t for t, fields in changes.toolkits.items() if "proposed_name" in fields}
    return changes.then(
        Changes(retold={t: {"proposed_name": n} for t, n in proposed.items() if t not in own})
    )


def _proposed(
    changes: Changes,
    outgrown: set[ToolkitId],
    names: Mapping[ToolkitId, str],
    pending: Mapping[ToolkitId, str],
    db: Database,
) -> dict[ToolkitId, str]:
    """What to propose for each of them; "" where the rule has nothing better than its name."""
    if not outgrown:
        return {}
    taken = {n.casefold() for t, n in names.items() if t not in outgrown}
    taken |= {n.casefold() for t, n in pending.items() if t not in outgrown}
    found = _found(changes, outgrown, names, taken, db)
    return {t: "" if differs_in_form_only(n, names[t]) else n for t, n in found.items()}


def _unlike(changes: Changes, given: Mapping[ToolkitId, Author], db: Database) -> Changes:
    """The changes with another name where a machine would give one twice."""
    names = _names_after(changes, db)
    taken = {n.casefold() for t, n in names.items() if t not in given}
    doubled: dict[ToolkitId, str] = {}
    for toolkit in given:
        if names[toolkit].casefold() in taken:
            doubled[toolkit] = names[toolkit]
        taken.add(names[toolkit].casefold())
    by_rule = {toolkit for toolkit in doubled if given[toolkit] is Author.RULE}
    found = _found(changes, by_rule, names, taken, db) if by_rule else {}
    for toolkit in doubled.keys() - found.keys():
        found[toolkit] = _numbered(doubled[toolkit], {*taken, *map(str.casefold, found.values())})
    return changes.then(Changes(toolkits={t: {"name": name} for t, name in found.items()}))


def _names_after(changes: Changes, db: Database) -> dict[ToolkitId, str]:
    """The names of all toolkits that live then."""
    named = {t: str(v["name"]) for t, v in changes.all_fields.items() if "name" in v}
    return {t: n for t, n in {**all_names(db), **named}.items() if t not in changes.ended}


def _found(
    changes: Changes,
    wanted: set[ToolkitId],
    names: Mapping[ToolkitId, str],
    taken: set[str],
    db: Database,
) -> dict[ToolkitId, str]:
    """Names by rule of those that have members then."""
    view = CuratedTables(db)
    came = view.memberships(changes.members)
    # Found with the parts that were told from them, as whoever proposed those did.
    beside = {
        after.toolkit
        for rowid, after in changes.members.items()
        if after is not None and rowid in came and came[rowid].toolkit in wanted
    }.intersection(changes.begun)
    groups = members_after(sorted(wanted | beside), changes, view)
    filled = {toolkit: rowids for toolkit, rowids in groups.items() if rowids}
    own = {names[toolkit].casefold() for toolkit in beside - wanted}
    kept = {at: names[t] for at, t in enumerate(filled) if t in wanted and t not in changes.begun}
    for used in (taken - own, taken):
        texts = names_by_rule(db, list(filled.values()), taken=used, kept=kept)
        found = {t: text.name for t, text in zip(filled, texts, strict=True) if t in wanted}
        if own.isdisjoint(map(str.casefold, found.values())):
            return found
    return found


def _given_by_machine(changes: Changes, view: CuratedTables) -> dict[ToolkitId, Author]:
    """The toolkits that get a name which no person wrote, with who did."""
    found: dict[ToolkitId, Author] = {}
    for toolkit, values in changes.all_fields.items():
        if "name" in values and values.get("is_living", True):
            fields = view.toolkit(toolkit)
            known = Author.RULE if fields is None else fields.name_author
            found[toolkit] = Author(values.get("name_author", known))
    return {toolkit: author for toolkit, author in found.items() if author is not Author.PERSON}


def _numbered(name: str, taken: Collection[str]) -> str:
    numbered = (f"{name} {number}" for number in count(2))
    return next(one for one in numbered if one.casefold() not in taken)


def _is_parted(members: int, leaving: int) -> bool:
    """Whether a toolkit may be called otherwise when so many of its members begin others."""
    return leaving >= max(1, _PARTED * members)


def _outgrown(changes: Changes, view: CuratedTables) -> set[ToolkitId]:
    """The toolkits whose name by rule is about others than those that are members then."""
    lost, gained, parted = turnover(changes, view)
    found: set[ToolkitId] = set()
    for toolkit in lost.keys() | gained.keys():
        own, fields = changes.toolkits.get(toolkit, {}), view.toolkit(toolkit)
        is_said = "is_living" in own or "name" in {**changes.retold.get(toolkit, {}), **own}
        if fields is None or fields.is_pinned or fields.name_author is not Author.RULE or is_said:
            continue
        before = len(view.members(toolkit))
        after = before - lost[toolkit] + gained[toolkit]
        is_other = lost[toolkit] >= _OTHERS * before or gained[toolkit] >= _OTHERS * after
        if after and (is_other or _is_parted(before, parted[toolkit])):
            found.add(toolkit)
    return found
