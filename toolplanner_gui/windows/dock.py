"""A dock with a quiet title: the panel's name, its own buttons, and a menu to float or hide it."""

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDockWidget, QMenu, QToolButton, QWidget

from toolplanner_gui.theme.tokens import EDGE, SPACE
from toolplanner_gui.widgets.boxes import row_of
from toolplanner_gui.widgets.buttons import icon_button
from toolplanner_gui.widgets.labels import text_label


class PanelTitle(QWidget):
    """The line above a panel; also used above the panel in the centre, there without a menu."""

    def __init__(self, title: str, buttons: Sequence[QToolButton]) -> None:
        super().__init__()
        self.setProperty("role", "panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.more = icon_button("dots-horizontal", f"More for {title}")
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        name = text_label(title, role="section")
        margins = (EDGE, SPACE, SPACE, SPACE)
        row = row_of((name, 1), *buttons, of=self, margins=margins, gap=SPACE)
        row.addWidget(self.more)


class PanelDock(QDockWidget):
    """Holds a panel at a side of the window."""

    def __init__(self, panel_id: str, title: str, buttons: Sequence[QToolButton]) -> None:
        super().__init__(title)
        self.setObjectName(f"dock-{panel_id}")
        self.panel_id = panel_id
        self._title = PanelTitle(title, buttons)
        menu = QMenu(self._title)
        self._float = QAction("Float", menu)
        self._float.triggered.connect(lambda: self.setFloating(not self.isFloating()))
        hide = QAction("Hide", menu)
        hide.triggered.connect(self.hide)
        menu.addActions([self._float, hide])
        menu.aboutToShow.connect(
            lambda: self._float.setText("Dock" if self.isFloating() else "Float")
        )
        self._title.more.setMenu(menu)
        self.setTitleBarWidget(self._title)
