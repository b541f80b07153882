"""Several toolkits asked about in one step: what is proposed, left out, refused, and taken back."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from fixtures.review_world import SKY, SKY_LATER, SKY_TODAY, grouped_workspace

from toolplanner_core.curation.edits import history
from toolplanner_core.curation.edits.describe import Rename
from toolplanner_core.curation.edits.history_reading import list_history
from toolplanner_core.curation.edits.marks import PinToolkits
from toolplanner_core.curation.edits.move import Merge
from toolplanner_core.curation.questions.kinds.candidate import Candidate, CandidateKind
from toolplanner_core.curation.questions.queue.answering import accept, reject, take_back
from toolplanner_core.curation.questions.queue.card import read_card
from toolplanner_core.curation.questions.queue.priority import priority_words
from toolplanner_core.curation.questions.queue.queue import ReviewQueue
from toolplanner_core.curation.questions.queue.queue_loading import Gathered, gather
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.toolkits import get_toolkit, member_rowids

KEY = f"group:{SKY}+{SKY_TODAY}+{SKY_LATER}"


@cache
def _template() -> tuple[bytes, Gathered]:
    """The file and what is gathered from it, made once."""
    with TemporaryDirectory() as folder, grouped_workspace(Path(folder) / "sky") as workspace:
        gathered = gather(workspace, progress=Progress())
        workspace.close()
        return workspace.path.read_bytes(), gathered


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[tuple[ReviewQueue, Workspace]]:
    path = tmp_path / "grouped.toolplanner"
    path.write_bytes(_template()[0])
    with Workspace.open(path) as workspace:
        yield ReviewQueue(workspace, *_template()[1]), workspace


def groups(queue: ReviewQueue) -> list[Candidate]:
    return queue.waiting(CandidateKind.GROUP)


def test_group_when_three_toolkits_do_one_job_then_one_edit_joins_them_and_one_undo_parts_them(
    queue: tuple[ReviewQueue, Workspace],
) -> None:
    reviewed, workspace = queue
    (group,) = groups(reviewed)
    assert group.key == KEY
    assert group.toolkits == (SKY, SKY_TODAY, SKY_LATER), "the largest stays"
    assert not reviewed.waiting(CandidateKind.MERGE), "no pair of it is asked beside it"
    assert "for 5 APIs of 2 toolkits put right" in priority_words(group, group.expected_value)

    card = read_card(workspace, reviewed, group)
    assert [side.name for side in card.sides] == ["Weather", "Weather today", "Weather later"]
    assert card.proposed is not None
    assert "“Weather”, which keeps its name" in card.proposed.words
    assert not [line for line in card.consequences if "worse" in line]

    answer = accept(workspace, group, edit=card.proposed.edit)
    assert answer.done is not None
    reviewed.follow(answer.done.changes)
    assert member_rowids(workspace, ToolkitId(SKY)) != []
    assert get_toolkit(workspace, ToolkitId(SKY)).size == 9
    assert not groups(reviewed)
    assert len(list_history(workspace)) == 1

    verdict = reviewed.last_verdict()
    assert verdict is not None
    undone = take_back(workspace, verdict)
    assert undone is not None
    reviewed.follow(undone.changes)
    assert [one.key for one in groups(reviewed)] == [KEY]


def test_group_when_a_toolkit_is_left_out_then_it_stays_and_is_not_asked_about_again(
    queue: tuple[ReviewQueue, Workspace],
) -> None:
    reviewed, workspace = queue
    (group,) = groups(reviewed)
    card = read_card(workspace, reviewed, group, without=[ToolkitId(SKY_LATER)])
    assert len(card.sides) == 3, "shown, though nothing is done to it"
    assert card.proposed is not None
    assert card.proposed.edit == Merge(toolkits=(SKY, SKY_TODAY), into=SKY)
    assert "Weather later" not in card.proposed.words

    answer = accept(workspace, group, edit=card.proposed.edit)
    assert answer.done is not None
    reviewed.follow(answer.done.changes)
    assert get_toolkit(workspace, ToolkitId(SKY_LATER)).size == 2
    assert not groups(reviewed), "a person said that it does not belong there"
    nothing = read_card(workspace, reviewed, group, without=[SKY_TODAY, SKY_LATER]).proposed
    assert nothing is not None
    assert nothing.edit is None


def test_group_when_refused_then_fewer_of_it_are_not_asked_under_another_key(
    queue: tuple[ReviewQueue, Workspace],
) -> None:
    reviewed, workspace = queue
    (group,) = groups(reviewed)
    reject(workspace, group)
    reviewed.read_verdicts()
    assert not groups(reviewed)
    assert not reviewed.waiting(CandidateKind.MERGE), "nor a pair of it"
    done = history.do(workspace, PinToolkits(toolkits=(ToolkitId(SKY_LATER),)))
    reviewed.follow(done.changes)
    assert not [one for one in groups(reviewed) if SKY_LATER not in one.toolkits]


@pytest.mark.parametrize("is_pinned", [True, False])
def test_merges_when_a_small_toolkit_is_pinned_or_named_by_a_person_then_it_never_ends(
    queue: tuple[ReviewQueue, Workspace], *, is_pinned: bool
) -> None:
    reviewed, workspace = queue
    small = ToolkitId(SKY_LATER)
    edit = (
        PinToolkits(toolkits=(small,))
        if is_pinned
        else Rename(toolkit=small, name="Weather of mine", author="person")
    )
    reviewed.follow(history.do(workspace, edit).changes)
    merges = [*groups(reviewed), *reviewed.waiting(CandidateKind.MERGE)]
    assert small in {one.toolkits[0] for one in merges}, "others join it"
    assert not [one for one in merges if small in one.toolkits[1:]]
