"""The red frame that says what went wrong."""

from PySide6.QtCore import QPoint
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication

from toolplanner_gui.theme.theme import Theme
from toolplanner_gui.widgets.banner import Banner


def test_banner_when_it_gets_wider_then_no_taller_than_its_words(qapp: QApplication, qtbot) -> None:
    banner = Banner()
    qtbot.addWidget(banner)
    banner.resize(300, 200)
    banner.show()
    what, why = "The worker could not start", "Its first lines on the error output say what was"
    banner.show_problem(what, why=why, todo="A script needs a guard", details="")
    banner.resize(1200, 200)
    lines = banner._what.fontMetrics().lineSpacing() + banner._why.fontMetrics().lineSpacing()
    assert banner._area.height() < lines + 12


def test_banner_when_dark_then_its_text_stands_on_its_own_ground(qapp: QApplication, qtbot) -> None:
    theme = Theme(qapp, mode="dark")
    banner = Banner()
    qtbot.addWidget(banner)
    banner.resize(520, 200)
    banner.show_problem("The endpoint refused the key", why="401", todo="Check it", details="")
    picture = banner.grab().toImage()
    ground = theme.tokens.colour("raised")
    inside = banner._area.viewport()
    places = [inside.mapTo(banner, corner) for corner in (QPoint(400, 3), QPoint(200, 3))]
    assert [QColor(picture.pixel(at)).name() for at in places] == [QColor(ground).name()] * 2
    theme.set_mode("light")
