"""What an edit really did, where an earlier one that it did not need was reverted since.

Excluding an API that is excluded already does nothing; when the first exclusion is reverted later,
the API is included. Made anew without the first one, the second would exclude it. So a decision
asks only for what its edit changed. Called by `collecting.py`.
"""

from collections.abc import Mapping
from typing import Any

from toolplanner_core.curation.curated_state import CuratedState
from toolplanner_core.curation.edits.kinds import edit_from_json
from toolplanner_core.curation.edits.merge import Merge, TakeOut
from toolplanner_core.curation.edits.regroup import Regroup
from toolplanner_core.domain.curated import Changes, without_idle
from toolplanner_core.errors import BadInput
from toolplanner_core.workspace.edit_history import StoredEdit


def only_what_it_did(edit: StoredEdit, forward: Changes, state: CuratedState) -> Mapping[str, Any]:
    """The fields of an edit, without what it would change in `state` and did not change then.

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
    more = without_idle(planned, state).keys() - forward.keys()
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
