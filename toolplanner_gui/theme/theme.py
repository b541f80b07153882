"""The theme in force: palette and style sheet made of the tokens, applied live to the application.

The short style sheet of the window: `resources/styles/window.qss` with the tokens filled in. Fusion
and the palette do most; there is only what they cannot: flat fields with round corners, no boxes in
boxes, one look of lists, tabs and splitters.

Pictures that the style sheet names, kept in memory: a program that is killed leaves no files. A
style sheet takes pictures by their path only, so they are given to Qt as a resource of this
process, under `:/NAME`. Made by `theme`, once for each set of tokens.

Source: Qt's resource format, version 1 (`qresource.cpp`).

The theme in force: follows the system or a choice, applied live to the whole application. One
object per application, made by `app`; whoever draws something itself listens to `changed`.
"""

import struct
import sys
from collections.abc import Callable, Mapping
from dataclasses import asdict
from functools import cache
from string import Template

from PySide6.QtCore import (
    SIGNAL,
    QBuffer,
    QByteArray,
    QIODevice,
    QObject,
    Qt,
    Signal,
    qRegisterResourceData,
)
from PySide6.QtGui import QColor, QFont, QPalette, QPixmap
from PySide6.QtWidgets import QApplication

from toolplanner_core.resources import resource_root
from toolplanner_gui.theme.icons import pixmap
from toolplanner_gui.theme.tokens import DARK, LIGHT, RADIUS, ROW_HEIGHT, Tokens, set_current_tokens


def make_palette(tokens: Tokens) -> QPalette:
    """The palette of a theme, for all colour groups."""
    role = QPalette.ColorRole
    palette = QPalette()
    for where, colour in {
        role.Window: tokens.panel,
        role.WindowText: tokens.text,
        role.Base: tokens.panel,
        role.AlternateBase: tokens.background,
        role.ToolTipBase: tokens.raised,
        role.ToolTipText: tokens.text,
        role.PlaceholderText: tokens.dim,
        role.Text: tokens.text,
        role.Button: tokens.raised,
        role.ButtonText: tokens.text,
        role.BrightText: tokens.failed,
        role.Light: tokens.raised,
        role.Midlight: tokens.hover,
        role.Mid: tokens.line,
        role.Dark: tokens.line,
        role.Shadow: tokens.line,
        role.Highlight: tokens.selection,
        role.HighlightedText: tokens.text,
        role.Accent: tokens.accent,
        role.Link: tokens.accent,
        role.LinkVisited: tokens.accent,
    }.items():
        palette.setColor(where, QColor(colour))
    for where in (role.WindowText, role.Text, role.ButtonText, role.HighlightedText):
        palette.setColor(QPalette.ColorGroup.Disabled, where, QColor(tokens.waiting))
    return palette


def make_stylesheet(tokens: Tokens, *, down: str, right: str, check: str) -> str:
    """The style sheet of a theme.

    Args:
        down: path of a picture of a chevron pointing down, 16 px, in the dim colour.
        right: the same pointing right.
        check: a check mark in the colour that stands on the accent.
    """
    sheet = resource_root() / "styles" / "window.qss"
    return Template(sheet.read_text(encoding="utf-8")).substitute(
        asdict(tokens), radius=RADIUS, row_height=ROW_HEIGHT, down=down, right=right, check=check
    )


_FORMAT = 1
_FOLDER = 2
_ANY_LANGUAGE = 1
_alive: list[tuple[bytes, bytes, bytes]] = []
"""Qt reads where they stand, as long as the process lives."""


def register_pictures(pictures: Mapping[str, QPixmap]) -> None:
    """Make pictures readable as `:/NAME`; a name is given once in the life of the process."""
    # Qt looks a name up by bisecting the hashes.
    ordered = sorted(pictures, key=_hash)
    tree, names, data = struct.pack(">IHII", 0, _FOLDER, len(ordered), 1), b"", b""
    for name in ordered:
        content = _as_png(pictures[name])
        tree += struct.pack(">IHHHI", len(names), 0, 0, _ANY_LANGUAGE, len(data))
        names += struct.pack(">HI", len(name), _hash(name)) + name.encode("utf-16-be")
        data += struct.pack(">I", len(content)) + content
    _alive.append((tree, names, data))
    qRegisterResourceData(_FORMAT, tree, names, data)


def _as_png(picture: QPixmap) -> bytes:
    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    picture.save(buffer, "PNG")  # type: ignore[call-overload]
    return bytes(content.data())


def _hash(name: str) -> int:
    """As `qt_hash` (PJW)."""
    found = 0
    for unit in name.encode("ascii"):
        found = (found << 4) + unit
        found ^= (found & 0xF0000000) >> 23
        found &= 0x0FFFFFFF
    return found


MODES = ("system", "light", "dark")
_GLYPHS = {
    "down": ("chevron-down", "dim"),
    "right": ("chevron-right", "dim"),
    "check": ("check-bold", "on_accent"),
}
"""Pictures of the style sheet, by their names in it: the glyph and its token."""


class Theme(QObject):
    """Applies tokens to the application and tells when they change.

    Args:
        app: the application.
        mode: "system", "light" or "dark".
    """

    changed = Signal()

    def __init__(self, app: QApplication, *, mode: str = "system") -> None:
        super().__init__()
        self._app = app
        self.mode = mode
        self.tokens = LIGHT
        self._is_applied = False
        app.setStyle("Fusion")
        app.setFont(_data_font(app.font()))
        app.styleHints().colorSchemeChanged.connect(self._on_system_changed)
        self._apply()

    def set_mode(self, mode: str) -> None:
        """Switch live to "system", "light" or "dark"."""
        assert mode in MODES, mode
        self.mode = mode
        self._apply()

    def dress(self, owner: QObject, way: Callable[[], object]) -> None:
        """Do what depends on the theme now, and with every other one as long as `owner` lives."""
        way()
        QObject.connect(self, SIGNAL("changed()"), owner, way)

    def _wanted(self) -> Tokens:
        if self.mode == "system":
            scheme = self._app.styleHints().colorScheme()
            return DARK if scheme == Qt.ColorScheme.Dark else LIGHT
        return DARK if self.mode == "dark" else LIGHT

    def _on_system_changed(self) -> None:
        if self.mode == "system":
            self._apply()

    def _apply(self) -> None:
        tokens = self._wanted()
        if self._is_applied and tokens is self.tokens:
            return
        self._is_applied = True
        self.tokens = tokens
        set_current_tokens(tokens)
        self._app.setPalette(make_palette(tokens))
        self._app.setStyleSheet(make_stylesheet(tokens, **_pictures(tokens)))
        self.changed.emit()


@cache
def _pictures(tokens: Tokens) -> Mapping[str, str]:
    """The glyphs of the style sheet in the colours of a theme, by what the sheet calls them."""
    paths: dict[str, str] = {}
    made: dict[str, QPixmap] = {}
    for called, (glyph, token) in _GLYPHS.items():
        stem = f"{glyph}-{tokens.name}"
        paths[called] = f":/{stem}.png"
        made[f"{stem}.png"] = pixmap(glyph, tokens.colour(token), 16)
        # Qt takes the one with this ending by itself on screens with two pixels per point.
        made[f"{stem}@2x.png"] = pixmap(glyph, tokens.colour(token), 32)
    register_pictures(made)
    return paths


def _data_font(system: QFont) -> QFont:
    """The system's font at the size of data: 9 points, 12 on macOS where a point is a pixel."""
    font = QFont(system)
    font.setPointSizeF(12.0 if sys.platform == "darwin" else 9.0)
    return font
