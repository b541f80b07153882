"""The map: all APIs as points, coloured and named by toolkit, to look at, point at and select.

The one public widget of this package; the panels use nothing else of it. It puts together the
camera, three layers in a pyqtgraph ViewBox and a few small widgets above them, and turns gestures
into a selection.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QKeyEvent,
)
from PySide6.QtWidgets import QStyle, QVBoxLayout, QWidget

from toolplanner_gui.map.background import Background
from toolplanner_gui.map.camera import Camera
from toolplanner_gui.map.coherence import coherence, in_words
from toolplanner_gui.map.colouring import Colouring
from toolplanner_gui.map.derivation import Derivation
from toolplanner_gui.map.keys import handle_key
from toolplanner_gui.map.label_layer import LabelLayer
from toolplanner_gui.map.map_view import MapView, Tool
from toolplanner_gui.map.mark_layer import STOP_RADIUS, MarkLayer, PathStop
from toolplanner_gui.map.naming import Names
from toolplanner_gui.map.overlays import Overlays
from toolplanner_gui.map.palette import NO_TOOLKIT, palette_of, ramp_of
from toolplanner_gui.map.pointing import Pointing
from toolplanner_gui.map.points import MapPoints
from toolplanner_gui.map.raster_layer import RasterLayer
from toolplanner_gui.map.scene import RasterStyle, Scene
from toolplanner_gui.map.selection import Mode
from toolplanner_gui.map.walking import Walk
from toolplanner_gui.theme.tokens import LIGHT, Tokens

BUTTON_ZOOM = 1.5
NAMED_WHEN_SELECTED = 3
WALK_MARGIN = 60.0

CardText = Callable[[int], list[str]]


class MapCanvas(QWidget):
    """The map of a catalogue.

    Args:
        tokens: colours of the theme.
        parent: the panel that holds it.

    Signals:
        hovered: row of the point under the resting cursor, -1 for none.
        selection_changed: ask `selected` for it.
        selection_made: by a gesture: mask `(n,) bool`, mode, how (`Selection.made`).
        point_activated: row of a point that was double-clicked or entered.
        colours_changed: toolkits have other colours now; ask `colour_of_label`.
        tool_changed: `pan`, `rectangle` or `lasso`.
        categories_chosen: rows of the legend whose points alone are to be shown; empty for all.
        filter_cleared: all points are wanted again.
        carried: the selection is being dragged: a global place; none when that has ended.
        dropped: the selection was dropped: global place, number of the toolkit below it on the
            map, -1 for none.
        menu_wanted: a context menu is asked for: row below it (-1 for none), global place.
    """

    hovered = Signal(int)
    selection_changed = Signal()
    selection_made = Signal(object, str, object)
    point_activated = Signal(int)
    colours_changed = Signal()
    tool_changed = Signal(str)
    categories_chosen = Signal(object)
    filter_cleared = Signal()
    carried = Signal(object)
    dropped = Signal(QPoint, int)
    menu_wanted = Signal(int, QPoint)

    def __init__(self, tokens: Tokens = LIGHT, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Map of APIs")
        self._tokens = tokens
        self._points = MapPoints(np.zeros((0, 2)), np.zeros(0, np.int32), [])
        self._scene: Scene = self._points.scene()
        self._neighbours: np.ndarray | None = None
        self._legend_text = ""
        self._held = ""
        self._card_text: CardText | None = None
        self._is_motion_reduced = False

        self._camera = Camera(self)
        self._view = MapView(self)
        self._box = pg.ViewBox(enableMenu=False, enableMouse=False, defaultPadding=0)
        self._view.setCentralItem(self._box)
        self._raster = RasterLayer(self)
        self._labels = LabelLayer(tokens)
        self._marks = MarkLayer(tokens)
        for height, layer in enumerate((self._raster, self._labels, self._marks)):
            layer.setZValue(height)
            self._box.addItem(layer, ignoreBounds=True)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._view)
        self._overlays = Overlays(self, tokens)
        self._background = Background(self)
        self._derivation = Derivation(
            points=self._present_points,
            camera=self._camera,
            labels=self._labels,
            background=self._background,
            parent=self,
        )
        self._pointing = Pointing(
            view=self._view,
            camera=self._camera,
            points=self._present_points,
            neighbours=self._present_neighbours,
            radius=self._raster.radius,
            parent=self,
        )
        self._walk = Walk(self._present_points, self._present_neighbours)
        self._connect()
        self._labels.set_font(self.font())
        self.set_theme(tokens)

    # What is shown

    def set_data(
        self,
        xy: np.ndarray,
        labels: np.ndarray,
        names: list[str],
        legend: str,
        *,
        keys: np.ndarray | None = None,
    ) -> None:
        """Show points. The same places again, as after an edit, keep view, filter.

        Selection and colours.

        Args:
            xy: `(n, 2)` finite float, the layout.
            labels: `(n,) int`, toolkit of each point as an index into `names`, -1 for none.
            names: of the toolkits.
            legend: what the colours mean, such as "coloured by toolkit".
            keys: `(k,) int`, permanent numbers of the toolkits.

        Raises:
            ValueError: the arrays do not fit each other, or a coordinate is not finite.
        """
        self.set_points(MapPoints(xy, labels, names, keys=keys, old=self._points), legend)

    def set_points(self, points: MapPoints, legend: str) -> None:
        """Show points that were made in another thread, from `points` as the old ones."""
        old, is_same = self._points, points.is_same_places
        self._points = points
        self._legend_text = legend
        self._pointing.set_row(-1)
        if not is_same:
            self._neighbours = None
            self._labels.clear()
            self._walk.reset()
            self._marks.set_cursor(None)
            if old.selection.count:
                self.selection_changed.emit()
        self._camera.set_point_count(len(points))
        self._camera.set_bounds(points.central, points.everything, keep=is_same)
        self._show_scene()
        self._show_legend()
        self._derivation.restart()

    @property
    def points(self) -> MapPoints:
        """What is shown; read only."""
        return self._points

    def set_theme(self, tokens: Tokens) -> None:
        """Take the colours of a theme, live."""
        self._tokens = tokens
        self._labels.set_tokens(tokens)
        self._marks.set_tokens(tokens, self.font())
        self._overlays.set_tokens(tokens)
        self._show_scene()
        self._show_colouring()
        self._place_widgets()
        self.colours_changed.emit()

    def set_names(self, names: Names) -> None:
        """Write names of regions and titles of APIs, too, where there is room."""
        self._derivation.set_names(names)

    def set_neighbours(self, neighbours: np.ndarray | None) -> None:
        """Give the nearest points in the space of the vectors, `(n, k) int`, itself first."""
        self._neighbours = neighbours

    def set_card(self, text: CardText | None) -> None:
        """Say what the card beside a point tells: the function gets a row and gives plain lines.

        A title first.
        """
        self._card_text = text

    def set_colouring(self, colouring: Colouring | None, legend: str) -> None:
        """Colour by something else than the toolkit, or by the toolkit if none is given.

        Args:
            colouring: of as many points as are shown.
            legend: what the colours mean, such as "coloured by category".
        """
        self._points.colouring = colouring
        self._legend_text = legend
        self._show_scene()
        self._show_colouring()
        self._show_legend()

    def set_visible_mask(
        self, mask: np.ndarray | None, codes: tuple[int, ...] | None = None
    ) -> None:
        """Dim all points outside of a mask `(n,) bool` and let none of them be picked.

        None shows all.

        Args:
            mask: points that are let through.
            codes: the row of the legend that the filter is, if it is one.
        """
        self._points.filter(mask)
        self._overlays.clear_filter.setVisible(mask is not None)
        self._overlays.legend_card.set_chosen(codes)
        self._show_scene()
        self._show_legend()

    def set_path(self, stops: Sequence[tuple[float, float, str, str]]) -> None:
        """Show a plan over the map.

        Args:
            stops: world x, y, the text in the circle and the state (name of a colour token) of
                each step; none takes the path away.
        """
        self._marks.set_path([PathStop(*stop) for stop in stops])
        self._labels.is_dimmed = bool(stops)
        self._show_scene()
        self._place_widgets()

    def set_motion_reduced(self, is_reduced: bool) -> None:
        """Jump instead of gliding, whatever the system says."""
        self._is_motion_reduced = is_reduced

    def say(self, text: str) -> None:
        """Say something that passes at the top of the map; "" ends it."""
        self._overlays.hint.say(text)

    # Selection

    @property
    def selected(self) -> np.ndarray:
        """Rows of the selected points, rising, `(m,) int64`."""
        return self._points.selection.rows

    @property
    def selected_mask(self) -> np.ndarray:
        """`(n,) bool`, read only."""
        return self._points.selection.mask

    def select(self, indices: np.ndarray | Sequence[int], mode: Mode = "replace") -> None:
        """Change the selection; `selection_changed` follows if that makes a difference.

        Args:
            indices: rows.
            mode: `replace`, `add`, `remove` or `toggle`.

        Raises:
            IndexError: a row is not among the points.
        """
        mask = self._points.selection.mask_of(np.asarray(indices, np.int64))
        self._apply_selection(mask, mode)

    def show_selection(self, mask: np.ndarray) -> bool:
        """Show what was selected elsewhere, a mask `(n,) bool`; no signal follows.

        Returns:
            Whether anything changed.
        """
        if not self._points.change_selection(mask, "replace"):
            return False
        self._show_scene()
        self._measure_selection()
        self._show_legend()
        return True

    def colour_of_label(self, label: int) -> QColor:
        """The colour of a toolkit on the map, in the present theme; grey for none."""
        colours = self._points.colours
        index = int(colours[label]) if 0 <= label < len(colours) else NO_TOOLKIT
        return QColor(palette_of(self._tokens)[index])

    # Where it is seen from

    @property
    def camera(self) -> Camera:
        """Pan, zoom and what is in view."""
        return self._camera

    def fit(self) -> None:
        """Show the central 98 % of the points; a second time, all."""
        self._follow_system_motion()
        self._camera.fit()

    def centre_on(self, indices: np.ndarray | Sequence[int]) -> None:
        """Bring points to the middle, in less than a fifth of a second."""
        rows = np.asarray(indices, np.int64)
        if len(rows):
            self._follow_system_motion()
            self._camera.centre_on(self._points.box_of(rows))

    @property
    def tool(self) -> Tool:
        """What dragging does."""
        return self._view.tool

    def set_tool(self, tool: Tool) -> None:
        """Choose what dragging does: `pan` moves the map, `rectangle` and `lasso` select."""
        self._view.set_tool(tool)
        self._overlays.tools.set_tool(tool)
        self._overlays.hint.set_tool(tool)
        self._show_avoided()
        self.tool_changed.emit(tool)

    def toggle_minimap(self) -> None:
        """Show or hide the overview in the corner."""
        self._overlays.tools.button("minimap").toggle()

    @property
    def is_settled(self) -> bool:
        """Whether colours and names are final and nothing moves.

        Screenshots and tests wait for it.
        """
        parts = (self._derivation, self._raster, self._pointing, self._overlays.minimap)
        busy = self._background.is_busy or self._camera.is_moving
        return not busy and all(part.is_settled for part in parts)

    # Keyboard

    def walk(self, to: str, step: int) -> None:
        """Go to the next `toolkit`, `api` or `nearest` one, and say where that is."""
        if to == "toolkit":
            row = self._walk.to_toolkit(step)
        elif to == "api":
            row = self._walk.to_api(step)
        else:
            row = self._walk.to_nearest()
        if row < 0:
            self._announce("No other API from here")
            return
        self._show_cursor(row)
        self._announce(", ".join(self._lines(row)[:2]))

    def select_at_cursor(self) -> None:
        """Space: select or deselect the API at the ring."""
        row = self._walk.row
        if row < 0:
            return
        mask = self._points.selection.mask_of(np.array([row]))
        self._on_selected(mask, "toggle", {"by": "click"})
        state = "selected" if self._points.selection.mask[row] else "deselected"
        self._announce(f"{state}, {self._points.selection.count:,} in all")

    def select_toolkit_at_cursor(self) -> None:
        """T: select all shown APIs of the toolkit at the ring, else of the selected one."""
        row = self._walk.row if self._walk.row >= 0 else next(iter(self.selected.tolist()), -1)
        label = int(self._points.labels[row]) if row >= 0 else -1
        if label >= 0:
            mask = (self._points.labels == label) & self._points.shown()
            made = {"by": "toolkit", "toolkit": int(self._points.keys[label])}
            self._on_selected(mask, "replace", made)
            self._announce(f"{self._points.names[label]}, {int(mask.sum()):,} selected")

    def cancel(self) -> None:
        """Esc: give up the drag under way, else the selection, else the tool."""
        if self._view.cancel_drag():
            return
        if self._points.selection.count:
            nothing = np.zeros(len(self._points), dtype=bool)
            self._on_selected(nothing, "replace", {})
        elif self.tool != "pan":
            self.set_tool("pan")

    def activate(self) -> None:
        """Enter: activate the point under the cursor, at the ring, else the only selected one."""
        rows = self.selected
        row = self._pointing.row if self._pointing.row >= 0 else self._walk.row
        if row < 0 and len(rows) == 1:
            row = int(rows[0])
        if row >= 0:
            self.point_activated.emit(row)

    # Qt

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Keys of the map; others go on to the window."""
        if not handle_key(self, event):
            super().keyPressEvent(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """The menu key: at the ring, else in the middle."""
        if event.reason() == QContextMenuEvent.Reason.Keyboard:
            row = self._walk.row
            place = self._place_of(row) if row >= 0 else QPointF(self.rect().center())
            self.menu_wanted.emit(row, self.mapToGlobal(place.toPoint()))
        event.accept()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show a ring when the keyboard brought the focus here."""
        self._marks.set_focused(event.reason() != Qt.FocusReason.MouseFocusReason)
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Take the ring away."""
        self._marks.set_focused(False)
        super().focusOutEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Measure the names anew in another font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._marks.set_tokens(self._tokens, self.font())
            self._derivation.set_font(self.font())

    def _present_points(self) -> MapPoints:
        return self._points

    def _present_neighbours(self) -> np.ndarray | None:
        return self._neighbours

    def _connect(self) -> None:
        self._camera.moved.connect(self._on_moved)
        self._camera.overview_changed.connect(self._on_overview_changed)
        self._derivation.coloured.connect(self._on_coloured)
        view, pointing, overlays = self._view, self._pointing, self._overlays
        view.set_grip(self._is_grip)
        view.panned.connect(self._camera.pan)
        view.zoomed.connect(self._on_zoomed)
        view.rectangle_changed.connect(self._marks.set_rectangle)
        view.rectangle_changed.connect(self._on_shape_changed)
        view.lasso_changed.connect(self._marks.set_lasso)
        view.lasso_changed.connect(self._on_shape_changed)
        view.carried.connect(self._on_carried)
        view.dropped.connect(self._on_dropped)
        view.menu_wanted.connect(self._on_menu_wanted)
        view.resized.connect(self._on_resized)
        pointing.pointed.connect(self._on_pointed)
        pointing.dwelt.connect(self._on_dwelt)
        pointing.selected.connect(self._on_selected)
        pointing.measured.connect(self._on_measured)
        pointing.activated.connect(self.point_activated)
        pointing.pressed.connect(self._on_pressed)
        overlays.tools.tool_chosen.connect(self.set_tool)
        overlays.tools.command_given.connect(self._on_command_given)
        overlays.tools.switch_turned.connect(self._on_switch_turned)
        overlays.minimap.place_chosen.connect(self._camera.look_at)
        overlays.legend_card.row_chosen.connect(self.categories_chosen)
        overlays.clear_filter.clicked.connect(self.filter_cleared)

    # Drawing

    def _show_scene(self) -> None:
        points, tokens = self._points, self._tokens
        colouring = points.colouring
        is_ramp = colouring is not None and colouring.scheme == "ramp"
        colours = ramp_of(tokens) if is_ramp else palette_of(tokens)
        style = RasterStyle(
            background=QColor(tokens.map).rgb(),
            colours=tuple(colour.rgb() for colour in colours),
            ring=QColor(tokens.text).rgb(),
        )
        self._scene = points.scene(is_backdrop=bool(self._marks.path))
        self._raster.set_scene(self._scene, style, self._camera.overview_scale)
        self._overlays.minimap.show_points(self._scene, style, points.central, tokens)
        self._labels.set_silenced(points.hidden_labels())
        self._labels.set_emphasised(points.selected_labels(NAMED_WHEN_SELECTED))

    def _show_colouring(self) -> None:
        colouring = self._points.colouring
        is_ramp = colouring is not None and colouring.scheme == "ramp"
        colours = ramp_of(self._tokens) if is_ramp else palette_of(self._tokens)
        self._overlays.legend_card.show_colouring(colouring, colours, self._tokens)

    def _show_legend(self) -> None:
        legend = self._overlays.legend
        legend.tell(self._points, self._legend_text, self._held)
        self.setAccessibleDescription(legend.text())
        self._place_widgets()

    def _place_widgets(self) -> None:
        self._overlays.place()
        self._show_avoided()

    def _show_avoided(self) -> None:
        places = self._overlays.boxes()
        for stop in self._marks.path:
            x, y = self._camera.view.to_screen(stop.x, stop.y)
            box = QRectF(0, 0, 2 * STOP_RADIUS, 2 * STOP_RADIUS)
            box.moveCenter(QPointF(float(x), float(y)))
            places.append(box)
        self._labels.set_avoided(places)

    def _on_coloured(self) -> None:
        self._show_scene()
        self.colours_changed.emit()

    def _on_moved(self) -> None:
        view = self._camera.view
        box = view.bounds
        self._box.setRange(
            xRange=(box.left, box.right), yRange=(box.bottom, box.top), padding=0, update=True
        )
        for layer in (self._raster, self._labels, self._marks):
            layer.set_view(view)
        self._labels.point_radius = self._raster.radius()
        self._overlays.minimap.set_seen(box)
        self._pointing.set_row(-1)
        if self._marks.path:
            self._show_avoided()

    def _on_resized(self) -> None:
        size = self._view.viewport().size()
        self._camera.resize(size.width(), size.height())
        self._place_widgets()

    def _on_overview_changed(self) -> None:
        self._raster.set_overview_scale(self._camera.overview_scale)

    # Gestures

    def _follow_system_motion(self) -> None:
        hint = QStyle.StyleHint.SH_Widget_Animation_Duration
        is_off = self.style().styleHint(hint, None, self) == 0
        self._camera.is_motion_reduced = self._is_motion_reduced or is_off

    def _on_zoomed(self, factor: float, place: QPointF) -> None:
        self._camera.zoom(factor, (place.x(), place.y()))

    def _on_command_given(self, command: str) -> None:
        if command == "fit":
            self.fit()
        else:
            self._camera.zoom(BUTTON_ZOOM if command == "closer" else 1 / BUTTON_ZOOM)

    def _on_switch_turned(self, name: str, on: bool) -> None:
        if name == "minimap":
            self._overlays.minimap.turn(on)
            self._show_avoided()

    def _on_selected(self, mask: np.ndarray, mode: Mode, made: Mapping[str, Any]) -> None:
        if self._apply_selection(mask, mode):
            self.selection_made.emit(mask, mode, made)

    def _apply_selection(self, mask: np.ndarray, mode: Mode) -> bool:
        if not self._points.change_selection(mask, mode):
            return False
        self._show_scene()
        self._measure_selection()
        self._show_legend()
        self.selection_changed.emit()
        return True

    def _measure_selection(self) -> None:
        """Work out beside the GUI how well the selection holds together, and say it."""
        self._held = ""
        points, near, mask = self._points, self._neighbours, self._points.selection.mask
        if near is None or len(near) != len(mask) or points.selection.count < 2:
            return

        def tell(share: float | None) -> None:
            if points is self._points and mask is not None and share is not None:
                self._held = in_words(share)
                self._show_legend()

        self._background.start("coherence", lambda: coherence(near, mask), tell)

    def _on_measured(self, count: int, share: float | None) -> None:
        held = "" if share is None else f" · {in_words(share)} in meaning"
        self.say(f"{count:,} API{'' if count == 1 else 's'}{held}")

    def _on_shape_changed(self, shape: object) -> None:
        if shape is None:
            self.say("")

    def _is_grip(self, place: QPointF) -> bool:
        row = self._pointing.pick(place)
        return row >= 0 and bool(self._points.selection.mask[row])

    def _label_at(self, place: QPointF) -> int:
        row = self._pointing.pick(place)
        return int(self._points.labels[row]) if row >= 0 else -1

    def _on_carried(self, place: QPointF | None) -> None:
        if place is None:
            self.say("")
            self.carried.emit(None)
            return
        count = self._points.selection.count
        what = f"{count:,} API{'' if count == 1 else 's'}"
        label = self._label_at(place) if self.rect().contains(place.toPoint()) else -1
        where = f"Move {what} to {self._points.names[label]}" if label >= 0 else ""
        self.say(where or f"Carrying {what}: drop on an API or in the list of toolkits")
        self.carried.emit(self.mapToGlobal(place.toPoint()))

    def _on_dropped(self, place: QPointF) -> None:
        is_here = self.rect().contains(place.toPoint())
        label = self._label_at(place) if is_here else -1
        self.dropped.emit(self.mapToGlobal(place.toPoint()), label)

    def _on_menu_wanted(self, place: QPointF) -> None:
        self._on_pressed()
        self.menu_wanted.emit(self._pointing.pick(place), self.mapToGlobal(place.toPoint()))

    def _place_of(self, row: int) -> QPointF:
        x, y = self._camera.view.to_screen(self._points.xy[row, 0], self._points.xy[row, 1])
        return QPointF(float(x), float(y))

    def _lines(self, row: int) -> list[str]:
        return self._card_text(row) if self._card_text is not None else []

    def _show_cursor(self, row: int) -> None:
        place = self._place_of(row)
        inner = QRectF(self.rect()).adjusted(WALK_MARGIN, WALK_MARGIN, -WALK_MARGIN, -WALK_MARGIN)
        if not inner.contains(place):
            self._follow_system_motion()
            self._camera.look_at(*self._points.xy[row].tolist())
            place = self._place_of(row)
        x, y = self._points.xy[row].tolist()
        self._marks.set_cursor((x, y, self._raster.radius()))
        self._overlays.card.show_at(place, self._lines(row))
        self._show_avoided()

    def _announce(self, text: str) -> None:
        if text:
            self.setAccessibleDescription(text)
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, text))

    def _on_pointed(self, row: int) -> None:
        self._overlays.card.hide()
        self._show_avoided()
        if row < 0:
            self._marks.set_hovered(None)
            return
        x, y = self._points.xy[row].tolist()
        self._marks.set_hovered((x, y, self._raster.radius()))

    def _on_dwelt(self, row: int) -> None:
        self.hovered.emit(row)
        if row < 0 or self._card_text is None:
            return
        self._overlays.card.show_at(self._place_of(row), self._lines(row))
        self._show_avoided()

    def _on_pressed(self) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
