"""A tree whose selected rows can be taken in the hand and carried elsewhere in the window."""

from collections.abc import Callable, Sequence
from typing import Literal

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QHideEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QApplication

from toolplanner_gui.widgets.views import QuietTree

_TOGETHER_MS = 60


class DraggableTree(QuietTree):
    """Follows a hand that drags selected rows; Qt's own drag would run an event loop of its own.

    Args:
        can_carry: whether a row is something to be carried.

    Signals:
        carried: global place of the hand; None when it has let go or given up.
        dropped: global place where it let go.
        clicked_through: the left button came up, and nothing was carried.
    """

    carried = Signal(object)
    dropped = Signal(QPoint)
    clicked_through = Signal()

    def __init__(
        self, name: str, can_carry: Callable[[QModelIndex], bool], *, is_flat: bool = False
    ) -> None:
        super().__init__(name, is_flat=is_flat)
        self._can_carry = can_carry
        self._hand: Literal["free", "pressed", "carrying", "given up"] = "free"
        self._pressed_at = QPoint()
        self.is_held = False
        """Whether a hand presses on it: what it selects by that may yet be carried."""
        self._marked = QModelIndex()
        self._repaint = QTimer(self, singleShot=True, interval=_TOGETHER_MS)
        self._repaint.timeout.connect(self._on_repaint)
        self._outdated: list[QPersistentModelIndex] | None = []

    def repaint_soon(self, rows: Sequence[QModelIndex] | None) -> None:
        """Show other looks of rows, None = of many. Colours and figures come one after the other,
        and each picture of a full list takes 10 ms."""
        if rows is None or self._outdated is None:
            self._outdated = None
        else:
            self._outdated += [QPersistentModelIndex(row) for row in rows]
        self._repaint.start()

    def _on_repaint(self) -> None:
        rows, self._outdated = self._outdated, []
        if rows is None:
            self.viewport().update()
            return
        for row in rows:
            # Nothing where it is not in sight.
            box = self.visualRect(row)
            box.setRight(self.viewport().width())
            self.viewport().update(box)

    def cancel_drag(self) -> bool:
        """Give up carrying; whether anything was carried."""
        had, self._hand = self._hand == "carrying", "given up"
        if had:
            self.carried.emit(None)
        return had

    def row_at(self, place: QPoint | None) -> QModelIndex:
        """The row at a global place, marked from now on; None marks no row."""
        at = QPoint(-1, -1) if place is None else self.viewport().mapFromGlobal(place)
        index = self.indexAt(at) if self.viewport().rect().contains(at) else QModelIndex()
        if index.isValid():
            self.scrollTo(index)
        self._marked = index.siblingAtColumn(0)
        self.viewport().update()
        return self._marked

    def mousePressEvent(self, event: QMouseEvent) -> None:
        is_left = event.button() == Qt.MouseButton.LeftButton
        self.is_held = is_left
        super().mousePressEvent(event)
        self._pressed_at = event.position().toPoint()
        index = self.indexAt(self._pressed_at)
        is_taken = self.selectionModel().isSelected(index) and self._can_carry(index)
        self._hand = "pressed" if is_left and is_taken else "free"

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._hand == "free":
            super().mouseMoveEvent(event)
            return
        far = (event.position().toPoint() - self._pressed_at).manhattanLength()
        if self._hand == "pressed" and far >= QApplication.startDragDistance():
            self._hand = "carrying"
        if self._hand == "carrying":
            self.carried.emit(event.globalPosition().toPoint())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        is_click = self._hand in ("free", "pressed")  # before the hand is asked to let go
        is_drop, was_held = self.cancel_drag(), self.is_held
        self._hand, self.is_held = "free", False
        if is_drop:
            self.dropped.emit(event.globalPosition().toPoint())
        elif is_click:
            super().mouseReleaseEvent(event)
            if was_held:
                self.clicked_through.emit()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.is_held = False

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._marked.isValid():
            row = self.visualRect(self._marked).adjusted(0, 0, 0, -1)
            row.setRight(self.viewport().width() - 1)
            painter = QPainter(self.viewport())
            painter.setPen(self.palette().accent().color())
            painter.drawRect(row)
