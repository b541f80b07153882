"""The widget under the map's pixels: turns mouse and wheel into signals, one of a kind a frame.

A mouse sends up to a thousand events a second; each would move the view. They are added up, and
what came together is applied when the event queue is empty. Called by the canvas. Qt's own view,
not pyqtgraph's: nothing of that was used here, and loading it costs a fifth of opening a workspace.
The scene's own mouse handling is not used: it looks for items under the cursor at each move, and
all there is to find here are points in an image.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QDragEnterEvent, QEnterEvent, QMouseEvent, QResizeEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QFrame, QGraphicsScene, QGraphicsView, QWidget

from toolplanner_gui.map.layer import Layer

Tool = Literal["pan", "rectangle", "lasso"]
Drag = Literal["pan", "rectangle", "lasso", "carry"]
WHEEL_STEP = 1.25
DEGREES_PER_NOTCH = 120
LASSO_STEP = 3.0
"""Logical pixels between two corners of a lasso."""


class MapView(QGraphicsView):
    """A graphics view whose gestures are signals.

    Signals:
        panned: dx, dy in logical pixels.
        zoomed: factor, place.
        pointed: place of the cursor; none when it has left.
        clicked: place, keyboard modifiers.
        double_clicked: place.
        rectangle_changed: the rectangle being drawn; none when it has ended.
        rectangle_drawn: rectangle, keyboard modifiers.
        lasso_changed: the shape being drawn as a list of places; none when it has ended.
        lasso_drawn: the shape, keyboard modifiers.
        carried: the selection is dragged: global place; none when that has ended.
        dropped: the selection was let go: global place.
        menu_wanted: place of a right click.
        resized: the size changed.
    """

    panned = Signal(float, float)
    zoomed = Signal(float, QPointF)
    pointed = Signal(object)
    clicked = Signal(QPointF, object)
    double_clicked = Signal(QPointF)
    rectangle_changed = Signal(object)
    rectangle_drawn = Signal(QRectF, object)
    lasso_changed = Signal(object)
    lasso_drawn = Signal(object, object)
    carried = Signal(object)
    dropped = Signal(QPoint)
    menu_wanted = Signal(QPointF)
    resized = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        # A scene without a parent may be gone before its view.
        self._layers = QGraphicsScene(self)
        self._layers.setItemIndexMethod(QGraphicsScene.ItemIndexMethod.NoIndex)
        self.setScene(self._layers)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setViewportUpdateMode(QGraphicsView.ViewportUpdateMode.FullViewportUpdate)
        # The image of the points covers everything: filling the ground first would be wasted.
        self.setBackgroundBrush(Qt.BrushStyle.NoBrush)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.viewport().setAutoFillBackground(False)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setMouseTracking(True)
        self.viewport().setMouseTracking(True)
        self._tool: Tool = "pan"
        self._pressed_at: QPointF | None = None
        self._last = QPointF()
        self._drag: Drag | None = None
        self._lasso: list[QPointF] = []
        self._is_grip: Callable[[QPointF], bool] = _nowhere
        self._button = Qt.MouseButton.NoButton
        self._pan = QPointF()
        self._zoom = 1.0
        self._zoom_at = QPointF()
        self._cursor_at: QPointF | None = None
        self._is_cursor_new = False
        self._is_over_name = False
        self._frame = QTimer(self, singleShot=True, interval=0)
        self._frame.timeout.connect(self.flush)
        self._show_cursor()

    @property
    def tool(self) -> Tool:
        """What dragging with the left button does."""
        return self._tool

    @property
    def is_dragging(self) -> bool:
        """Whether a drag is under way."""
        return self._drag is not None

    def add_layer(self, layer: Layer, height: float) -> None:
        """Show a layer above those of less height."""
        layer.setZValue(height)
        self._layers.addItem(layer)

    def set_tool(self, tool: Tool) -> None:
        """Choose what dragging with the left button does."""
        self.cancel_drag()
        self._tool = tool
        self._show_cursor()

    def set_grip(self, is_grip: Callable[[QPointF], bool]) -> None:
        """Say where a drag takes hold of the selection instead of the map."""
        self._is_grip = is_grip

    def show_hand(self, is_over_name: bool) -> None:
        """Say by the cursor whether there is something to click; a drag keeps its own."""
        if is_over_name != self._is_over_name:
            self._is_over_name = is_over_name
            self._show_cursor()

    def cancel_drag(self) -> bool:
        """Give up the drag under way; whether there was one."""
        had, drag = self._drag is not None, self._drag
        self._drag = None
        self._tell_end(drag)
        self._pressed_at = None
        self._show_cursor()
        return had

    def flush(self) -> None:
        """Apply what has been added up since the last frame."""
        if not self._pan.isNull():
            pan, self._pan = self._pan, QPointF()
            self.panned.emit(pan.x(), pan.y())
        if self._zoom != 1.0:
            zoom, self._zoom = self._zoom, 1.0
            self.zoomed.emit(zoom, self._zoom_at)
        if self._is_cursor_new:
            self._is_cursor_new = False
            if self._drag == "rectangle" and self._pressed_at is not None:
                self.rectangle_changed.emit(QRectF(self._pressed_at, self._last).normalized())
            elif self._drag == "lasso":
                self.lasso_changed.emit(list(self._lasso))
            elif self._drag == "carry":
                self.carried.emit(self.viewport().mapToGlobal(self._last).toPoint())
            self.pointed.emit(self._cursor_at if self._drag is None else None)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Tell the canvas."""
        super().resizeEvent(event)
        self.setSceneRect(QRectF(self.viewport().rect()))
        self.resized.emit()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Remember where a click or drag began."""
        if event.button() == Qt.MouseButton.RightButton and self._pressed_at is None:
            self.menu_wanted.emit(event.position())
            event.accept()
            return
        if self._pressed_at is not None or event.button() not in (
            Qt.MouseButton.LeftButton,
            Qt.MouseButton.MiddleButton,
        ):
            event.ignore()
            return
        self._button = event.button()
        self._pressed_at = self._last = event.position()
        event.accept()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Add a move to what comes with the next frame."""
        place = event.position()
        if self._pressed_at is not None and self._drag is None:
            far = (place - self._pressed_at).manhattanLength()
            if far >= QApplication.startDragDistance():
                self._drag = self._drag_of(event)
                self._lasso = [self._pressed_at]
                self._show_cursor()
        if self._drag == "pan":
            self._pan += place - self._last
        elif self._drag == "lasso" and (place - self._lasso[-1]).manhattanLength() >= LASSO_STEP:
            self._lasso.append(place)
        self._last = place
        self._cursor_at = place
        self._is_cursor_new = True
        self._frame.start()
        event.accept()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End a drag, or click."""
        if event.button() != self._button or self._pressed_at is None:
            event.ignore()
            return
        start, drag = self._pressed_at, self._drag
        self._pressed_at, self._drag, self._button = None, None, Qt.MouseButton.NoButton
        self.flush()
        self._show_cursor()
        self._tell_end(drag)
        if drag == "rectangle":
            box = QRectF(start, event.position()).normalized()
            self.rectangle_drawn.emit(box, event.modifiers())
        elif drag == "lasso":
            self.lasso_drawn.emit([*self._lasso, event.position()], event.modifiers())
        elif drag == "carry":
            self.dropped.emit(event.globalPosition().toPoint())
        elif drag is None and event.button() == Qt.MouseButton.LeftButton:
            self.clicked.emit(event.position(), event.modifiers())
        event.accept()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """The second press of a double click."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.double_clicked.emit(event.position())
        event.accept()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zoom around the cursor; a touchpad sends many small steps, a wheel notches."""
        notches = event.angleDelta().y() / DEGREES_PER_NOTCH
        if notches:
            self._zoom *= WHEEL_STEP**notches
            self._zoom_at = event.position()
            self._frame.start()
        event.accept()

    def keyPressEvent(self, event: QEvent) -> None:
        """Keys belong to the canvas."""
        event.ignore()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """What is dropped belongs to the canvas."""
        event.ignore()

    def enterEvent(self, event: QEnterEvent) -> None:
        """Nothing: the first move says where the cursor is."""
        event.accept()

    def leaveEvent(self, event: QEvent) -> None:
        """The cursor points at nothing."""
        self._cursor_at = None
        self._is_cursor_new = True
        self._frame.start()
        event.accept()

    def _tell_end(self, drag: Drag | None) -> None:
        if drag == "rectangle":
            self.rectangle_changed.emit(None)
        elif drag == "lasso":
            self.lasso_changed.emit(None)
        elif drag == "carry":
            self.carried.emit(None)

    def _drag_of(self, event: QMouseEvent) -> Drag:
        if self._button == Qt.MouseButton.MiddleButton:
            return "pan"
        held = event.modifiers() & (
            Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.AltModifier
        )
        if self._tool != "pan":
            return self._tool
        if held:
            return "rectangle"
        assert self._pressed_at is not None
        return "carry" if self._is_grip(self._pressed_at) else "pan"

    def _show_cursor(self) -> None:
        shape = Qt.CursorShape.ArrowCursor
        if self._drag == "pan":
            shape = Qt.CursorShape.ClosedHandCursor
        elif self._drag == "carry":
            shape = Qt.CursorShape.DragMoveCursor
        elif self._drag is not None or self._tool != "pan":
            shape = Qt.CursorShape.CrossCursor
        elif self._is_over_name:
            shape = Qt.CursorShape.PointingHandCursor
        self.viewport().setCursor(shape)


def _nowhere(_place: QPointF) -> bool:
    return False
