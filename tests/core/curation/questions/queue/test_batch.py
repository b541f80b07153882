"""Many questions of the review accepted together: one entry of the history, all or nothing."""

import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from fixtures.curated import state_of
from fixtures.processes import python
from fixtures.review_world import MONEY, RAIN, SONGS, TRAVEL, WEATHER, faulty_workspace

from toolplanner_core.curation.edits import history
from toolplanner_core.curation.edits.edit import Edit
from toolplanner_core.curation.edits.history_reading import list_history, parted_toolkits
from toolplanner_core.curation.edits.marks import Exclude, Link
from toolplanner_core.curation.edits.move import Merge, Move, NewToolkit
from toolplanner_core.curation.edits.provenance import lineage, take_out_of_merge
from toolplanner_core.curation.edits.split import Split
from toolplanner_core.curation.questions.kinds.candidate import CandidateKind
from toolplanner_core.curation.questions.queue.answering import take_back
from toolplanner_core.curation.questions.queue.batch import (
    accept_batch,
    accept_many,
    propose_many,
    strong_ones,
)
from toolplanner_core.curation.questions.queue.queue import ReviewQueue
from toolplanner_core.curation.questions.queue.queue_loading import Gathered, gather
from toolplanner_core.curation.sharing.decisions.applying import apply_decisions
from toolplanner_core.curation.sharing.decisions.collecting import collect
from toolplanner_core.curation.sharing.decisions.file import read_decisions, write_decisions
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.errors import BadInput
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.verdicts import load_verdicts

HOMELESS = CandidateKind.HOMELESS
MERGE = f"merge:{RAIN}+{WEATHER}"


@cache
def _template() -> tuple[bytes, Gathered]:
    with TemporaryDirectory() as folder, faulty_workspace(Path(folder) / "faulty") as workspace:
        gathered = gather(workspace, progress=Progress())
        workspace.close()
        return workspace.path.read_bytes(), gathered


def opened(path: Path) -> Workspace:
    path.write_bytes(_template()[0])
    return Workspace.open(path)


@pytest.fixture
def faulty(tmp_path: Path) -> Iterator[Workspace]:
    with opened(tmp_path / "faulty.toolplanner") as workspace:
        yield workspace


@pytest.fixture
def queue(faulty: Workspace) -> ReviewQueue:
    return ReviewQueue(faulty, *_template()[1])


def accept_all(workspace: Workspace, queue: ReviewQueue) -> history.Done:
    done = accept_batch(workspace, queue, HOMELESS, above=0.0, progress=Progress()).done
    assert done is not None
    return done


def test_batch_when_accepted_then_one_entry_whose_undo_brings_every_question_back(
    faulty: Workspace, queue: ReviewQueue
) -> None:
    before, waiting = state_of(faulty), queue.waiting()
    chosen = strong_ones(queue, HOMELESS, 0.0)
    done = accept_batch(faulty, queue, HOMELESS, above=0.0, progress=Progress())
    assert (done.accepted, done.left, len(chosen)) == (chosen, [], 2)
    (entry,) = list_history(faulty)
    assert entry.label.endswith(" and 1 more")
    assert {one.edit for one in load_verdicts(faulty).values()} == {entry.id}
    # Nobody read the single questions: that says nothing of how likely others are accepted.
    assert queue.status().accepted == 2
    assert queue.status().agreement.rows() == []
    assert not queue.waiting(HOMELESS)
    queue.follow(history.undo(faulty).changes)
    assert state_of(faulty) == before
    assert queue.waiting() == waiting
    queue.follow(history.redo(faulty).changes)
    assert not queue.waiting(HOMELESS)
    with pytest.raises(BadInput, match="looked at"):
        strong_ones(queue, CandidateKind.BLAMED, 0.5)


def test_batch_when_reverted_after_later_edits_then_these_stay_and_all_is_asked_again(
    faulty: Workspace, queue: ReviewQueue
) -> None:
    done = accept_all(faulty, queue)
    history.do(faulty, Exclude(rowids=(1,), reason="mine"))
    queue.follow(history.revert(faulty, done.head).changes)
    assert state_of(faulty).excluded == {1: "mine"}
    assert len(queue.waiting(HOMELESS)) == 2


def test_batch_when_its_last_answer_is_taken_back_then_all_its_answers_are(
    faulty: Workspace, queue: ReviewQueue
) -> None:
    accept_all(faulty, queue)
    last = queue.last_verdict()
    assert last is not None
    undone = take_back(faulty, last)
    assert undone is not None
    queue.follow(undone.changes)
    assert load_verdicts(faulty) == {}
    assert len(queue.waiting(HOMELESS)) == 2


def test_batch_when_something_does_not_fit_any_more_then_it_is_left_and_the_others_are_made(
    faulty: Workspace, queue: ReviewQueue
) -> None:
    merge, *homeless = queue.get(MERGE), *queue.waiting(HOMELESS)
    twin = replace(merge, toolkits=merge.toolkits[::-1])
    proposed = propose_many(faulty, [merge, twin, *homeless], progress=Progress())
    assert proposed.left == [twin], "about toolkits that an earlier one is about"
    history.do(faulty, Merge(toolkits=(ToolkitId(WEATHER),), into=ToolkitId(RAIN)))
    done = accept_many(faulty, proposed, words="some")
    assert done.accepted == homeless
    assert done.left == [twin, merge]
    assert load_verdicts(faulty).keys() == {one.key for one in homeless}
    with pytest.raises(BadInput, match="None of these"):
        accept_many(faulty, proposed, words="some")
    assert len(list_history(faulty)) == 2


def test_batch_when_a_link_speaks_against_a_question_then_it_is_left(
    faulty: Workspace, queue: ReviewQueue
) -> None:
    merge, *homeless = queue.get(MERGE), *queue.waiting(HOMELESS)
    proposed = propose_many(faulty, [merge, *homeless], progress=Progress())
    history.do(faulty, Link(rowids=(1, 5), link="cannot"))
    assert accept_many(faulty, proposed, words="some").left == [merge]


@pytest.mark.skipif(sys.platform == "win32", reason="kill -9 is a POSIX signal")
def test_batch_when_the_process_is_killed_in_the_middle_then_nothing_of_it_is_there(
    tmp_path: Path,
) -> None:
    with opened(tmp_path / "faulty.toolplanner") as workspace:
        path, before = workspace.path, state_of(workspace)
    with python("-m", "fixtures.killed_batch", path, 1) as process:
        process.communicate(timeout=120)
    assert process.returncode == -9
    with Workspace.open(path) as workspace:
        assert state_of(workspace) == before
        assert list_history(workspace) == []
        assert load_verdicts(workspace) == {}


SEVERAL: tuple[tuple[Edit, ...], ...] = (
    (
        Merge(toolkits=(ToolkitId(RAIN),), into=ToolkitId(WEATHER)),
        Merge(toolkits=(ToolkitId(SONGS),), into=ToolkitId(MONEY)),
    ),
    (
        Split(toolkit=ToolkitId(MONEY), parts=((17,),), names=("Songs of money",)),
        Split(toolkit=ToolkitId(TRAVEL), parts=((25, 26), (27,)), names=("Beds", "Song lyrics")),
    ),
    (
        NewToolkit(rowids=(31, 32), name="New"),
        Move(rowids=(17,), to=ToolkitId(SONGS)),
        Exclude(rowids=(33,), reason="copy"),
    ),
)


@pytest.mark.parametrize("edits", SEVERAL, ids=["merges", "splits", "others"])
def test_decisions_when_edits_were_made_as_one_then_a_file_holds_each_and_makes_the_same(
    faulty: Workspace, tmp_path: Path, edits: tuple[Edit, ...]
) -> None:
    # The numbers of toolkits that were undone are not given again.
    history.do(faulty, NewToolkit(rowids=(1, 2), name="Undone"))
    history.undo(faulty)
    together = history.do_several(faulty, edits)
    assert together.made == tuple(range(len(edits)))
    write_decisions(collect(faulty, who="Ann"), file := tmp_path / "made.json")
    decisions = read_decisions(file).decisions
    assert [one.kind for one in decisions] == [edit.kind for edit in edits]
    assert len({one.key for one in decisions}) == len(edits)
    with opened(tmp_path / "other.toolplanner") as other:
        apply_decisions(other, read_decisions(file), who="Bea")
        assert groups_of(other) == groups_of(faulty)
        assert state_of(other).excluded == state_of(faulty).excluded


def groups_of(workspace: Workspace) -> dict[str, list[tuple[int, bool]]]:
    """Names of the living toolkits, with their members and whether these are pinned."""
    state = state_of(workspace)
    return {
        fields.name: sorted(state.members(toolkit).items())
        for toolkit, fields in state.toolkits.items()
    }


def test_history_when_edits_were_made_as_one_then_it_tells_what_came_from_where(
    faulty: Workspace,
) -> None:
    merges, splits, _ = SEVERAL
    history.do_several(faulty, splits)
    with faulty.snapshot() as db:
        parted = parted_toolkits(db, {})
    assert {parted[ToolkitId(t)] for t in (6, MONEY)} == {MONEY}
    assert {parted[ToolkitId(t)] for t in (7, 8, TRAVEL)} == {TRAVEL}
    done = history.do_several(faulty, merges).done
    assert lineage(faulty, ToolkitId(WEATHER)) == {done.head: ("Rain",)}
    assert take_out_of_merge(faulty, [1]).origins == (RAIN,)
