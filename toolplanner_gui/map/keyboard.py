"""The keys of the map: move, zoom, choose a tool, walk from API to API, select.

Called by the canvas; a table apart, so that the list of shortcuts can show it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QKeySequence

# The list of shortcuts reads this file before the map, and what draws it, is loaded.
if TYPE_CHECKING:
    from toolplanner_gui.map.camera import Camera
    from toolplanner_gui.map.focused_point import FocusedPoint
    from toolplanner_gui.map.map_view import Tool
    from toolplanner_gui.map.points import MapPoints, Mode

STEP = 80.0
LARGE_STEP = 320.0
ZOOM = 1.4

MOVES = {
    Qt.Key.Key_Left: (1, 0),
    Qt.Key.Key_Right: (-1, 0),
    Qt.Key.Key_Up: (0, 1),
    Qt.Key.Key_Down: (0, -1),
}
HINTS = (
    ("Arrow keys", "Move the map; with Shift, by more"),
    ("+  -", "Zoom in, zoom out"),
    ("0  Home", "Show the whole map; again, with outliers"),
    ("H  R  L", "Take the hand, the rectangle, the lasso"),
    ("N  Shift+N", "Go to the next, the previous toolkit"),
    ("J  K", "Go to the next, the previous API of the toolkit"),
    ("G", "Go to the API nearest in meaning"),
    ("Space", "Select or deselect the API at the ring"),
    ("T", "Select all of its toolkit"),
    ("Ctrl+A", "Select all that is shown"),
    ("Enter", "Open the API under the cursor, at the ring, or the selected one"),
    ("O", "Show or hide the overview"),
    ("C  B", "Show or hide lines of density, outlines of toolkits"),
    ("P", "Show or hide the plan of the run"),
    ("Menu", "Show what can be done with the selection"),
    ("Shift, Alt, Ctrl", "With click or drag: add, remove, turn round"),
    ("Esc", "End a drag, put the tool away, clear the selection"),
)
"""For people: key and what it does."""


class KeyboardTarget(Protocol):
    """What the keys steer: the canvas, as far as they need it."""

    # Signals: their stub types what the class holds, not what an instance gives.
    point_activated: Any
    filter_cleared: Any
    camera: Camera
    attention: FocusedPoint

    @property
    def points(self) -> MapPoints: ...
    @property
    def selected(self) -> np.ndarray: ...
    @property
    def pointed_row(self) -> int: ...
    @property
    def tool(self) -> Tool: ...
    @property
    def letters_of_others(self) -> frozenset[str]: ...
    def fit(self) -> None: ...
    def set_tool(self, tool: Tool) -> None: ...
    def turn(self, switch: str) -> None: ...
    def cancel_drag(self) -> bool: ...
    def select_by_hand(self, mask: np.ndarray, mode: Mode, made: Mapping[str, Any]) -> None: ...


def _walk(to: str, step: int) -> Callable[[KeyboardTarget], object]:
    return lambda canvas: canvas.attention.walk(to, step)


def _cancel(canvas: KeyboardTarget) -> None:
    """Esc: give up the drag under way, else the tool, else the selection."""
    if canvas.cancel_drag():
        return
    if canvas.tool != "pan":
        canvas.set_tool("pan")
    elif canvas.points.selection.count:
        canvas.select_by_hand(np.zeros(len(canvas.points), dtype=bool), "replace", {})


def _activate(canvas: KeyboardTarget) -> None:
    """Enter: activate the point under the cursor, at the ring, else the only selected one."""
    rows, row = canvas.selected, canvas.pointed_row
    if row < 0 and len(rows) == 1:
        row = int(rows[0])
    if row >= 0:
        canvas.point_activated.emit(row)


ACTIONS: dict[tuple[Qt.Key, bool], Callable[[KeyboardTarget], object]] = {
    (Qt.Key.Key_Plus, False): lambda c: c.camera.zoom(ZOOM),
    (Qt.Key.Key_Plus, True): lambda c: c.camera.zoom(ZOOM),
    (Qt.Key.Key_Equal, False): lambda c: c.camera.zoom(ZOOM),
    (Qt.Key.Key_Minus, False): lambda c: c.camera.zoom(1 / ZOOM),
    (Qt.Key.Key_Underscore, True): lambda c: c.camera.zoom(1 / ZOOM),
    (Qt.Key.Key_0, False): lambda c: c.fit(),
    (Qt.Key.Key_Home, False): lambda c: c.fit(),
    (Qt.Key.Key_H, False): lambda c: c.set_tool("pan"),
    (Qt.Key.Key_R, False): lambda c: c.set_tool("rectangle"),
    (Qt.Key.Key_L, False): lambda c: c.set_tool("lasso"),
    (Qt.Key.Key_O, False): lambda c: c.turn("minimap"),
    (Qt.Key.Key_C, False): lambda c: c.turn("contours"),
    (Qt.Key.Key_B, False): lambda c: c.turn("hulls"),
    (Qt.Key.Key_P, False): lambda c: c.turn("plan"),
    (Qt.Key.Key_N, False): _walk("toolkit", 1),
    (Qt.Key.Key_N, True): _walk("toolkit", -1),
    (Qt.Key.Key_J, False): _walk("api", 1),
    (Qt.Key.Key_K, False): _walk("api", -1),
    (Qt.Key.Key_G, False): _walk("nearest", 1),
    (Qt.Key.Key_Space, False): lambda c: c.attention.toggle_here(),
    (Qt.Key.Key_T, False): lambda c: c.attention.select_toolkit_here(),
    (Qt.Key.Key_F, True): lambda c: c.filter_cleared.emit(),
    (Qt.Key.Key_Return, False): _activate,
    (Qt.Key.Key_Enter, False): _activate,
    (Qt.Key.Key_Escape, False): _cancel,
}
"""Key, with Shift or without: what it does."""


def _select_shown(canvas: KeyboardTarget) -> None:
    canvas.select_by_hand(canvas.points.shown(), "replace", {"by": "all"})


def handle_key(canvas: KeyboardTarget, event: QKeyEvent) -> bool:
    """Do what a key says; whether it meant anything."""
    key = Qt.Key(event.key())
    if event.text().upper() in canvas.letters_of_others:
        return False
    if event.matches(QKeySequence.StandardKey.SelectAll):
        _select_shown(canvas)
        return True
    held = event.modifiers() & (
        Qt.KeyboardModifier.ControlModifier
        | Qt.KeyboardModifier.AltModifier
        | Qt.KeyboardModifier.MetaModifier
    )
    if held:
        return False
    has_shift = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
    if key in MOVES:
        step = LARGE_STEP if has_shift else STEP
        dx, dy = MOVES[key]
        canvas.camera.pan(dx * step, dy * step)
        return True
    action = ACTIONS.get((key, has_shift))
    if action is not None:
        action(canvas)
    return action is not None
