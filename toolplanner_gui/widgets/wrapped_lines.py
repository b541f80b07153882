"""A text as the few lines of it that fit a width; item views cannot say where they would break."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontMetrics, QTextLayout, QTextOption

_MOST_CHARS = 600
"""Two lines never hold more; laying out a whole reply would cost milliseconds."""


def wrapped_lines(text: str, font: QFont, *, width: int, most: int) -> list[str]:
    """Break a text between words, or within one that is too long.

    Args:
        width: in pixels.
        most: lines; the last is cut with dots.

    Returns:
        At least one line.
    """
    metrics = QFontMetrics(font)
    if metrics.horizontalAdvance(text) <= width:
        return [text]
    text = text[:_MOST_CHARS]
    units = text.encode("utf-16-le")  # Qt counts these: a picture sign is two
    layout = QTextLayout(text, font)
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout.setTextOption(option)
    layout.beginLayout()
    lines: list[str] = []
    while len(lines) < most and (line := layout.createLine()).isValid():
        line.setLineWidth(width)
        start = 2 * line.textStart()
        end = len(units) if len(lines) == most - 1 else start + 2 * line.textLength()
        lines.append(units[start:end].decode("utf-16-le").rstrip())
    layout.endLayout()
    lines[-1] = metrics.elidedText(lines[-1], Qt.TextElideMode.ElideRight, width)
    return lines
