"""The keys of the map: arrows move, + and - zoom, 0 and Home fit, Enter opens, Esc clears.

Called by the canvas; a table apart, so that the list of shortcuts can show it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

if TYPE_CHECKING:
    from toolplanner_gui.map.canvas import MapCanvas

STEP = 80.0
LARGE_STEP = 320.0
ZOOM = 1.4

MOVES = {
    Qt.Key.Key_Left: (1, 0),
    Qt.Key.Key_Right: (-1, 0),
    Qt.Key.Key_Up: (0, 1),
    Qt.Key.Key_Down: (0, -1),
}
ZOOMS = {
    Qt.Key.Key_Plus: ZOOM,
    Qt.Key.Key_Equal: ZOOM,
    Qt.Key.Key_Minus: 1 / ZOOM,
    Qt.Key.Key_Underscore: 1 / ZOOM,
}
HINTS = (
    ("Arrow keys", "Move the map; with Shift, by more"),
    ("+  -", "Zoom in, zoom out"),
    ("0  Home", "Show the whole map; again, with outliers"),
    ("Enter", "Open the API under the cursor or the selected one"),
    ("Esc", "End a rectangle, clear the selection, put the tool away"),
)
"""For people: key and what it does."""


def handle_key(canvas: MapCanvas, event: QKeyEvent) -> bool:
    """Do what a key says; whether it meant anything."""
    key = Qt.Key(event.key())
    held = event.modifiers() & (
        Qt.KeyboardModifier.ControlModifier
        | Qt.KeyboardModifier.AltModifier
        | Qt.KeyboardModifier.MetaModifier
    )
    if held:
        return False
    if key in MOVES:
        is_large = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        step = LARGE_STEP if is_large else STEP
        dx, dy = MOVES[key]
        canvas.camera.pan(dx * step, dy * step)
    elif key in ZOOMS:
        canvas.camera.zoom(ZOOMS[key])
    elif key in (Qt.Key.Key_0, Qt.Key.Key_Home):
        canvas.fit()
    elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
        canvas.activate()
    elif key == Qt.Key.Key_Escape:
        canvas.cancel()
    else:
        return False
    return True
