"""The line at the bottom left of the map: how much is shown, and what the colours mean.

Called by the canvas.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QWidget

from toolplanner_core.words.concepts import explained
from toolplanner_core.words.terms import meaning_of
from toolplanner_core.words.wording import counted
from toolplanner_gui.map.points import MapPoints
from toolplanner_gui.theme.tokens import EDGE, SPACE


class MapLine(QLabel):
    """A line of plain text on the colour of the map.

    It is opaque: Qt then leaves it out of the map's frames.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setMargin(SPACE // 2)
        self._ground = self._pen = QColor()

    def set_colours(self, ground: str, text: str) -> None:
        """Take other colours, "#rrggbb"."""
        self._ground, self._pen = QColor(ground), QColor(text)
        self.update()

    def paintEvent(self, _event: QPaintEvent) -> None:
        """Not by its palette: with a style sheet Qt puts an old one back in another dock."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._ground)
        painter.setPen(self._pen)
        place = self.rect().adjusted(self.margin(), 0, -self.margin(), 0)
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, self.text())

    def fit(self, text: str, room: int) -> None:
        """Show as much of a text as there is room for, pixels."""
        mode = Qt.TextElideMode.ElideRight
        self.setText(self.fontMetrics().elidedText(text, mode, max(room, 1)))
        # Of a fixed size: a text that has the room of the one before lays nothing out anew.
        self.setFixedSize(self.sizeHint())


class Legend(MapLine):
    """How much is shown, and what the colours mean."""

    whole = ""
    """The line without regard to room."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents, on=False)

    def tell(self, points: MapPoints, meaning: str, held: str = "", found_by: str = "") -> None:
        """Say how many points are shown.

        Args:
            points: the points.
            meaning: of the colours; may be empty.
            held: how well the selection holds together; may be empty.
            found_by: whose hits are ringed; may be empty.
        """
        shown = " shown" if points.is_filtered else ""
        # What changes first: where room is short, what is always so is cut.
        parts: list[str] = []
        if points.selection.count:
            parts.append(f"{points.selection.count:,} selected{f', {held}' if held else ''}")
        if points.found_count:
            parts.append(
                f"{points.found_count:,} found{f' {found_by}' if found_by else ''}, ringed"
            )
        parts.append(f"{points.shown_count:,} of {counted(points.total, 'API')}{shown}")
        parts.append(counted(points.shown_toolkit_count, "toolkit"))
        if meaning:
            parts.append(meaning)
        self.whole = " · ".join(parts)
        self.setText(self.whole)
        said = escape("\n".join([self.whole, *_placeless(points), *_explained(meaning, held)]))
        self.setToolTip(f'<p style="white-space:pre-wrap">{said}</p>')

    def place(self, width: int, height: int) -> None:
        """Go to the bottom left of a window of this size."""
        self.fit(self.whole, width - 2 * EDGE)
        self.move(EDGE - SPACE, height - self.height() - SPACE)


def _placeless(points: MapPoints) -> Iterator[str]:
    """A sentence about the APIs that are not on the map."""
    if n := points.total - len(points):
        yield f"{counted(n, 'API')} of the catalogue {'has' if n == 1 else 'have'} no place yet."


def _explained(meaning: str, held: str) -> Iterator[str]:
    """A sentence for each word of the line that has a meaning of its own."""
    for part in meaning.split(" · "):
        said = meaning_of(part.removeprefix("coloured by "))
        if said:
            yield f"{part[:1].upper()}{part[1:]}: {said}"
    if held:
        yield f"{held[:1].upper()}{held[1:]}: {explained('togetherness')}"
