"""A message that grows while a model speaks: what it thinks, says and wants to call."""

import re
from typing import NamedTuple

from PySide6.QtWidgets import QFrame, QWidget

from toolplanner_gui.theme.tokens import GAP, SPACE
from toolplanner_gui.widgets.boxes import column_of
from toolplanner_gui.widgets.labels import text_label


class Growing(NamedTuple):
    """What stands in it; `note`: how much has come."""

    who: str
    note: str
    thought: str
    text: str
    calls: str


_LONG_WORD = re.compile(r"(\S{40})(?=\S)")


class LiveBubble(QFrame):
    """Its labels change in place, ten times a second: nothing is made anew."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "message")
        self.setProperty("speaker", "assistant")
        self._who = text_label(role="section")
        self._note = text_label(role="dim")
        self._thought = text_label(role="dim", is_wrapped=True, name="What it thinks")
        self._text = text_label(is_wrapped=True, name="What it says")
        self._calls = text_label(role="strong", is_wrapped=True, name="What it calls")
        parts = (self._who, self._note, self._thought, self._text, self._calls)
        column_of(*parts, of=self, margins=(GAP, 0, 0, 0), gap=SPACE)

    @property
    def text(self) -> str:
        """All that is shown, as plain text."""
        labels = (self._who, self._note, self._thought, self._text, self._calls)
        return "\n".join(label.text() for label in labels if label.text())

    def show_growing(self, growing: Growing) -> None:
        """Show it as it is now."""
        labels = (self._who, self._note, self._thought, self._text, self._calls)
        for label, whole in zip(labels, growing, strict=True):
            # A label breaks no words, and JSON may be one: it would push the panel wide.
            words = _LONG_WORD.sub("\\1\u200b", whole)
            if label.text() != words:
                label.setText(words)
            label.setVisible(bool(words))
