"""Accept many questions of one kind whose signals are strong, as one entry of the history.

What each question proposes is read first (`propose_many`); then all edits and answers are stored in
one transaction (`accept_many`): all of them are on disk, or none. One undo takes all back. What
does not fit any more once those before it are made is left out, and waits as a question.
"""

from collections.abc import Sequence
from typing import NamedTuple

from toolplanner_core.curation.edits.curated_state import CuratedState
from toolplanner_core.curation.edits.describe import Describe, Rename
from toolplanner_core.curation.edits.edit import Edit
from toolplanner_core.curation.edits.history import Done, do_several
from toolplanner_core.curation.edits.linked import LinkedApis
from toolplanner_core.curation.naming.toolkit_names import ToolkitText
from toolplanner_core.curation.questions.kinds.candidate import Candidate, CandidateKind
from toolplanner_core.curation.questions.queue.answering import verdict_of
from toolplanner_core.curation.questions.queue.proposing import propose, texts_for_many
from toolplanner_core.curation.questions.queue.queue import ReviewQueue
from toolplanner_core.domain.ids import EditId
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.errors import BadInput
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.workspace import Database, Workspace
from toolplanner_core.workspace.toolkits import get_toolkit
from toolplanner_core.workspace.verdicts import Verdict, put_verdict

_WHOLE_TOOLKITS = (CandidateKind.GROUP, CandidateKind.MERGE, CandidateKind.SPLIT)
"""Questions whose evidence an answer about one of the same toolkits changes altogether."""
_NAMED_TOGETHER = 60
"""Questions whose names by rule are found in one step, which cannot be stopped."""


class ProposedMany(NamedTuple):
    """What many questions propose.

    Attributes:
        edits: by position in `asked`.
        left: questions that propose nothing, or are to be looked at one by one.
    """

    asked: list[Candidate]
    edits: list[Edit]
    left: list[Candidate]


class BatchDone(NamedTuple):
    """What a batch did.

    Attributes:
        done: the one edit; None where nothing could be accepted.
        accepted: in the order of the edits.
        left: questions that an earlier one of the batch settled, whose edit did not fit, or that
            are to be looked at one by one (`is_for_many`).
    """

    done: Done | None
    accepted: list[Candidate]
    left: list[Candidate]


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


def propose_many(
    workspace: Workspace, candidates: Sequence[Candidate], *, progress: Progress
) -> ProposedMany:
    """What a yes to each of them would do; nothing is changed.

    A question about what an earlier one is about is left: its evidence is another one then.

    Raises:
        Cancelled: between two questions.
    """
    found = ProposedMany([], [], [])
    about: set[tuple[str, int | str]] = set()
    texts: dict[str, ToolkitText] = {}
    for number, candidate in enumerate(candidates):
        progress.report("Accepting", number, len(candidates), "questions")
        if number % _NAMED_TOGETHER == 0:
            texts = texts_for_many(workspace, candidates[number : number + _NAMED_TOGETHER])
        edit = None
        if about.isdisjoint(_about(candidate)):
            try:
                edit = propose(workspace, candidate, text=texts.get(candidate.key)).edit
            except BadInput:
                edit = None
        names = _names(edit)
        if edit is None or not is_for_many(workspace, edit) or not about.isdisjoint(names):
            found.left.append(candidate)
            continue
        about |= _about(candidate) | names
        found.asked.append(candidate)
        found.edits.append(edit)
    progress.report("Accepting", len(candidates), len(candidates), "questions")
    return found


def accept_many(
    workspace: Workspace, proposed: ProposedMany, *, words: str, who: str = ""
) -> BatchDone:
    """Accept what was proposed, as one edit.

    Args:
        words: for the history: which questions these were.

    Raises:
        BadInput: there are edits, and none fits any more; nothing was changed.
    """
    if not proposed.edits:
        return BatchDone(None, [], proposed.left)
    asked = proposed.asked

    def is_allowed(position: int, state: CuratedState) -> bool:
        ends = {rowid for pair in state.linked for rowid in pair}
        where = {rowid: one.toolkit for rowid, one in state.memberships(ends).items()}
        return LinkedApis(state.linked, where).broken_by(asked[position].moving) is None

    def answer(db: Database, edit: EditId, made: Sequence[int]) -> None:
        for position in made:
            given = verdict_of(asked[position], Verdict.ACCEPTED, edit, who=who, batch=words)
            put_verdict(db, given)

    together = do_several(
        workspace,
        proposed.edits,
        origin={"by": "review", "batch": words},
        who=who,
        is_allowed=is_allowed,
        also=answer,
    )
    made = set(together.made)
    late = [one for position, one in enumerate(asked) if position not in made]
    return BatchDone(together.done, [asked[at] for at in together.made], [*proposed.left, *late])


def accept_batch(
    workspace: Workspace,
    queue: ReviewQueue,
    kind: CandidateKind,
    *,
    above: float,
    who: str = "",
    progress: Progress,
) -> BatchDone:
    """Accept all strong questions of a kind.

    Raises:
        BadInput: there is nothing to accept in questions of this kind, or none fits any more.
        Cancelled: nothing was changed.
    """
    proposed = propose_many(workspace, strong_ones(queue, kind, above), progress=progress)
    batch = accept_many(workspace, proposed, words=batch_words(kind, above), who=who)
    if batch.done is not None:
        queue.follow(batch.done.changes)
    return batch


def batch_words(kind: CandidateKind, above: float) -> str:
    """Which questions are accepted together, as the history keeps it."""
    return f"{kind.value} from {above:.2f}"


def _about(candidate: Candidate) -> set[tuple[str, int | str]]:
    """What no two questions of a batch may be about."""
    toolkits = candidate.toolkits if candidate.kind in _WHOLE_TOOLKITS else ()
    return {
        *(("api", rowid) for rowid in candidate.apis),
        *(("toolkit", int(toolkit)) for toolkit in toolkits),
    }


def _names(edit: Edit | None) -> set[tuple[str, int | str]]:
    """A name that only one of a batch may give."""
    return {("name", edit.name.casefold())} if isinstance(edit, Rename) else set()
