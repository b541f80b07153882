"""Several toolkits merged in one step in the window: a tick for each that joins."""

from pathlib import Path

import pytest
from fixtures.review_world import SKY, SKY_LATER, SKY_TODAY, grouped_workspace
from PySide6.QtCore import Qt

from toolplanner_core.curation.edits.history_reading import list_history
from toolplanner_core.curation.questions.kinds.candidate import CandidateKind
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_gui.panels.review_panel import ReviewPanel
from toolplanner_gui.windows.main_window import MainWindow


@pytest.fixture
def panel(window: MainWindow, tmp_path: Path, qtbot) -> ReviewPanel:
    with grouped_workspace(tmp_path / "grouped.toolplanner") as workspace:
        path = workspace.path
    context = window._context
    context.tasks.spawn(context.open_workspace(path), owner=context)
    qtbot.waitUntil(lambda: context.catalogue.n_apis > 0, timeout=30_000)
    window.show_layout("review")
    made = window.workspace_view.docks.panel("review")
    assert isinstance(made, ReviewPanel)
    qtbot.waitUntil(lambda: context.review.state is not None and made.is_idle, timeout=60_000)
    return made


def test_group_when_one_is_unticked_then_accept_merges_the_others_and_leaves_it(
    panel: ReviewPanel, qtbot
) -> None:
    context, review = panel.context, panel.context.review
    group = next(one for one in review.questions if one.kind is CandidateKind.GROUP)
    review.look_at(group.key)
    qtbot.waitUntil(lambda: panel.is_idle and review.is_read)
    rows = panel.card.joining.rows
    assert [row.box.text() for row in rows] == ["Weather today", "Weather later"]
    assert all(row.box.isChecked() for row in rows)
    assert panel.card.sides[0].name.text() == "Weather"
    assert panel.card.sides[1].isHidden()
    assert context.selection.count == 9, "all of it is shown on the map"

    later = rows[1]
    later.box.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.keyClick(later.box, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: panel.is_idle and review.is_read)
    assert review.left_out == {SKY_LATER}
    assert panel.card.joining.rows[1] is later, "the keyboard stays where it is"
    assert "Weather later" not in panel.card.does.text()
    for row in rows:
        row.box.setChecked(False)
    qtbot.waitUntil(lambda: panel.is_idle and review.is_read)
    assert panel.answer_bar.accept_button.isHidden(), "nothing would join"

    rows[0].box.setChecked(True)
    qtbot.waitUntil(lambda: panel.is_idle and review.is_read)
    context.answers.accept()
    qtbot.waitUntil(
        lambda: context.catalogue.toolkit(ToolkitId(SKY_TODAY)) is None and panel.is_idle,
        timeout=30_000,
    )
    assert context.catalogue.toolkit(ToolkitId(SKY_LATER)) is not None
    stays = context.catalogue.toolkit(ToolkitId(SKY))
    assert stays is not None
    assert (stays.name, stays.size) == ("Weather", 7)
    assert context.workspace is not None
    assert len(list_history(context.workspace)) == 1
    assert not review.left_out, "the next question begins with all ticks"

    context.answers.take_back()
    qtbot.waitUntil(
        lambda: context.catalogue.toolkit(ToolkitId(SKY_TODAY)) is not None and panel.is_idle,
        timeout=30_000,
    )
