"""The preview of an import while it is being read: what was not read yet is not gone."""

from dataclasses import replace
from pathlib import Path

from tests.gui.windows.test_import_wizard import catalogue, imported, opened
from toolplanner_core.sources.import_preview import Comparison
from toolplanner_gui.actions.workspace_files import open_later
from toolplanner_gui.windows.import_report_dialog import describe_preview
from toolplanner_gui.windows.main_window import MainWindow


def open_demo(window: MainWindow, demo: Path, qtbot) -> None:
    open_later(window._context, demo)
    qtbot.waitUntil(lambda: window._context.catalogue.n_apis > 0 and window.is_idle)


def test_difference_when_the_rest_is_still_read_then_nothing_of_it_is_gone(
    window: MainWindow, demo: Path, tmp_path: Path, qtbot
) -> None:
    open_demo(window, demo, qtbot)
    folder = catalogue(tmp_path / "tools", sea="Tides of a day.", air="Wind.")
    imported(window, opened(window, folder, qtbot), qtbot)
    qtbot.waitUntil(lambda: not window._context.running_work)
    catalogue(folder, sea="Tides of a year.")
    dialog = opened(window, folder, qtbot)
    preview, tabs = dialog._preview, dialog.tabs
    assert preview is not None and preview.comparison is not None
    found = replace(
        preview.comparison, missing=7, gone=["tools/Far/far/get"], gone_titles=["Far · get"]
    )
    tabs.show_preview(replace(preview, comparison=found))
    assert tabs.tabText(2) == "Difference (9)" and tabs._changes.rowCount() == 3
    assert tabs._changes.index(2, 0).data() == "Far · get", "as people know it, not by its key"
    tabs.show_preview(replace(preview, comparison=found, is_complete=False))
    assert tabs.tabText(2) == "Difference (…)" and tabs._changes.rowCount() == 2
    dialog.reject()


def test_difference_when_the_catalogue_comes_again_then_names_what_is_new(
    window: MainWindow, demo: Path, tmp_path: Path, qtbot
) -> None:
    open_demo(window, demo, qtbot)
    folder = catalogue(tmp_path / "tools", sea="Tides of a day.", air="Wind.")
    first = opened(window, folder, qtbot)
    assert not first.tabs.isTabVisible(2), "of a first import everything is new"
    imported(window, first, qtbot)
    qtbot.waitUntil(lambda: not window._context.running_work)
    catalogue(folder, sea="Tides of a day.", fog="Fog of a day.")
    dialog = opened(window, folder, qtbot)
    rows = [
        [dialog.tabs._changes.index(row, column).data() for column in range(3)]
        for row in range(dialog.tabs._changes.rowCount())
    ]
    assert [row[1:] for row in rows if "fog" in row[0].lower()] == [["is new", "comes in"]] * 2
    assert dialog.tabs.tabText(2) == f"Difference ({len(rows)})"
    assert dialog._preview is not None and dialog._preview.comparison is not None
    said = describe_preview(replace(dialog._preview, comparison=Comparison(added=4, unchanged=1)))
    assert said.endswith("Of them 4 new, 1 unchanged, 0 changed.")
    found = Comparison(added=4, unchanged=1, missing=10)
    said = describe_preview(replace(dialog._preview, comparison=found))
    assert said.endswith("0 changed. 10 of before do not come again."), "they are not of them"
    dialog.reject()
