"""A chart whose parts are walked by arrows and chosen by Return or a click.

Base of `interval_chart.py` and `stacked_bars.py`.
"""

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QToolTip, QWidget

from toolplanner_gui.theme.tokens import LIGHT, Tokens
from toolplanner_gui.widgets.box_layouts import column_of
from toolplanner_gui.widgets.plots import dress_plot, quiet_plot

_STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Up: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Down: 1}


class WalkedChart(QWidget):
    """Emits `chosen` with the places of a group and of a part in it.

    Attributes:
        current: place among all parts, -1 for none.
    """

    chosen = Signal(int, int)

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tokens = LIGHT
        self.current = -1
        self._plot, self._view = quiet_plot()
        self._plot.viewport().installEventFilter(self)
        self._plot.viewport().setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(name)
        column_of(self._plot, of=self)

    def set_tokens(self, tokens: Tokens) -> None:
        """Colours of the theme in force."""
        self._tokens = tokens
        dress_plot(self._plot, tokens)
        self._draw()

    def places(self) -> list[tuple[int, int]]:
        """The parts, by group and part, in the order in which keys walk them."""
        raise NotImplementedError

    def _tooltip(self, current: int) -> str:
        """What is said of a part."""
        raise NotImplementedError

    def _at(self, point: QPoint) -> int:
        """The part at a point of the plot, -1 for none."""
        raise NotImplementedError

    def _draw(self) -> None:
        raise NotImplementedError

    def keyPressEvent(self, event: QKeyEvent) -> None:
        places = self.places()
        step = _STEPS.get(Qt.Key(event.key()))
        if step is not None and places:
            self.current = min(max(self.current + step, 0), len(places) - 1)
            self.setAccessibleDescription(self._tooltip(self.current))
            self._draw()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.current >= 0:
            self.chosen.emit(*places[self.current])
        else:
            super().keyPressEvent(event)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            return True
        if isinstance(event, QMouseEvent):
            at = self._at(event.position().toPoint())
            if event.type() == QEvent.Type.MouseMove:
                text = self._tooltip(at) if at >= 0 else ""
                QToolTip.showText(event.globalPosition().toPoint(), text, self)
            elif event.type() == QEvent.Type.MouseButtonRelease and at >= 0:
                self.setFocus(Qt.FocusReason.MouseFocusReason)
                self.current = at
                self._draw()
                self.chosen.emit(*self.places()[at])
                return True
        return super().eventFilter(watched, event)
