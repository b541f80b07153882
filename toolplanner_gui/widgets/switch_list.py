"""A list of things that can be switched, added, changed and removed, with its keys and buttons.

Space switches, Return or a double click changes, Delete removes, Insert adds. Used by the panels of
breakpoints and faults.
"""

from collections.abc import Sequence

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QAction, QIcon, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QMenu,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from toolplanner_gui.widgets.buttons import icon_button, set_icon
from toolplanner_gui.widgets.empty_state import EmptyState
from toolplanner_gui.widgets.views import QuietTree


class SwitchList(QWidget):
    """Shows a model with switches; what people want is said by signals with the rows' keys.

    Args:
        model: rows with a check box before the first cell.
        key_role: the role that names a row.
        noun: what a row is, such as "breakpoint".
        shares: of the columns after the first, of the whole width.
    """

    add_clicked = Signal()
    edit_clicked = Signal(str)
    remove_clicked = Signal(object)
    all_switched = Signal(bool)

    def __init__(
        self,
        model: QAbstractItemModel,
        *,
        key_role: int,
        name: str,
        noun: str,
        shares: dict[int, float],
    ) -> None:
        super().__init__()
        self.model = model
        self._noun = noun
        self._key_role = key_role
        self.empty = EmptyState("")
        self.view = QuietTree(name, is_flat=True)
        self.view.set_model(model, {}, shares=shares)
        self.view.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.view.customContextMenuRequested.connect(self._show_menu)
        self.view.doubleClicked.connect(self._on_double_clicked)
        self.add = icon_button(f"Add a {noun} (Insert)", self.add_clicked.emit)
        self.all = icon_button(f"Switch all {noun}s off", self._switch_all)
        self._actions = [
            self._action(self, f"Add a {noun} …", "Insert", self.add_clicked.emit),
            # Of the list alone: Return on the button of an empty list presses the button.
            self._action(self.view, f"Change the {noun} …", "Return", self._edit),
            self._action(self.view, f"Remove the {noun}", "Delete", self._remove),
        ]
        self._pages = QStackedWidget()
        self._pages.addWidget(self.empty)
        self._pages.addWidget(self.view)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._pages)
        for signal in (model.modelReset, model.rowsInserted, model.dataChanged):
            signal.connect(self.refresh)
        self.refresh()

    @property
    def buttons(self) -> Sequence[QToolButton]:
        """For the title of the panel."""
        return (self.add, self.all)

    def set_icons(self, *, add: QIcon, all_off: QIcon, empty: QIcon) -> None:
        """Icons in the theme of the moment."""
        set_icon(self.add, add)
        set_icon(self.all, all_off)
        self.empty.set_icon(empty)

    def focus(self) -> None:
        """Put the keyboard into the list, or on the button that fills it."""
        if not self.view.currentIndex().isValid():
            self.view.setCurrentIndex(self.model.index(0, 0))
        (self.view if self.model.rowCount() else self.empty).setFocus()

    def refresh(self) -> None:
        """Show the list, or what to do while it is empty; name the button by what it does."""
        has_rows = self.model.rowCount() > 0
        self._pages.setCurrentWidget(self.view if has_rows else self.empty)
        self.all.setEnabled(has_rows)
        verb = "off" if self._is_any_on() else "on"
        self.all.setToolTip(f"Switch all {self._noun}s {verb}")
        self.all.setAccessibleName(f"Switch all {self._noun}s {verb}")

    def selected(self) -> list[str]:
        """Keys of the selected rows."""
        return [str(i.data(self._key_role)) for i in self.view.selectionModel().selectedRows()]

    def _is_any_on(self) -> bool:
        rows = range(self.model.rowCount())
        states = [self.model.index(row, 0).data(Qt.ItemDataRole.CheckStateRole) for row in rows]
        return Qt.CheckState.Checked in states

    def _action(self, owner: QWidget, title: str, key: str, run: object) -> QAction:
        action = QAction(title, self)
        action.setShortcut(QKeySequence.fromString(key))
        action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        action.triggered.connect(run)
        owner.addAction(action)
        return action

    def menu(self) -> QMenu:
        """What can be done with the selected rows."""
        menu = QMenu(self)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        add, edit, remove = self._actions
        count = len(self.selected())
        edit.setEnabled(count == 1)
        remove.setEnabled(count > 0)
        menu.addActions([edit, remove])
        menu.addSeparator()
        menu.addAction(add)
        return menu

    def _show_menu(self, place: QPoint) -> None:
        menu = self.menu()
        menu.aboutToHide.connect(self._enable_keys)
        menu.popup(self.view.viewport().mapToGlobal(place))

    def _enable_keys(self) -> None:
        for action in self._actions:
            action.setEnabled(True)

    def _on_double_clicked(self, index: QModelIndex) -> None:
        self.edit_clicked.emit(str(index.data(self._key_role)))

    def _edit(self) -> None:
        keys = self.selected()
        if len(keys) == 1:
            self.edit_clicked.emit(keys[0])

    def _remove(self) -> None:
        keys = self.selected()
        if keys:
            self.remove_clicked.emit(keys)

    def _switch_all(self) -> None:
        self.all_switched.emit(not self._is_any_on())
