"""The decisions that count in a workspace: the edits on its line of history, from the first on.

An edit that was reverted, and the revert, are left out: nothing that follows builds on them. So is
what was decided of regions, which are of one workspace and its map, and of documentation that an
import changed there.
"""

import hashlib
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from toolplanner_core.curation.edits.curated_state import CuratedState
from toolplanner_core.curation.edits.history_reading import (
    SEVERAL,
    changes_between,
    parts_of,
    path_to_root,
    without_reverted,
)
from toolplanner_core.curation.edits.kinds import edit_from_json
from toolplanner_core.curation.edits.marks import Link
from toolplanner_core.curation.edits.move import Merge, TakeOut
from toolplanner_core.curation.edits.split import Regroup
from toolplanner_core.curation.sharing.decisions.decision import Anchor, Decision, key_of
from toolplanner_core.curation.sharing.decisions.file import DecisionsFile
from toolplanner_core.curation.sharing.decisions.not_shared import NOT_SHARED
from toolplanner_core.curation.sharing.decisions.translating import (
    apis_in,
    asked_with_ids,
    toolkits_in,
)
from toolplanner_core.domain.curated import Changes, changes_to_json, drop_unchanged, invert_changes
from toolplanner_core.domain.ids import ApiId, ToolkitId
from toolplanner_core.errors import BadInput
from toolplanner_core.workspace import Database, Workspace
from toolplanner_core.workspace.catalogue import api_names, rowids_of
from toolplanner_core.workspace.edit_history import (
    ROOT,
    StoredEdit,
    parents,
    read_edit,
    read_forward,
    read_head,
    read_inverse,
)

BY_FILE = "decisions file"
"""`by` of the origin of edits that a decisions file made; their `key` is the decision's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiIndex:
    """Permanent ids and names of all APIs of a workspace."""

    id_of: dict[int, ApiId]
    rowid_of: dict[ApiId, int]
    name_of: dict[ApiId, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class MadeDecision:
    """A decision that counts here, and what it changed."""

    decision: Decision
    changes: Changes


def collect(workspace: Workspace, *, who: str, now_us: int | None = None) -> DecisionsFile:
    """All decisions that count, as a file.

    Args:
        who: name of the person who exports.
    """
    return DecisionsFile(
        workspace=workspace.path.stem,
        who=who,
        made_us=time.time_ns() // 1000 if now_us is None else now_us,
        start=fingerprint(start_of(workspace), index_of(workspace).id_of),
        decisions=tuple(made.decision for made in decisions_made(workspace)),
    )


def index_of(workspace: Workspace) -> ApiIndex:
    """Ids and names; a quarter of a second for 45,000 APIs."""
    names = {name.id: name.key for name in api_names(workspace)}
    rowid_of = rowids_of(workspace, names)
    return ApiIndex(
        id_of={rowid: api for api, rowid in rowid_of.items()}, rowid_of=rowid_of, name_of=names
    )


def start_of(workspace: Workspace) -> CuratedState:
    """The state before the first edit."""
    with workspace.snapshot() as db:
        return _start(db)


def decisions_made(workspace: Workspace, index: ApiIndex | None = None) -> list[MadeDecision]:
    """All decisions that count, the oldest first."""
    index = index_of(workspace) if index is None else index
    with workspace.snapshot() as db:
        state = _start(db)
        line = path_to_root(parents(db), read_head(db))
        edits = [read_edit(db, edit) for edit in reversed(line)]
        made: list[MadeDecision] = []
        for edit in without_reverted(edits):
            forward, inverse = read_forward(db, edit.id), read_inverse(db, edit.id)
            if edit.kind in NOT_SHARED:
                state.apply(forward)
                continue
            for part, values, before in _made_one_by_one(edit, forward, inverse, state):
                after = _without_local(values)
                decision = decision_of(part, after, before, state, index)
                made.append(MadeDecision(decision=decision, changes=after))
                state.apply(after)
    return made


def _made_one_by_one(
    edit: StoredEdit, forward: Changes, inverse: Changes, state: CuratedState
) -> Iterator[tuple[StoredEdit, Changes, Changes]]:
    """The edits that an entry of the history holds, each with its values after and before.

    Args:
        state: the state just before it; whoever takes one applies it before taking the next.
    """
    if edit.kind != SEVERAL:
        yield edit, forward, inverse
        return
    begun = sorted(forward.begun)
    for part in parts_of(edit):
        # A new toolkit has the number here that it got then, whatever was undone since.
        state.new_id = begun[0] if begun else state.new_id
        planned = edit_from_json(part.kind, part.asked).plan(state)
        changes = drop_unchanged(_as_it_came(planned.changes, forward), state)
        begun = [toolkit for toolkit in begun if toolkit not in changes.toolkits]
        yield replace(part, label=planned.label), changes, invert_changes(changes, state)


def _as_it_came(planned: Changes, forward: Changes) -> Changes:
    """What was planned, with the names and texts that it came out with."""
    toolkits = {
        toolkit: {name: forward.toolkits.get(toolkit, {}).get(name, v) for name, v in own.items()}
        for toolkit, own in planned.toolkits.items()
    }
    return replace(planned, toolkits=toolkits)


_LOCAL = frozenset({"is_description_old", "proposed_name"})
"""Fields of toolkits that follow from their members."""


def _without_local(changes: Changes) -> Changes:
    """Without what the other workspace works out or decides for itself."""
    toolkits = {
        toolkit: {name: value for name, value in fields.items() if name not in _LOCAL}
        for toolkit, fields in changes.toolkits.items()
    }
    return replace(changes, toolkits=toolkits, retold={}, regions={}, region_of={}, accepted={})


def _start(db: Database) -> CuratedState:
    state = CuratedState.read(db)
    state.apply(changes_between(db, read_head(db), ROOT))
    return state


def decision_of(
    edit: StoredEdit, forward: Changes, inverse: Changes, state: CuratedState, index: ApiIndex
) -> Decision:
    """An edit as another workspace can make it.

    Args:
        forward, inverse: its values after and before.
        state: the state just before it.
    """
    forward, inverse = _without_local(forward), _without_local(inverse)
    asked = asked_with_ids(edit.asked, index.id_of)
    key = (
        str(edit.origin["key"])
        if edit.origin.get("by") == BY_FILE
        else key_of(edit.kind, asked, who=edit.who, made_us=edit.made_us)
    )
    edit = replace(edit, asked=only_what_it_did(edit, forward, state))
    asked = asked_with_ids(edit.asked, index.id_of)
    return Decision(
        key=key,
        kind=edit.kind,
        label=edit.label,
        asked=asked,
        toolkits={
            toolkit: _anchor(toolkit, state, index)
            for toolkit in sorted(_toolkits_in(edit, forward, inverse, state))
        },
        makes=tuple(sorted(forward.begun)),
        before=changes_to_json(_with_known_links(edit, inverse, state), index.id_of.__getitem__),
        after=changes_to_json(forward, index.id_of.__getitem__),
        names={api: index.name_of[api] for api in apis_in(asked)},
        origin=edit.origin,
        actor=edit.actor,
        who=edit.who,
        made_us=edit.made_us,
    )


def _with_known_links(edit: StoredEdit, inverse: Changes, state: CuratedState) -> Changes:
    """For a link: all links that were there between its APIs. One that stayed as it was is no
    conflict elsewhere, although it may contradict the new one."""
    if edit.kind != Link.kind:
        return inverse
    inside = set(edit.asked["rowids"])
    known = {pair: kind for pair, kind in state.linked.items() if inside.issuperset(pair)}
    return replace(inverse, links={**known, **inverse.links})


def _toolkits_in(
    edit: StoredEdit, forward: Changes, inverse: Changes, state: CuratedState
) -> set[ToolkitId]:
    """The toolkits of before that an edit is about."""
    involved = toolkits_in(edit.asked)
    for changes in (forward, inverse):
        involved |= changes.toolkits.keys()
        involved |= {m.toolkit for m in changes.members.values() if m is not None}
    return {t for t in involved if t in state.toolkits or t in state.gone}


def _anchor(toolkit: ToolkitId, state: CuratedState, index: ApiIndex) -> Anchor:
    fields = state.toolkits.get(toolkit)
    if fields is not None:
        members = state.members(toolkit)
        apis = tuple(index.id_of[rowid] for rowid in members)
        return Anchor(name=fields.name, apis=apis, pinned=fields.is_pinned)
    return Anchor(name=state.gone[toolkit].name, apis=())


def fingerprint(state: CuratedState, id_of: Mapping[int, ApiId]) -> str:
    """What a decisions file began from: 16 hex digits over the groups of API ids and the names.

    Equal for equal states, whatever the numbers of toolkits and APIs are.
    """
    lines = sorted(
        f"{fields.name}\t{','.join(sorted(id_of[rowid] for rowid in state.members(toolkit)))}"
        for toolkit, fields in state.toolkits.items()
    )
    return hashlib.sha256("\n".join(lines).encode("utf-8", "replace")).hexdigest()[:16]


def only_what_it_did(edit: StoredEdit, forward: Changes, state: CuratedState) -> Mapping[str, Any]:
    """The fields of an edit, without what it would change in `state` and did not change then.

    Excluding an API that is excluded already does nothing; when the first exclusion is reverted
    later, the API is included. Made anew without the first one, the second would exclude it. So a
    decision asks only for what its edit changed.

    Args:
        forward: the values after it.
        state: the state just before it, made of the edits that still count.
    """
    asked = dict(edit.asked)
    if edit.kind == Merge.kind:
        asked["toolkits"] = [toolkit for toolkit in asked["toolkits"] if toolkit in state.toolkits]
    try:
        planned = edit_from_json(edit.kind, asked).plan(state).changes
    except BadInput:
        return edit.asked
    more = drop_unchanged(planned, state).keys() - forward.keys()
    rowids = {key[1] for key in more if key[0] in ("member", "excluded")}
    if edit.kind == Merge.kind:
        asked["left_out"] = sorted({*asked.get("left_out", ()), *rowids})
        if ("toolkit", asked["into"], "name") in more:
            asked["name"] = ""
    elif edit.kind == Regroup.kind:
        where = {rowid: m.toolkit for rowid, m in state.memberships(rowids).items()}
        pairs = zip(asked["rowids"], asked["toolkits"], strict=True)
        asked["toolkits"] = [where.get(r, 0) if r in rowids else to for r, to in pairs]
    elif edit.kind != TakeOut.kind and rowids and set(asked["rowids"]) - rowids:
        asked["rowids"] = [rowid for rowid in asked["rowids"] if rowid not in rowids]
    return asked
