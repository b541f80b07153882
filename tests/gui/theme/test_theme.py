"""The theme switches live, and icons follow it."""

import re
import tempfile
from pathlib import Path

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QIcon, QImage, QPalette
from PySide6.QtWidgets import QApplication, QToolButton

from toolplanner_core.runs.presentation.states import NODE_LOOKS, RUN_LOOKS
from toolplanner_gui.actions.action import all_actions
from toolplanner_gui.layouts import LAYOUTS
from toolplanner_gui.theme.icons import make_icon, pixmap, program_icon
from toolplanner_gui.theme.theme import Theme
from toolplanner_gui.theme.tokens import DARK, LIGHT, Tokens


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


def test_pictures_of_the_style_sheet_when_the_theme_is_made_then_no_file_is_written(
    theme: Theme,
) -> None:
    there_were = {*Path(tempfile.gettempdir()).glob("*")}
    theme.set_mode("dark")
    Theme(QApplication.instance(), mode="light")  # type: ignore[arg-type]
    made = {*Path(tempfile.gettempdir()).glob("*")} - there_were
    # Other programs of this machine may write there too, but not such pictures.
    assert not [path for path in made if path.is_dir() and [*path.glob("chevron*")]]


@pytest.mark.parametrize("tokens", [LIGHT, DARK], ids=lambda tokens: tokens.name)
def test_pictures_when_the_style_sheet_names_them_then_they_are_there_in_both_sizes(
    theme: Theme, tokens: Tokens
) -> None:
    theme.set_mode(tokens.name)
    sheet = theme_sheet()
    paths = set(re.findall(r'url\("(:[^"]*)"\)', sheet))
    assert len(paths) == 3
    assert sheet.count("url(") == sheet.count('url(":/')
    colours = {"check-bold": tokens.on_accent, "chevron-down": tokens.dim}
    for path in paths:
        for size, wanted in ((16, path), (32, path.replace(".png", "@2x.png"))):
            image = QImage(wanted)
            assert image.width() == size, wanted
            seen = {
                image.pixelColor(x, y).name()
                for x in range(size)
                for y in range(size)
                if image.pixelColor(x, y).alpha() == 255
            }
            glyph = path.removeprefix(":/").removesuffix(f"-{tokens.name}.png")
            assert seen <= {colours.get(glyph, tokens.dim)}


def theme_sheet() -> str:
    app = QApplication.instance()
    assert isinstance(app, QApplication)
    return app.styleSheet()
