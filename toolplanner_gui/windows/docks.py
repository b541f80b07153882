"""The panels in their docks: made once, placed as they declare, remembered per layout.

The panels at the bottom: folded to their tabs until they are used, then as a person leaves them.
Folded, the map or the run has their room, and the tabs say what there is. A run, cases that are
run, what a search found, a menu entry and a click on a tab open them; who folds them by hand finds
them folded, until they are asked for by name.

Those at the bottom are made when somebody sees them for the first time.
"""

import zlib
from collections.abc import Mapping, Sequence

import shiboken6
from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import (
    QDockWidget,
    QMainWindow,
    QMenu,
    QTabBar,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from toolplanner_core.words.glossary import explain_term
from toolplanner_gui.bridge.user_settings import BottomState
from toolplanner_gui.context import AppContext
from toolplanner_gui.layouts import BY_ID, Layout
from toolplanner_gui.panels.panel import DockPlace, Panel, PanelPlace, panels, places_in
from toolplanner_gui.shell import ShownPanel
from toolplanner_gui.theme.tokens import EDGE, SPACE
from toolplanner_gui.viewmodels.item_models import plain_tooltip
from toolplanner_gui.widgets.box_layouts import row_of
from toolplanner_gui.widgets.buttons import icon_button
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.widgets.tab_order import is_in_sight

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
        self.name.setToolTip(plain_tooltip(explain_term(title)))
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


_FOLLOWED = "opens the bottom"
_SETTLED_MS = 60
"""Where docks change their places Qt makes other tabs for them a little later."""
_OPENING = (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space)


class BottomPanels(QObject):
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


_AREAS = {
    DockPlace.LEFT: Qt.DockWidgetArea.LeftDockWidgetArea,
    DockPlace.RIGHT: Qt.DockWidgetArea.RightDockWidgetArea,
    DockPlace.BOTTOM: Qt.DockWidgetArea.BottomDockWidgetArea,
}

_MOST = {DockPlace.LEFT: 0.29, DockPlace.RIGHT: 0.29}
"""Share of a small window that a side takes at most."""
_LOW = 660
"""Below so many pixels of height the tray is not opened unasked: what is decided needs the room."""
_NARROW = 1000
"""Below so many pixels the tray at the bottom takes the whole width, and panels at a side stand
behind each other."""


class Docks:
    """Places panels.

    Args:
        window: owns the docks.
        centre: where the central panel of a layout goes.
    """

    def __init__(self, window: QMainWindow, context: AppContext, centre: QVBoxLayout) -> None:
        self._window = window
        self._context = context
        self._centre = centre
        self._panels: dict[str, Panel] = {}
        self._docks: dict[str, PanelDock] = {}
        self._layout: Layout | None = None
        self.bottom = BottomPanels(window, context)
        self._fill_soon = QTimer(window, singleShot=True, interval=0)
        self._fill_soon.timeout.connect(self._fill)
        self.bottom.changed.connect(self._fill_soon.start)
        self._places: Mapping[str, PanelPlace] = {}
        self._is_narrow = False
        window.setDockNestingEnabled(True)
        self._give_corners()

    @property
    def is_idle(self) -> bool:
        """Whether all visible panels show all they are going to show."""
        is_there = not self._fill_soon.isActive()
        return is_there and all(p.is_idle for p in self._panels.values() if p.isVisible())

    def panel(self, panel_id: str) -> Panel:
        """A panel, made at its first use."""
        found = self._panels.get(panel_id)
        if found is None:
            self._panels[panel_id] = found = panels.get(panel_id).make(self._context)
            found.setObjectName(f"panel-{panel_id}")
            dock = self._dock(panel_id)
            dock.add_buttons(found.buttons())
            dock.visibilityChanged.connect(found.refresh_if_seen)
            place = self._places.get(panel_id)
            if place is not None and place.side is not DockPlace.CENTRE:
                dock.setWidget(found)
        return found

    def show_layout(self, layout_id: str) -> None:
        """Arrange the panels of a layout."""
        layout = BY_ID[layout_id]
        if self._layout is layout:
            return
        if self._layout is not None:
            self.keep(self._layout.id)
        self._layout, self._places = layout, places_in(layout.id)
        self._restore(layout)

    def follow_width(self) -> None:
        """Arrange the panels for a narrow window, or for a wide one again."""
        if self._layout is not None and self._is_narrow != (self._window.width() < _NARROW):
            # Not kept first: Qt has squeezed them already. What a person closed, or has in front,
            # has nothing to do with the width.
            closed = {i for i in self._beside if self._docks[i].isHidden()}
            front = self.bottom.front
            self._restore(self._layout)
            for panel_id in self._beside:
                self._docks[panel_id].setVisible(panel_id not in closed)
            self._show_bottom()
            if front is not None:
                front.raise_()

    @property
    def _beside(self) -> list[str]:
        return [i for i, place in self._places.items() if place.side is not DockPlace.CENTRE]

    def _restore(self, layout: Layout) -> None:
        self._is_narrow = self._window.width() < _NARROW
        self._window.setUpdatesEnabled(False)
        try:
            self._give_corners()
            self._arrange(layout)
            state = self._context.choices.window(layout.id, self._state_name)
            if state is not None:
                self._window.restoreState(state, self._version)
            self._show_bottom()
        finally:
            self._window.setUpdatesEnabled(True)

    @property
    def _state_name(self) -> str:
        return "narrow docks" if self._is_narrow else "docks"

    def _give_corners(self) -> None:
        for corner, area in (
            (Qt.Corner.BottomLeftCorner, DockPlace.LEFT),
            (Qt.Corner.BottomRightCorner, DockPlace.RIGHT),
        ):
            self._window.setCorner(corner, _AREAS[DockPlace.BOTTOM if self._is_narrow else area])

    def destroy_widgets(self) -> None:
        """Remember how the docks stand and destroy them with their panels."""
        if self._layout is not None:
            self.keep(self._layout.id)
        self._fill_soon.stop()
        for widget in (*self._panels.values(), *self._docks.values()):
            shiboken6.delete(widget)
        shiboken6.delete(self.bottom)

    def reset(self, layout_id: str) -> None:
        """Arrange a layout as delivered."""
        if self._layout is not None:
            self._arrange(BY_ID[layout_id])
            self.bottom.reset()

    def keep(self, layout_id: str) -> None:
        """Remember how the docks of a layout stand."""
        if self._layout is not None and self._layout.id == layout_id:
            self._context.choices.keep_window(
                layout_id, self._state_name, self._window.saveState(self._version)
            )
            self.bottom.keep()

    def shown(self) -> list[ShownPanel]:
        """The panels of the layout that can be hidden."""
        shown = ((panels.get(i), self._docks[i]) for i in self._beside)
        return [ShownPanel(p.id, p.title, p.icon, dock.isVisible()) for p, dock in shown]

    def seen(self) -> list[QWidget]:
        """The panels that are seen: the middle, then right, bottom and left; then the tabs of
        those that are folded."""
        order = (DockPlace.CENTRE, DockPlace.RIGHT, DockPlace.BOTTOM, DockPlace.LEFT)
        by_side = sorted(self._places.items(), key=lambda one: order.index(one[1].side))
        found = [self._panels[panel_id] for panel_id, _ in by_side if panel_id in self._panels]
        tabs = self.bottom.tabs if self.bottom.is_folded else None
        return [*(panel for panel in found if panel.is_seen), *([] if tabs is None else [tabs])]

    def toggle(self, panel_id: str) -> None:
        """Show or hide a panel."""
        dock = self._dock(panel_id)
        dock.setVisible(not dock.isVisible())
        self._show_bottom()

    def reveal(self, panel_id: str) -> Panel:
        """Make a panel of the layout visible."""
        panel, side = self.panel(panel_id), self._places[panel_id].side
        if side is DockPlace.CENTRE:
            self._put_in_centre(panel)
        else:
            self._docks[panel_id].show()
            if side is DockPlace.BOTTOM:
                self.bottom.open()
            self._docks[panel_id].raise_()
        return panel

    def use(self, panel_id: str, *, layout: str) -> None:
        """There is something to be seen in a panel at the bottom of a layout: show it, if nobody
        has decided yet whether the bottom is folded."""
        if self._window.height() < _LOW:
            return
        if self.bottom.use(layout) and self._layout is BY_ID[layout]:
            self._docks[panel_id].raise_()

    def _show_bottom(self) -> None:
        """Let those at the bottom of the layout stand as they were left."""
        layout = self._layout
        if layout is None:
            return
        side = DockPlace.BOTTOM
        docks = [self._docks[i] for i, p in self._places.items() if p.side is side]
        usual = min(layout.heights.get(side, 0), round(self._window.height() * layout.most_height))
        self.bottom.show(layout.id, docks, usual=usual)

    def _dock(self, panel_id: str) -> PanelDock:
        dock = self._docks.get(panel_id)
        if dock is None:
            self._docks[panel_id] = dock = PanelDock(panel_id, panels.get(panel_id).title)
            self._window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, dock)
            dock.hide()
            dock.visibilityChanged.connect(lambda _is_seen: self._fill_soon.start())
            dock.fold_wanted.connect(self.bottom.turn)
        return dock

    def _fill(self) -> None:
        """Make the panels that have come in sight."""
        for panel_id, dock in self._docks.items():
            is_empty = panel_id in self._places and panel_id not in self._panels
            if is_empty and not dock.is_folded and dock.isVisible() and is_in_sight(dock):
                self.panel(panel_id)

    def _arrange(self, layout: Layout) -> None:
        for panel_id, place in self._places.items():
            self._dock(panel_id)
            if place.side is not DockPlace.BOTTOM:
                self.panel(panel_id)
        for panel_id, dock in self._docks.items():
            if panel_id not in self._places or self._places[panel_id].side is DockPlace.CENTRE:
                dock.hide()
        sides: dict[DockPlace, list[PanelDock]] = {}
        is_centre_free = True
        for panel_id, (place, _, _) in self._places.items():
            panel, dock = self._panels.get(panel_id), self._docks[panel_id]
            if place is DockPlace.CENTRE:
                if is_centre_free and panel is not None:
                    self._put_in_centre(panel)
                is_centre_free = False
                continue
            dock.offer_folding(is_offered=place is DockPlace.BOTTOM)
            if panel is not None:
                dock.setWidget(panel)
                panel.show()
            dock.setFloating(False)
            column = sides.setdefault(place, [])
            if column and (place is DockPlace.BOTTOM or self._is_narrow):
                self._window.tabifyDockWidget(column[-1], dock)
            elif column:
                self._window.splitDockWidget(column[-1], dock, Qt.Orientation.Vertical)
            else:
                self._window.addDockWidget(_AREAS[place], dock)
            dock.show()
            column.append(dock)
        for column in sides.values():
            column[0].raise_()
        self._size(layout, sides)

    def _size(self, layout: Layout, sides: dict[DockPlace, list[PanelDock]]) -> None:
        room = max(1, self._window.height())
        for place, docks in sides.items():
            if place in layout.widths:
                wide = min(
                    layout.widths[place], round(self._window.width() * self._most(layout, place))
                )
                self._window.resizeDocks(docks, [wide] * len(docks), Qt.Orientation.Horizontal)
            if place is DockPlace.BOTTOM:
                continue
            shares = [self._places[d.panel_id].share or 100 // len(docks) for d in docks]
            if len(docks) > 1 and not self._is_narrow:
                heights = [room * share // 100 for share in shares]
                self._window.resizeDocks(docks, heights, Qt.Orientation.Vertical)

    def _most(self, layout: Layout, place: DockPlace) -> float:
        """Share of the window for a side; in a narrow one the right side, where runs are decided
        on, takes from the left what it is usually wider."""
        if not self._is_narrow or len(layout.widths) < len(_MOST):
            return _MOST[place]
        both, right = sum(_MOST.values()), layout.widths[DockPlace.RIGHT]
        share = max(_MOST[DockPlace.RIGHT], both * right / sum(layout.widths.values()))
        return share if place is DockPlace.RIGHT else both - share

    @property
    def _version(self) -> int:
        """Another number for every other set of panels: how docks stood with fewer panels says
        nothing about the new ones, so it is forgotten."""
        return zlib.crc32(repr(self._places).encode()) >> 1

    def _put_in_centre(self, panel: QWidget) -> None:
        while (item := self._centre.takeAt(0)) is not None:
            old = item.widget()
            if old is not None and old is not panel:
                old.hide()
                old.setParent(None)
        self._centre.addWidget(panel)
        panel.show()
