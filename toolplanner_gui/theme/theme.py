"""The theme in force: follows the system or a choice, applied live to the whole application.

One object per application, made by `app`; whoever draws something itself listens to `changed`.
"""

import sys
from collections.abc import Callable, Mapping
from functools import cache

from PySide6.QtCore import SIGNAL, QObject, Qt, Signal
from PySide6.QtGui import QFont, QPixmap
from PySide6.QtWidgets import QApplication

from toolplanner_gui.theme.icons import pixmap
from toolplanner_gui.theme.palette import make_palette
from toolplanner_gui.theme.pictures import register_pictures
from toolplanner_gui.theme.stylesheet import make_stylesheet
from toolplanner_gui.theme.tokens import DARK, LIGHT, Tokens, put_in_force

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
        put_in_force(tokens)
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
