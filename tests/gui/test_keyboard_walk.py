"""The keyboard reaches everything and is caught nowhere: Tab walks through panels and dialogs, and
a letter in a list goes to the row that begins with it."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractItemView, QApplication, QDialog, QWidget

from tests.gui.conftest import PATIENCE_MS
from tests.gui.windows.test_dialogs import ASKED
from toolplanner_core.domain.ids import NodePath
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_gui.actions.workspace_files import open_later
from toolplanner_gui.dialog_commands import DialogCommand
from toolplanner_gui.layouts import BY_ID
from toolplanner_gui.panels.panel import Panel, places_in
from toolplanner_gui.widgets.tab_order import is_in_sight
from toolplanner_gui.windows.dialog import dialogs
from toolplanner_gui.windows.main_window import MainWindow

MOST = 300
"""Presses of Tab after which it has gone round, in any layout."""
LINKS = 20
"""Links that a page of text may have."""
NOT_OPENED = {"crash", "replay", "import_report", "what_is_new", "case", "console", "decisions"}
"""They need something to be about, and are made of the same parts."""


@pytest.fixture
def shown(window: MainWindow, demo: Path, qtbot) -> MainWindow:
    """The demo with a run of which a step is selected, in front."""
    context = window._context
    open_later(context, demo)
    qtbot.waitUntil(lambda: context.catalogue.n_apis > 0 and window.is_idle)
    context.selection.select_toolkit(context.catalogue.toolkits[0].id)
    context.run_view.start(RunSpec(query="Convert 26.2 miles to kilometres.", provider="demo"))
    qtbot.waitUntil(lambda: not context.run_view.is_live and bool(context.run_view.summaries))
    context.run_view.select_node(NodePath("plan.1"))
    window.activateWindow()
    qtbot.waitUntil(window.isActiveWindow)
    return window


def walk(start: QWidget, key: Qt.Key) -> list[QWidget]:
    """Where the key leads until it comes back to where it began, or is caught.

    A page with links takes the key once for each of them.
    """
    start.setFocus(Qt.FocusReason.TabFocusReason)
    seen: list[QWidget] = []
    stood = 0
    for _ in range(MOST):
        at = QApplication.focusWidget()
        stood = stood + 1 if seen and at is seen[-1] else 0
        if at is None or at in seen[:-1] or stood > LINKS:
            break
        if not stood:
            seen.append(at)
        QTest.keyClick(at, key)
    return seen


@pytest.mark.parametrize("layout", BY_ID)
def test_tab_when_pressed_again_and_again_then_it_comes_to_every_panel_and_back(
    shown: MainWindow, layout: str, qtbot
) -> None:
    shown.show_layout(layout)
    qtbot.waitUntil(lambda: shown.is_idle)
    query = shown.workspace_view.query_bar.query
    for key in (Qt.Key.Key_Tab, Qt.Key.Key_Backtab):
        seen = walk(query, key)
        assert QApplication.focusWidget() is query, f"caught at {seen[-1]}"
        panels = [shown.workspace_view.docks.panel(panel) for panel in places_in(layout)]
        in_sight = [p for p in panels if isinstance(p, Panel) and p.is_seen]
        assert in_sight
        missed = [p for p in in_sight if not any(p is w or p.isAncestorOf(w) for w in seen)]
        assert missed == []


def test_tab_when_pressed_in_a_dialog_then_it_goes_round(shown: MainWindow, qtbot) -> None:
    caught: dict[str, str] = {}
    for plugin in dialogs:
        if plugin.id in NOT_OPENED:
            continue
        asked = ASKED[plugin.id] if plugin.id in ("edit_effects", "fork", "run_mark") else {}
        shown.open(DialogCommand(plugin.id), **asked)
        for dialog in [d for d in shown.findChildren(QDialog) if d.isVisible()]:
            dialog.activateWindow()
            qtbot.waitUntil(dialog.isActiveWindow)
            start = dialog.focusWidget() or dialog.nextInFocusChain()
            if start is not None:
                seen = walk(start, Qt.Key.Key_Tab)
                end = QApplication.focusWidget()
                if seen and end is not seen[0]:
                    caught[plugin.id] = f"{end} {end.accessibleName() if end else ''}"
            dialog.close()
        shown.activateWindow()
        qtbot.waitUntil(shown.isActiveWindow)
    assert caught == {}


@pytest.fixture
def timeless_letters(qapp: QApplication) -> Iterator[None]:
    """As if no time passed between two letters: on any machine they are one word until it ends."""
    usual = qapp.keyboardInputInterval()
    qapp.setKeyboardInputInterval(PATIENCE_MS)
    yield
    qapp.setKeyboardInputInterval(usual)


def other_letter(view: QAbstractItemView) -> tuple[str, int] | None:
    """A letter that no row before some row begins with, and the first such row; None = no such."""
    model = view.model()
    texts = [str(model.index(row, 0).data() or "") for row in range(model.rowCount())]
    if len(texts) < 2:
        return None
    first = texts[0][:1].casefold()
    for row, text in enumerate(texts):
        letter = text[:1].casefold()
        if letter.isascii() and letter.isalpha() and letter != first:
            return letter, row
    return None


def test_letter_when_typed_in_a_list_then_it_goes_to_the_row_that_begins_with_it(
    shown: MainWindow, timeless_letters: None, qtbot
) -> None:
    tried, deaf = set[str](), set[str]()
    for layout in ("curate", "debug"):  # the queue of the review keeps its single keys
        shown.show_layout(layout)
        for panel in places_in(layout):
            made = shown.workspace_view.docks.reveal(panel)
            qtbot.waitUntil(lambda: shown.is_idle)
            for view in made.findChildren(QAbstractItemView):
                found = other_letter(view) if is_in_sight(view) else None
                if found is None:
                    continue
                letter, row = found
                name = f"{panel}: {view.accessibleName()}"
                view.keyboardSearch("")  # ends the word begun in the layout before, not long ago
                view.setCurrentIndex(view.model().index(0, 0))
                view.setFocus()
                qtbot.waitUntil(view.hasFocus)
                QTest.keyClicks(view, letter)
                tried.add(name)
                if view.currentIndex().row() != row:
                    deaf.add(name)
    assert len(tried) >= 6, tried
    assert deaf == set()
