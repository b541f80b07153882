"""Foreign pictures: decoded safely, and shown as wide as there is room.

A foreign picture made harmless: size and form are looked at before anything is decoded. Nothing is
fetched: only the bytes at hand are read, and only in raster forms whose first bytes say what they
are, whatever the reply called them. Runs in a thread.
"""

import base64
import binascii

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QSize, Qt
from PySide6.QtGui import (
    QImage,
    QImageReader,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
)
from PySide6.QtWidgets import QDialog, QLabel, QScrollArea, QSizePolicy, QWidget

from toolplanner_gui.bridge.tasks import Tasks
from toolplanner_gui.theme.tokens import EDGE
from toolplanner_gui.widgets.box_layouts import column_of
from toolplanner_gui.widgets.labels import text_label

LONGEST = 8_000_000
"""Characters of base64 that are looked at."""
MOST_PIXELS = 24_000_000
_LARGEST_SIDE = 30_000
LARGEST = QSize(1600, 1600)
"""Pixels that are kept to be shown; a larger picture is made smaller while it is read."""
_MOST_MB = 128
"""That the decoder may take."""
_BEGINNINGS = {b"\x89PNG\r\n\x1a\n": "png", b"\xff\xd8\xff": "jpeg", b"GIF8": "gif"}


def read_picture(data: str) -> QImage | str:
    """A picture, at most `LARGEST`, of a moving one its first; or why there is none, in words.

    Args:
        data: base64.
    """
    if len(data) > LONGEST:
        return f"Not drawn: larger than {LONGEST * 3 // 4:,} bytes."
    try:
        raw = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return "Broken: what was sent is not base64."
    form = _form_of(raw)
    if not form:
        return "Not drawn: it is no PNG, JPEG, GIF or WebP, whatever it is called."
    buffer = QBuffer()
    buffer.setData(QByteArray(raw))
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    reader = QImageReader(buffer, QByteArray(form.encode()))
    reader.setAutoDetectImageFormat(False)
    reader.setAutoTransform(True)
    if QImageReader.allocationLimit() != _MOST_MB:
        QImageReader.setAllocationLimit(_MOST_MB)
    size = reader.size()
    if not size.isValid() or size.isEmpty():
        return "Broken: it does not say how large it is."
    width, height = size.width(), size.height()
    if width * height > MOST_PIXELS or max(width, height) > _LARGEST_SIDE:
        return f"Not drawn: {width:,} × {height:,} pixels are too many."
    if width > LARGEST.width() or height > LARGEST.height():
        small = size.scaled(LARGEST, Qt.AspectRatioMode.KeepAspectRatio)
        reader.setScaledSize(small.expandedTo(QSize(1, 1)))
    image = reader.read()
    return "Broken: it cannot be read to its end." if image.isNull() else image


def _form_of(raw: bytes) -> str:
    if raw[:4] == b"RIFF" and raw[8:12] == b"WEBP":
        return "webp"
    return next((form for begin, form in _BEGINNINGS.items() if raw.startswith(begin)), "")


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
