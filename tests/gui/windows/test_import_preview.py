"""The preview of an import while it is being read: what was not read yet is not gone."""

from dataclasses import replace
from pathlib import Path

from tests.gui.windows.test_import_wizard import catalogue, imported, opened
from toolplanner_gui.actions.opening import open_later
from toolplanner_gui.windows.main_window import MainWindow


def test_difference_when_the_rest_is_still_read_then_nothing_of_it_is_gone(
    window: MainWindow, demo: Path, tmp_path: Path, qtbot
) -> None:
    context = window._context
    open_later(context, demo)
    qtbot.waitUntil(lambda: context.catalogue.n_apis > 0 and window.is_idle)
    folder = catalogue(tmp_path / "tools", sea="Tides of a day.", air="Wind.")
    imported(window, opened(window, folder, qtbot), qtbot)
    qtbot.waitUntil(lambda: not context.under_way)
    catalogue(folder, sea="Tides of a year.")
    dialog = opened(window, folder, qtbot)
    preview, tabs = dialog._preview, dialog.tabs
    assert preview is not None and preview.comparison is not None
    found = replace(preview.comparison, missing=7, gone=["tools/Far/far/get"])
    tabs.show_preview(replace(preview, comparison=found))
    assert tabs.tabText(2) == "Difference (9)" and tabs._changes.rowCount() == 3
    tabs.show_preview(replace(preview, comparison=found, is_complete=False))
    assert tabs.tabText(2) == "Difference (…)" and tabs._changes.rowCount() == 2
    dialog.reject()
