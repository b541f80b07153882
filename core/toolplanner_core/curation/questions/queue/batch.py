"""Accept many questions of one kind whose signals are strong, each as an edit of its own.

One edit per question, so that a single one can be reverted later; the whole batch is undone by
going back to the point before it. After each edit the questions are found anew: what an earlier
one of the batch has settled or weakened is left alone.
"""

from collections.abc import Callable
from typing import NamedTuple

from toolplanner_core.curation.edits.describe import Describe, Rename
from toolplanner_core.curation.edits.edit import Edit
from toolplanner_core.curation.questions.kinds.candidate import Candidate, CandidateKind
from toolplanner_core.curation.questions.queue.answering import ReviewAnswer, accept
from toolplanner_core.curation.questions.queue.proposing import propose
from toolplanner_core.curation.questions.queue.queue import ReviewQueue
from toolplanner_core.domain.ids import EditId
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.errors import BadInput
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.edit_history import read_head
from toolplanner_core.workspace.toolkits import get_toolkit


class BatchDone(NamedTuple):
    """What a batch did.

    Attributes:
        answers: in the order of the edits.
        left: questions that an earlier one of the batch settled, whose edit did not fit, or that
            are to be looked at one by one (`is_for_many`).
        before: the point of the history before it; going there undoes the batch.
    """

    answers: list[ReviewAnswer]
    left: list[Candidate]
    before: EditId


def strong_ones(queue: ReviewQueue, kind: CandidateKind, above: float) -> list[Candidate]:
    """Waiting questions of a kind whose mean signal is at least `above`, the best first.

    Raises:
        BadInput: there is nothing to accept in questions of this kind.
    """
    if kind is CandidateKind.BLAMED:
        raise BadInput(
            "Blamed toolkits cannot be accepted together",
            why="Each of them has to be looked at",
        )
    return [one for one in queue.waiting(kind) if one.probability >= above]


def is_for_many(workspace: Workspace, edit: Edit | None) -> bool:
    """Whether what a question proposes may be accepted without a look at it: there is an edit, and
    it writes over no name or description of a person."""
    match edit:
        case None:
            return False
        case Rename():
            return get_toolkit(workspace, edit.toolkit).name_author is not Author.PERSON
        case Describe():
            return get_toolkit(workspace, edit.toolkit).description_author is not Author.PERSON
        case _:
            return True


def is_still_strong(queue: ReviewQueue, candidate: Candidate, above: float) -> bool:
    """Whether a question of the batch still waits as it was counted."""
    now = {one.key: one for one in queue.waiting(candidate.kind)}.get(candidate.key)
    return now is not None and now.probability >= above


def accept_batch(
    workspace: Workspace,
    queue: ReviewQueue,
    kind: CandidateKind,
    *,
    above: float,
    who: str = "",
    progress: Progress,
    on_answer: Callable[[ReviewAnswer], None] | None = None,
) -> BatchDone:
    """Accept all strong questions of a kind.

    Raises:
        BadInput: there is nothing to accept in questions of this kind.
        Cancelled: the edits made until then stay.
    """
    chosen = strong_ones(queue, kind, above)
    words = f"{kind.value} from {above:.2f}"
    with workspace.snapshot() as db:
        before = read_head(db)
    done = BatchDone([], [], before)
    for number, candidate in enumerate(chosen):
        progress.report("Accepting", number, len(chosen), "questions")
        if not is_still_strong(queue, candidate, above):
            done.left.append(candidate)
            continue
        try:
            asked = queue.get(candidate.key)
            edit = propose(workspace, asked).edit
            if not is_for_many(workspace, edit):
                done.left.append(candidate)
                continue
            answer = accept(workspace, asked, edit=edit, who=who, batch=words)
        except BadInput:
            done.left.append(candidate)
            continue
        assert answer.done is not None
        queue.follow(answer.done.changes)
        done.answers.append(answer)
        if on_answer is not None:
            on_answer(answer)
    progress.report("Accepting", len(chosen), len(chosen), "questions")
    return done
