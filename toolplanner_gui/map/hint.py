"""A line at the top of the map: what the tool in hand does, or what is being drawn.

Visible help in place of hidden gestures. Called by the canvas.
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPaintEvent
from PySide6.QtWidgets import QLabel, QWidget

from toolplanner_gui.map.map_view import Tool
from toolplanner_gui.map.raised import paint_raised
from toolplanner_gui.theme.tokens import EDGE, GAP, SPACE, Tokens

NOTHING_HERE = "No API is here · Ctrl+0 shows the whole map"
KEYS = "Shift adds, Alt removes\nEsc ends; then drag what is selected to a toolkit"
HINTS: dict[Tool, str] = {
    "pan": "",
    "rectangle": f"Drag a rectangle around APIs · {KEYS}",
    "lasso": f"Draw a line around APIs · {KEYS}",
}


class Hint(QLabel):
    """Plain text on a raised ground, at the top in the middle; hidden when there is none."""

    def __init__(self, parent: QWidget, tokens: Tokens) -> None:
        super().__init__(parent)
        self._around = parent
        self._tokens = tokens
        self._resting = ""
        self._passing = ""
        self._is_lost = False
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setContentsMargins(GAP, SPACE, GAP, SPACE)
        self.hide()

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours of another theme."""
        self._tokens = tokens
        self.update()

    def set_tool(self, tool: Tool) -> None:
        """Explain a tool as long as it is in hand."""
        self._resting = HINTS[tool]
        self._show()

    def say(self, text: str) -> None:
        """Say something that passes; "" goes back to the tool."""
        self._passing = text
        self._show()

    def tell_lost(self, is_lost: bool) -> None:
        """Say whether nothing of the map is in view."""
        if is_lost != self._is_lost:
            self._is_lost = is_lost
            self._show()

    def place(self) -> None:
        """Go to the top in the middle of the canvas."""
        self.adjustSize()
        self.move(max((self._around.width() - self.width()) // 2, EDGE), EDGE)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the ground and the line."""
        painter = paint_raised(self, self._tokens)
        painter.setPen(QColor(self._tokens.text))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.text())
        painter.end()

    def _show(self) -> None:
        text = self._passing or (NOTHING_HERE if self._is_lost else self._resting)
        if text != self.text():
            self.setText(text)
        self.setVisible(bool(text))
        if text:
            self.place()
            self.raise_()
