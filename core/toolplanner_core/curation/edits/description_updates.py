"""What is said of toolkits follows their members: it is written anew where the rule wrote it, and
marked as old where somebody else did.

Goes with the edit that changes the members, so that an undo brings the old words back exactly.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from toolplanner_core.curation.edits.turnover import evenly, members_after, turnover
from toolplanner_core.curation.naming.casing import Casing
from toolplanner_core.curation.naming.describing import described
from toolplanner_core.domain.curated import Changes
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.jobs.isolation import Isolation
from toolplanner_core.workspace import Database
from toolplanner_core.workspace.catalogue import documentation_in
from toolplanner_core.workspace.curated_tables import CuratedTables
from toolplanner_core.workspace.toolkit_centroids import most_central

_MANY = 1 / 3
"""Share of new members from which the old words may not do; one more of forty changes nothing."""

_MOST = 200
"""Members of a toolkit that are read; more change nothing in two sentences."""


def with_descriptions(changes: Changes, db: Database) -> Changes:
    """The changes with what follows for the descriptions of toolkits that lose members or gain
    many, and one by rule for those that begin without."""
    view = CuratedTables(db)
    touched = _with_outdated_text(changes, view)
    by_rule: list[ToolkitId] = []
    retold: dict[ToolkitId, Mapping[str, Any]] = {**changes.retold}
    for toolkit in sorted(touched - retold.keys()):
        own, fields = changes.toolkits.get(toolkit, {}), view.toolkit(toolkit)
        if own.get("is_living") is False or own.get("description"):
            continue
        author = own.get("description_author") or (fields and fields.description_author)
        if author is Author.RULE:
            by_rule.append(toolkit)
        elif fields is not None and fields.description and "description" not in own:
            retold[toolkit] = {"is_description_old": True}
    begun: dict[ToolkitId, Mapping[str, Any]] = {}
    read = {t: evenly(r, _MOST) for t, r in members_after(by_rule, changes, view).items()}
    for toolkit, text in _by_rule(read, db).items():
        (begun if toolkit in changes.toolkits else retold)[toolkit] = {"description": text}
    return changes.then(Changes(toolkits=begun, retold=retold))


def _with_outdated_text(changes: Changes, view: CuratedTables) -> set[ToolkitId]:
    """The toolkits that lose members, or gain so many that two sentences may miss them."""
    lost, gained, _ = turnover(changes, view)
    return lost.keys() | {t for t, n in gained.items() if n >= _MANY * len(view.members(t))}


def updated_since(inverse: Changes, later: Iterable[Changes]) -> dict[ToolkitId, Mapping[str, Any]]:
    """What the inverse of an old edit says of toolkits that nothing has come to or left since.

    Args:
        later: values and inverses of the edits since.
    """
    since = list(later)
    changed = {m.toolkit for one in since for m in one.members.values() if m is not None}
    changed.update(toolkit for one in since for toolkit in one.all_fields)
    return {t: fields for t, fields in inverse.retold.items() if t not in changed}


def _by_rule(groups: Mapping[ToolkitId, Sequence[int]], db: Database) -> dict[ToolkitId, str]:
    """Descriptions of groups of APIs; those of no API are left out."""
    ordered = most_central(db, list(groups.values()))
    flat = [rowid for rowids in ordered for rowid in rowids]
    apis = documentation_in(db, flat)
    tools = {key: number for number, key in enumerate(dict.fromkeys(a.tool_key for a in apis))}
    whole = Casing((tools[api.tool_key], api.description) for api in apis).whole
    told: dict[ToolkitId, str] = {}
    isolation = Isolation()
    begin = 0
    for toolkit, rowids in zip(groups, ordered, strict=True):
        if rowids:
            own = range(begin, begin + len(rowids))
            told[toolkit] = described(apis, own, whole=whole, by=isolation)
        begin += len(rowids)
    return told
