"""The red frame that says what went wrong."""

from PySide6.QtCore import QPoint
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication

from toolplanner_gui.theme.theme import Theme
from toolplanner_gui.widgets.banner import Banner


def test_banner_when_dark_then_its_text_stands_on_its_own_ground(qapp: QApplication, qtbot) -> None:
    theme = Theme(qapp, mode="dark")
    banner = Banner()
    qtbot.addWidget(banner)
    banner.resize(520, 200)
    banner.show_problem("The endpoint refused the key", why="401", todo="Check it", details="")
    picture = banner.grab().toImage()
    ground = theme.tokens.colour("raised")
    inside = banner._area.viewport()
    places = [inside.mapTo(banner, corner) for corner in (QPoint(3, 3), QPoint(200, 3))]
    assert [QColor(picture.pixel(at)).name() for at in places] == [QColor(ground).name()] * 2
    theme.set_mode("light")
