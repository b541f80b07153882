"""The timeline as a widget: what people do with the bars that `plot.py` shows.

Wheel zooms at the pointer, drag or Shift+wheel moves, click selects; arrow keys go from bar to
bar, + and - zoom, 0 fits. Used by the timeline panel.
"""

from typing import cast

from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QHelpEvent, QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QToolTip

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.runs.tree.node import Node
from toolplanner_gui.panels.timeline.bars import AXIS_PX, LANE_PX, NAMES_PX
from toolplanner_gui.panels.timeline.plot import TimelinePlot
from toolplanner_gui.viewmodels.item_models import plain_tooltip

_STEP = 1.25
_NEAR_PX = 3
_FOLLOWS_BY = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}


class TimelineView(TimelinePlot):
    """Bars of a run, to choose from."""

    bar_chosen = Signal(object)
    """NodePath of the bar that was clicked or reached by a key."""

    def __init__(self) -> None:
        super().__init__()
        self._pressed: QPointF | None = None
        self._grabbed_at = 0
        self._is_dragging = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Timeline")
        self.viewport().setMouseTracking(True)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() == QEvent.Type.ToolTip:
            asked = cast(QHelpEvent, event)
            node = self._node_at(QPointF(asked.pos()))
            if node is None:
                QToolTip.hideText()
            else:
                QToolTip.showText(asked.globalPos(), plain_tooltip(self._words(node)), self)
            return True
        if event.type() == QEvent.Type.Leave and self._hovered is not None:
            self._hovered = None
            self.redraw()
        return super().viewportEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() is Qt.MouseButton.LeftButton:
            self._pressed = event.position()
            self._grabbed_at = self.horizontalScrollBar().value()
            self._is_dragging = False

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed is not None:
            moved = event.position().x() - self._pressed.x()
            if abs(moved) >= QApplication.startDragDistance() or self._is_dragging:
                self._is_dragging = True
                self.horizontalScrollBar().setValue(round(self._grabbed_at - moved))
            return
        node = self._node_at(event.position())
        path = None if node is None else node.path
        if path != self._hovered:
            self._hovered = path
            shape = (
                Qt.CursorShape.ArrowCursor if node is None else (Qt.CursorShape.PointingHandCursor)
            )
            self.viewport().setCursor(shape)
            self.redraw()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        is_click = self._pressed is not None and not self._is_dragging
        self._pressed = None
        node = self._node_at(event.position()) if is_click else None
        if node is not None:
            self._choose_by_hand(node)

    def wheelEvent(self, event: QWheelEvent) -> None:
        turned = event.angleDelta()
        is_sideways = abs(turned.x()) > abs(turned.y())
        if is_sideways or event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
            bar = self.horizontalScrollBar()
            bar.setValue(bar.value() - (turned.x() or turned.y()))
        else:
            at_px = event.position().x() - NAMES_PX
            self.zoom(_STEP ** (turned.y() / 120), max(0.0, at_px))
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key in _FOLLOWS_BY:
            at = self.timeline.first_below(self._chosen) if self._chosen else None
            node = self.timeline.beside(at.path if at else NodePath(""), _FOLLOWS_BY[key])
            if node is not None:
                self._choose_by_hand(node)
        elif key in (Qt.Key.Key_Plus, Qt.Key.Key_Equal):
            self.zoom(_STEP)
        elif key == Qt.Key.Key_Minus:
            self.zoom(1 / _STEP)
        elif key == Qt.Key.Key_0:
            self.fit()
        else:
            super().keyPressEvent(event)

    def _choose_by_hand(self, node: Node) -> None:
        self.choose(node.path)
        self.bar_chosen.emit(node.path)

    def _node_at(self, place: QPointF) -> Node | None:
        lane = int((place.y() - AXIS_PX + self.verticalScrollBar().value()) // LANE_PX)
        x = place.x() - NAMES_PX
        if place.y() < AXIS_PX or x < 0 or not 0 <= lane < len(self.timeline.lanes):
            return None
        node = self.timeline.nearest(lane, self._left_ns() + x * self._ns_per_px)
        if node is None:
            return None
        near = self.place_of(node.path).adjusted(-_NEAR_PX, 0, _NEAR_PX, 0)
        return node if near.contains(place.toPoint()) else None
