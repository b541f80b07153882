"""The line at the bottom left of the map: how much is shown, and what the colours mean.

Called by the canvas.
"""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QLabel, QWidget

from toolplanner_gui.map.points import MapPoints
from toolplanner_gui.theme.tokens import EDGE, SPACE, Tokens


class Legend(QLabel):
    """A line of plain text on the colour of the map.

    It is opaque: Qt then leaves it out of the map's frames.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAutoFillBackground(True)
        self.setMargin(SPACE // 2)
        self._whole = ""

    @property
    def whole(self) -> str:
        """The line without regard to room."""
        return self._whole

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours of a theme."""
        palette = self.palette()
        palette.setColor(QPalette.ColorRole.Window, QColor(tokens.map))
        palette.setColor(QPalette.ColorRole.WindowText, QColor(tokens.dim))
        self.setPalette(palette)

    def tell(self, points: MapPoints, meaning: str, held: str = "") -> None:
        """Say how many points are shown.

        Args:
            points: the points.
            meaning: of the colours; may be empty.
            held: how well the selection holds together; may be empty.
        """
        shown = " shown" if points.is_filtered else ""
        parts = [f"{points.shown_count:,} of {len(points):,} APIs{shown}"]
        parts.append(f"{points.toolkit_count:,} toolkits")
        if meaning:
            parts.append(meaning)
        if points.selection.count:
            parts.append(f"{points.selection.count:,} selected{f', {held}' if held else ''}")
        self._whole = " · ".join(parts)
        self.setText(self._whole)

    def place(self, width: int, height: int) -> None:
        """Go to the bottom left of a window of this size."""
        room = max(width - 2 * EDGE, 1)
        elided = self.fontMetrics().elidedText(self._whole, Qt.TextElideMode.ElideRight, room)
        self.setText(elided)
        self.adjustSize()
        self.move(EDGE - SPACE, height - self.height() - SPACE)
