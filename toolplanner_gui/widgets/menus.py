"""Menus that come up at a place and are gone when they close."""

from collections.abc import Callable

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QAbstractItemView, QMenu, QWidget


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
