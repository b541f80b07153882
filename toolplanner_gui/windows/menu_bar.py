"""Builds the menu bar from the action data, and keeps its entries enabled and checked."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QApplication, QMainWindow, QMenu, QWidget

from toolplanner_gui.actions.action import Action, Entry, Separator, Submenu, menus
from toolplanner_gui.context import AppContext
from toolplanner_gui.theme.icons import make_icon
from toolplanner_gui.viewmodels.item_models import plain_tooltip

_ROLES = {"quit": QAction.MenuRole.QuitRole, "about": QAction.MenuRole.AboutRole}


class Menus(QObject):
    """The menu bar of a window; call `refresh` when the state of the program has changed."""

    def __init__(self, window: QMainWindow, context: AppContext) -> None:
        super().__init__(window)
        self._window = window
        self._context = context
        self._fixed: list[tuple[Action, QAction]] = []
        self._submenus: list[tuple[Submenu, QMenu]] = []
        self._is_on_map = False
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._on_focus)
        for menu in sorted(menus, key=lambda m: m.order):
            top = window.menuBar().addMenu(menu.title)
            self._fill(top, menu.entries)
            top.aboutToShow.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Ask every entry whether it is enabled and checked."""
        for action, shown in self._fixed:
            self._update(action, shown)
        for submenu, menu in self._submenus:
            menu.setEnabled(submenu.is_enabled(self._context))

    def explain_refusal(self, event: QKeyEvent) -> None:
        """Of a key that nobody took: why its entry cannot be done now."""
        keys = QKeySequence(event.keyCombination())
        refused = (a for a, shown in self._fixed if keys in shown.shortcuts())
        if why := next((why for a in refused if (why := a.why_not(self._context))), ""):
            self._context.show_message(f"Not now: {why[:1].lower()}{why[1:]}")

    def fill_context_menu(self, menu: QMenu, entries: Sequence[Entry]) -> None:
        """Add entries to a menu that is opened once, as they stand now."""
        for entry in entries:
            if isinstance(entry, Separator):
                menu.addSeparator()
            elif isinstance(entry, Submenu):
                below = menu.addMenu(entry.title)
                below.setEnabled(entry.is_enabled(self._context))
                self.fill_context_menu(below, entry.entries(self._context))
            else:
                shown = self._make(entry, menu)
                self._update(entry, shown)

    def _fill(self, menu: QMenu, entries: Sequence[Entry]) -> None:
        for entry in entries:
            if isinstance(entry, Separator):
                menu.addSeparator()
            elif isinstance(entry, Submenu):
                below = menu.addMenu(entry.title)
                below.aboutToShow.connect(self._filler(entry, below))
                self._submenus.append((entry, below))
            else:
                shown = self._make(entry, menu)
                # The window owns the shortcut, so that it works while the menu is closed.
                self._window.addAction(shown)
                self._fixed.append((entry, shown))

    def _filler(self, submenu: Submenu, menu: QMenu) -> Callable[[], None]:
        def fill() -> None:
            menu.clear()
            for action in submenu.entries(self._context):
                self._update(action, self._make(action, menu))

        return fill

    def _make(self, action: Action, menu: QMenu) -> QAction:
        menu.setToolTipsVisible(True)
        shown = QAction(action.title, menu)
        if action.icon:
            shown.setIcon(make_icon(action.icon))
        shown.setObjectName(action.id)
        shown.setShortcuts(self._keys(action))
        shown.setCheckable(action.checked_when is not None)
        shown.setMenuRole(_ROLES.get(action.role, QAction.MenuRole.NoRole))
        shown.triggered.connect(lambda _=False: action.run(self._context))
        menu.addAction(shown)
        return shown

    def _update(self, action: Action, shown: QAction) -> None:
        context = self._context
        shown.setEnabled(action.is_enabled(context))
        shown.setText(action.shown_title(context))
        if not action.can_be_asked(context):
            return
        shown.setToolTip(plain_tooltip(action.why_not(context)))
        if action.checked_when is not None:
            shown.setChecked(action.checked_when(context))
        if "@" in action.keys and shown.shortcuts() != (keys := self._keys(action)):
            shown.setShortcuts(keys)

    def _keys(self, action: Action) -> list[QKeySequence]:
        """The keys that work where the person is."""
        layout = self._context.shell.current_layout()
        here = {"", layout, "map" if self._is_on_map and layout == "curate" else layout}
        return [QKeySequence.fromString(keys) for keys, place in action.shortcuts if place in here]

    def _on_focus(self, _old: QWidget | None, now: QWidget | None) -> None:
        """Letters are commands on the map only: in lists and fields they are typed."""
        is_on_map = now is not None and now.property("takes") == "letters"
        if is_on_map != self._is_on_map:
            self._is_on_map = is_on_map
            for action, shown in self._fixed:
                if "@map" in action.keys:
                    shown.setShortcuts(self._keys(action))
