"""A bar chart, and a curve with two axes, in the colours of the theme; bars can be chosen by click
or keys.

Built on pyqtgraph, whose mouse handling is switched off: nothing here is worth zooming. Used by the
charts panel.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QColor, QHelpEvent, QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QToolTip, QWidget

from toolplanner_gui.theme.tokens import GAP, LIGHT, Tokens
from toolplanner_gui.widgets.box_layouts import column_of
from toolplanner_gui.widgets.plots import dress_plot, quiet_plot

_BAR_WIDTH = 0.8
_ROOM = 1.08
_LEAST_BAR = 2
"""Pixels of a bar that stands for anything: it can be seen and clicked."""
_LABEL_WIDTH = 28
"""Pixels that a bar's label takes."""
_KEYS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartBar:
    """A bar as it is drawn.

    Attributes:
        end: text at its right edge; `label` stands at its left one then, else below its middle.
    """

    label: str
    height: float
    is_marked: bool
    tooltip: str
    end: str = ""


class BarChart(QWidget):
    """Emits `chosen` with the position of a bar; Left and Right walk, Return chooses."""

    chosen = Signal(int)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._name = name
        self._tokens = LIGHT
        self._bars: Sequence[ChartBar] = ()
        self.current = -1
        """The bar that the keyboard is at; -1 for none."""
        self._plot, self._view = quiet_plot()
        self._plot.viewport().installEventFilter(self)
        self._plot.viewport().setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(name)
        column_of(self._plot, of=self)
        self.set_tokens(LIGHT)

    def set_tokens(self, tokens: Tokens) -> None:
        """Colours of the theme in force."""
        self._tokens = tokens
        dress_plot(self._plot, tokens)
        self._draw()

    def show_bars(self, bars: Sequence[ChartBar], *, x: str, y: str) -> None:
        """Draw other bars; `x` and `y` are the titles of the axes."""
        self._bars = bars
        self.current = -1
        self._plot.setLabel("bottom", x)
        self._plot.setLabel("left", y)
        self._draw()

    def choose(self, position: int) -> None:
        """Mark a bar and tell of it."""
        if 0 <= position < len(self._bars):
            self._go(position)
            self.chosen.emit(position)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._draw()  # other labels have room

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = _KEYS.get(Qt.Key(event.key()))
        if step is not None and self._bars:
            self._go(min(max(self.current + step, 0), len(self._bars) - 1))
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self.choose(self.current)
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            # The scene below would take the text away again.
            self._explain(self._at(event.pos()), event.globalPos())
            return True
        if isinstance(event, QMouseEvent):
            position = self._at(event.position().toPoint())
            if event.type() == QEvent.Type.MouseMove:
                self._explain(position, event.globalPosition().toPoint())
            elif event.type() == QEvent.Type.MouseButtonRelease and position >= 0:
                self.setFocus(Qt.FocusReason.MouseFocusReason)
                self.choose(position)
                return True
        return super().eventFilter(watched, event)

    def _explain(self, position: int, place: QPoint) -> None:
        text = self._bars[position].tooltip if position >= 0 else ""
        QToolTip.showText(place, text, self)

    def _at(self, point: QPoint) -> int:
        """The bar in whose column a point of the plot is, -1 for none."""
        place = self._plot.mapToScene(point)
        x = self._view.mapSceneToView(place).x()
        position = round(x)
        return position if 0 <= position < len(self._bars) else -1

    def _go(self, position: int) -> None:
        self.current = position
        self.setAccessibleDescription(self._bars[position].tooltip)
        self._draw()

    def _draw(self) -> None:
        import pyqtgraph as pg

        self._plot.clear()
        tokens = self._tokens
        count = len(self._bars)
        for side in ("left", "bottom"):
            # Without bars those of the chart before would stay.
            self._plot.showAxis(side, bool(count))
        if not count:
            return
        top = max(bar.height for bar in self._bars)
        # A chart without a bar above nothing keeps an axis, too.
        low = min(0.0, *(bar.height for bar in self._bars)) * _ROOM
        high = max(top, 0) * _ROOM or (1 if low == 0 else 0)
        ticks, at_ends = self._ticks()
        self._plot.getAxis("bottom").setTicks([ticks])
        ends = (-0.6 - at_ends, count - 0.4 + at_ends)
        self._view.setRange(xRange=ends, yRange=(low, high), padding=0)
        least = _LEAST_BAR * (high - low) / max(self._view.height(), 1)
        brushes = [QColor(tokens.replanned if b.is_marked else tokens.accent) for b in self._bars]
        edges = [
            QColor(tokens.text) if place == self.current else QColor(0, 0, 0, 0)
            for place in range(count)
        ]
        self._plot.addItem(
            pg.BarGraphItem(
                x=list(range(count)),
                height=[max(b.height, least) if b.height > 0 else b.height for b in self._bars],
                width=_BAR_WIDTH,
                brushes=brushes,
                pens=[pg.mkPen(edge, width=2) for edge in edges],
            )
        )

    def _ticks(self) -> tuple[list[tuple[float, str]], float]:
        """As many labels as there is room for, each where it is true; and the room that the first
        and the last of a scale need beside the bars."""
        bars = self._bars
        is_scale = bool(bars[-1].end)
        ticks = [(place - 0.5 * is_scale, bar.label) for place, bar in enumerate(bars)]
        if is_scale:
            ticks.append((len(bars) - 0.5, bars[-1].end))
        widest = max(self.fontMetrics().horizontalAdvance(label) for _, label in ticks)
        room = max(1, self._plot.width() // max(_LABEL_WIDTH, widest + GAP))
        at_ends = is_scale * widest / 2 * len(bars) / max(self._plot.width(), 1)
        return ticks[:: -(-len(ticks) // room)], at_ends
