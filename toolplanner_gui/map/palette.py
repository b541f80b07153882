"""The colours of toolkits on the map: twelve for each theme, apart for every eye.

Made once from a pool of glasbey's by `python tests/gui/map/make_palettes.py` (glasbey 0.4.0, which
is no dependency of the program). Nearest pairs, in CIEDE2000, for normal sight and for full
deuteranopia, protanopia, tritanopia: dark 16.7, 8.9, 9.1, 9.2; light 15.6, 8.2, 8.7, 9.5. Asked
for are 15 and 8; a test holds them, and a contrast of 3 : 1 on the map. Sorted by hue. Called by
colours.py, which gives each toolkit a number, and by the canvas, which knows the theme.
"""

from __future__ import annotations

from PySide6.QtGui import QColor

from toolplanner_gui.theme.tokens import Tokens

COLOUR_COUNT = 12
NO_TOOLKIT = COLOUR_COUNT
"""Index of the grey of points without a toolkit."""

DARK_COLOURS = (
    "#61f4f3", "#3fb6d6", "#8c84df", "#c269ad", "#c39da7", "#d26562",
    "#d79865", "#f9c353", "#a38916", "#c1b794", "#a6ef9b", "#6e9688",
)  # fmt: skip
LIGHT_COLOURS = (
    "#2d706f", "#5d9d9c", "#6f81fe", "#625e94", "#a083b9", "#9544d7",
    "#b62768", "#cf6f90", "#8d4e4c", "#d95353", "#a28708", "#64742a",
)  # fmt: skip


def palette_of(tokens: Tokens) -> list[QColor]:
    """The colours on the map of a theme.

    `COLOUR_COUNT` and the grey of points without a toolkit.
    """
    colours = DARK_COLOURS if tokens.is_dark else LIGHT_COLOURS
    return [QColor(colour) for colour in (*colours, tokens.waiting)]
