"""An editor for a JSON value that says in place where it is not JSON; used by forms and dialogs."""

import json
from typing import Any

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QSizePolicy, QWidget

from toolplanner_gui.theme.tokens import SPACE
from toolplanner_gui.widgets.box_layouts import column_of
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.widgets.views import code_view

_FEWEST_LINES = 5
_MOST_LINES = 14
_FRAME = 18


class JsonEditor(QWidget):
    """Text and, below it, what is wrong with it.

    Args:
        name: for screen readers.
        takes_text: whether what is not JSON counts as a plain text, unless it begins like an
            object or a list.
    """

    edited = Signal()
    """The person changed the text."""

    def __init__(
        self, name: str, *, takes_text: bool = False, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._takes_text = takes_text
        self._is_filling = False
        self.field = code_view(name)
        self.field.setReadOnly(False)
        self.field.setProperty("role", "field")  # grey without a frame is what nobody can write in
        self.field.setTabChangesFocus(True)
        self.field.setTextInteractionFlags(Qt.TextInteractionFlag.TextEditorInteraction)
        self.field.textChanged.connect(self._on_changed)
        # Two: a label that gets another role later keeps the margins of its first one.
        self._note = text_label(role="dim", is_wrapped=True)
        self._problem = text_label(role="problem", is_wrapped=True)
        column_of(self.field, self._note, self._problem, of=self, gap=SPACE)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self._fit()
        self._say()

    def set_value(self, value: Any) -> None:
        """Show a value; a text is shown in quotes, as JSON has it."""
        self.set_text(json.dumps(value, ensure_ascii=False, indent=2))

    def set_text(self, text: str) -> None:
        """Show a text as it is."""
        if text != self.field.toPlainText():
            self._is_filling = True
            self.field.setPlainText(text)
            self._is_filling = False
        self._fit()
        self._say()

    @property
    def text(self) -> str:
        """What stands there."""
        return self.field.toPlainText()

    @property
    def problem(self) -> str:
        """Why it has no value, "" if it has one."""
        return self._read()[1]

    @property
    def value(self) -> Any:
        """The value; None also where there is a problem."""
        return self._read()[0]

    @property
    def note(self) -> str:
        """What is said below the text."""
        return self._note.text() or self._problem.text()

    def _read(self) -> tuple[Any, str]:
        text = self.text.strip()
        if not text:
            return None, "Nothing is written here yet"
        try:
            return json.loads(text), ""
        except ValueError as error:
            if self._takes_text and text[0] not in '{["':
                return text, ""
            line = getattr(error, "lineno", 1)
            return None, f"This is not JSON: {_words(error)}, line {line}"
        except RecursionError:
            return None, "This is not JSON: it is nested too deeply"

    def _on_changed(self) -> None:
        self._fit()
        self._say()
        if not self._is_filling:
            self.edited.emit()

    def _say(self) -> None:
        value, problem = self._read()
        is_text = self._takes_text and isinstance(value, str) and not self.text.startswith('"')
        note = "Taken as text, since it is not JSON" if is_text else ""
        for label, said in (
            (self._note, note),
            (self._problem, problem if self.text.strip() else ""),
        ):
            label.setText(said)
            label.setVisible(bool(said))

    def _fit(self) -> None:
        lines = self.text.count("\n") + 1
        shown = max(_FEWEST_LINES, min(lines, _MOST_LINES))
        self.field.setFixedHeight(self.field.fontMetrics().lineSpacing() * shown + _FRAME)


def _words(error: ValueError) -> str:
    message = str(getattr(error, "msg", error))
    return message[:1].lower() + message[1:]
