"""What the rule calls toolkits follows their members, as their descriptions do: see
`description_updates.py`.

A toolkit that was parted, or of whose members a third are others, is named anew if the rule named
it and it is not pinned. Goes with the edit that changes the members, so that an undo brings the old
name back exactly. And what no person wrote is nobody else's name: where an edit would give it
twice, the toolkit that it is given to gets another one.
"""

from collections.abc import Collection, Mapping
from itertools import count

from toolplanner_core.curation.edits.remembered_names import names_by_rule
from toolplanner_core.curation.edits.turnover import members_after, turnover
from toolplanner_core.domain.curated import Changes
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.workspace import Database
from toolplanner_core.workspace.curated_tables import CuratedTables, all_names

_OTHERS = 1 / 3
"""Share of members that come or go from which another name is looked for."""
_PARTED = 1 / 10
"""The same where they begin toolkits of their own: a name may be about what is told apart now. One
of forty says nothing of the others."""


def with_names(changes: Changes, db: Database) -> Changes:
    """The changes with new names for toolkits by rule that hold others than before, and for those
    that they would give a name which another toolkit has."""
    view = CuratedTables(db)
    outgrown, given = _outgrown(changes, view), _given_by_machine(changes, view)
    if not outgrown and not given:
        return changes
    named = {t: str(v["name"]) for t, v in changes.all_fields.items() if "name" in v}
    names = {t: n for t, n in {**all_names(db), **named}.items() if t not in changes.ended}
    taken = {n.casefold() for t, n in names.items() if t not in outgrown and t not in given}
    doubled: dict[ToolkitId, str] = {}
    for toolkit in given:
        if names[toolkit].casefold() in taken:
            doubled[toolkit] = names[toolkit]
        taken.add(names[toolkit].casefold())
    by_rule = outgrown | {t for t in doubled if given[t] is Author.RULE}
    found = _found(changes, by_rule, names, taken, db) if by_rule else {}
    for toolkit in doubled.keys() - found.keys():
        found[toolkit] = _numbered(doubled[toolkit], {*taken, *map(str.casefold, found.values())})
    # What goes on without a name of its own in the edit follows from its members, or did so once.
    is_own = {toolkit: "name" in changes.toolkits.get(toolkit, {}) for toolkit in found}
    return changes.then(
        Changes(
            toolkits={toolkit: {"name": found[toolkit]} for toolkit in found if is_own[toolkit]},
            retold={toolkit: {"name": found[toolkit]} for toolkit in found if not is_own[toolkit]},
        )
    )


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


def is_parted(members: int, leaving: int) -> bool:
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
        if after and (is_other or is_parted(before, parted[toolkit])):
            found.add(toolkit)
    return found
