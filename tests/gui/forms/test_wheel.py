"""The wheel scrolls a form; it never changes what an option holds."""

from dataclasses import dataclass
from typing import Literal

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication, QComboBox

from toolplanner_core.options.option import describe_options, option
from toolplanner_gui.forms.option_editor import OptionEditor


@dataclass(frozen=True, slots=True, kw_only=True)
class Wheeled:
    """Options with a choice and a number."""

    way: Literal["near", "far"] = option("near", "Where to.")
    tries: int = option(3, "How often.", minimum=1, maximum=9)


@pytest.mark.parametrize("name", ["way", "tries"])
def test_wheel_when_turned_over_an_option_then_its_value_stays(name: str, qtbot) -> None:
    [declared] = [each for each in describe_options(Wheeled) if each.name == name]
    editor = OptionEditor(declared, of="wheeled")
    qtbot.addWidget(editor)
    editor.show()
    before, middle = editor.given, QPointF(editor.field.rect().center())
    down = QWheelEvent(
        middle, editor.field.mapToGlobal(middle), QPoint(), QPoint(0, -120),
        Qt.MouseButton.NoButton, Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(editor.field, down)
    assert editor.given == before
    assert not down.isAccepted()
    assert isinstance(editor.field, QComboBox) == (name == "way")
