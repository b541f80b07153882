"""The command palette and the list of shortcuts in the real window."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from toolplanner_core.curation.edits.describe import Rename
from toolplanner_core.curation.edits.marks import PinToolkits
from toolplanner_core.workspace.catalogue import api_names, rowids_of
from toolplanner_gui import dialog_commands, panel_commands
from toolplanner_gui.actions.action import all_actions
from toolplanner_gui.actions.workspace_files import open_later
from toolplanner_gui.theme.tokens import GAP, ROW_HEIGHT
from toolplanner_gui.windows.command_palette import CommandPalette
from toolplanner_gui.windows.main_window import MainWindow
from toolplanner_gui.windows.shortcuts_dialog import ShortcutsDialog


@pytest.fixture
def with_demo(window: MainWindow, demo: Path, qtbot) -> MainWindow:
    open_later(window._context, demo)
    qtbot.waitUntil(lambda: window._context.catalogue.n_apis > 0, timeout=20_000)
    qtbot.waitUntil(lambda: window._context.tasks.is_idle, timeout=20_000)
    return window


def open_palette(window: MainWindow, qtbot) -> CommandPalette:
    palette = CommandPalette(window._context, window)
    qtbot.addWidget(palette)
    palette.open()
    return palette


def titles(palette: CommandPalette) -> list[str]:
    return [palette.model.row(i).cells[0] for i in range(palette.model.rowCount())]


def test_palette_lists_every_action_of_the_menus(with_demo: MainWindow, qtbot) -> None:
    palette = open_palette(with_demo, qtbot)
    shown = " ".join(titles(palette))
    for menu, action in all_actions():
        if action.id != "view.palette" and action.title_now is None:
            assert action.title.replace("&", "").replace(" …", "") in shown, (menu.id, action.id)


def test_palette_rows_when_some_have_no_icon_then_are_as_high_and_begin_at_the_same_place(
    with_demo: MainWindow, qtbot
) -> None:
    palette = open_palette(with_demo, qtbot)
    rows = range(palette.model.rowCount())
    indexes = [palette.model.index(row, 0) for row in rows]
    assert {palette.view.visualRect(index).height() for index in indexes} == {ROW_HEIGHT}
    assert all(index.data(Qt.ItemDataRole.DecorationRole) is not None for index in indexes)


STAGES = ("made", "shown", "given the keyboard", "seen")
"""Of a palette that opens: keys come at any of them."""


def press(window: MainWindow, text: str) -> None:
    """Keys as the system hands them out: to the window that has the keyboard at this moment."""
    for letter in text:
        to = QGuiApplication.focusWindow() or window.windowHandle()
        QTest.keyClick(to, Qt.Key.Key_Return if letter == "\n" else Qt.Key(ord(letter.upper())))


def opened(window: MainWindow) -> list[CommandPalette]:
    return [palette for palette in window.findChildren(CommandPalette) if palette.isVisible()]


def reach(stage: str, palette: CommandPalette, qtbot) -> None:
    """Take a palette to a stage of its opening."""
    if stage != "made":
        palette.open()
    if stage in ("given the keyboard", "seen"):
        qtbot.waitUntil(palette.isActiveWindow)
    if stage == "given the keyboard":
        # As a system does that gives it for the Tab key's reason: all that was typed is marked.
        palette.field.clearFocus()
        palette.field.setFocus(Qt.FocusReason.TabFocusReason)


def test_palette_when_keys_come_at_any_stage_of_its_opening_then_none_is_lost(
    with_demo: MainWindow, qtbot
) -> None:
    for number, first in enumerate(STAGES):
        for second in STAGES[number:]:
            with_demo.activateWindow()
            qtbot.waitUntil(with_demo.isActiveWindow)
            palette = CommandPalette(with_demo._context, with_demo)
            for text, stage in (("view", first), (" deb", second), ("ug", "seen")):
                reach(stage, palette, qtbot)
                press(with_demo, text)
            assert palette.field.text() == "view debug", (first, second)
            assert titles(palette)[0] == "View: Debug"
            palette.reject()


def test_palette_when_return_is_typed_ahead_then_it_does_what_the_whole_text_says(
    with_demo: MainWindow, qtbot
) -> None:
    with_demo._context.selection.clear()
    with_demo.call_panel(panel_commands.focus_map)  # where single letters are commands
    with_demo._context.shell.open(dialog_commands.command_palette)
    press(with_demo, "view debug\n")
    qtbot.waitUntil(lambda: not opened(with_demo))
    assert with_demo.current_layout() == "debug"


def test_palette_when_return_comes_before_the_apis_then_the_one_called_so_is_taken(
    with_demo: MainWindow, qtbot
) -> None:
    context = with_demo._context
    workspace = context.workspace
    assert workspace is not None
    wanted = next(one for one in api_names(workspace) if " " in one.title.partition(" · ")[2])
    palette = open_palette(with_demo, qtbot)
    layout = with_demo.current_layout()
    palette.field.setText(wanted.title)
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)  # no thread has answered yet
    qtbot.waitUntil(lambda: not opened(with_demo))
    assert context.selection.rowids().tolist() == list(rowids_of(workspace, [wanted.id]).values())
    assert with_demo.current_layout() == layout


def test_palette_when_return_waits_and_one_types_on_then_nothing_is_done(
    with_demo: MainWindow, qtbot
) -> None:
    context = with_demo._context
    context.selection.clear()
    palette = open_palette(with_demo, qtbot)
    palette.field.setText("forecast")
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    qtbot.keyClicks(palette.field, " z")
    qtbot.waitUntil(lambda: context.tasks.is_idle)
    assert palette.isVisible()
    assert context.selection.is_empty


def test_palette_when_the_window_below_is_gone_back_to_then_it_closes(
    with_demo: MainWindow, qtbot
) -> None:
    palette = open_palette(with_demo, qtbot)
    qtbot.waitUntil(palette.isActiveWindow)
    with_demo.activateWindow()
    qtbot.waitUntil(lambda: not opened(with_demo))


def test_palette_finds_and_does_what_is_typed(with_demo: MainWindow, qtbot) -> None:
    palette = open_palette(with_demo, qtbot)
    qtbot.keyClicks(palette.field, "view debug")
    assert titles(palette)[0] == "View: Debug"
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    assert with_demo.current_layout() == "debug"
    assert not palette.isVisible()


def test_palette_when_down_and_up_are_pressed_in_the_field_then_the_mark_moves(
    with_demo: MainWindow, qtbot
) -> None:
    palette = open_palette(with_demo, qtbot)
    qtbot.keyClicks(palette.field, "view")
    qtbot.waitUntil(lambda: with_demo._context.tasks.is_idle)
    for key, row in ((Qt.Key.Key_Down, 1), (Qt.Key.Key_Down, 2), (Qt.Key.Key_Up, 1)):
        qtbot.keyClick(palette.field, key)
        assert palette.view.currentIndex().row() == row


def test_palette_when_a_command_is_called_by_its_word_then_it_comes_before_names(
    with_demo: MainWindow, qtbot
) -> None:
    context = with_demo._context
    one, other, third = context.catalogue.toolkits[:3]
    for toolkit, name in ((one, "Fundoo flights"), (other, "Undoing emergencies")):
        context.curation.do(Rename(toolkit=toolkit.id, name=name))
    context.curation.do(Rename(toolkit=third.id, name="Coinbase tickers"))
    qtbot.waitUntil(lambda: context.curation.is_idle and context.tasks.is_idle)
    context.selection.clear()

    def first(text: str) -> str:
        palette = open_palette(with_demo, qtbot)
        qtbot.keyClicks(palette.field, text)
        return titles(palette)[0]

    assert first("undo").startswith("Edit: Undo")
    assert first("edit undo").startswith("Edit: Undo")
    assert first("light").endswith("Light")
    assert first("und") == "Undoing emergencies", "what changes something is never a guess"
    merge = open_palette(with_demo, qtbot)
    qtbot.keyClicks(merge.field, "merge")
    assert titles(merge)[0] == "Toolkits: Merge"
    assert merge.model.row(0).cells[1] == "not now"
    assert "Select toolkits first" in merge.note.text()


def test_palette_when_letters_begin_words_then_these_names_come_before_inner_letters(
    with_demo: MainWindow, qtbot
) -> None:
    context = with_demo._context
    one, other = context.catalogue.toolkits[:2]
    context.curation.do(Rename(toolkit=one.id, name="Coinbase tickers"))
    context.curation.do(Rename(toolkit=other.id, name="NBA teams"))
    qtbot.waitUntil(lambda: context.curation.is_idle and context.tasks.is_idle)
    palette = open_palette(with_demo, qtbot)
    qtbot.keyClicks(palette.field, "nba t")
    shown = titles(palette)
    assert shown.index("NBA teams") < shown.index("Coinbase tickers")
    assert shown[0] == "NBA teams"


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


def keys_of(window: MainWindow, action: str) -> list[str]:
    found = window.findChild(QAction, action)
    assert found is not None
    return [keys.toString() for keys in found.shortcuts()]


def test_letters_when_the_map_has_the_keyboard_then_they_are_commands(
    with_demo: MainWindow, qtbot
) -> None:
    qtbot.waitUntil(lambda: with_demo.is_idle)
    assert keys_of(with_demo, "curate.merge") == ["Ctrl+G"]
    with_demo.call_panel(panel_commands.focus_map)
    qtbot.waitUntil(lambda: keys_of(with_demo, "curate.merge") == ["Ctrl+G", "M"])
    with_demo.focus_query()
    qtbot.waitUntil(lambda: keys_of(with_demo, "curate.merge") == ["Ctrl+G"])


def test_letters_when_the_list_has_the_keyboard_then_it_goes_to_a_name(
    with_demo: MainWindow, qtbot
) -> None:
    context = with_demo._context
    panel = with_demo.workspace_view.docks.panel("toolkits")
    panel.regions_button.setChecked(False)
    panel._show_regions()
    tree = panel.tree
    tree.setFocus()
    qtbot.waitUntil(tree.hasFocus)
    wanted = next(t for t in context.catalogue.toolkits if t.name[0].casefold() in "smpvx")
    tree.setCurrentIndex(panel.model.index(0, 0))
    qtbot.keyClick(tree, wanted.name[0].casefold())
    assert tree.currentIndex().data().casefold().startswith(wanted.name[0].casefold())
    assert not context.curation.undo_label
    assert not context.staging.toolkits


def test_f6_when_pressed_in_debug_then_tree_and_inspector_are_two_keys_away(
    with_demo: MainWindow, qtbot
) -> None:
    with_demo.show_layout("debug")
    with_demo.workspace_view.query_bar.query.setText("Convert 26.2 miles to kilometres.")
    with_demo.start_run()
    qtbot.waitUntil(lambda: not with_demo._context.run_view.is_live and with_demo.is_idle)

    def pane() -> str:
        focused = QApplication.focusWidget()
        panels = with_demo.workspace_view.docks.seen()
        found = [type(p).__name__ for p in panels if focused and p.isAncestorOf(focused)]
        return found[0] if found else "query"

    with_demo.focus_query()
    seen = []
    for _ in range(len(with_demo.workspace_view.docks.seen()) + 1):
        with_demo.go_to_pane(1)
        seen.append(pane())
    assert seen[:2] == ["RunTreePanel", "InspectorPanel"]
    assert seen[-1] == "query"
    assert len(set(seen)) == len(seen)
    with_demo.go_to_pane(-1)
    assert pane() == seen[-2]


def test_palette_when_a_name_is_typed_then_return_undoes_nothing(
    with_demo: MainWindow, qtbot
) -> None:
    context = with_demo._context
    toolkit = next(t for t in context.catalogue.toolkits if "Weather" in t.name)
    context.curation.do(PinToolkits(toolkits=(toolkit.id,), is_pinned=True))
    qtbot.waitUntil(lambda: context.curation.is_idle and bool(context.curation.undo_label))
    undo = context.curation.undo_label
    assert "weather" in undo.casefold()
    palette = open_palette(with_demo, qtbot)
    qtbot.keyClicks(palette.field, "weather")
    qtbot.keyClick(palette.field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: not opened(with_demo))
    assert context.selection.toolkit is not None
    assert context.curation.undo_label == undo
    again = open_palette(with_demo, qtbot)
    qtbot.keyClicks(again.field, "undo")
    assert titles(again)[0].startswith("Edit: Undo")


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
    rows = [dialog.model.row(i).cells for i in range(n_all)]
    assert ("Select: Deselect", "Ctrl+D (in Curate and Review)") in rows
    advance = dialog.view.fontMetrics().horizontalAdvance
    for column in (0, 1):
        widest = max(advance(row[column]) for row in rows)
        assert dialog.view.columnWidth(column) >= widest + 2 * GAP, "nothing is cut"
    dialog.field.setText("merge")
    rows = [dialog.model.row(i).cells for i in range(dialog.model.rowCount())]
    assert ("Toolkits: Merge", "Ctrl+G, M (in Map)") in rows
    assert 0 < len(rows) < n_all


def test_palette_when_something_is_typed_then_escape_closes_it(
    with_demo: MainWindow, qtbot
) -> None:
    palette = open_palette(with_demo, qtbot)
    qtbot.keyClicks(palette.field, "theme")
    qtbot.keyClick(palette.field, Qt.Key.Key_Escape)
    assert not palette.isVisible()


def test_palette_when_no_run_is_looked_at_then_the_judge_is_found_with_why_not(
    with_demo: MainWindow, qtbot
) -> None:
    palette = open_palette(with_demo, qtbot)
    palette.field.setText("judge the answer")
    at = next(n for n, title in enumerate(titles(palette)) if "Judge the answer" in title)
    palette.view.setCurrentIndex(palette.model.index(at, 0))
    assert palette.note.text() == "Not now: Choose a run in the list of runs first."
