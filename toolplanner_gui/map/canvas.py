"""The map: all APIs as points, coloured and named by toolkit, to look at, point at and select.

The one public widget of this package; the panels use nothing else of it. It puts together the
camera, three layers in a pyqtgraph ViewBox and a few small widgets above them, and turns gestures
into a selection.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QStyle, QVBoxLayout, QWidget

from toolplanner_gui.map.background import Background
from toolplanner_gui.map.camera import Camera
from toolplanner_gui.map.derivation import derive_colours, derive_labels
from toolplanner_gui.map.hover_card import HoverCard
from toolplanner_gui.map.keys import handle_key
from toolplanner_gui.map.label_layer import LabelLayer
from toolplanner_gui.map.layer import RasterLayer
from toolplanner_gui.map.legend import Legend
from toolplanner_gui.map.map_view import MapView, Tool
from toolplanner_gui.map.mark_layer import STOP_RADIUS, MarkLayer, PathStop
from toolplanner_gui.map.palette import NO_TOOLKIT, palette_of
from toolplanner_gui.map.pointing import Pointing
from toolplanner_gui.map.points import MapPoints
from toolplanner_gui.map.raster import RasterStyle
from toolplanner_gui.map.selection import Mode
from toolplanner_gui.map.tool_buttons import ToolButtons
from toolplanner_gui.theme.tokens import EDGE, LIGHT, Tokens

BUTTON_ZOOM = 1.5
REPLAN_MS = 150
REPLAN_CHANGE = 1.2
NAMED_WHEN_SELECTED = 3

CardText = Callable[[int], list[str]]


class MapCanvas(QWidget):
    """The map of a catalogue.

    Args:
        tokens: colours of the theme.
        parent: the panel that holds it.

    Signals:
        hovered: row of the point under the resting cursor, -1 for none.
        selection_changed: ask `selected` for it.
        point_activated: row of a point that was double-clicked or entered.
        colours_changed: toolkits have other colours now; ask `colour_of_label`.
        tool_changed: `pan` or `rectangle`.
    """

    hovered = Signal(int)
    selection_changed = Signal()
    point_activated = Signal(int)
    colours_changed = Signal()
    tool_changed = Signal(str)

    def __init__(self, tokens: Tokens = LIGHT, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Map of APIs")
        self._tokens = tokens
        self._palette = palette_of(tokens)
        self._points = MapPoints(np.zeros((0, 2)), np.zeros(0, np.int32), [])
        self._legend_text = ""
        self._card_text: CardText | None = None
        self._planned_for = 0.0
        self._is_motion_reduced = False

        self._camera = Camera(self)
        self._background = Background(self)
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
        self._legend = Legend(self)
        self._tools = ToolButtons(self, tokens)
        self._card = HoverCard(self, tokens)
        self._pointing = Pointing(
            view=self._view,
            camera=self._camera,
            points=self._present_points,
            radius=self._raster.radius,
            parent=self,
        )
        self._replan = self._timer(REPLAN_MS, self._plan_labels)
        self._derive = self._timer(0, self._start_derivation)
        self._connect()
        self.set_theme(tokens)

    # What is shown

    def set_data(self, xy: np.ndarray, labels: np.ndarray, names: list[str], legend: str) -> None:
        """Show points. The same places again, as after an edit, keep view, filter.

        Selection and colours.

        Args:
            xy: `(n, 2)` finite float, the layout.
            labels: `(n,) int`, toolkit of each point as an index into `names`, -1 for none.
            names: of the toolkits.
            legend: what the colours mean, such as "coloured by toolkit".

        Raises:
            ValueError: the arrays do not fit each other, or a coordinate is not finite.
        """
        old = self._points
        points = MapPoints(xy, labels, names)
        is_same_place = len(points) > 0 and np.array_equal(points.xy, old.xy)
        if is_same_place:
            points.adopt(old)
        self._points = points
        self._legend_text = legend
        self._pointing.set_row(-1)
        if not is_same_place and old.selection.count:
            self.selection_changed.emit()
        self._camera.set_point_count(len(points))
        self._camera.set_bounds(points.central(), points.central(1.0), keep=is_same_place)
        self._planned_for = 0.0
        self._show_scene()
        self._show_legend()
        self._derive.start()

    def set_theme(self, tokens: Tokens) -> None:
        """Take the colours of a theme, live."""
        self._tokens = tokens
        self._palette = palette_of(tokens)
        self._labels.set_tokens(tokens)
        self._marks.set_tokens(tokens, self.font())
        self._card.set_tokens(tokens)
        self._tools.set_tokens(tokens)
        self._legend.set_tokens(tokens)
        self._show_scene()
        self._place_widgets()
        self.colours_changed.emit()

    def set_card(self, text: CardText | None) -> None:
        """Say what the card beside a point tells: the function gets a row and gives plain lines.

        A title first.
        """
        self._card_text = text

    def set_visible_mask(self, mask: np.ndarray | None) -> None:
        """Dim all points outside of a mask `(n,) bool` and let none of them be picked.

        None shows all.
        """
        self._points.filter(mask)
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

    # Selection

    @property
    def selected(self) -> np.ndarray:
        """Rows of the selected points, rising, `(m,) int64`."""
        return self._points.selection.rows

    def select(self, indices: np.ndarray | Sequence[int], mode: Mode = "replace") -> None:
        """Change the selection; `selection_changed` follows if that makes a difference.

        Args:
            indices: rows.
            mode: `replace`, `add` or `remove`.

        Raises:
            IndexError: a row is not among the points.
        """
        if self._points.change_selection(np.asarray(indices, np.int64), mode):
            self._show_scene()
            self._show_legend()
            self.selection_changed.emit()

    def colour_of_label(self, label: int) -> QColor:
        """The colour of a toolkit on the map, in the present theme; grey for none."""
        colours = self._points.colours
        index = int(colours[label]) if 0 <= label < len(colours) else NO_TOOLKIT
        return QColor(self._palette[index])

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
        """Choose what dragging does: `pan` moves the map, `rectangle` selects."""
        self._view.set_tool(tool)
        self._tools.set_tool(tool)
        self.tool_changed.emit(tool)

    @property
    def is_settled(self) -> bool:
        """Whether colours and names are final and nothing moves.

        Screenshots and tests wait for it.
        """
        timers = (self._derive, self._replan)
        busy = self._background.is_busy or self._camera.is_moving
        return not busy and not any(timer.isActive() for timer in timers)

    def cancel(self) -> None:
        """Esc: give up the drag under way, else the selection, else the tool."""
        if self._view.cancel_drag():
            return
        if self._points.selection.count:
            self.select([], "replace")
        elif self.tool != "pan":
            self.set_tool("pan")

    def activate(self) -> None:
        """Enter: activate the point under the cursor, else the only selected one."""
        rows = self.selected
        row = self._pointing.row
        if row < 0 and len(rows) == 1:
            row = int(rows[0])
        if row >= 0:
            self.point_activated.emit(row)

    # Qt

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Keys of the map; others go on to the window."""
        if not handle_key(self, event):
            super().keyPressEvent(event)

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
            self._planned_for = 0.0
            self._replan.start()

    def _present_points(self) -> MapPoints:
        return self._points

    def _timer(self, interval: int, slot: Callable[[], None]) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.setInterval(interval)
        timer.timeout.connect(slot)
        return timer

    def _connect(self) -> None:
        self._camera.moved.connect(self._on_moved)
        self._camera.overview_changed.connect(self._on_overview_changed)
        self._view.panned.connect(self._camera.pan)
        self._view.zoomed.connect(self._on_zoomed)
        self._pointing.pointed.connect(self._on_pointed)
        self._pointing.dwelt.connect(self._on_dwelt)
        self._pointing.selected.connect(self.select)
        self._pointing.activated.connect(self.point_activated)
        self._pointing.pressed.connect(self._on_pressed)
        self._view.rectangle_changed.connect(self._marks.set_rectangle)
        self._view.resized.connect(self._on_resized)
        self._tools.tool_chosen.connect(self.set_tool)
        self._tools.command_given.connect(self._on_command_given)

    # Drawing

    def _show_scene(self) -> None:
        has_path = bool(self._marks.path)
        style = RasterStyle(
            background=QColor(self._tokens.map).rgb(),
            colours=tuple(colour.rgb() for colour in self._palette),
            ring=QColor(self._tokens.text).rgb(),
        )
        scene = self._points.scene(is_backdrop=has_path)
        self._raster.set_scene(scene, style, self._camera.overview_scale)
        self._labels.set_silenced(self._points.hidden_labels())
        self._labels.set_emphasised(self._points.selected_labels(NAMED_WHEN_SELECTED))

    def _show_legend(self) -> None:
        self._legend.tell(self._points, self._legend_text)
        self.setAccessibleDescription(self._legend.text())
        self._place_widgets()

    def _place_widgets(self) -> None:
        self._legend.place(self.width(), self.height())
        self._tools.adjustSize()
        self._tools.move(self.width() - self._tools.width() - EDGE, EDGE)
        self._show_avoided()

    def _show_avoided(self) -> None:
        places = [QRectF(self._legend.geometry()), QRectF(self._tools.geometry())]
        if self._card.isVisible():
            places.append(QRectF(self._card.geometry()))
        for stop in self._marks.path:
            x, y = self._camera.view.to_screen(np.array(stop.x), np.array(stop.y))
            box = QRectF(0, 0, 2 * STOP_RADIUS, 2 * STOP_RADIUS)
            box.moveCenter(QPointF(float(x), float(y)))
            places.append(box)
        self._labels.set_avoided(places)

    def _on_moved(self) -> None:
        view = self._camera.view
        box = view.bounds
        self._box.setRange(
            xRange=(box.left, box.right), yRange=(box.bottom, box.top), padding=0, update=True
        )
        for layer in (self._raster, self._labels, self._marks):
            layer.set_view(view)
        self._labels.point_radius = self._raster.radius()
        self._pointing.set_row(-1)
        if self._marks.path:
            self._show_avoided()

    def _on_resized(self) -> None:
        size = self._view.viewport().size()
        self._camera.resize(size.width(), size.height())
        self._place_widgets()

    def _on_overview_changed(self) -> None:
        scale = self._camera.overview_scale
        self._raster.set_overview_scale(scale)
        if self._planned_for and not 1 / REPLAN_CHANGE < scale / self._planned_for < REPLAN_CHANGE:
            self._replan.start()

    # What is worked out beside the GUI

    def _start_derivation(self) -> None:
        self._plan_labels()
        points = self._points

        def settle(colours: np.ndarray) -> None:
            if points is self._points:
                points.settle_colours(colours)
                self._show_scene()
                self.colours_changed.emit()

        self._background.start("colours", partial(derive_colours, points), settle)

    def _plan_labels(self) -> None:
        points, scale = self._points, self._camera.overview_scale
        self._planned_for = scale
        widths, height = self._labels.set_names(points.names, self.font())
        work = partial(derive_labels, points, widths, height, scale)
        self._background.start("labels", work, self._labels.set_plan)

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

    def _on_pointed(self, row: int) -> None:
        self._card.hide()
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
        x, y = self._camera.view.to_screen(self._points.xy[row, 0], self._points.xy[row, 1])
        self._card.show_at(QPointF(float(x), float(y)), self._card_text(row))
        self._show_avoided()

    def _on_pressed(self) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
