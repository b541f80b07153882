"""The panels at the bottom: folded to their tabs until they are used, then as a person leaves them.

Folded, the map or the run has their room, and the tabs say what there is. A run, cases that are
run, what a search found, a menu entry and a click on a tab open them; who folds them by hand finds
them folded, until they are asked for by name.
"""

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QMainWindow, QTabBar

from toolplanner_gui.bridge.choices import BottomState
from toolplanner_gui.context import AppContext
from toolplanner_gui.widgets.tab_order import is_in_sight
from toolplanner_gui.windows.dock import PanelDock

_FOLLOWED = "opens the bottom"
_SETTLED_MS = 60
"""Where docks change their places Qt makes other tabs for them a little later."""
_OPENING = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


class Bottom(QObject):
    """Folds and opens the docks at the bottom of the layout that is shown."""

    changed = Signal()
    """They were folded or opened, or others stand there."""

    def __init__(self, window: QMainWindow, context: AppContext) -> None:
        super().__init__(window)
        self._window = window
        self._choices = context.choices
        self._layout = ""
        self._docks: Sequence[PanelDock] = ()
        self._usual = 0
        self._standing: dict[str, BottomState] = {}
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._follow_tabs)
        self._settled = QTimer(self, singleShot=True, interval=_SETTLED_MS)
        self._settled.timeout.connect(self._follow_tabs)

    def show(self, layout: str, docks: Sequence[PanelDock], *, usual: int) -> None:
        """Take over the docks of a layout; `usual` is their height where nobody chose one."""
        self._layout, self._docks, self._usual = layout, docks, usual
        self._apply()

    def keep(self) -> None:
        """Remember how they stand."""
        if self._docks:
            self._note_height()
            self._choices.keep_bottom(self._layout, self._standing_of(self._layout))

    def reset(self) -> None:
        """As delivered, in every layout."""
        self._standing = dict.fromkeys((*self._standing, self._layout), BottomState())
        self._apply()

    @property
    def is_there(self) -> bool:
        """Whether the layout has such panels."""
        return bool(self._docks)

    @property
    def is_folded(self) -> bool:
        """Whether only the tabs are seen."""
        return not self._standing_of(self._layout).is_open

    @property
    def tabs(self) -> QTabBar | None:
        """The tabs of the panels, while there are at least two."""
        titles = {dock.windowTitle() for dock in self._docks}
        direct = Qt.FindChildOption.FindDirectChildrenOnly
        bars = self._window.findChildren(QTabBar, options=direct)
        return next((bar for bar in bars if bar.count() and bar.tabText(0) in titles), None)

    @property
    def front(self) -> PanelDock | None:
        """The one whose tab is chosen, None where there are no tabs."""
        tabs = self.tabs
        title = "" if tabs is None else tabs.tabText(tabs.currentIndex())
        return next((dock for dock in self._docks if dock.windowTitle() == title), None)

    def turn(self) -> None:
        """Fold or open them because a person wants it so."""
        self._note_height()
        before = self._standing_of(self._layout)
        self._standing[self._layout] = before._replace(is_open=not before.is_open)
        self._apply()

    def open(self) -> None:
        """Open them because a person asked for something there."""
        if self.is_folded:
            self.turn()

    def use(self, layout: str) -> bool:
        """Something is to be seen there: open them, unless a person folded them by hand.

        Returns:
            Whether that opened them.
        """
        before = self._standing_of(layout)
        if before.is_open is not None:
            return False
        self._standing[layout] = before._replace(is_open=True)
        if layout == self._layout:
            self._apply()
        return True

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Return and Space on the tabs open what is folded."""
        is_pressed = event.type() == QEvent.Type.KeyPress
        if is_pressed and isinstance(event, QKeyEvent) and event.key() in _OPENING:
            self.open()
            return True
        return super().eventFilter(watched, event)

    def _standing_of(self, layout: str) -> BottomState:
        return self._standing.setdefault(layout, self._choices.bottom(layout))

    def _shown(self) -> list[PanelDock]:
        """Those that a person has not hidden, put elsewhere or torn off."""
        area = Qt.DockWidgetArea.BottomDockWidgetArea
        here = [dock for dock in self._docks if self._window.dockWidgetArea(dock) == area]
        return [dock for dock in here if not dock.isHidden() and not dock.isFloating()]

    def _note_height(self) -> None:
        """As high as somebody drew them."""
        standing = self._standing_of(self._layout)
        # Those behind other tabs are as high as they once were.
        height = max((dock.height() for dock in self._shown() if is_in_sight(dock)), default=0)
        if standing.is_open and height:
            tabs = self.tabs
            height += 0 if tabs is None else tabs.height()
            self._standing[self._layout] = standing._replace(height=height)

    def _apply(self) -> None:
        standing, shown = self._standing_of(self._layout), self._shown()
        for dock in self._docks:
            is_folded = not standing.is_open and dock in shown
            dock.set_folded(is_folded, has_tab=len(shown) > 1)
        if standing.is_open and shown:
            height = standing.height or self._usual
            self._window.resizeDocks(shown[:1], [height], Qt.Orientation.Vertical)
        self._soon.start()
        self._settled.start()
        self.changed.emit()

    def _follow_tabs(self) -> None:
        """Tabs come in the next turn, and Qt uses them again elsewhere."""
        tabs = self.tabs
        if tabs is not None and not tabs.property(_FOLLOWED):
            tabs.setProperty(_FOLLOWED, True)
            # Cut to two letters, names say nothing: in a small window the tabs are scrolled.
            tabs.setElideMode(Qt.TextElideMode.ElideNone)
            tabs.setUsesScrollButtons(True)
            tabs.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            tabs.setAccessibleName("Panels at the bottom")
            tabs.installEventFilter(self)
            tabs.tabBarClicked.connect(self._on_tab_clicked)
        shown = self._shown()
        if self.is_folded and shown:  # else Qt keeps the room of their titles
            height = max(1, shown[0].maximumHeight())
            self._window.resizeDocks(shown[:1], [height], Qt.Orientation.Vertical)

    def _on_tab_clicked(self, _place: int) -> None:
        if self.sender() is self.tabs:
            self.open()
