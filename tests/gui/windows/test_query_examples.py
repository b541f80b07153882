"""The bulb in the query field offers the saved queries of the workspace."""

from pathlib import Path

from PySide6.QtWidgets import QMenu

from toolplanner_core.workspace.cases import list_cases
from toolplanner_gui.actions.workspace_files import open_later
from toolplanner_gui.windows.main_window import MainWindow


def test_bulb_when_clicked_then_a_saved_query_can_be_taken(
    window: MainWindow, demo: Path, qtbot
) -> None:
    context = window._context
    open_later(context, demo)
    qtbot.waitUntil(lambda: context.catalogue.n_apis > 0 and window.is_idle)
    bar = window.workspace_view.query_bar
    qtbot.waitUntil(bar._examples.isVisible)
    saved = [case.query for case in list_cases(context.workspace)]
    bar._examples.trigger()
    (menu,) = bar.findChildren(QMenu)
    assert len(menu.actions()) == len(saved) > 1
    menu.actions()[1].trigger()
    menu.close()
    assert bar.query.text() == saved[1]
