"""A line of text with a halo as a small picture: readable on any ground.

The halo is the text's own coverage, widened: stroking the outline of the letters, which looks the
same, takes 5 ms a name in Qt; this takes a tenth of it. Called by label_layer.py and
picture_file.py.
"""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QPointF
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter

from toolplanner_gui.map.dots import widened


def halo_image(
    text: str,
    font: QFont,
    *,
    width: float,
    height: float,
    halo_width: float,
    colour: QColor,
    halo: QColor,
    ratio: float,
) -> QImage:
    """Draw a line of text; in any thread.

    Args:
        text: one line.
        font: of the text.
        width: of the picture, logical pixels, the halo included.
        height: of the picture.
        halo_width: logical pixels around the letters.
        colour: of the letters.
        halo: of what is around them; may be translucent.
        ratio: device pixels a logical pixel.
    """
    across, down = int(np.ceil(width * ratio)), int(np.ceil(height * ratio))
    pixels = np.zeros((max(down, 1), max(across, 1)), np.uint32)
    image = _image_over(pixels, ratio)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
    painter.setFont(font)
    painter.setPen(colour)
    baseline = QPointF(halo_width, halo_width + QFontMetricsF(font).ascent())
    painter.drawText(baseline, text)
    painter.end()
    covered = (pixels >> np.uint32(24)).astype(np.uint8)
    for step in range(max(round(halo_width * ratio), 1)):
        # With corners and without in turn makes round what would be square.
        covered = widened(covered, has_corners=step % 2 == 0)
    alpha = covered.astype(np.uint32) * halo.alpha() // 255
    red, green, blue = (part * alpha // 255 for part in (halo.red(), halo.green(), halo.blue()))
    shaded = np.ascontiguousarray((alpha << 24) | (red << 16) | (green << 8) | blue, np.uint32)
    around = _image_over(shaded, ratio)
    painter = QPainter(around)
    painter.drawImage(QPointF(0, 0), image)
    painter.end()
    # A copy: the array goes.
    return around.copy()


def _image_over(pixels: np.ndarray, ratio: float) -> QImage:
    """An image that reads and writes the memory of `(h, w) uint32`, which has to outlive it."""
    height, width = pixels.shape
    form = QImage.Format.Format_ARGB32_Premultiplied
    image = QImage(pixels.data, width, height, width * 4, form)
    image.setDevicePixelRatio(ratio)
    return image
