"""The map: all APIs as points, coloured and named by toolkit, to look at, point at and select.

The one public widget of this package; the panels use nothing else of it. What it shows is in
`surface.py`; here is what people do with it: choose a tool, select, carry, open a menu, use keys.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from PySide6.QtCore import QPoint, QPointF, Qt, Signal
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QWidget

from toolplanner_gui.map.keys import handle_key
from toolplanner_gui.map.map_view import Tool
from toolplanner_gui.map.outlines import CONTOURS, HULLS
from toolplanner_gui.map.picture_file import MapPicture
from toolplanner_gui.map.selection import Mode
from toolplanner_gui.map.surface import MapSurface
from toolplanner_gui.theme.tokens import LIGHT, Tokens

BUTTON_ZOOM = 1.5


class MapCanvas(MapSurface):
    """The map of a catalogue, to work with.

    Args:
        tokens: colours of the theme.
        parent: the panel that holds it.

    Signals:
        hovered: row of the point under the resting cursor, -1 for none.
        selection_made: by a gesture: mask `(n,) bool`, mode, how (`Selection.made`).
        point_activated: row of a point that was double-clicked or entered.
        tool_changed: `pan`, `rectangle` or `lasso`.
        categories_chosen: rows of the legend whose points alone are to be shown; empty for all.
        filter_cleared: all points are wanted again.
        outlines_turned: names of the outlines that are shown.
        carried: the selection is being dragged: a global place; none when that has ended.
        dropped: the selection was dropped: a global place.
        menu_wanted: a context menu is asked for: row below it (-1 for none), global place.
    """

    hovered = Signal(int)
    selection_made = Signal(object, str, object)
    point_activated = Signal(int)
    tool_changed = Signal(str)
    categories_chosen = Signal(object)
    filter_cleared = Signal()
    outlines_turned = Signal(object)
    carried = Signal(object)
    dropped = Signal(QPoint)
    menu_wanted = Signal(int, QPoint)

    def __init__(self, tokens: Tokens = LIGHT, parent: QWidget | None = None) -> None:
        super().__init__(tokens, parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Map of APIs")
        self.setProperty("takes", "letters")
        self.letters_of_others: frozenset[str] = frozenset()
        """Letters that mean something else where the map is, and nothing to it."""
        self._follow_gestures()

    @property
    def selected(self) -> np.ndarray:
        """Rows of the selected points, rising, `(m,) int64`."""
        return self.points.selection.rows

    def select(self, indices: np.ndarray | Sequence[int], mode: Mode = "replace") -> None:
        """Change the selection; `selection_changed` follows if that makes a difference.

        Args:
            indices: rows.
            mode: `replace`, `add`, `remove` or `toggle`.

        Raises:
            IndexError: a row is not among the points.
        """
        mask = self.points.selection.mask_of(np.asarray(indices, np.int64))
        self._apply_selection(mask, mode)

    def show_selection(self, mask: np.ndarray) -> bool:
        """Show what was selected elsewhere, a mask `(n,) bool`; no signal follows.

        Returns:
            Whether anything changed.
        """
        return self._change_selection(mask, "replace")

    def select_by_hand(self, mask: np.ndarray, mode: Mode, made: Mapping[str, Any]) -> None:
        """Change the selection as a gesture does: the others are told how."""
        if self._apply_selection(mask, mode):
            self.selection_made.emit(mask, mode, made)

    @property
    def pointed_row(self) -> int:
        """The point under the cursor, else where the keyboard is, -1 for none."""
        return self._pointing.row if self._pointing.row >= 0 else self.attention.row

    def picture(self) -> MapPicture:
        """What is seen now, to be written to a file."""
        words = (self._overlays.legend.whole, self.plan.words)
        legend = " · ".join(part for part in words if part)
        card = self._overlays.legend_card
        return self._stage.picture(self._draw(), self._tokens, legend, card)

    def fit(self) -> None:
        """Show the central 98 % of the points; a second time, all."""
        self._stage.follow_system_motion()
        self.camera.fit()

    def centre_on(self, indices: np.ndarray | Sequence[int]) -> None:
        """Bring points to the middle, in less than a fifth of a second."""
        rows = np.asarray(indices, np.int64)
        if len(rows):
            self._stage.follow_system_motion()
            self.camera.centre_on(self.points.box_of(rows))

    @property
    def tool(self) -> Tool:
        """What dragging does."""
        return self._stage.view.tool

    def set_tool(self, tool: Tool) -> None:
        """Choose what dragging does: `pan` moves the map, `rectangle` and `lasso` select."""
        self._stage.view.set_tool(tool)
        self._overlays.tools.set_tool(tool)
        self._overlays.hint.set_tool(tool)
        self._show_avoided()
        self.tool_changed.emit(tool)

    def turn(self, switch: str) -> None:
        """Turn one of the switches that can be seen: `minimap`, `contours`, `hulls` or `plan`."""
        button = self._overlays.tools.button(switch)
        if not button.isHidden():
            button.toggle()

    def cancel_drag(self) -> bool:
        """Give up the drag under way; whether there was one."""
        return self._stage.view.cancel_drag()

    def label_at(self, place: QPoint) -> int:
        """The number of the toolkit at a global place, -1 for none."""
        row = self._pointing.pick(QPointF(self.mapFromGlobal(place)))
        return int(self.points.labels[row]) if row >= 0 else -1

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Keys of the map; others go on to the window."""
        if not handle_key(self, event):
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """The menu key: at the ring, else in the middle."""
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            row = self.attention.row
            place = self._stage.place_of(row) if row >= 0 else QPointF(self.rect().center())
            self.menu_wanted.emit(row, self.mapToGlobal(place.toPoint()))
        event.accept()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show a ring when the keyboard brought the focus here."""
        self._stage.marks.set_focused(event.reason() != Qt.FocusReason.MouseFocusReason)
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Take the ring away."""
        self._stage.marks.set_focused(False)
        super().focusOutEvent(event)

    def _is_selected_at(self, place: QPointF) -> bool:
        row = self._pointing.pick(place)
        return row >= 0 and bool(self.points.selection.mask[row])

    def _follow_gestures(self) -> None:
        pointing, overlays, attention = self._pointing, self._overlays, self.attention
        view, marks = self._stage.view, self._stage.marks
        view.clicked.connect(lambda place, _keys: self.plan.choose_at(place))
        view.rectangle_changed.connect(marks.set_rectangle)
        view.rectangle_changed.connect(self._together.end_shape)
        view.lasso_changed.connect(marks.set_lasso)
        view.lasso_changed.connect(self._together.end_shape)
        view.menu_wanted.connect(self._on_menu_wanted)
        view.set_grip(self._is_selected_at)
        view.carried.connect(self.carried)
        view.dropped.connect(self.dropped)
        pointing.pointed.connect(attention.point_at)
        pointing.dwelt.connect(attention.dwell_at)
        pointing.selected.connect(self.select_by_hand)
        pointing.measured.connect(self._together.tell_shape)
        pointing.activated.connect(self.point_activated)
        pointing.pressed.connect(lambda: self.setFocus(Qt.FocusReason.MouseFocusReason))
        attention.selected.connect(self.select_by_hand)
        attention.hovered.connect(self.hovered)
        overlays.tools.tool_chosen.connect(self.set_tool)
        overlays.tools.command_given.connect(self._on_command_given)
        overlays.tools.switch_turned.connect(self._on_switch_turned)
        overlays.legend_card.row_chosen.connect(self.categories_chosen)
        overlays.clear_filter.clicked.connect(self.filter_cleared)

    def _on_command_given(self, command: str) -> None:
        if command == "fit":
            self.fit()
        else:
            self.camera.zoom(BUTTON_ZOOM if command == "closer" else 1 / BUTTON_ZOOM)

    def _on_switch_turned(self, name: str, on: bool) -> None:
        if name == "minimap":
            self._overlays.minimap.turn(on)
            self._show_avoided()
        elif name in (CONTOURS, HULLS):
            self._outlines.turn(name, on)
            self._outlines.colour(self._tokens)
            self.outlines_turned.emit(sorted(self._outlines.turned_on))

    def _apply_selection(self, mask: np.ndarray, mode: Mode) -> bool:
        is_changed = self._change_selection(mask, mode)
        if is_changed:
            self.selection_changed.emit()
        return is_changed

    def _change_selection(self, mask: np.ndarray, mode: Mode) -> bool:
        if not self.points.selection.change(mask, mode):
            return False
        self._show_scene()
        self._together.measure()
        self._show_legend()
        return True

    def _on_menu_wanted(self, place: QPointF) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        self.menu_wanted.emit(self._pointing.pick(place), self.mapToGlobal(place.toPoint()))
