"""Points with intervals, alone or joined to curves with bands; points are walked by keys.

Used by the pages of the Lab for costs and resilience.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from toolplanner_gui.widgets.plots import (
    Legend,
    series_colour,
    series_line,
    series_sign,
    series_symbol,
)
from toolplanner_gui.widgets.walked_chart import WalkedChart

_NEAR_PX = 14
_ROOM = 0.08
_BAND_ALPHA = 46
_SIZE = 11
_LONGEST_NAME = 40
_UNSEEN = QColor(0, 0, 0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A point with its intervals; without one on an axis both ends are the value.

    Attributes:
        is_marked: drawn with a ring.
    """

    x: float
    y: float
    x_ends: tuple[float, float]
    y_ends: tuple[float, float]
    tooltip: str
    is_marked: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """Points of one name; joined, they are a curve with a band; dashed, a bound without one."""

    name: str
    marks: Sequence[Mark]
    is_joined: bool = False
    is_dashed: bool = False


class IntervalChart(WalkedChart):
    """Emits `chosen` with the places of a series and a mark; arrows walk, Return chooses."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        self._series: Sequence[Series] = ()
        self._names: Sequence[str] = ()
        super().__init__(name, parent)

    def show_series(
        self, series: Sequence[Series], *, x: str, y: str, names: Sequence[str] = ()
    ) -> None:
        """Draw other points.

        Args:
            x, y: titles of the axes. Shares go from 0 to 1 on y.
            names: what stands at 0, 1, 2 ... on y instead; then a line marks 0 on x.
        """
        self._series, self._names, self.current = series, names, -1
        self._plot.setLabel("bottom", x)
        self._plot.setLabel("left", y)
        self._draw()

    @property
    def legend(self) -> Legend:
        """The series with their symbols and colours."""
        return [
            (series_sign(at), series_colour(self._tokens, at), each.name)
            for at, each in enumerate(self._series)
        ]

    def places(self) -> list[tuple[int, int]]:
        """The marks, by series and mark, in the order in which keys walk them."""
        return [(at, n) for at, each in enumerate(self._series) for n in range(len(each.marks))]

    def _tooltip(self, current: int) -> str:
        return self._mark(current).tooltip

    def _mark(self, current: int) -> Mark:
        at, number = self.places()[current]
        return self._series[at].marks[number]

    def _at(self, point: QPoint) -> int:
        best, nearest = -1, float(_NEAR_PX)
        for current in range(len(self.places())):
            mark = self._mark(current)
            there = self._plot.mapFromScene(self._view.mapViewToScene(QPointF(mark.x, mark.y)))
            distance = (QPointF(point) - QPointF(there)).manhattanLength()
            if distance < nearest:
                best, nearest = current, distance
        return best

    def _draw(self) -> None:
        self._plot.clear()
        marks = [mark for each in self._series for mark in each.marks]
        for side in ("left", "bottom"):
            self._plot.showAxis(side, bool(marks))
        if not marks:
            return
        low, high = min(m.x_ends[0] for m in marks), max(m.x_ends[1] for m in marks)
        room = (high - low) * _ROOM or abs(high) * _ROOM or 0.5
        if self._names:
            low, high = min(low, 0.0), max(high, 0.0)
        top = (-0.6, len(self._names) - 0.4) if self._names else (0, 1)
        self._view.setRange(xRange=(low - room, high + room), yRange=top, padding=0.02)
        self._draw_names()
        for at, each in enumerate(self._series):
            self._draw_series(at, each)

    def _draw_names(self) -> None:
        """Names beside the rows, shortened in their middle; none where y is a figure."""
        import pyqtgraph as pg

        axis = self._plot.getAxis("left")
        short = [(at, _shortened(name)) for at, name in enumerate(self._names)]
        axis.setTicks([short] if short else None)
        if short:
            line = pg.mkPen(QColor(self._tokens.dim), width=1)
            self._plot.addItem(pg.InfiniteLine(pos=0, angle=90, pen=line))

    def _draw_series(self, at: int, each: Series) -> None:
        import pyqtgraph as pg

        colour = series_colour(self._tokens, at)
        x = np.array([m.x for m in each.marks])
        y = np.array([m.y for m in each.marks])
        style = Qt.PenStyle.DashLine if each.is_dashed else series_line(at)
        if each.is_joined and not each.is_dashed:
            band = QColor(colour)
            band.setAlpha(_BAND_ALPHA)
            edges = [
                pg.PlotCurveItem(x, np.array([m.y_ends[side] for m in each.marks]), pen=_UNSEEN)
                for side in (0, 1)
            ]
            for edge in edges:
                self._plot.addItem(edge)
            self._plot.addItem(pg.FillBetweenItem(*edges, brush=band))
        if each.is_joined:
            self._plot.addItem(pg.PlotDataItem(x, y, pen=pg.mkPen(colour, width=2, style=style)))
        self._plot.addItem(
            pg.ErrorBarItem(
                x=x,
                y=y,
                left=x - np.array([m.x_ends[0] for m in each.marks]),
                right=np.array([m.x_ends[1] for m in each.marks]) - x,
                bottom=y - np.array([m.y_ends[0] for m in each.marks]),
                top=np.array([m.y_ends[1] for m in each.marks]) - y,
                pen=pg.mkPen(colour, width=1.5),
            )
        )
        first = sum(len(before.marks) for before in self._series[:at])
        text, line = QColor(self._tokens.text), QColor(self._tokens.panel)
        self._plot.addItem(
            pg.ScatterPlotItem(
                x=x,
                y=y,
                symbol=series_symbol(at),
                size=[_SIZE + 4 * m.is_marked for m in each.marks],
                brush=colour,
                pen=[
                    pg.mkPen(text if first + n == self.current or m.is_marked else line, width=2)
                    for n, m in enumerate(each.marks)
                ],
            )
        )


def _shortened(name: str) -> str:
    half = _LONGEST_NAME // 2
    return name if len(name) <= _LONGEST_NAME else f"{name[:half]}…{name[-half:]}"
