"""What lists and dialogs of curation show at first: orders, figures, states to compare."""

from collections.abc import Collection

import pytest
from PySide6.QtCore import QEvent, QObject, QRect, Qt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from toolplanner_core.curation.edits.describe import Rename
from toolplanner_core.curation.edits.history_reading import save_snapshot
from toolplanner_core.curation.edits.move import Merge
from toolplanner_core.curation.grouping.toolkit_sums import Similar
from toolplanner_core.curation.looking.toolkit_columns import ToolkitColumn
from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.staging_panel import StagingPanel
from toolplanner_gui.panels.toolkits_panel import ToolkitsPanel
from toolplanner_gui.windows.compare_states_dialog import CompareStatesDialog
from toolplanner_gui.windows.edit_dialogs import MoveDialog


def largest(context: AppContext, n: int) -> list[Toolkit]:
    return sorted(context.catalogue.toolkits, key=lambda t: (-t.size, t.id))[:n]


def settle(context: AppContext, qtbot) -> None:
    qtbot.waitUntil(lambda: context.curation.is_idle and context.tasks.is_idle, timeout=20_000)


def test_list_marks_the_title_that_it_is_ordered_by(opened: AppContext, qtbot) -> None:
    toolkits = ToolkitsPanel(opened)
    qtbot.addWidget(toolkits)
    toolkits.resize(320, 600)
    toolkits.show()
    settle(opened, qtbot)
    header = toolkits.tree.header()

    def picture(column: ToolkitColumn) -> QImage:
        left, width = header.sectionViewportPosition(column), header.sectionSize(column)
        return header.grab(QRect(left, 0, width, header.height())).toImage()

    falling = picture(ToolkitColumn.SIZE)
    toolkits.tree.sortByColumn(ToolkitColumn.SIZE, Qt.SortOrder.AscendingOrder)
    rising = picture(ToolkitColumn.SIZE)
    toolkits.tree.sortByColumn(ToolkitColumn.NAME, Qt.SortOrder.AscendingOrder)
    without = picture(ToolkitColumn.SIZE)
    assert falling != rising != without != falling


def test_staging_tray_when_fits_are_known_later_then_it_is_painted_with_them(
    opened: AppContext, qtbot
) -> None:
    class Painted(QObject):
        n = 0

        def eventFilter(self, _watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt
            self.n += event.type() == QEvent.Type.Paint
            return False

    panel = StagingPanel(opened)
    qtbot.addWidget(panel)
    panel.show()
    opened.staging.add(t.id for t in largest(opened, 2))
    settle(opened, qtbot)
    QApplication.processEvents()
    painted = Painted()
    panel.tree.viewport().installEventFilter(painted)
    # As after a start, when the tray stands there before anything is known of toolkits.
    opened.figures.changed.emit(None)
    qtbot.waitUntil(lambda: painted.n > 0)


def test_move_when_a_toolkit_is_found_then_its_similarity_is_known_however_unlike_it_is(
    opened: AppContext, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    rank = opened.figures.rank_for

    async def note(rowids: Collection[int], n: int) -> list[Similar]:
        asked.append(n)
        return await rank(rowids, n)

    monkeypatch.setattr(opened.figures, "rank_for", note)
    one = largest(opened, 1)[0]
    opened.selection.select_toolkit(one.id)
    dialog = MoveDialog(opened, opened.shell.window_widget)
    qtbot.addWidget(dialog)
    dialog.open()
    settle(opened, qtbot)
    assert asked == [len(opened.catalogue.toolkits)]
    dialog.reject()


def test_compared_states_when_opened_then_are_those_before_the_last_edit_and_now(
    opened: AppContext, qtbot
) -> None:
    context = opened
    one, other, third = largest(context, 3)
    context.curation.do(Merge(toolkits=(other.id,), into=one.id))
    settle(context, qtbot)
    context.curation.do(Rename(toolkit=third.id, name="Another name"))
    settle(context, qtbot)
    save_snapshot(context.file, "Now")
    compare = CompareStatesDialog(context, context.shell.window_widget)
    qtbot.addWidget(compare)
    compare.show()
    qtbot.waitUntil(lambda: compare.model.rowCount() == 1, timeout=10_000)
    assert "Another name" in compare.model.row(0).cells[1]
    assert compare.before.currentText().startswith("After “Merge “")
    assert compare.after.currentText().startswith("Snapshot “Now”")
