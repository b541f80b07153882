"""The history: branches, points to go to, snapshots, edits that were taken back, little room."""

import time

import pytest
from PySide6.QtCore import QModelIndex

from toolplanner_core.curation.edits.describe import Rename
from toolplanner_core.curation.edits.move import Merge, Move
from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_core.workspace.catalogue import apis_by_rowid
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.history_panel import HistoryPanel
from toolplanner_gui.viewmodels.curate.history_model import EDIT_ROLE, UNDONE_ROLE, HistoryColumn
from toolplanner_gui.windows.compare_states_dialog import CompareStatesDialog
from toolplanner_gui.windows.snapshot_dialog import SnapshotDialog


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


def largest(panel: HistoryPanel, n: int) -> list[Toolkit]:
    toolkits = panel.context.catalogue.toolkits
    return sorted(toolkits, key=lambda toolkit: (-toolkit.size, toolkit.id))[:n]


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


def test_list_when_it_comes_up_in_a_small_window_then_it_leaves_out_who(
    panel: HistoryPanel, qtbot
) -> None:
    panel.resize(560, 300)
    move_one(panel, qtbot)
    qtbot.waitUntil(panel.tree.isVisible)
    assert panel.tree.isColumnHidden(HistoryColumn.WHO)


def _rows(panel: HistoryPanel, parent: QModelIndex | None = None) -> list[str]:
    above = parent or QModelIndex()
    model = panel.model
    return [model.index(row, 0, above).data() for row in range(model.rowCount(above))]


def test_history_lists_edits_branches_and_goes_to_a_point(
    panel: HistoryPanel, qtbot, qtmodeltester
) -> None:
    context = panel.context
    (toolkit,) = largest(panel, 1)
    for name in ("One", "Two"):
        context.curation.do(Rename(toolkit=toolkit.id, name=name))
    context.curation.undo()
    context.curation.do(Rename(toolkit=toolkit.id, name="Three"))
    settle(panel, qtbot)
    qtbot.waitUntil(lambda: panel.model.rowCount() == 3, timeout=10_000)
    assert _rows(panel) == [
        "Rename “One” to “Three”  ← now",
        f"Rename “{toolkit.name}” to “One”",
        "Start, before the first edit",
    ]
    branch = panel.model.index(0, 0, panel.model.index(1, 0))
    assert branch.data() == "Another branch: 1 edit"
    assert _rows(panel, branch) == ["Rename “One” to “Two”"]
    qtmodeltester.check(panel.model)
    panel.tree.setCurrentIndex(panel.model.index(0, 0, branch))
    panel.go_to_current()
    settle(panel, qtbot)
    known = context.catalogue.toolkit(toolkit.id)
    assert known is not None and known.name == "Two"
    panel.tree.setCurrentIndex(panel.model.index_of(0))
    panel.go_to_current()
    settle(panel, qtbot)
    assert context.catalogue.toolkit(toolkit.id) == toolkit


def test_history_when_time_goes_by_then_list_and_step_say_the_same(
    panel: HistoryPanel, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    panel.context.curation.do(Rename(toolkit=panel.context.catalogue.toolkits[0].id, name="Anew"))
    qtbot.waitUntil(lambda: "just now" in panel.how.text())
    now = time.time()
    monkeypatch.setattr("toolplanner_core.words.formatting.time.time", lambda: now + 300)
    panel._clock.timeout.emit()
    assert "5 min ago" in panel.how.text()


def test_history_tells_what_a_step_changed_and_selects_it(panel: HistoryPanel, qtbot) -> None:
    context = panel.context
    one, other = largest(panel, 2)
    context.curation.do(Merge(toolkits=(other.id,), into=one.id), origin={"by": "lasso"})
    settle(panel, qtbot)
    qtbot.waitUntil(lambda: f"{other.size} APIs move" in panel.changes.text(), timeout=10_000)
    assert "chosen with the lasso" in panel.how.text()
    panel.show_button.click()
    assert context.selection.count == other.size


def test_revert_of_an_edit_that_others_build_on_says_which(panel: HistoryPanel, qtbot) -> None:
    context = panel.context
    (toolkit,) = largest(panel, 1)
    context.curation.do(Rename(toolkit=toolkit.id, name="One"))
    context.curation.do(Rename(toolkit=toolkit.id, name="Two"))
    settle(panel, qtbot)
    qtbot.waitUntil(lambda: panel.model.rowCount() == 3, timeout=10_000)
    problems: list = []
    context.problem_reported.connect(problems.append)
    panel.tree.setCurrentIndex(panel.model.index(1, 0))
    panel.revert_button.click()
    settle(panel, qtbot)
    assert len(problems) == 1
    assert "Two" in f"{problems[0].what} {problems[0].why} {problems[0].todo}"


def test_snapshots_are_saved_shown_as_flags_and_compared(panel: HistoryPanel, qtbot) -> None:
    context = panel.context
    one, other = largest(panel, 2)
    save = SnapshotDialog(context, context.shell.window_widget)
    qtbot.addWidget(save)
    save.open()
    save.name.setText("Before the merge")
    save.save_button.click()
    settle(panel, qtbot)
    context.curation.do(Merge(toolkits=(other.id,), into=one.id))
    settle(panel, qtbot)
    start = panel.model.index_of(0)
    qtbot.waitUntil(lambda: panel.model.index(1, 1).data() == "Before the merge", timeout=10_000)
    assert start.data(EDIT_ROLE) == 0
    compare = CompareStatesDialog(context, context.shell.window_widget)
    qtbot.addWidget(compare)
    compare.show()
    qtbot.waitUntil(lambda: compare.model.rowCount() == 1, timeout=10_000)
    assert compare.model.row(0).cells[1] == f"“{other.name}” was merged into “{one.name}”"
    compare.view.setCurrentIndex(compare.model.index(0, 0))
    assert context.selection.count == other.size
