"""What people decided and no file of decisions holds: told of each file, as nobody would look.

Regions and accepted documentation belong to one workspace and its map, as do texts that a model
wrote; a "no" of the review changed nothing that could be made elsewhere.
"""

from collections import Counter

from toolplanner_core.curation.edits.accept import AcceptDocumentation
from toolplanner_core.curation.edits.describe import AnswerNames, Retell, TellApis
from toolplanner_core.curation.edits.history_reading import path_to_root, without_reverted
from toolplanner_core.curation.edits.region import REGION_EDITS
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.edit_history import parents, read_edit, read_head
from toolplanner_core.workspace.verdicts import Verdict, load_verdicts

NOT_SHARED = frozenset(
    {*REGION_EDITS, AnswerNames.kind, Retell.kind, TellApis.kind, AcceptDocumentation.kind}
)
"""Kinds of edits of which each workspace has its own."""

_REGIONS = ("edit of regions", "edits of regions")
_TEXTS = ("edit with texts of a model", "edits with texts of a model")
_WORDS = {
    AcceptDocumentation.kind: ("acceptance of documentation", "acceptances of documentation"),
    AnswerNames.kind: ("answer to proposed names", "answers to proposed names"),
    Retell.kind: _TEXTS,
    TellApis.kind: _TEXTS,
    **dict.fromkeys(REGION_EDITS, _REGIONS),
}


def not_shared_words(workspace: Workspace) -> str:
    """ "Not in it: 1 acceptance of documentation, 2 edits of regions"; "" if a file of decisions
    holds all that counts. Blocks."""
    with workspace.snapshot() as db:
        line = path_to_root(parents(db), read_head(db))
        edits = without_reverted([read_edit(db, edit) for edit in reversed(line)])
    found = Counter(_WORDS[edit.kind] for edit in edits if edit.kind in NOT_SHARED)
    parts = [counted(n, *words) for words, n in found.items()]
    answers = load_verdicts(workspace).values()
    if n := sum(one.verdict is Verdict.REJECTED and one.edit is None for one in answers):
        parts.append(f"{counted(n, 'answer')} “no” of the review")
    return f"Not in it: {', '.join(parts)}" if parts else ""
