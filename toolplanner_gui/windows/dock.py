"""A dock with a quiet title: the panel's name, its own buttons, and a menu to float or hide it."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QDockWidget, QMenu, QToolButton, QWidget

from toolplanner_core.words.terms import meaning_of
from toolplanner_gui.theme.tokens import EDGE, SPACE
from toolplanner_gui.viewmodels.columns import plain_tooltip
from toolplanner_gui.widgets.boxes import row_of
from toolplanner_gui.widgets.buttons import icon_button
from toolplanner_gui.widgets.labels import text_label

_FREE = 16_777_215
"""QWIDGETSIZE_MAX: as high as there is room."""


class PanelTitle(QWidget):
    """The line above a panel; also used above the panel in the centre, there without a menu."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self.setProperty("role", "panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.more = icon_button("dots-horizontal", f"More for {title}")
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.name = text_label(title, role="section")
        self.name.setToolTip(plain_tooltip(meaning_of(title)))
        margins = (EDGE, SPACE, SPACE, SPACE)
        self.fold = icon_button("chevron-down", "Fold the panels at the bottom")
        self.fold.hide()
        self.buttons = row_of(gap=SPACE)
        """The panel's own."""
        parts = ((self.name, 1), self.buttons, self.fold, self.more)
        row_of(*parts, of=self, margins=margins, gap=SPACE)

    def sizeHint(self) -> QSize:
        """No height while it is hidden: Qt leaves room for a hidden title, too."""
        found = super().sizeHint()
        return QSize(found.width(), 0) if self.isHidden() else found

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()


class PanelDock(QDockWidget):
    """Holds a panel at a side of the window."""

    fold_wanted = Signal()
    is_folded = False
    """Whether only its tab is seen, or its title where there are no tabs."""

    def __init__(self, panel_id: str, title: str) -> None:
        super().__init__(title)
        self.setObjectName(f"dock-{panel_id}")
        self.panel_id = panel_id
        self._title = PanelTitle(title)
        self._title.fold.clicked.connect(lambda _=False: self.fold_wanted.emit())
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

    def set_folded(self, is_folded: bool, *, has_tab: bool) -> None:
        """Show the tab alone, or the title alone where there is no tab; or all of it again."""
        self.is_folded = is_folded
        self._title.setVisible(not (is_folded and has_tab))
        self.setMaximumHeight(self._title.sizeHint().height() if is_folded else _FREE)

    def add_buttons(self, buttons: Sequence[QToolButton]) -> None:
        """Show the buttons of the panel in its title."""
        for button in buttons:
            self._title.buttons.addWidget(button)

    def offer_folding(self, *, is_offered: bool) -> None:
        """Show the button that folds it, or not."""
        self._title.fold.setVisible(is_offered)
