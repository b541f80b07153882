"""Where the keyboard stands when a dialog opens, and what Return and Escape do there."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QPushButton, QWidget

from tests.gui.windows.test_dialogs import ASKED, IDS, open_ones, shown
from toolplanner_gui import dialog_commands
from toolplanner_gui.dialog_commands import DialogCommand
from toolplanner_gui.widgets.tab_order import first_field
from toolplanner_gui.windows.main_window import MainWindow
from toolplanner_gui.windows.rule_dialogs import FaultDialog

__all__ = ["shown"]
ENDS = ("Cancel", "Close", "Show details", "Dismiss")


@pytest.mark.parametrize("dialog", IDS)
def test_dialog_when_opened_then_the_keyboard_is_in_its_first_field_and_no_return_drops_it(
    shown: MainWindow, dialog: str, qtbot
) -> None:
    shown.open(DialogCommand(dialog), **ASKED.get(dialog, {}))
    (made,) = open_ones(shown)
    qtbot.waitUntil(lambda: made.focusWidget() is not None)  # some read first what they ask about
    focus, first = made.focusWidget(), first_field(made)
    assert isinstance(focus, QWidget)
    assert getattr(focus, "text", str)() != "Cancel"
    if first is not None:
        assert not isinstance(focus, QAbstractButton), focus.text()
    defaults = [b.text() for b in made.findChildren(QPushButton) if b.isDefault()]
    assert not set(defaults).intersection(ENDS)
    # Tab comes to the buttons after all else: round the corner stands the first field.
    chain = [made, *_chain(made)]
    named = [b for b in chain if isinstance(b, QPushButton) and b.text() == "Cancel"]
    fields = [place for place, widget in enumerate(chain) if widget is first]
    if named and fields:
        assert chain.index(named[0]) > fields[0]
    qtbot.keyClick(made, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not open_ones(shown))


def _chain(form: QWidget) -> list[QWidget]:
    found: list[QWidget] = []
    at = form.nextInFocusChain()
    while at is not None and at is not form:
        found.append(at)
        at = at.nextInFocusChain()
    return found


@pytest.mark.parametrize(("key", "faults"), [(Qt.Key.Key_Return, 1), (Qt.Key.Key_Escape, 0)])
def test_new_fault_when_return_or_escape_is_pressed_then_added_or_dropped(
    shown: MainWindow, key: Qt.Key, faults: int, qtbot
) -> None:
    shown.open(dialog_commands.edit_fault)
    (made,) = open_ones(shown)
    assert isinstance(made, FaultDialog)
    assert made.focusWidget() is made.kind
    qtbot.keyClick(made.focusWidget(), key)
    qtbot.waitUntil(lambda: not open_ones(shown))
    assert len(shown._context.debug.faults.items) == faults
