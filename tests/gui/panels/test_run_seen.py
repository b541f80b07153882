"""What a run looks like: no word of a column is cut, and a head stands together."""

import pytest
from PySide6.QtWidgets import QWidget

from toolplanner_core.runs.presentation.node_report import NodeReport, Section
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.inspector.node_page import NodePage
from toolplanner_gui.panels.run_tree_panel import RunTreePanel
from toolplanner_gui.viewmodels.debug.run_tree_model import RunColumn


def test_columns_when_strategies_name_them_then_each_name_is_seen_whole(
    opened: AppContext, qtbot
) -> None:
    panel = RunTreePanel(opened)
    qtbot.addWidget(panel)
    header = panel.tree.header()
    told = range(len(RunColumn), panel.model.columnCount())
    assert "Weight" in [panel.model.headerData(c, header.orientation()) for c in told]
    assert all(header.sectionSize(c) >= header.sectionSizeHint(c) for c in told)


@pytest.mark.parametrize("edits", [[], [Section(title="Edited", text="by hand")]])
def test_head_when_little_is_known_then_its_lines_stay_together(
    opened: AppContext, qtbot, *, edits: list[Section]
) -> None:
    page = NodePage(QWidget(), opened.tasks)
    qtbot.addWidget(page)
    page.resize(400, 700)
    page.show()
    facts = "abandoned: its plan never reached it"
    page.show_report(NodeReport(title="A step", facts=facts, edits=edits))
    qtbot.waitUntil(lambda: page._facts.isVisible() and page._facts.height() > 0)
    title, told = page._title.geometry(), page._facts.geometry()
    assert title.top() < title.height() < 50
    assert told.top() - title.bottom() < told.height() < 50
    assert page.tabs.isVisible() is bool(edits)
