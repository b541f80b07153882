"""Small widgets above the map: the hint at the top, and the card beside a point.

A line at the top of the map: what the tool in hand does, or what is being drawn. Visible help in
place of hidden gestures.

The card beside the point under the cursor: a few lines of plain text. Painted, not a label:
descriptions from a catalogue must never be read as rich text, and a card that follows the cursor
must not lay itself out.
"""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QLabel, QWidget

from toolplanner_gui.map.map_view import Tool
from toolplanner_gui.theme.tokens import EDGE, GAP, RADIUS, SPACE, Tokens


def paint_card_background(widget: QWidget, tokens: Tokens) -> QPainter:
    """Paint the ground of a widget; the painter, for what stands on it."""
    painter = QPainter(widget)
    painter.fillRect(widget.rect(), QColor(tokens.map))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QColor(tokens.line))
    painter.setBrush(QColor(tokens.raised))
    painter.drawRoundedRect(QRectF(widget.rect()).adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
    return painter


NOTHING_HERE = "No API is here · Ctrl+0 shows the whole map"
KEYS = "Shift adds, Alt removes\nEsc ends; then drag what is selected to a toolkit"
HINTS: dict[Tool, str] = {
    "pan": "",
    "rectangle": f"Drag a rectangle around APIs · {KEYS}",
    "lasso": f"Draw a line around APIs · {KEYS}",
}


class ToolHint(QLabel):
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
        painter = paint_card_background(self, self._tokens)
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


WIDEST = 340
MOST_LINES = 7
FROM_POINT = 14
INSIDE = 9


class HoverCard(QWidget):
    """A raised card; its first line is the title.

    Args:
        parent: the canvas.
        tokens: colours.
    """

    def __init__(self, parent: QWidget, tokens: Tokens) -> None:
        super().__init__(parent)
        self._canvas = parent
        self._tokens = tokens
        self._lines: list[str] = []
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.hide()

    @property
    def lines(self) -> list[str]:
        """The text as it is shown, cut to the width."""
        return list(self._lines)

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours of another theme."""
        self._tokens = tokens
        self.update()

    def show_at(self, place: QPointF, lines: list[str]) -> None:
        """Show lines beside a place of the canvas, on the side where there is room."""
        self._lines = self._cut(lines)
        if not self._lines:
            self.hide()
            return
        size = self._size()
        room = self._canvas.size()
        x = place.x() + FROM_POINT
        if x + size.width() > room.width() - EDGE:
            x = place.x() - FROM_POINT - size.width()
        y = place.y() + FROM_POINT
        if y + size.height() > room.height() - EDGE:
            y = place.y() - FROM_POINT - size.height()
        self.resize(size)
        self.move(max(round(x), 0), max(round(y), 0))
        self.show()
        self.raise_()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the card."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(QColor(self._tokens.field_line), 1))
        painter.setBrush(QColor(self._tokens.raised))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), RADIUS, RADIUS)
        y = float(INSIDE)
        for number, line in enumerate(self._lines):
            font = self._font(number)
            metrics = QFontMetricsF(font)
            painter.setFont(font)
            painter.setPen(QColor(self._tokens.text if number == 0 else self._tokens.dim))
            painter.drawText(QPointF(INSIDE + 1, y + metrics.ascent()), line)
            y += metrics.lineSpacing()
        painter.end()

    def _font(self, number: int) -> QFont:
        font = QFont(self.font())
        if number == 0:
            font.setWeight(QFont.Weight.DemiBold)
        return font

    def _cut(self, lines: list[str]) -> list[str]:
        flat = [" ".join(line.split()) for line in lines[:MOST_LINES]]
        mode = Qt.TextElideMode.ElideRight
        return [
            QFontMetricsF(self._font(number)).elidedText(line, mode, WIDEST - 2 * INSIDE)
            for number, line in enumerate(flat)
        ]

    def _size(self) -> QSize:
        metrics = [QFontMetricsF(self._font(number)) for number in range(len(self._lines))]
        pairs = list(zip(metrics, self._lines, strict=True))
        wide = max(metric.horizontalAdvance(line) for metric, line in pairs)
        tall = sum(metric.lineSpacing() for metric in metrics)
        return QSize(round(wide) + 2 * INSIDE + 3, round(tall) + 2 * INSIDE)
