"""Buttons outside of dialogs are pressed by the keys that people press."""

import pytest
from PySide6.QtCore import Qt

from toolplanner_gui.widgets.buttons import push_button


@pytest.mark.parametrize("key", [Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space])
def test_button_when_return_or_space_is_pressed_then_done_once(qtbot, key: Qt.Key) -> None:
    done: list[str] = []
    button = push_button("Break", lambda: done.append("break"))
    qtbot.addWidget(button)
    qtbot.keyClick(button, key)
    assert done == ["break"]
    qtbot.keyClick(button, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert done == ["break"], "Ctrl+Return belongs to the window"
