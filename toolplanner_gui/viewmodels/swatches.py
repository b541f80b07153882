"""Round colour swatches for lists, equal to the colours of the map."""

from functools import cache

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap


@cache
def swatch(colour: str) -> QIcon:
    """A disc in a colour "#rrggbb", sharp on screens with two pixels per point too; for "" as much
    room and nothing in it."""
    icon = QIcon()
    for size in (16, 32):
        picture = QPixmap(size, size)
        picture.fill(Qt.GlobalColor.transparent)
        painter = QPainter(picture)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(colour) if colour else Qt.BrushStyle.NoBrush)
        inset = size * 0.19
        painter.drawEllipse(QRectF(0, 0, size, size).adjusted(inset, inset, -inset, -inset))
        painter.end()
        for mode in (QIcon.Mode.Normal, QIcon.Mode.Selected):
            icon.addPixmap(picture, mode)
    return icon
