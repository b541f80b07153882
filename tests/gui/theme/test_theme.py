"""The theme switches live, and icons follow it."""

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QIcon, QPalette
from PySide6.QtWidgets import QApplication, QToolButton

from toolplanner_core.runs.telling.states import NODE_LOOKS, RUN_LOOKS
from toolplanner_gui.actions.action import all_actions
from toolplanner_gui.layouts import LAYOUTS
from toolplanner_gui.theme.icons import make_icon, pixmap, program_icon
from toolplanner_gui.theme.theme import Theme
from toolplanner_gui.theme.tokens import DARK, LIGHT


def test_theme_when_switched_changes_palette_and_style_sheet(theme: Theme, qtbot) -> None:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    light_sheet = app.styleSheet()
    with qtbot.waitSignal(theme.changed):
        theme.set_mode("dark")
    assert theme.tokens is DARK
    assert app.palette().color(QPalette.ColorRole.Base).name() == DARK.panel
    assert app.styleSheet() != light_sheet
    theme.set_mode("light")
    assert app.palette().color(QPalette.ColorRole.Base).name() == LIGHT.panel


def test_theme_when_set_to_the_same_tells_nobody(theme: Theme, qtbot) -> None:
    with qtbot.assertNotEmitted(theme.changed):
        theme.set_mode("light")


def test_icon_when_drawn_has_the_colour_of_its_token(theme: Theme) -> None:
    image = pixmap("square", LIGHT.accent, 32).toImage()
    assert image.pixelColor(16, 16).name() == LIGHT.accent
    assert make_icon("play", "ok") is make_icon("play", "ok")


def test_icon_when_the_theme_changes_then_it_has_the_other_colour(theme: Theme) -> None:
    button = QToolButton()
    button.setIcon(make_icon("square", "ok"))
    for mode, tokens in (("light", LIGHT), ("dark", DARK), ("light", LIGHT)):
        theme.set_mode(mode)
        image = button.icon().pixmap(32, 32).toImage()
        assert image.pixelColor(16, 16).name() == tokens.ok
        grey = button.icon().pixmap(QSize(32, 32), QIcon.Mode.Disabled).toImage()
        assert grey.pixelColor(16, 16).name() == tokens.line


def test_icon_names_all_exist_in_the_font(theme: Theme) -> None:
    names = {look.icon for look in (*NODE_LOOKS.values(), *RUN_LOOKS.values())}
    names |= {action.icon for _, action in all_actions() if action.icon}
    names |= {layout.icon for layout in LAYOUTS}
    for name in names:
        assert not make_icon(name).isNull()


def test_icon_when_unknown_is_an_error(theme: Theme) -> None:
    with pytest.raises(KeyError):
        make_icon("no-such-icon")


def test_program_when_its_windows_are_shown_then_it_has_an_icon(qapp: QApplication) -> None:
    assert program_icon().pixmap(32).toImage().pixelColor(16, 3).alpha() > 0
