"""What a person said of pairs of APIs holds for every question, however the link came about."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from fixtures.curated import state_of
from fixtures.review_world import MISFIT, MONEY, RAIN, SONGS, WEATHER, faulty_workspace, silent

from toolplanner_core.curation.edits import history
from toolplanner_core.curation.edits.history_reading import list_history
from toolplanner_core.curation.edits.linked import LinkedApis
from toolplanner_core.curation.edits.marks import Link
from toolplanner_core.curation.edits.move import Merge
from toolplanner_core.curation.questions.queue.answering import accept, reject_for_good
from toolplanner_core.curation.questions.queue.queue import ReviewQueue
from toolplanner_core.curation.sharing.decisions.applying import apply_decisions
from toolplanner_core.curation.sharing.decisions.collecting import collect
from toolplanner_core.domain.curated import LinkKind
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.errors import BadInput
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.toolkits import member_rowids

SPLIT = f"split:{MONEY}"


@pytest.fixture
def mixed(tmp_path: Path) -> Iterator[Workspace]:
    """The faulty world with money and songs in one toolkit, which the review wants to split."""
    with faulty_workspace(tmp_path / "mixed.toolplanner") as workspace:
        both = (ToolkitId(MONEY), ToolkitId(SONGS))
        history.do(workspace, Merge(toolkits=both, into=both[0]))
        yield workspace


def asked(queue: ReviewQueue) -> set[str]:
    return {one.key for one in queue.waiting()}


def linked(workspace: Workspace, one: int, other: int, kind: LinkKind) -> None:
    history.do(workspace, Link(rowids=(one, other), link=kind.value))


def test_split_when_never_came_by_a_file_then_it_is_not_asked_and_not_made(
    mixed: Workspace, tmp_path: Path
) -> None:
    with faulty_workspace(tmp_path / "next.toolplanner") as following:
        reject_for_good(mixed, ReviewQueue.read(mixed, progress=silent()).get(SPLIT))
        apply_decisions(following, collect(mixed, who="Ada"), who="Ada")
        assert list(state_of(following).linked.values()) == [LinkKind.MUST]
        assert list_history(following)[-1].label.startswith("Never split")

        queue = ReviewQueue.read(following, progress=silent())
        assert queue.is_asked(SPLIT), "the evidence speaks for it"
        assert SPLIT not in asked(queue)
        before = state_of(following)
        with pytest.raises(BadInput, match="are to stay together"):
            accept(following, queue.get(SPLIT))
        assert state_of(following) == before

        queue.keep()
        following.writer.run(lambda db: None)
        at_once = ReviewQueue.stored(following)
        assert at_once is not None and SPLIT not in asked(at_once)


def test_questions_when_a_link_is_made_and_undone_then_are_asked_again(mixed: Workspace) -> None:
    queue = ReviewQueue.read(mixed, progress=silent())
    move = f"move:{MISFIT}+{SONGS}"
    candidate = queue.get(SPLIT)
    leaving, staying = (
        candidate.apis[0],
        next(
            rowid for rowid in member_rowids(mixed, ToolkitId(MONEY)) if rowid not in candidate.apis
        ),
    )
    assert move not in asked(queue), "money and songs are one toolkit"
    done = history.do(mixed, Link(rowids=(leaving, staying), link=LinkKind.MUST.value))
    queue.follow(done.changes)
    assert SPLIT not in asked(queue)
    queue.follow(history.undo(mixed).changes)
    assert SPLIT in asked(queue)
    # Two that leave together are not parted.
    linked(mixed, candidate.apis[0], candidate.apis[1], LinkKind.MUST)
    queue.read_verdicts()
    assert SPLIT in asked(queue)


def test_merge_when_apis_of_the_two_are_to_stay_apart_then_accepting_is_refused(
    mixed: Workspace,
) -> None:
    queue = ReviewQueue.read(mixed, progress=silent())
    merge = queue.get(f"merge:{RAIN}+{WEATHER}")
    linked(mixed, 1, 8, LinkKind.CANNOT)
    with pytest.raises(BadInput, match="are to stay apart"):
        accept(mixed, merge)


def test_link_when_it_is_broken_already_then_it_speaks_against_nothing() -> None:
    here, there = ToolkitId(1), ToolkitId(2)
    links = LinkedApis({(1, 2): LinkKind.MUST}, {1: here, 2: there, 3: here})
    assert links.broken_by({3: there}) is None
    assert links.broken_by({1: ToolkitId(3)}) is None
    assert links.broken_by({1: there}) is None
