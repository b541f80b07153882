"""Icons and colour swatches.

Icons: glyphs of Material Design Icons 6, each in the colour its token has when it is drawn. The
glyphs come from the font file that qtawesome brings. Its own module is not imported: that loads
qtpy and ten fonts, 0.25 s of the 0.6 s the window has to appear, for what thirty lines do.
"""

import importlib.util
import json
from functools import cache
from pathlib import Path

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QIcon, QIconEngine, QPainter, QPixmap

from toolplanner_core.resources import resource_root
from toolplanner_gui.theme.tokens import current_tokens

_FONT_FILE = "materialdesignicons6-webfont-6.9.96.ttf"
_CHARMAP_FILE = "materialdesignicons6-webfont-charmap-6.9.96.json"


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


def program_icon() -> QIcon:
    """What the system shows for the program's windows."""
    return QIcon(str(resource_root() / "icons" / "toolplanner.svg"))


@cache
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
def blank() -> QIcon:
    """Nothing, as wide as an icon: where other rows of a list have one."""
    picture = QPixmap(32, 32)
    picture.fill(Qt.GlobalColor.transparent)
    return QIcon(picture)


class _Glyph(QIconEngine):
    """A glyph that follows the theme: whatever shows it needs no other icon for other colours."""

    def __init__(self, name: str, token: str) -> None:
        super().__init__()
        self._name = name
        self._token = token

    def pixmap(self, size: QSize, mode: QIcon.Mode, state: QIcon.State) -> QPixmap:
        tokens = current_tokens()
        is_disabled = mode == QIcon.Mode.Disabled
        colour = tokens.line if is_disabled else tokens.colour(self._token)
        return pixmap(self._name, colour, min(size.width(), size.height()))

    def paint(self, painter: QPainter, rect: QRect, mode: QIcon.Mode, state: QIcon.State) -> None:
        size = rect.size() * painter.device().devicePixelRatioF()
        painter.drawPixmap(rect, self.pixmap(size, mode, state))


@cache
def make_icon(name: str, token: str = "dim") -> QIcon:
    """The icon `name` in the colour of `token`; dim unless it carries a state.

    Raises:
        KeyError: the font has no glyph of this name.
    """
    if name not in _glyphs():
        raise KeyError(name)
    return QIcon(_Glyph(name, token))


@cache
def colour_swatch(colour: str) -> QIcon:
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
