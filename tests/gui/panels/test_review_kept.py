"""The review at the next opening: last time's questions at once, those of now behind them."""

import threading
from pathlib import Path

import pytest
from fixtures.review_world import faulty_workspace

from toolplanner_core.curation.edits.move import Merge
from toolplanner_core.curation.questions.kinds.candidate import CandidateKind
from toolplanner_core.curation.questions.queue import queue as queue_module
from toolplanner_core.curation.questions.queue.queue import ReviewQueue
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.jobs.progress import Progress
from toolplanner_gui.panels.review_panel import ReviewPanel
from toolplanner_gui.windows.main_window import MainWindow


@pytest.fixture
def reviewed(tmp_path: Path) -> Path:
    """A workspace whose questions were found and kept."""
    with faulty_workspace(tmp_path / "faulty.toolplanner") as workspace:
        ReviewQueue.read(workspace, progress=Progress()).keep()
        return workspace.path


def test_review_when_opened_again_then_lists_at_once_and_follows_edits_of_meanwhile(
    window: MainWindow, reviewed: Path, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_go_on, gather = threading.Event(), queue_module.gather

    def slow(*args, **more):
        may_go_on.wait(60)
        return gather(*args, **more)

    monkeypatch.setattr(queue_module, "gather", slow)
    context = window._context
    context.tasks.spawn(context.open_workspace(reviewed), owner=context)
    qtbot.waitUntil(lambda: context.catalogue.n_apis > 0, timeout=30_000)
    try:
        window.show_layout("review")
        review, panel = context.review, window.workspace_view.docks.panel("review")
        assert isinstance(panel, ReviewPanel)
        qtbot.waitUntil(lambda: bool(review.questions), timeout=30_000)
        assert review.reading.is_reading
        assert "as of last time" in panel.standing.words.toolTip()
        assert not panel.batch_button.isEnabled()
        merge = next(one for one in review.questions if one.kind is CandidateKind.MERGE)
        into, other = (ToolkitId(one) for one in merge.toolkits[:2])
        context.curation.do(Merge(toolkits=(into, other), into=into))
        qtbot.waitUntil(
            lambda: merge.key not in [one.key for one in review.questions], timeout=30_000
        )
    finally:
        may_go_on.set()
    qtbot.waitUntil(lambda: review.is_idle, timeout=60_000)
    assert review.reading.queue is not None
    assert review.reading.queue.evidence is not None
    assert merge.key not in [one.key for one in review.questions]
    assert "as of last time" not in panel.standing.words.toolTip()
    workspace = review.reading.workspace
    asked = {one.key for one in review.questions}

    def is_kept() -> bool:
        found = ReviewQueue.stored(workspace)
        return found is not None and {one.key for one in found.waiting()} == asked

    qtbot.waitUntil(is_kept, timeout=30_000)
