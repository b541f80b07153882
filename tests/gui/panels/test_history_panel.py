"""The history where there is little room, of edits that were taken back, and of few APIs."""

import pytest

from toolplanner_core.curation.edits.move import Move
from toolplanner_core.workspace.catalogue import apis_by_rowid
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.history_panel import HistoryPanel
from toolplanner_gui.viewmodels.curate.history_model import UNDONE_ROLE, HistoryColumn


@pytest.fixture
def panel(opened: AppContext, qtbot) -> HistoryPanel:
    made = HistoryPanel(opened)
    qtbot.addWidget(made)
    made.resize(900, 300)
    made.show()
    return made


def settle(panel: HistoryPanel, qtbot) -> None:
    context = panel.context
    qtbot.waitUntil(lambda: context.curation.is_idle and context.tasks.is_idle and panel.is_idle)


def move_one(panel: HistoryPanel, qtbot) -> tuple[str, str]:
    """The name of the API and of the toolkit where it was."""
    context = panel.context
    catalogue = context.catalogue
    one, other = [t for t in catalogue.toolkits if t.size > 2][:2]
    rowid = int(catalogue.rowids[catalogue.points_of_toolkit(one.id)[0]])
    context.curation.do(Move(rowids=(rowid,), to=other.id))
    settle(panel, qtbot)
    qtbot.waitUntil(lambda: panel.model.rowCount() == 2)
    assert context.workspace is not None
    api = apis_by_rowid(context.workspace, [rowid])[rowid]
    return api.title, one.name


def test_step_when_one_api_moved_then_it_is_named_with_where_it_was(
    panel: HistoryPanel, qtbot
) -> None:
    title, where = move_one(panel, qtbot)
    panel.tree.setCurrentIndex(panel.model.index(0, 0))
    qtbot.waitUntil(lambda: f"“{title}” was in “{where}”" in panel.changes.text())


def test_edit_when_it_was_reverted_then_it_looks_so_and_is_not_reverted_again(
    panel: HistoryPanel, qtbot
) -> None:
    move_one(panel, qtbot)
    moved = panel.model.index(0, 0)
    assert not moved.data(UNDONE_ROLE)
    panel.tree.setCurrentIndex(moved)
    panel.revert_button.click()
    qtbot.waitUntil(lambda: panel.model.rowCount() == 3)
    settle(panel, qtbot)
    moved = panel.model.index(1, 0)
    assert moved.data(UNDONE_ROLE) and not panel.model.index(0, 0).data(UNDONE_ROLE)
    panel.tree.setCurrentIndex(moved)
    assert not panel.revert_button.isEnabled()
    panel.context.curation.undo()
    settle(panel, qtbot)
    qtbot.waitUntil(lambda: not panel.model.index(1, 0).data(UNDONE_ROLE))


def test_list_when_there_is_little_room_then_what_was_done_comes_before_who(
    panel: HistoryPanel, qtbot
) -> None:
    move_one(panel, qtbot)
    qtbot.waitUntil(lambda: not panel.tree.isColumnHidden(HistoryColumn.WHO))
    panel.resize(560, 300)
    qtbot.waitUntil(lambda: panel.tree.isColumnHidden(HistoryColumn.WHO))
    assert panel.tree.columnWidth(HistoryColumn.WHAT) > 150
