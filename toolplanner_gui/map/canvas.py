"""The map: all APIs as points, coloured and named by toolkit, to look at, point at and select.

What the map shows: points, names, outlines, legend and the small widgets above them. It puts the
parts together and draws what changes together at once; `canvas.py` adds what people do with it.

The one public widget of this package; the panels use nothing else of it. What it shows is in
`canvas.py`; here is what people do with it: choose a tool, select, carry, open a menu, use keys.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt, QTimer, Signal
from PySide6.QtGui import QContextMenuEvent, QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from toolplanner_gui.map.background_worker import BackgroundWorker
from toolplanner_gui.map.cohesion_hint import CohesionHint
from toolplanner_gui.map.colour_and_label_worker import ColourAndLabelWorker
from toolplanner_gui.map.column_colours import ColumnColouring
from toolplanner_gui.map.focused_point import CardText, FocusedPoint
from toolplanner_gui.map.keyboard import handle_key
from toolplanner_gui.map.label_plan import MapNames
from toolplanner_gui.map.layer_stack import LayerStack
from toolplanner_gui.map.map_image_file import MapImage
from toolplanner_gui.map.map_view import Tool
from toolplanner_gui.map.mouse_gestures import MouseGestures
from toolplanner_gui.map.outline_switches import CONTOURS, HULLS, OutlineSwitches
from toolplanner_gui.map.overlays import Overlays
from toolplanner_gui.map.plan_view import PlanView
from toolplanner_gui.map.points import MapPoints, Mode
from toolplanner_gui.map.rasteriser import RasterStyle, Scene
from toolplanner_gui.theme.tokens import EDGE, LIGHT, Tokens

COLOURED_FIRST = 400
"""After an edit of up to so many toolkits their colours are waited for: 20 ms."""

_LOST_MS = 120
"""After the map has come to rest it is looked whether anything is in view."""


class MapDisplay(QWidget):
    """The map of a catalogue, to look at.

    Args:
        tokens: colours of the theme.
        parent: the panel that holds it.

    Attributes:
        camera: pan, zoom and what is in view.
        plan: the plan of a run, drawn over it.
        attention: the point that is looked at.

    Signals:
        selection_changed: ask `selected` for it.
        colours_changed: toolkits have other colours now; ask `points.colours`.
        colours_settled: those are final until other points come.
        titles_wanted: somebody has come near enough for titles of APIs, see `set_names`.
    """

    selection_changed = Signal()
    colours_changed = Signal()
    colours_settled = Signal()
    titles_wanted = Signal()

    def __init__(self, tokens: Tokens = LIGHT, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._tokens = tokens
        self._legend_text = self._found_by = ""
        self._stage = LayerStack(self, tokens)
        self.camera = self._stage.camera
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._stage.view)
        self._overlays = Overlays(self, tokens)
        self._background = BackgroundWorker(self)
        self._derivation = ColourAndLabelWorker(self._stage, self._background)
        overlays = self._overlays
        switch = overlays.tools.button("plan")
        self.plan = PlanView(self._stage, overlays.card, switch, tokens)
        self._pointing = MouseGestures(self._stage, self.plan.covers)
        self.attention = FocusedPoint(self._stage, overlays.card)
        self._outlines = OutlineSwitches(self._stage, self._background)
        self._together = CohesionHint(self._stage, overlays.hint, self._background)
        # What changes together is drawn together: an edit changes points, names, filter, selection.
        self._is_waiting = False
        self._scene_soon = QTimer(self, singleShot=True, interval=0)
        self._scene_soon.timeout.connect(self._draw)
        self._lost_soon = QTimer(self, singleShot=True, interval=_LOST_MS)
        self._lost_soon.timeout.connect(self._tell_whether_lost)
        self._follow_parts()
        self._stage.labels.set_font(self.font())
        self.set_theme(tokens)

    def set_points(self, points: MapPoints, legend: str) -> None:
        """Show points that were made, in any thread, with `points` as the old ones.

        The same places again, as after an edit, keep view, filter, selection and colours.

        Args:
            points: the points.
            legend: what the colours mean, such as "coloured by toolkit".
        """
        old, is_same = self.points, points.is_same_places
        self._stage.points = points
        self._legend_text = legend
        self._pointing.set_row(-1)
        self.attention.put_card_away()
        if not is_same:
            self._stage.neighbours = None
            self._stage.labels.clear()
            self.attention.reset()
            if old.selection.count:
                self.selection_changed.emit()
        self.camera.set_point_count(len(points))
        self.camera.set_bounds(points.central, points.everything, keep=is_same)
        self._is_waiting = is_same and len(points.names) <= COLOURED_FIRST
        if is_same:
            self._show_scene()
        else:
            self._draw()
        self._show_legend()
        self._outlines.renew()
        self._derivation.restart(old)

    @property
    def points(self) -> MapPoints:
        """What is shown; read only."""
        return self._stage.points

    def set_theme(self, tokens: Tokens) -> None:
        """Take the colours of a theme, live."""
        self._tokens = tokens
        self._stage.set_tokens(tokens)
        self.plan.set_tokens(tokens, self.font())
        self._overlays.set_tokens(tokens)
        self._show_scene()
        self._overlays.show_colouring(self.points.colouring, self._tokens)
        self._place_widgets()
        self.colours_changed.emit()

    def set_names(self, names: MapNames) -> None:
        """Write names of regions and titles of APIs, too, where there is room."""
        self._derivation.set_names(names)

    def set_neighbours(self, neighbours: np.ndarray | None) -> None:
        """Give the nearest points in the space of the vectors, `(n, k) int`, itself first."""
        self._stage.neighbours = neighbours

    def set_card(self, text: CardText | None) -> None:
        """Say what the card beside a point tells: the function gets a row and gives plain lines.

        A title first.
        """
        self.attention.set_text(text)

    def set_colouring(
        self, colouring: ColumnColouring | None, legend: str, *, is_open: bool = True
    ) -> None:
        """Colour by something else than the toolkit, or by the toolkit if none is given.

        Args:
            colouring: of as many points as are shown.
            legend: what the colours mean, such as "coloured by category".
            is_open: whether a new legend shows its rows at once.
        """
        if colouring is None or self._overlays.explained != colouring.id:
            self._overlays.legend_card.set_open(is_open)
        self._legend_text = legend
        if self.points.set_colouring(colouring):
            self._show_scene()
        self._overlays.show_colouring(self.points.colouring, self._tokens)
        self._show_legend()

    def set_visible_mask(
        self,
        mask: np.ndarray | None,
        codes: tuple[int, ...] | None = None,
        *,
        counts: tuple[int, ...] | None = None,
        legend: str | None = None,
    ) -> None:
        """Dim all points outside of a mask `(n,) bool` and let none of them be picked.

        None shows all.

        Args:
            mask: points that are let through.
            codes: the row of the legend that the filter is, if it is one.
            counts: of each row of the legend what other filters let through; all if none.
            legend: what to say from now on; as before if none.
        """
        self._legend_text = self._legend_text if legend is None else legend
        if self.points.filter(mask):
            self._show_scene()
            self._outlines.renew()
        self._overlays.clear_filter.setVisible(mask is not None)
        self._overlays.legend_card.set_chosen(codes)
        self._overlays.legend_card.set_counts(counts)
        self._show_legend()

    def show_found(self, mask: np.ndarray | None, by: str = "") -> None:
        """Ring the points of a mask `(n,) bool`, none takes the rings away; `by` says whose hits
        they are, such as "by the search"."""
        is_other, self._found_by = by != self._found_by, by
        if self.points.mark_found(mask):
            self._show_scene()
        elif not is_other:
            return
        self._show_legend()

    @property
    def is_settled(self) -> bool:
        """Whether colours and names are final and nothing moves.

        Screenshots and tests wait for it.
        """
        parts = (self._derivation, self._stage, self._pointing, self._overlays.minimap)
        is_busy = self._background.is_busy or self._scene_soon.isActive()
        return not is_busy and all(part.is_settled for part in parts)

    def changeEvent(self, event: QEvent) -> None:
        """Measure the names anew in another font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._stage.set_tokens(self._tokens)
            self.plan.set_tokens(self._tokens, self.font())
            self._derivation.set_font(self.font())

    def _follow_parts(self) -> None:
        view, overlays = self._stage.view, self._overlays
        self._stage.moved.connect(self._on_moved)
        self.plan.changed.connect(self._on_plan_changed)
        self._derivation.coloured.connect(self._on_coloured)
        self._derivation.titles_wanted.connect(self.titles_wanted)
        view.panned.connect(self.camera.pan)
        view.zoomed.connect(lambda by, at: self.camera.zoom(by, (at.x(), at.y())))
        view.resized.connect(self._on_resized)
        self._together.told.connect(self._show_legend)
        self.attention.card_moved.connect(self._show_avoided)
        overlays.minimap.place_chosen.connect(self.camera.look_at)
        overlays.legend_card.resized.connect(self._place_widgets)

    def _show_scene(self) -> None:
        if self._is_waiting:
            self._scene_soon.stop()
        else:
            self._scene_soon.start()

    def _draw(self) -> tuple[Scene, RasterStyle]:
        self._scene_soon.stop()
        scene, style = self._stage.draw(self._tokens)
        self._outlines.colour(self._tokens)
        self._overlays.minimap.show_points(scene, style, self.points.central, self._tokens)
        return scene, style

    def _show_legend(self) -> None:
        legend = self._overlays.legend
        legend.tell(self.points, self._legend_text, self._together.words, self._found_by)
        words = (legend.text(), self.plan.words)
        self.setAccessibleDescription(" · ".join(part for part in words if part))
        self._place_widgets()

    def _place_widgets(self) -> None:
        self._overlays.place()
        self.plan.place(self._overlays.tools.x() - 2 * EDGE)
        self._show_avoided()

    def _show_avoided(self) -> None:
        places = self._overlays.boxes()
        places += self.plan.boxes()
        self._stage.labels.set_avoided(places)

    def _on_plan_changed(self) -> None:
        if self._stage.is_backdrop != self.plan.is_shown:
            self._stage.is_backdrop = self._stage.labels.is_dimmed = self.plan.is_shown
            self._show_scene()
        self._show_legend()

    def _on_coloured(self, is_new: bool) -> None:
        is_waiting, self._is_waiting = self._is_waiting, False
        # Coloured by a column, the map does not show the colours of toolkits.
        if is_waiting or (is_new and self.points.colouring is None):
            self._show_scene()
        if is_new:
            self.colours_changed.emit()
        self.colours_settled.emit()

    def _on_moved(self) -> None:
        self._overlays.minimap.set_seen(self.camera.view.bounds)
        self._lost_soon.start()
        self._pointing.set_row(-1)
        # Of the keyboard, or of a stop: those do not lie under the cursor.
        self.attention.put_card_away()
        if self.plan.is_shown:
            self._show_avoided()

    def _tell_whether_lost(self) -> None:
        seen = self.points.tiles.inside(self.camera.view.bounds)
        self._overlays.hint.tell_lost(len(self.points) > 0 and not len(seen))
        self._show_avoided()

    def _on_resized(self) -> None:
        size = self._stage.view.viewport().size()
        self.camera.resize(size.width(), size.height())
        self._place_widgets()


BUTTON_ZOOM = 1.5


class MapCanvas(MapDisplay):
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

    def picture(self) -> MapImage:
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
