"""Lying bars of several parts, one bar for each name; parts are walked by keys and chosen.

Used by the page of failures of the Lab.
"""

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QPoint
from PySide6.QtGui import QColor, QResizeEvent
from PySide6.QtWidgets import QWidget

from toolplanner_gui.theme.tokens import GAP
from toolplanner_gui.widgets.plots import Legend, series_colour
from toolplanner_gui.widgets.walked_chart import WalkedChart

_THICK = 0.62
_LONGEST_NAME = 26
_ROOM = 1.04


class BarPart(NamedTuple):
    """A part of a bar: what it is, how long, and its tooltip."""

    name: str
    length: float
    tooltip: str


class StackedBar(NamedTuple):
    """A bar with its name at the left."""

    name: str
    parts: Sequence[BarPart]


class StackedBars(WalkedChart):
    """Emits `chosen` with the places of a bar and a part; arrows walk, Return chooses."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        self._bars: Sequence[StackedBar] = ()
        self._names: Sequence[str] = ()
        super().__init__(name, parent)
        self._view.invertY(True)
        self._plot.getAxis("left").setStyle(tickLength=0)

    def show_bars(self, bars: Sequence[StackedBar], *, x: str) -> None:
        """Draw other bars; `x` is the title of the axis. Parts of one name have one colour."""
        self._bars, self.current = bars, -1
        self._names = list(dict.fromkeys(part.name for bar in bars for part in bar.parts))
        self._plot.setLabel("bottom", x)
        self._draw()

    def places(self) -> list[tuple[int, int]]:
        """The parts, by bar and part, in the order in which keys walk them."""
        return [(at, n) for at, bar in enumerate(self._bars) for n in range(len(bar.parts))]

    @property
    def legend(self) -> Legend:
        """The names of parts with their colours."""
        return [("■", series_colour(self._tokens, at), n) for at, n in enumerate(self._names)]

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._draw()  # other words have room

    def _tooltip(self, current: int) -> str:
        return self._part(current).tooltip

    def _part(self, current: int) -> BarPart:
        at, number = self.places()[current]
        return self._bars[at].parts[number]

    def _at(self, point: QPoint) -> int:
        place = self._view.mapSceneToView(self._plot.mapToScene(point))
        row = round(place.y())
        if not 0 <= row < len(self._bars) or abs(place.y() - row) > _THICK / 2:
            return -1
        end = 0.0
        for number, part in enumerate(self._bars[row].parts):
            begin, end = end, end + part.length
            if begin <= place.x() < end:
                return self.places().index((row, number))
        return -1

    def _draw(self) -> None:
        import pyqtgraph as pg

        self._plot.clear()
        for side in ("left", "bottom"):
            self._plot.showAxis(side, bool(self._bars))
        if not self._bars:
            return
        ticks = [(at, _short(bar.name)) for at, bar in enumerate(self._bars)]
        self._plot.getAxis("left").setTicks([ticks])
        most = max(sum(part.length for part in bar.parts) for bar in self._bars) or 1
        self._view.setRange(
            xRange=(0, most * _ROOM), yRange=(-0.6, max(len(self._bars), 4) - 0.4), padding=0
        )
        text = QColor(self._tokens.text)
        for current, (row, number) in enumerate(self.places()):
            bar = self._bars[row]
            begin = sum(part.length for part in bar.parts[:number])
            part = bar.parts[number]
            colour = series_colour(self._tokens, self._names.index(part.name))
            edge = text if current == self.current else QColor(self._tokens.panel)
            box = pg.BarGraphItem(
                x0=[begin], x1=[begin + part.length], y=[row], height=_THICK, brush=colour,
                pen=pg.mkPen(edge, width=2),
            )  # fmt: skip
            self._plot.addItem(box)
            wide = part.length / (most * _ROOM) * self._view.width()
            if wide > self.fontMetrics().horizontalAdvance(part.name) + GAP:
                label = pg.TextItem(part.name, color=self._tokens.on_accent)
                label.setAnchor(pg.Point(0.5, 0.5))
                label.setPos(begin + part.length / 2, row)
                self._plot.addItem(label)


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_NAME else f"{text[: _LONGEST_NAME - 1]}…"
