"""The colours of toolkits on the map: twelve for each theme, apart for every eye.

Made once from a pool of glasbey's by `python tests/gui/map/make_palettes.py` (glasbey 0.4.0, which
is no dependency of the program). Nearest pairs, in CIEDE2000, for normal sight and for full
deuteranopia, protanopia, tritanopia: dark 16.7, 8.9, 9.1, 9.2; light 15.6, 8.2, 8.7, 9.5. Asked
for are 15 and 8; a test holds them, and a contrast of 3 : 1 on the map. Sorted by hue. Called by
colours.py, which gives each toolkit a number, and by the canvas, which knows the theme.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from PySide6.QtGui import QColor

from toolplanner_gui.theme.tokens import Tokens

COLOUR_COUNT = 12
NO_TOOLKIT = COLOUR_COUNT
"""Index of the grey of points without a toolkit."""
CATEGORY_COUNT = 36
NO_CATEGORY = CATEGORY_COUNT
"""Index of the grey of points without a category, or of one too rare for a colour of its own."""
RAMP_STEPS = 32
NO_VALUE = RAMP_STEPS
"""Index of the grey of points without a figure."""
RAMP_LIGHTNESS = {True: (0.42, 0.94), False: (0.80, 0.30)}
"""Of the low and the high end in OKLab, dark theme or not: what is high stands out."""

DARK_COLOURS = (
    "#61f4f3", "#3fb6d6", "#8c84df", "#c269ad", "#c39da7", "#d26562",
    "#d79865", "#f9c353", "#a38916", "#c1b794", "#a6ef9b", "#6e9688",
)  # fmt: skip
LIGHT_COLOURS = (
    "#2d706f", "#5d9d9c", "#6f81fe", "#625e94", "#a083b9", "#9544d7",
    "#b62768", "#cf6f90", "#8d4e4c", "#d95353", "#a28708", "#64742a",
)  # fmt: skip

# Of categories, the farthest apart first: the twelve of toolkits, then more, each the one of all
# colours with enough contrast that is farthest from those before it, at its worst sight; the last
# twelve also from the grey, and none of them nearly black or white. 36, for a catalogue of 45,284
# APIs has 35 regions. Nearest pairs of the first four, twelve, 24, all, in CIEDE2000 for normal
# sight: dark 27.2, 16.7, 12.9, 9.9; light 33.5, 15.6, 11.6, 9.0; for the three kinds of colour
# blindness at least 12, 8.2, 6.2, 4.7.
DARK_CATEGORIES = (
    "#c269ad", "#a6ef9b", "#6e9688", "#a38916", "#61f4f3", "#d79865", "#c39da7", "#d26562",
    "#8c84df", "#c1b794", "#3fb6d6", "#f9c353", "#871ef0", "#1e782d", "#785a69", "#5a6987",
    "#ff96ff", "#c32d1e", "#ffd2c3", "#c31e87", "#5a694b", "#96b41e", "#96c3c3", "#875ab4",
    "#1e9669", "#b44bff", "#69873c", "#ffe11e", "#b4c3e1", "#6996c3", "#1ec378", "#ff4b96",
    "#a56978", "#ff4bff", "#4b7869", "#3cff78",
)  # fmt: skip
LIGHT_CATEGORIES = (
    "#6f81fe", "#a28708", "#b62768", "#2d706f", "#625e94", "#64742a", "#a083b9", "#cf6f90",
    "#5d9d9c", "#9544d7", "#d95353", "#8d4e4c", "#4b3c1e", "#1e1eb4", "#691e69", "#878769",
    "#781e3c", "#f03ce1", "#1e4b96", "#966987", "#2d874b", "#1e4b4b", "#695a1e", "#5a78a5",
    "#5a1eff", "#698778", "#4b5a3c", "#b45a3c", "#1e87d2", "#b45ab4", "#5a4bb4", "#694b4b",
    "#873c78", "#f05a78", "#4b3c5a", "#96963c",
)  # fmt: skip


@cache
def palette_of(tokens: Tokens) -> tuple[QColor, ...]:
    """The colours on the map of a theme.

    `COLOUR_COUNT` and the grey of points without a toolkit.
    """
    colours = DARK_COLOURS if tokens.is_dark else LIGHT_COLOURS
    return tuple(QColor(colour) for colour in (*colours, tokens.waiting))


@cache
def categories_of(tokens: Tokens) -> tuple[QColor, ...]:
    """The colours of categories: `CATEGORY_COUNT` and the grey of points without one."""
    colours = DARK_CATEGORIES if tokens.is_dark else LIGHT_CATEGORIES
    return tuple(QColor(colour) for colour in (*colours, tokens.waiting))


@cache
def ramp_of(tokens: Tokens) -> tuple[QColor, ...]:
    """The colours of a scale: `RAMP_STEPS` and the grey of points without a figure.

    From the accent to the warm colour of the theme; lightness runs evenly through it, so that the
    order is seen without any sense of hue. Source: OKLab (Ottosson 2020).
    """
    low, high = RAMP_LIGHTNESS[tokens.is_dark]
    share = np.linspace(0, 1, RAMP_STEPS)[:, None]
    ends = _oklab(np.array([_rgb(tokens.accent), _rgb(tokens.fell_back)]))
    lab = ends[:1] * (1 - share) + ends[1:] * share
    lab[:, 0] = low + (high - low) * share[:, 0]
    rgb = np.clip(_from_oklab(lab), 0, 1)
    return (*(QColor.fromRgbF(r, g, b) for r, g, b in rgb.tolist()), QColor(tokens.waiting))


def _rgb(colour: str) -> list[float]:
    return [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]


_TO_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_TO_LAB = np.array(
    [
        [0.2104542553, 0.7936177850, -0.0040720468],
        [1.9779984951, -2.4285922050, 0.4505937099],
        [0.0259040371, 0.7827717662, -0.8086757660],
    ]
)


def _oklab(rgb: np.ndarray) -> np.ndarray:
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return np.cbrt(linear @ _TO_CONES.T) @ _TO_LAB.T


def _from_oklab(lab: np.ndarray) -> np.ndarray:
    linear = (lab @ np.linalg.inv(_TO_LAB).T) ** 3 @ np.linalg.inv(_TO_CONES).T
    linear = np.clip(linear, 0, 1)
    return np.where(linear <= 0.0031308, linear * 12.92, 1.055 * linear ** (1 / 2.4) - 0.055)
