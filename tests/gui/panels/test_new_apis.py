"""APIs that an import brought are said to be in no toolkit until somebody has them placed."""

import json
import threading
from pathlib import Path

from fixtures.catalogues import add_apis, made_up_apis
from PySide6.QtWidgets import QPushButton

from toolplanner_core.jobs.progress import Progress
from toolplanner_core.sources.importing import import_source
from toolplanner_gui.actions.action import all_actions
from toolplanner_gui.context import AppContext
from toolplanner_gui.map.legend import LegendLine
from toolplanner_gui.panels.map_panel import MapPanel
from toolplanner_gui.panels.toolkits_panel import ToolkitsPanel


def test_list_when_an_import_brought_new_apis_then_it_says_how_many_and_offers_to_place_them(
    opened: AppContext, tmp_path: Path, qtbot
) -> None:
    panel = ToolkitsPanel(opened)
    qtbot.addWidget(panel)
    panel.show()
    source = tmp_path / "functions.json"
    source.write_text(json.dumps([{"name": "tide_table", "parameters": {"type": "object"}}]))
    assert opened.workspace is not None
    import_source(opened.workspace, source)
    with qtbot.waitSignal(opened.catalogue_changed):
        opened.reload_catalogue()
    offered = [b.text() for b in panel.findChildren(QPushButton) if b.isVisible()]
    assert "1 new API without a place · Prepare …" in offered
    assert panel.loose.x() == panel.field.x() > 0
    entry = next(a for _, a in all_actions() if a.id == "toolkits.new")
    assert entry.refused_when(opened) == ""
    assert "open" not in opened.shell.asked
    entry.run(opened)
    qtbot.waitUntil(lambda: opened.shell.asked.count("open") == 1)


def test_map_when_an_import_brought_new_apis_then_its_line_counts_them_as_the_catalogue_does(
    opened: AppContext, qtbot
) -> None:
    panel = MapPanel(opened)
    qtbot.addWidget(panel)
    panel.show()
    n = opened.catalogue.n_apis
    qtbot.waitUntil(lambda: f"{n} of {n} APIs" in panel.canvas.accessibleDescription())
    assert opened.workspace is not None
    add_apis(opened.workspace, made_up_apis(1)[:3])
    opened.reload_catalogue()
    qtbot.waitUntil(lambda: opened.catalogue.n_apis == n + 3)
    qtbot.waitUntil(lambda: f"{n} of {n + 3} APIs" in panel.canvas.accessibleDescription())
    legend = panel.canvas.findChild(LegendLine)
    assert "3 APIs of the catalogue have no place yet." in legend.toolTip()


def test_list_while_an_import_runs_then_it_offers_no_other_import(
    context: AppContext, tmp_path: Path, qtbot
) -> None:
    context.tasks.spawn(context.new_workspace(tmp_path / "new.toolplanner"), owner=context)
    qtbot.waitUntil(lambda: context.opened is not None and not context.is_catalogue_loading)
    panel = ToolkitsPanel(context)
    qtbot.addWidget(panel)
    panel.show()
    offered = lambda: [b.text() for b in panel.findChildren(QPushButton) if b.isVisible()]  # noqa: E731
    assert offered() == ["Import tools …"]
    goes_on = threading.Event()

    def work(_progress: Progress) -> None:
        goes_on.wait()

    try:
        context.jobs.start("Import tools", work)
        assert offered() == []
    finally:
        goes_on.set()
    qtbot.waitUntil(lambda: not context.jobs.running)
    assert offered() == ["Import tools …"]
