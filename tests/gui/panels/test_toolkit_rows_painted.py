"""Which rows of the toolkit list are painted when figures or colours of a few are others."""

import pytest
from PySide6.QtCore import QEvent, QObject, QRect
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QApplication

from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.toolkits_panel import ToolkitsPanel
from toolplanner_gui.viewmodels.curate.toolkit_model import TOOLKIT_ROLE


class Painted(QObject):
    """The rectangles that a widget is asked to paint."""

    def __init__(self) -> None:
        super().__init__()
        self.boxes: list[QRect] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802
        if isinstance(event, QPaintEvent):
            self.boxes.append(event.rect())
        return False


@pytest.fixture
def toolkits(opened: AppContext, qtbot) -> ToolkitsPanel:
    panel = ToolkitsPanel(opened)
    qtbot.addWidget(panel)
    panel.resize(320, 600)
    panel.show()
    qtbot.waitUntil(lambda: opened.tasks.is_idle and panel.model.rowCount() > 5, timeout=20_000)
    qtbot.waitUntil(lambda: not panel.tree._repaint.isActive())
    QApplication.processEvents()
    return panel


def test_list_when_one_toolkit_looks_otherwise_then_only_its_row_is_painted(
    toolkits: ToolkitsPanel, qtbot
) -> None:
    tree, model, painted = toolkits.tree, toolkits.model, Painted()
    row = model.index(1, 0)
    tree.viewport().installEventFilter(painted)
    toolkit = row.data(TOOLKIT_ROLE)
    model.set_colours({**toolkits.context.colours, toolkit: "#123456"})
    model.figures_changed([toolkit])
    qtbot.waitUntil(lambda: bool(painted.boxes))
    assert max(box.height() for box in painted.boxes) <= tree.visualRect(row).height()
    assert {box.top() for box in painted.boxes} == {tree.visualRect(row).top()}
    painted.boxes.clear()
    model.figures_changed()
    qtbot.waitUntil(lambda: tree.viewport().rect() in painted.boxes)
