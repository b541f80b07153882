"""The review queue on real tables: what is asked, what an answer does, what is asked again."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from fixtures.curated import edits, state_of
from fixtures.review_world import COPIES, MISFIT, MONEY, RAIN, SONGS, WEATHER, faulty_workspace
from hypothesis import given, settings
from hypothesis import strategies as st

from toolplanner_core.curation.edits import history
from toolplanner_core.curation.edits.describe import Rename
from toolplanner_core.curation.edits.history import Done
from toolplanner_core.curation.edits.move import Merge, Move, NewToolkit
from toolplanner_core.curation.edits.split import Split
from toolplanner_core.curation.questions.kinds.candidate import CandidateKind
from toolplanner_core.curation.questions.kinds.evidence import RunRecord
from toolplanner_core.curation.questions.kinds.finding import find_candidates
from toolplanner_core.curation.questions.queue.agreement import agreement_of, band_of
from toolplanner_core.curation.questions.queue.answer_effects import effect_of_answer
from toolplanner_core.curation.questions.queue.answering import (
    accept,
    reject,
    reject_for_good,
    skip,
    take_back,
)
from toolplanner_core.curation.questions.queue.batch import is_for_many
from toolplanner_core.curation.questions.queue.evidence_updates import follow_changes
from toolplanner_core.curation.questions.queue.proposing import best_documented, propose
from toolplanner_core.curation.questions.queue.queue import ReviewQueue
from toolplanner_core.curation.questions.queue.queue_loading import Gathered, gather
from toolplanner_core.domain.curated import LinkKind
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.errors import BadInput, NotFound
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import apis_by_rowid
from toolplanner_core.workspace.toolkits import get_toolkit, member_rowids
from toolplanner_core.workspace.verdicts import StoredVerdict, Verdict

MERGE = f"merge:{RAIN}+{WEATHER}"


@cache
def _template() -> tuple[bytes, Gathered]:
    """The file and what is gathered from it, made once."""
    with TemporaryDirectory() as folder, faulty_workspace(Path(folder) / "faulty") as workspace:
        gathered = gather(workspace, progress=Progress())
        workspace.close()
        return workspace.path.read_bytes(), gathered


@pytest.fixture
def faulty(tmp_path: Path) -> Iterator[Workspace]:
    path = tmp_path / "faulty.toolplanner"
    path.write_bytes(_template()[0])
    with Workspace.open(path) as workspace:
        yield workspace


@pytest.fixture
def queue(faulty: Workspace) -> ReviewQueue:
    return ReviewQueue(faulty, *_template()[1])


def keys(queue: ReviewQueue) -> list[str]:
    return [one.key for one in queue.waiting()]


def follow(queue: ReviewQueue, done: Done | None) -> None:
    if done is None:
        queue.read_verdicts()
    else:
        queue.follow(done.changes)


def test_queue_when_toolkits_have_faults_then_each_is_asked_about_once(queue: ReviewQueue) -> None:
    found = keys(queue)
    assert len(found) == len(set(found))
    assert {MERGE, f"move:{MISFIT}+{SONGS}", "duplicate:33+34", "homeless:31", "homeless:32"} <= {
        *found
    }
    assert f"name:{RAIN}" in found
    values = [one.expected_value for one in queue.waiting()]
    assert values == sorted(values, reverse=True)


def test_merge_when_accepted_and_undone_then_it_is_asked_again(
    faulty: Workspace, queue: ReviewQueue
) -> None:
    answer = accept(faulty, queue.get(MERGE))
    assert answer.done is not None
    follow(queue, answer.done)
    assert RAIN not in state_of(faulty).toolkits
    assert MERGE not in keys(queue)
    assert (queue.status().accepted, queue.status().rejected) == (1, 0)

    follow(queue, history.undo(faulty))
    assert MERGE in keys(queue)
    assert queue.status().accepted == 0
    follow(queue, history.redo(faulty))
    assert MERGE not in keys(queue)
    assert queue.status().accepted == 1


def test_question_when_rejected_then_not_asked_again_until_its_evidence_changes(
    faulty: Workspace, queue: ReviewQueue
) -> None:
    reject(faulty, queue.get(MERGE))
    queue.read_verdicts()
    assert MERGE not in keys(queue)
    reopened = ReviewQueue(faulty, *_template()[1])
    assert MERGE not in keys(reopened)
    verdict = reopened.last_verdict()
    assert verdict is not None
    assert (verdict.key, verdict.verdict) == (MERGE, Verdict.REJECTED)
    assert verdict.shown["signals"]["centroids"]["sentence"].startswith("Centroids")

    rename = Rename(toolkit=ToolkitId(RAIN), name="Weather forecasts of rain")
    follow(queue, history.do(faulty, rename))
    assert MERGE in keys(queue)


def test_question_when_skipped_then_listed_apart_and_taken_back(
    faulty: Workspace, queue: ReviewQueue
) -> None:
    skip(faulty, queue.get(MERGE))
    queue.read_verdicts()
    assert MERGE not in keys(queue)
    assert [one.key for one in queue.skipped()] == [MERGE]
    last = queue.last_verdict()
    assert last is not None
    assert take_back(faulty, last) is None
    queue.read_verdicts()
    assert MERGE in keys(queue)
    assert queue.skipped() == []


def test_answer_when_taken_back_then_its_edit_is_undone(
    faulty: Workspace, queue: ReviewQueue
) -> None:
    before = state_of(faulty)
    follow(queue, accept(faulty, queue.get(f"move:{MISFIT}+{SONGS}")).done)
    assert state_of(faulty).toolkit_of[MISFIT].toolkit == SONGS
    last = queue.last_verdict()
    assert last is not None
    follow(queue, take_back(faulty, last))
    assert state_of(faulty) == before
    assert f"move:{MISFIT}+{SONGS}" in keys(queue)
    assert queue.last_verdict() is None


def test_merge_when_never_then_the_central_apis_are_kept_apart(
    faulty: Workspace, queue: ReviewQueue
) -> None:
    answer = reject_for_good(faulty, queue.get(MERGE))
    follow(queue, answer.done)
    names = [get_toolkit(faulty, one).name for one in answer.candidate.toolkits]
    assert answer.done is not None
    assert answer.done.label == f"Never merge “{names[0]}” with “{names[1]}”"
    linked = state_of(faulty).linked
    assert list(linked.values()) == [LinkKind.CANNOT]
    ((a, b),) = linked
    where = state_of(faulty).toolkit_of
    assert {where[a].toolkit, where[b].toolkit} == {RAIN, WEATHER}
    # Even with other evidence it is not asked: the link says no.
    follow(
        queue,
        history.do(faulty, Rename(toolkit=ToolkitId(RAIN), name="Weather forecasts of rain")),
    )
    assert MERGE not in keys(queue)
    with pytest.raises(BadInput, match="Never"):
        reject_for_good(faulty, queue.get("homeless:31"))


def test_merge_when_a_person_split_the_two_then_it_is_not_asked_until_that_is_undone(
    faulty: Workspace, queue: ReviewQueue
) -> None:
    rain = tuple(member_rowids(faulty, ToolkitId(RAIN)))
    follow(queue, accept(faulty, queue.get(MERGE)).done)
    split = history.do(faulty, Split(toolkit=ToolkitId(WEATHER), parts=(rain,)))
    (part,) = split.changes.begun
    queue.follow(split.changes)
    merge = f"merge:{WEATHER}+{part}"
    assert queue.is_asked(merge), "the evidence for one toolkit is as strong as before"
    assert merge not in keys(queue)
    assert merge not in keys(ReviewQueue(faulty, queue.evidence, [queue.get(merge)]))
    follow(queue, history.undo(faulty))
    follow(queue, history.undo(faulty))
    assert MERGE in keys(queue)


def test_copies_when_accepted_then_the_best_documented_is_kept(
    faulty: Workspace, queue: ReviewQueue
) -> None:
    candidate = queue.get("duplicate:33+34")
    assert best_documented(faulty, COPIES) == 34
    follow(queue, accept(faulty, candidate).done)
    ((copy, reason),) = state_of(faulty).excluded.items()
    assert copy == 33 and reason == f"duplicate of “{apis_by_rowid(faulty, [34])[34].title}”"
    assert candidate.key not in keys(queue)
    follow(queue, history.undo(faulty))
    assert candidate.key in keys(queue)


@pytest.mark.parametrize("kind", [CandidateKind.NAME, CandidateKind.HOMELESS])
def test_proposal_when_kind_has_an_edit_then_it_fits_the_state(
    faulty: Workspace, queue: ReviewQueue, kind: CandidateKind
) -> None:
    candidate = queue.waiting(kind)[0]
    proposed = propose(faulty, candidate)
    assert proposed.edit is not None
    assert proposed.words
    follow(queue, accept(faulty, candidate, edit=proposed.edit).done)
    assert candidate.key not in keys(queue)


def test_new_toolkit_when_its_name_was_given_since_the_card_was_read_then_gets_another(
    faulty: Workspace, queue: ReviewQueue
) -> None:
    candidate = replace(queue.waiting(CandidateKind.HOMELESS)[0], apis=(31, 32), toolkits=())
    edit = propose(faulty, candidate).edit
    assert isinstance(edit, NewToolkit)
    history.do(faulty, Rename(toolkit=ToolkitId(MONEY), name=edit.name))

    done = accept(faulty, candidate, edit=edit).done

    assert done is not None
    (new,) = done.changes.begun
    fields = state_of(faulty).toolkits[new]
    assert fields.name != edit.name
    assert fields.name_author == fields.description_author == Author.RULE


def test_split_when_two_subjects_are_one_toolkit_then_the_part_gets_a_name(
    faulty: Workspace, queue: ReviewQueue
) -> None:
    both = (ToolkitId(MONEY), ToolkitId(SONGS))
    follow(queue, history.do(faulty, Merge(toolkits=both, into=both[0])))
    candidate = queue.get(f"split:{MONEY}")
    proposed = propose(faulty, candidate)
    assert proposed.edit is not None
    done = history.preview(faulty, proposed.edit)
    assert queue.evidence is not None
    found = effect_of_answer(queue.evidence, done.changes)
    assert found.silhouette_after > found.silhouette_before
    assert [(one.before.size, one.after.size) for one in found.toolkits] == [(16, 8), (0, 8)]
    assert found.toolkits[0].after.cohesion > found.toolkits[0].before.cohesion
    follow(queue, accept(faulty, candidate, edit=proposed.edit).done)
    assert len(state_of(faulty).toolkits) == 5


def test_agreement_when_answers_differ_from_the_guess_then_the_order_follows_them(
    queue: ReviewQueue,
) -> None:
    move = queue.get(f"move:{MISFIT}+{SONGS}")
    said_no = StoredVerdict(
        key=move.key,
        kind="move",
        evidence=move.evidence,
        verdict=Verdict.REJECTED,
        shown={"probability": move.probability},
        edit=None,
        who="",
        made_us=0,
    )
    put_off = replace(said_no, verdict=Verdict.SKIPPED)
    learned = agreement_of([said_no] * 12 + [put_off])
    assert learned.probability(move) == pytest.approx(4 * move.probability / 16)
    other = queue.get(MERGE)
    assert learned.probability(other) == other.probability
    (row,) = learned.rows()
    assert (row.accepted, row.rejected, row.share) == (0, 12, 0)
    assert [band_of(p) for p in (0, 0.59, 0.6, 0.95, 1)] == [0, 0, 1, 4, 4]


def test_accept_when_nothing_is_proposed_then_refuses_and_says_what_to_do(
    faulty: Workspace, queue: ReviewQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    records = {MONEY: RunRecord(used=2, failed=2, incomplete=2)}
    monkeypatch.setattr(
        "toolplanner_core.curation.questions.queue.queue.run_records", lambda _workspace: records
    )
    queue.read_runs()
    (blamed,) = queue.waiting(CandidateKind.BLAMED)
    with pytest.raises(BadInput, match=r"Nothing is proposed.*Reject it"):
        accept(faulty, blamed)
    assert queue.waiting(CandidateKind.BLAMED) == [blamed]


def test_names_when_a_person_gave_them_then_nothing_is_asked_about_them(
    faulty: Workspace, queue: ReviewQueue
) -> None:
    assert [one.about[0] for one in queue.waiting(CandidateKind.NAME)] == [RAIN]
    rename = Rename(toolkit=ToolkitId(RAIN), name="Mine")
    follow(queue, history.do(faulty, rename))
    assert not queue.waiting(CandidateKind.NAME)
    assert not is_for_many(faulty, rename)
    assert not is_for_many(faulty, None), "nothing would be done"


def test_runs_when_a_toolkit_failed_since_then_it_is_asked_about(
    queue: ReviewQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert not queue.waiting(CandidateKind.BLAMED)
    records = {MONEY: RunRecord(used=2, failed=2, incomplete=2)}

    def read(_workspace: Workspace) -> dict[int, RunRecord]:
        return records

    monkeypatch.setattr("toolplanner_core.curation.questions.queue.queue.run_records", read)
    queue.read_runs()
    (found,) = queue.waiting(CandidateKind.BLAMED)
    assert found.key == f"blamed:{MONEY}"


def test_queue_when_asked_for_a_settled_question_then_says_so(queue: ReviewQueue) -> None:
    with pytest.raises(NotFound, match="no question"):
        queue.get("merge:98+99")


@settings(max_examples=30, deadline=None)
@given(data=st.data())
def test_following_when_edits_are_random_then_labels_pins_and_questions_are_those_of_the_tables(
    data: st.DataObject,
) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "faulty.toolplanner"
        path.write_bytes(_template()[0])
        evidence = _template()[1][0]
        with Workspace.open(path) as workspace:
            for _ in range(4):
                try:
                    if data.draw(st.integers(0, 3)) == 0:
                        done = history.undo(workspace)
                    else:
                        done = history.do(workspace, data.draw(edits(state_of(workspace))))
                except BadInput:
                    continue
                evidence = follow_changes(evidence, done.changes).evidence
            state = state_of(workspace)
    place = {fact.id: i for i, fact in enumerate(evidence.toolkits)}
    where = [state.toolkit_of.get(rowid) for rowid in evidence.rowids.tolist()]
    labels = [-1 if one is None else place[one.toolkit] for one in where]
    np.testing.assert_array_equal(evidence.labels, labels)
    pins = [one is not None and one.is_pinned for one in where]
    np.testing.assert_array_equal(evidence.is_pinned, pins)
    for toolkit, fields in state.toolkits.items():
        fact = evidence.toolkits[place[toolkit]]
        assert (fact.name, fact.description) == (fields.name, fields.description)
    assert all(one.key for one in find_candidates(evidence, None))


def test_queue_when_read_after_an_edit_then_it_knows_the_edit(faulty: Workspace) -> None:
    history.do(faulty, Move(rowids=(31,), to=ToolkitId(5)))
    queue = ReviewQueue.read(faulty, progress=Progress())
    assert "homeless:31" not in keys(queue)
