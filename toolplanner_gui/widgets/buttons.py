"""Buttons and menus in the few forms the window has."""

from collections.abc import Callable

from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QIcon, QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QMenu,
    QPushButton,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from toolplanner_gui.theme.icons import make_icon
from toolplanner_gui.theme.tokens import ICON_SIZE, ROW_HEIGHT

_NONE = Qt.KeyboardModifier.NoModifier


class _Button(QPushButton):
    """Is pressed by Return as well as by the space bar, also outside of dialogs.

    Return in a field presses only the one button that a dialog is for, never the first one made.
    """

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.setAutoDefault(False)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        is_return = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if is_return and event.modifiers() in (_NONE, Qt.KeyboardModifier.KeypadModifier):
            self.click()
        else:
            super().keyPressEvent(event)


class _Link(_Button):
    """A line that is clicked: as wide as its text, and cut with an ellipsis where that is too much,
    so that a long title widens nothing around it."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self._whole = text
        self.setAccessibleName(text)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setMinimumWidth(1)

    def sizeHint(self) -> QSize:
        shown, hint = self.fontMetrics().horizontalAdvance(self.text()), super().sizeHint()
        whole = self.fontMetrics().horizontalAdvance(self._whole)
        return QSize(hint.width() - shown + whole, hint.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        metrics, around = self.fontMetrics(), self.sizeHint().width()
        around -= metrics.horizontalAdvance(self._whole)
        room = max(self.width() - around, 0)
        cut = metrics.elidedText(self._whole, Qt.TextElideMode.ElideRight, room)
        if cut != self.text():
            self.setText(cut)


def link_button(text: str, on_click: Callable[[], object]) -> QPushButton:
    """A link that may be longer than its place."""
    button = _Link(text)
    button.setProperty("role", "link")
    button.setCursor(Qt.CursorShape.PointingHandCursor)
    button.clicked.connect(lambda _=False: on_click())
    return button


def push_button(
    text: str, on_click: Callable[[], object], *, role: str = "", tip: str = "", name: str = ""
) -> QPushButton:
    """A button.

    Args:
        role: "primary" (one in a view), "link" or "".
        tip: its tooltip.
        name: for screen readers; the text if none.
    """
    button = _Button(text)
    button.setToolTip(tip)
    button.setAccessibleName(name)
    if role:
        button.setProperty("role", role)
    if role == "link":
        button.setCursor(Qt.CursorShape.PointingHandCursor)
    # Through a lambda: the signal's `checked` must not become an argument.
    button.clicked.connect(lambda _=False: on_click())
    return button


def icon_button(
    icon: str, name: str, on_click: Callable[[], object] | None = None, *, token: str = "dim"
) -> QToolButton:
    """A button of one icon; `name` is its tooltip and its name for screen readers."""
    button = QToolButton()
    button.setIcon(make_icon(icon, token))
    button.setToolTip(name)
    button.setAccessibleName(name)
    button.setIconSize(QSize(ICON_SIZE, ICON_SIZE))
    button.setMinimumSize(ROW_HEIGHT, ROW_HEIGHT)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    button.setAutoRaise(True)
    if on_click is not None:
        button.clicked.connect(lambda _=False: on_click())
    return button


def set_icon(button: QPushButton | QToolButton, icon: QIcon) -> None:
    """Give a button its icon in the size all icons have."""
    button.setIcon(icon)
    button.setIconSize(QSize(ICON_SIZE, ICON_SIZE))


def popup_menu(owner: QWidget) -> QMenu:
    """An empty menu that lives as long as it is open."""
    menu = QMenu(owner)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    return menu


def on_menu(view: QAbstractItemView, open_at: Callable[[QPoint, QPoint], object]) -> None:
    """Call `open_at` with a place of the view and of the screen when a menu is wanted there."""
    view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
    view.customContextMenuRequested.connect(
        lambda place: open_at(place, view.viewport().mapToGlobal(place))
    )
