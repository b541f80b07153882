"""The panels in their docks: made once, placed as they declare, remembered per layout."""

import zlib
from collections.abc import Mapping
from typing import NamedTuple

import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMainWindow, QVBoxLayout, QWidget

from toolplanner_gui.context import AppContext
from toolplanner_gui.layouts import BY_ID, Layout
from toolplanner_gui.panels.panel import (
    DockPlace,
    Panel,
    PanelPlace,
    PanelPlugin,
    panels,
    places_in,
)
from toolplanner_gui.shell import ShownPanel
from toolplanner_gui.windows.dock import PanelDock

_AREAS = {
    DockPlace.LEFT: Qt.DockWidgetArea.LeftDockWidgetArea,
    DockPlace.RIGHT: Qt.DockWidgetArea.RightDockWidgetArea,
    DockPlace.BOTTOM: Qt.DockWidgetArea.BottomDockWidgetArea,
}

_MOST = {DockPlace.LEFT: 0.29, DockPlace.RIGHT: 0.29}
"""Share of a small window that a side takes at most."""
_MOST_HEIGHT = 0.28
_NARROW = 1000
"""Below so many pixels the tray at the bottom takes the whole width, and panels at a side stand
behind each other."""


class _Standing(NamedTuple):
    plugin: PanelPlugin
    panel: Panel
    dock: PanelDock


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
        self._standing: dict[str, _Standing] = {}
        self._layout: Layout | None = None
        self._places: Mapping[str, PanelPlace] = {}
        self._is_narrow = False
        window.setDockNestingEnabled(True)
        self._give_corners()

    @property
    def is_idle(self) -> bool:
        """Whether all visible panels show all they are going to show."""
        return all(s.panel.is_idle for s in self._standing.values() if s.panel.isVisible())

    def panel(self, panel_id: str) -> Panel:
        """A panel, made at its first use."""
        return self._stand(panel_id).panel

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
            # Not kept first: Qt has squeezed them already.
            self._stand_as_kept(self._layout)

    def _stand_as_kept(self, layout: Layout) -> None:
        self._is_narrow = self._window.width() < _NARROW
        self._window.setUpdatesEnabled(False)
        try:
            self._give_corners()
            self._arrange(layout)
            state = self._context.choices.window(layout.id, self._kept_as)
            if state is not None:
                self._window.restoreState(state, self._version)
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
        for standing in self._standing.values():
            for widget in (standing.panel, standing.dock):
                shiboken6.delete(widget)

    def reset(self, layout_id: str) -> None:
        """Arrange a layout as delivered."""
        if self._layout is not None:
            self._arrange(BY_ID[layout_id])

    def keep(self, layout_id: str) -> None:
        """Remember how the docks of a layout stand."""
        if self._layout is not None and self._layout.id == layout_id:
            self._context.choices.keep_window(
                layout_id, self._kept_as, self._window.saveState(self._version)
            )

    def shown(self) -> list[ShownPanel]:
        """The panels of the layout that can be hidden."""
        beside = [i for i, place in self._places.items() if place.side is not DockPlace.CENTRE]
        return [
            ShownPanel(i, plugin.title, plugin.icon, dock.isVisible())
            for i, (plugin, _, dock) in ((i, self._standing[i]) for i in beside)
        ]

    def seen(self) -> list[Panel]:
        """The panels that are seen: the middle, then right, bottom and left."""
        order = (DockPlace.CENTRE, DockPlace.RIGHT, DockPlace.BOTTOM, DockPlace.LEFT)
        by_side = sorted(self._places.items(), key=lambda one: order.index(one[1].side))
        found = [self._standing[panel_id].panel for panel_id, _ in by_side]
        return [panel for panel in found if panel.is_seen]

    def toggle(self, panel_id: str) -> None:
        """Show or hide a panel."""
        dock = self._stand(panel_id).dock
        dock.setVisible(not dock.isVisible())

    def reveal(self, panel_id: str) -> Panel:
        """Make a panel of the layout visible."""
        standing = self._stand(panel_id)
        if self._places[panel_id].side is DockPlace.CENTRE:
            self._put_in_centre(standing.panel)
        else:
            standing.dock.show()
            standing.dock.raise_()
        return standing.panel

    def _stand(self, panel_id: str) -> _Standing:
        standing = self._standing.get(panel_id)
        if standing is None:
            plugin = panels.get(panel_id)
            panel = plugin.make(self._context)
            dock = PanelDock(panel_id, plugin.title, panel.buttons())
            standing = _Standing(plugin, panel, dock)
            self._standing[panel_id] = standing
            self._window.addDockWidget(Qt.DockWidgetArea.LeftDockWidgetArea, dock)
            dock.hide()
            dock.visibilityChanged.connect(panel.look_soon)
        return standing

    def _arrange(self, layout: Layout) -> None:
        for panel_id in self._places:
            self._stand(panel_id)
        for panel_id, standing in self._standing.items():
            if panel_id not in self._places or self._places[panel_id].side is DockPlace.CENTRE:
                standing.dock.hide()
        sides: dict[DockPlace, list[PanelDock]] = {}
        is_centre_free = True
        for panel_id, (place, _, _) in self._places.items():
            _, panel, dock = self._standing[panel_id]
            if place is DockPlace.CENTRE:
                if is_centre_free:
                    self._put_in_centre(panel)
                is_centre_free = False
                continue
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
                wide = min(layout.widths[place], round(self._window.width() * _MOST[place]))
                self._window.resizeDocks(docks, [wide] * len(docks), Qt.Orientation.Horizontal)
            if place in layout.heights:
                tall = min(layout.heights[place], round(room * _MOST_HEIGHT))
                self._window.resizeDocks(docks[:1], [tall], Qt.Orientation.Vertical)
                continue
            shares = [self._places[d.panel_id].share or 100 // len(docks) for d in docks]
            if len(docks) > 1 and not self._is_narrow:
                heights = [room * share // 100 for share in shares]
                self._window.resizeDocks(docks, heights, Qt.Orientation.Vertical)

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
