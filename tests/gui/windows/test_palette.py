"""The command palette and the list of shortcuts in the real window."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction

from toolplanner_gui.actions.action import all_actions
from toolplanner_gui.actions.opening import open_later
from toolplanner_gui.windows.main_window import MainWindow
from toolplanner_gui.windows.palette import Palette
from toolplanner_gui.windows.shortcuts import ShortcutsDialog


@pytest.fixture
def with_demo(window: MainWindow, demo: Path, qtbot) -> MainWindow:
    open_later(window._context, demo)
    qtbot.waitUntil(lambda: window._context.catalogue.n_apis > 0, timeout=20_000)
    qtbot.waitUntil(lambda: window._context.tasks.is_idle, timeout=20_000)
    return window


def open_palette(window: MainWindow, qtbot) -> Palette:
    palette = Palette(window._context, window)
    qtbot.addWidget(palette)
    palette.open()
    return palette


def titles(palette: Palette) -> list[str]:
    return [palette.model.row(i).cells[0] for i in range(palette.model.rowCount())]


def test_palette_lists_every_action_of_the_menus(with_demo: MainWindow, qtbot) -> None:
    palette = open_palette(with_demo, qtbot)
    shown = " ".join(titles(palette))
    for menu, action in all_actions():
        if action.id != "view.palette" and action.title_now is None:
            assert action.title.replace("&", "").replace(" …", "") in shown, (menu.id, action.id)


def test_palette_finds_and_does_what_is_typed(with_demo: MainWindow, qtbot) -> None:
    palette = open_palette(with_demo, qtbot)
    qtbot.keyClicks(palette.field, "view debug")
    assert titles(palette)[0] == "View: Debug"
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert with_demo.current_layout() == "debug"
    assert not palette.isVisible()


def test_palette_says_why_something_cannot_be_done(with_demo: MainWindow, qtbot) -> None:
    with_demo._context.selection.clear()
    palette = open_palette(with_demo, qtbot)
    qtbot.keyClicks(palette.field, "split")
    row = titles(palette).index("Toolkits: Split")
    palette.view.setCurrentIndex(palette.model.index(row, 0))
    assert "Select a toolkit first" in palette.note.text()
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert palette.isVisible()


def test_palette_goes_to_toolkits_and_apis_by_name(with_demo: MainWindow, qtbot) -> None:
    context = with_demo._context
    toolkit = max(context.catalogue.toolkits, key=lambda t: t.size)
    palette = open_palette(with_demo, qtbot)
    palette.field.setText(toolkit.name)
    row = titles(palette).index(toolkit.name)
    qtbot.waitUntil(
        lambda: any(
            palette.model.row(i).cells[1] == "API" for i in range(palette.model.rowCount())
        ),
        timeout=10_000,
    )
    palette.view.setCurrentIndex(palette.model.index(row, 0))
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert context.selection.toolkit == toolkit.id


def test_single_letters_work_in_the_curate_layout_only(with_demo: MainWindow) -> None:
    merge = with_demo.findChild(QAction, "curate.merge")
    assert merge is not None
    assert merge.shortcut().toString() == "M"
    with_demo.show_layout("debug")
    assert merge.shortcut().isEmpty()


def test_a_disabled_entry_says_why_in_its_tooltip(with_demo: MainWindow) -> None:
    with_demo._context.selection.clear()
    with_demo._menus.refresh()
    merge = with_demo.findChild(QAction, "curate.merge")
    assert merge is not None and not merge.isEnabled()
    assert "Select toolkits first" in merge.toolTip()


def test_shortcuts_are_narrowed_by_letters(with_demo: MainWindow, qtbot) -> None:
    dialog = ShortcutsDialog(with_demo._context, with_demo)
    qtbot.addWidget(dialog)
    dialog.open()
    n_all = dialog.model.rowCount()
    dialog.field.setText("merge")
    rows = [dialog.model.row(i).cells for i in range(dialog.model.rowCount())]
    assert ("Toolkits: Merge", "M  (in Curate)") in rows
    assert 0 < len(rows) < n_all
