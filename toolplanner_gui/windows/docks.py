"""The panels in their docks: made once, placed as they declare, remembered per layout.

Those at the bottom are made when somebody sees them for the first time.
"""

import zlib
from collections.abc import Mapping

import shiboken6
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QMainWindow, QVBoxLayout, QWidget

from toolplanner_gui.context import AppContext
from toolplanner_gui.layouts import BY_ID, Layout
from toolplanner_gui.panels.panel import (
    DockPlace,
    Panel,
    PanelPlace,
    panels,
    places_in,
)
from toolplanner_gui.shell import ShownPanel
from toolplanner_gui.widgets.tab_order import is_in_sight
from toolplanner_gui.windows.bottom import Bottom
from toolplanner_gui.windows.dock import PanelDock

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
        self.bottom = Bottom(window, context)
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
            dock = self._dock(panel_id)
            dock.add_buttons(found.buttons())
            dock.visibilityChanged.connect(found.look_soon)
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
        self._stand_as_kept(layout)

    def follow_width(self) -> None:
        """Arrange the panels for a narrow window, or for a wide one again."""
        if self._layout is not None and self._is_narrow != (self._window.width() < _NARROW):
            # Not kept first: Qt has squeezed them already. What a person closed, or has in front,
            # has nothing to do with the width.
            closed = {i for i in self._beside if self._docks[i].isHidden()}
            front = self.bottom.front
            self._stand_as_kept(self._layout)
            for panel_id in self._beside:
                self._docks[panel_id].setVisible(panel_id not in closed)
            self._show_bottom()
            if front is not None:
                front.raise_()

    @property
    def _beside(self) -> list[str]:
        return [i for i, place in self._places.items() if place.side is not DockPlace.CENTRE]

    def _stand_as_kept(self, layout: Layout) -> None:
        self._is_narrow = self._window.width() < _NARROW
        self._window.setUpdatesEnabled(False)
        try:
            self._give_corners()
            self._arrange(layout)
            state = self._context.choices.window(layout.id, self._kept_as)
            if state is not None:
                self._window.restoreState(state, self._version)
            self._show_bottom()
        finally:
            self._window.setUpdatesEnabled(True)

    @property
    def _kept_as(self) -> str:
        return "narrow docks" if self._is_narrow else "docks"

    def _give_corners(self) -> None:
        for corner, area in (
            (Qt.Corner.BottomLeftCorner, DockPlace.LEFT),
            (Qt.Corner.BottomRightCorner, DockPlace.RIGHT),
        ):
            self._window.setCorner(corner, _AREAS[DockPlace.BOTTOM if self._is_narrow else area])

    def take_down(self) -> None:
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
                layout_id, self._kept_as, self._window.saveState(self._version)
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
