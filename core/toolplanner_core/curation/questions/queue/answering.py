"""Answer a question: make the edit that follows from it, and remember the answer.

Each function is on disk when it returns. The queue hears of edits through `ReviewQueue.follow`,
which the caller tells in the order of the edits. Blocks; not for the GUI thread.
"""

import time
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from toolplanner_core.curation.edits import history
from toolplanner_core.curation.edits.edit import Edit
from toolplanner_core.curation.edits.history import Done
from toolplanner_core.curation.edits.linked import LinkedApis
from toolplanner_core.curation.questions.kinds.candidate import Candidate
from toolplanner_core.curation.questions.queue.proposing import (
    left_out,
    never_label,
    propose,
    propose_never,
)
from toolplanner_core.domain.curated import LinkKind
from toolplanner_core.domain.ids import EditId, ToolkitId
from toolplanner_core.errors import BadInput
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import apis_by_rowid
from toolplanner_core.workspace.edit_history import read_head
from toolplanner_core.workspace.verdicts import (
    StoredVerdict,
    Verdict,
    load_verdicts,
    put_verdict,
    remove_verdicts,
)


class ReviewAnswer(NamedTuple):
    """What an answer did; `done` is None where it made no edit."""

    candidate: Candidate
    verdict: Verdict
    done: Done | None


def accept(
    workspace: Workspace,
    candidate: Candidate,
    *,
    edit: Edit | None = None,
    who: str = "",
) -> ReviewAnswer:
    """Say yes.

    Args:
        edit: the edit that was shown; None proposes it now.

    Raises:
        BadInput: nothing is proposed, the edit does not fit the state any more, or a link speaks
            against it; nothing was changed.
    """
    _check_links(workspace, candidate)
    origin: Mapping[str, Any] = {"by": "review", "question": candidate.key}
    planned = edit if edit is not None else propose(workspace, candidate).edit
    if planned is None:
        raise BadInput(
            f"Nothing is proposed by the question {candidate.key}",
            todo="Reject it to leave it as it is, or edit by hand",
        )
    done = history.do(workspace, planned, origin=origin, who=who)
    answer = ReviewAnswer(candidate, Verdict.ACCEPTED, done)
    return _remember(workspace, answer, who, apart=left_out(candidate, planned))


def reject(workspace: Workspace, candidate: Candidate, *, who: str = "") -> ReviewAnswer:
    """Say no; asked again only when the evidence has changed."""
    return _remember(workspace, ReviewAnswer(candidate, Verdict.REJECTED, None), who)


def skip(workspace: Workspace, candidate: Candidate, *, who: str = "") -> ReviewAnswer:
    """Put it off; it is listed among the skipped ones."""
    return _remember(workspace, ReviewAnswer(candidate, Verdict.SKIPPED, None), who)


def reject_for_good(workspace: Workspace, candidate: Candidate, *, who: str = "") -> ReviewAnswer:
    """Say no, and link the most central APIs so that no later clustering does it either.

    Raises:
        BadInput: no link can say that; nothing was changed.
    """
    link = propose_never(workspace, candidate)
    if link is None:
        raise BadInput(
            f"“Never” cannot be said to the question {candidate.key}",
            why="Only merges, splits and moves can be ruled out for every later clustering",
            todo="Reject it instead",
        )
    origin = {"by": "review", "question": candidate.key, "never": True}
    label = never_label(workspace, candidate)
    done = history.do(workspace, link, origin=origin, who=who, label=label)
    return _remember(workspace, ReviewAnswer(candidate, Verdict.REJECTED, done), who)


def take_back(workspace: Workspace, verdict: StoredVerdict, *, who: str = "") -> Done | None:
    """Forget an answer and undo the edit it made; None if it made none. Answers that were given
    together with it are forgotten, too: their edit is the same.

    Args:
        who: name of the person, where taking back is an edit of its own.

    Raises:
        BadInput: later edits were made since; undo those first, or revert it in the history.
    """
    done = None
    if verdict.edit is not None:
        done = undo_answer(workspace, verdict.edit, who=who)
        given = load_verdicts(workspace).values()
        forget(workspace, [one.key for one in given if one.edit == verdict.edit])
    else:
        forget(workspace, [verdict.key])
    return done


def forget(workspace: Workspace, keys: Iterable[str]) -> None:
    """Forget answers, so that the questions are asked again; edits stay."""
    chosen = list(keys)
    workspace.writer.run(lambda db: remove_verdicts(db, chosen), durable=True)


def _check_links(workspace: Workspace, candidate: Candidate) -> None:
    with workspace.snapshot() as db:
        broken = LinkedApis.read(db).broken_by(candidate.moving)
    if broken is None:
        return
    apis = apis_by_rowid(workspace, [broken.one, broken.other])
    names = " and ".join(f"“{apis[rowid].title}”" for rowid in (broken.one, broken.other))
    is_apart = broken.kind is LinkKind.CANNOT
    raise BadInput(
        f"A person said that {names} are to stay {'apart' if is_apart else 'together'}",
        why=f"A yes to the question {candidate.key} would {'join' if is_apart else 'part'} them",
        todo="Remove the link between them first, or undo the edit that made it",
    )


def undo_answer(workspace: Workspace, edit: EditId, *, who: str = "") -> Done:
    """Undo the edit of an answer, or of many, and keep the edits since; what was asked is asked
    again.

    Raises:
        BadInput: edits since build on it: the message names them.
    """
    with workspace.snapshot() as db:
        head = read_head(db)
    if head == edit:
        return history.undo(workspace)
    return history.revert(workspace, edit, who=who)


def _remember(
    workspace: Workspace, answer: ReviewAnswer, who: str, *, apart: Sequence[ToolkitId] = ()
) -> ReviewAnswer:
    edit = None if answer.done is None else answer.done.head
    stored = verdict_of(answer.candidate, answer.verdict, edit, who=who, apart=apart)
    workspace.writer.run(lambda db: put_verdict(db, stored), durable=True)
    return answer


def verdict_of(
    candidate: Candidate,
    verdict: Verdict,
    edit: EditId | None,
    *,
    who: str,
    batch: str = "",
    apart: Sequence[ToolkitId] = (),
) -> StoredVerdict:
    """An answer with what was shown.

    Args:
        edit: what it made; None = nothing.
        batch: what was accepted together; such an answer is no sign of what the person thinks of
            the single question.
        apart: toolkits of it that were left out.
    """
    shown = presented_values(candidate)
    if batch:
        shown["batch"] = batch
    if apart:
        shown["left_out"] = list(apart)
    return StoredVerdict(
        key=candidate.key,
        kind=candidate.kind.value,
        evidence=candidate.evidence,
        verdict=verdict,
        shown=shown,
        edit=edit,
        who=who,
        made_us=time.time_ns() // 1000,
    )


def presented_values(candidate: Candidate) -> dict[str, Any]:
    """What a person saw of a question, as JSON values."""
    return {
        "title": candidate.title,
        "probability": round(candidate.probability, 4),
        "gain": round(candidate.gain, 4),
        "toolkits": list(candidate.toolkits),
        "apis": len(candidate.apis),
        "signals": {
            name: {"value": round(float(one.value), 4), "sentence": one.sentence}
            for name, one in candidate.signals.items()
        },
    }
