"""The scale in the legend of the map: its colours, a text at each end. Called by its card."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QLinearGradient, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from toolplanner_gui.map.colouring import Colouring
from toolplanner_gui.theme.tokens import GAP, SPACE, Tokens

WIDEST = 220
BAR_HEIGHT = 10


class LegendScale(QWidget):
    """A scale from the low to the high end with a text at each."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._texts = ("", "")
        self._colours: tuple[QColor, ...] = ()
        self._pen = QColor()

    def show_scale(self, colouring: Colouring, colours: tuple[QColor, ...], tokens: Tokens) -> None:
        """Show the ends of a colouring in the colours of a theme."""
        self._texts = (colouring.low, colouring.high)
        self._colours, self._pen = colours[:-1], QColor(tokens.text)
        wide = sum(self.fontMetrics().horizontalAdvance(text) for text in self._texts)
        self.setFixedSize(
            max(wide + 3 * GAP, 150),
            BAR_HEIGHT + self.fontMetrics().height() + 2 * SPACE,
        )
        self.setAccessibleName(f"Scale from {colouring.low} to {colouring.high}")
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the colours and the texts below."""
        if not self._colours:
            return
        painter = QPainter(self)
        gradient = QLinearGradient(0, 0, self.width(), 0)
        for number, colour in enumerate(self._colours):
            gradient.setColorAt(number / (len(self._colours) - 1), colour)
        painter.fillRect(QRectF(0, SPACE, self.width(), BAR_HEIGHT), gradient)
        painter.setPen(self._pen)
        below = QRectF(0, SPACE + BAR_HEIGHT, self.width(), self.height() - SPACE - BAR_HEIGHT)
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(below, middle | Qt.AlignmentFlag.AlignLeft, self._texts[0])
        painter.drawText(below, middle | Qt.AlignmentFlag.AlignRight, self._texts[1])
        painter.end()
