"""A foreign picture made harmless: size and form are looked at before anything is decoded.

Nothing is fetched: only the bytes at hand are read, and only in raster forms whose first bytes say
what they are, whatever the reply called them. Runs in a thread.
"""

import base64
import binascii

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QSize, Qt
from PySide6.QtGui import QImage, QImageReader

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
