"""Going from pane to pane moves the keyboard and nothing else."""

from pathlib import Path

from toolplanner_gui.actions.workspace_files import open_later
from toolplanner_gui.windows.main_window import MainWindow


def test_panes_when_walked_through_then_what_is_selected_stays(
    window: MainWindow, demo: Path, qtbot
) -> None:
    context = window._context
    open_later(context, demo)
    qtbot.waitUntil(lambda: context.catalogue.n_apis > 0 and window.is_idle)
    wanted = sorted(context.catalogue.rowids[:3].tolist())
    for rowids in (wanted, []):
        context.selection.select_apis(rowids)
        qtbot.waitUntil(lambda: window.is_idle)
        for _ in range(len(window.workspace_view.docks.seen()) + 1):
            window.go_to_pane(1)
            qtbot.waitUntil(lambda: window.is_idle)
            assert sorted(context.selection.rowids().tolist()) == rowids
