"""The fonts of names on the map: regions large, toolkits strong, single APIs plain.

Called by label_layer.py (paints) and, in a worker, by derivation.py (measures).
"""

from __future__ import annotations

from string import ascii_letters

from PySide6.QtGui import QFont, QFontMetricsF

HALO = 2.0
MOST_LETTERS = 30
REGION_GROWTH = 1.3
API_GROWTH = 0.92
SURE_WIDTH = 1.03
"""Kerning may make a line a little wider than its letters."""


def shortened(name: str) -> str:
    """The name on one line, cut with an ellipsis if it is long."""
    line = " ".join(name.split())
    return line if len(line) <= MOST_LETTERS else line[: MOST_LETTERS - 1].rstrip() + "…"


class LabelFonts:
    """The font of each level: `REGION`, `TOOLKIT`, `API`.

    Args:
        font: of the canvas.
    """

    def __init__(self, font: QFont) -> None:
        self.fonts = (
            _font(font, REGION_GROWTH, QFont.Weight.Bold),
            _font(font, 1.0, QFont.Weight.DemiBold),
            _font(font, API_GROWTH, QFont.Weight.Normal),
        )
        self.metrics = tuple(QFontMetricsF(font) for font in self.fonts)
        heights = [metrics.height() + 2 * HALO for metrics in self.metrics]
        self.heights = (heights[0], heights[1], heights[2])
        # Measured here, on the GUI thread: the first call of its kind makes PySide build classes
        # under a lock, and two threads that do so at once wait for each other for ever.
        self._advances = tuple(
            {letter: metrics.horizontalAdvance(letter) for letter in ascii_letters}
            for metrics in self.metrics
        )

    def width(self, text: str, level: int) -> float:
        """Width of a name with its halo, logical pixels; 0 for an empty one.

        Letter by letter: 20,000 names in a tenth of a second.
        """
        line = shortened(text)
        if not line:
            return 0.0
        advances, metrics = self._advances[level], self.metrics[level]
        wide = 0.0
        for letter in line:
            if letter not in advances:
                advances[letter] = metrics.horizontalAdvance(letter)
            wide += advances[letter]
        return wide * SURE_WIDTH + 2 * HALO


def _font(font: QFont, growth: float, weight: QFont.Weight) -> QFont:
    made = QFont(font)
    made.setWeight(weight)
    if made.pointSizeF() > 0:
        made.setPointSizeF(made.pointSizeF() * growth)
    else:
        made.setPixelSize(round(made.pixelSize() * growth))
    return made
