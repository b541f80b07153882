"""The questions of last time, listed at the next opening while they are found anew."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fixtures.review_world import RAIN, WEATHER, faulty_workspace

from toolplanner_core.curation.edits import history
from toolplanner_core.curation.edits.move import Merge
from toolplanner_core.curation.questions.queue.answering import reject
from toolplanner_core.curation.questions.queue.card import read_card
from toolplanner_core.curation.questions.queue.question_cache import cached_questions
from toolplanner_core.curation.questions.queue.queue import ReviewQueue
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.settings import get_setting, set_setting

MERGE = f"merge:{RAIN}+{WEATHER}"


@pytest.fixture(scope="module")
def reviewed(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A workspace whose questions were found and kept."""
    path = tmp_path_factory.mktemp("kept") / "faulty.toolplanner"
    with faulty_workspace(path) as workspace:
        ReviewQueue.read(workspace, progress=Progress()).keep()
    return path.read_bytes()


@pytest.fixture
def workspace(reviewed: bytes, tmp_path: Path) -> Iterator[Workspace]:
    path = tmp_path / "faulty.toolplanner"
    path.write_bytes(reviewed)
    with Workspace.open(path) as opened:
        yield opened


def kept(workspace: Workspace) -> ReviewQueue:
    queue = ReviewQueue.stored(workspace)
    assert queue is not None
    return queue


def test_kept_when_opened_again_then_the_same_questions_in_the_same_order(
    workspace: Workspace,
) -> None:
    found = ReviewQueue.read(workspace, progress=Progress())
    assert kept(workspace).waiting() == found.waiting()
    merge = found.get(MERGE)
    old, new = read_card(workspace, kept(workspace), merge), read_card(workspace, found, merge)
    assert old.proposed == new.proposed
    assert (old.problem, old.consequences) == ("", ())
    assert new.consequences


def test_kept_when_answered_then_the_answer_counts_without_evidence(workspace: Workspace) -> None:
    queue = kept(workspace)
    reject(workspace, queue.get(MERGE))
    queue.read_verdicts()
    assert MERGE not in [one.key for one in queue.waiting()]
    assert MERGE not in [one.key for one in kept(workspace).waiting()]


def test_kept_when_toolkits_are_edited_then_what_that_may_settle_is_not_asked(
    workspace: Workspace,
) -> None:
    queue = kept(workspace)
    both = (ToolkitId(RAIN), ToolkitId(WEATHER))
    done = history.do(workspace, Merge(toolkits=both, into=both[0]))
    queue.follow(done.changes)
    assert all(set(both).isdisjoint(one.toolkits) for one in queue.waiting())
    assert queue.waiting()
    # The next opening knows of the edit by the toolkits that live.
    assert all(both[1] not in one.toolkits for one in kept(workspace).waiting())


def test_kept_when_clustered_anew_or_no_questions_then_nothing_is_listed(
    workspace: Workspace,
) -> None:
    stored = get_setting(workspace, "review_questions")
    for wrong in ({**stored, "questions": "AAAA"}, {**stored, "questions": 7}, [1], {"of": 0}):
        set_setting(workspace, "review_questions", wrong)
        assert cached_questions(workspace) == []
    set_setting(workspace, "review_questions", stored)
    assert cached_questions(workspace)
    set_setting(workspace, "active_clustering", 99)
    assert cached_questions(workspace) == []
