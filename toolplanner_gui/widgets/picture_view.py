"""A foreign picture in a list of texts: as wide as there is room, larger in its own window."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QImage, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPixmap
from PySide6.QtWidgets import QDialog, QLabel, QScrollArea, QSizePolicy, QWidget

from toolplanner_gui.bridge.tasks import Tasks
from toolplanner_gui.theme.tokens import EDGE
from toolplanner_gui.widgets.boxes import column_of
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.widgets.picture_reading import read_picture

_HIGHEST = 360
_WAITING = 24
"""Height until it is known, pixels."""
_OPENERS = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


class PictureView(QWidget):
    """Shows a picture when it has been read, or says why it does not.

    Args:
        title: what it is, for screen readers and the larger window.
        data: base64.
    """

    def __init__(self, title: str, data: str, tasks: Tasks) -> None:
        super().__init__()
        self._title, self._data, self._tasks = title, data, tasks
        self.image = QImage()
        self.problem = text_label("Reading the picture …", role="dim", is_wrapped=True)
        self.drawn = _Drawing(self)
        self.drawn.hide()
        column_of(self.problem, self.drawn, of=self)
        tasks.spawn(self._read(), owner=self)

    def open_larger(self) -> None:
        """Show it at its size, in a window that scrolls."""
        if not self.image.isNull():
            _Larger(self._title, self.image, self.window()).open()

    async def _read(self) -> None:
        data = self._data
        found = await self._tasks.in_thread(lambda: read_picture(data))
        if isinstance(found, str):
            self.problem.setText(found)
            return
        self.image = found
        size = f"{found.width():,} × {found.height():,} pixels"
        self.drawn.setAccessibleName(f"{self._title}, {size}")
        self.drawn.setToolTip("Open larger")
        self.problem.hide()
        self.drawn.show_image(found)


class _Drawing(QWidget):
    """The picture, never wider than the room and never larger than it is."""

    def __init__(self, view: PictureView) -> None:
        super().__init__(view)
        self._view = view
        self._image = QImage()
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def show_image(self, image: QImage) -> None:
        self._image = image
        self.show()
        self.updateGeometry()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self._fitting(width).height() if not self._image.isNull() else _WAITING

    def sizeHint(self) -> QSize:
        return self._fitting(self.width()) if not self._image.isNull() else QSize(0, _WAITING)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._view.open_larger()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in _OPENERS:
            self._view.open_larger()
        else:
            super().keyPressEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        size = self._fitting(self.width()).boundedTo(self.size())
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform)
        place = self.rect()
        place.setSize(size)
        painter.drawImage(place, self._image)
        if self.hasFocus():
            painter.setPen(self.palette().highlight().color())
            painter.drawRect(place.adjusted(0, 0, -1, -1))
        painter.end()

    def _fitting(self, width: int) -> QSize:
        room = QSize(max(width, 1), _HIGHEST).boundedTo(self._image.size())
        fitting = self._image.size().scaled(room, Qt.AspectRatioMode.KeepAspectRatio)
        return fitting.expandedTo(QSize(1, 1))


class _Larger(QDialog):
    """The picture at its size; Escape closes it."""

    def __init__(self, title: str, image: QImage, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        shown = QLabel()
        shown.setAccessibleName(title)
        shown.setPixmap(QPixmap.fromImage(image))
        shown.setAlignment(Qt.AlignmentFlag.AlignCenter)
        area = QScrollArea()
        area.setWidget(shown)
        area.setWidgetResizable(True)
        area.setFrameShape(QScrollArea.Shape.NoFrame)
        column_of((area, 1), of=self, margins=(EDGE, EDGE, EDGE, EDGE))
        room = parent.screen().availableSize() * 0.9
        self.resize(
            (image.size() + QSize(4 * EDGE, 4 * EDGE)).expandedTo(QSize(320, 240)).boundedTo(room)
        )
