"""Icons: glyphs of Material Design Icons 6 coloured by a token, cached per theme.

The glyphs come from the font file that qtawesome brings. Its own module is not imported: that
loads qtpy and ten fonts, 0.25 s of the 0.6 s the window has to appear, for what thirty lines do.
"""

import importlib.util
import json
from functools import cache
from pathlib import Path

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QIcon, QPainter, QPixmap

from toolplanner_gui.theme.tokens import Tokens

_FONT_FILE = "materialdesignicons6-webfont-6.9.96.ttf"
_CHARMAP_FILE = "materialdesignicons6-webfont-charmap-6.9.96.json"
_SIZES = (16, 20, 24, 32, 48)


@cache
def _font_folder() -> Path:
    spec = importlib.util.find_spec("qtawesome")
    assert spec is not None and spec.origin is not None, "qtawesome is not installed"
    return Path(spec.origin).parent / "fonts"


@cache
def _glyphs() -> dict[str, str]:
    table: dict[str, str] = json.loads((_font_folder() / _CHARMAP_FILE).read_text("utf-8"))
    return table


@cache
def _family() -> str:
    number = QFontDatabase.addApplicationFont(str(_font_folder() / _FONT_FILE))
    return QFontDatabase.applicationFontFamilies(number)[0]


def pixmap(name: str, colour: str, size: int) -> QPixmap:
    """The glyph `name` (such as "play") in a square of `size` physical pixels."""
    glyph = chr(int(_glyphs()[name], 16))
    picture = QPixmap(size, size)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    font = QFont(_family())
    font.setPixelSize(size)
    painter.setFont(font)
    painter.setPen(QColor(colour))
    painter.drawText(QRect(0, 0, size, size), Qt.AlignmentFlag.AlignCenter, glyph)
    painter.end()
    return picture


@cache
def _coloured(name: str, colour: str, disabled: str) -> QIcon:
    icon = QIcon()
    for size in _SIZES:
        normal = pixmap(name, colour, size)
        for mode in (QIcon.Mode.Normal, QIcon.Mode.Active, QIcon.Mode.Selected):
            icon.addPixmap(normal, mode)
        icon.addPixmap(pixmap(name, disabled, size), QIcon.Mode.Disabled)
    return icon


def make_icon(name: str, tokens: Tokens, token: str = "dim") -> QIcon:
    """The icon `name` in the colour of `token`; dim unless it carries a state.

    Raises:
        KeyError: the font has no glyph of this name.
    """
    return _coloured(name, tokens.colour(token), tokens.line)
