"""The map panel: the canvas of `map/` fed from the catalogue, and its selection shared."""

from collections.abc import Sequence
from functools import lru_cache, partial

import numpy as np
from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QStackedLayout, QWidget

from toolplanner_core.curation.looking.chosen import Made
from toolplanner_core.domain.ids import ApiId, NodePath, ToolkitId
from toolplanner_core.words.formatting import counted, one_line
from toolplanner_core.workspace.catalogue import rowids_of
from toolplanner_gui import dialog_commands
from toolplanner_gui.context import AppContext
from toolplanner_gui.map.canvas import MapCanvas
from toolplanner_gui.map.points import MapPoints, Mode
from toolplanner_gui.panels.drag_and_drop import SelectionDrag
from toolplanner_gui.panels.map.camera_restore import CameraRestore, ReviewCamera, RunInView
from toolplanner_gui.panels.map.canvas_binding import CanvasBinding
from toolplanner_gui.panels.map.hover_text import hover_card_lines
from toolplanner_gui.panels.map.map_export import ask_and_export
from toolplanner_gui.panels.map.toolbar import MapToolbar
from toolplanner_gui.panels.map_trails import (
    API_KEY,
    changes_trails,
    plan_trails,
    transition_trails,
)
from toolplanner_gui.panels.panel import READING, Panel
from toolplanner_gui.theme.tokens import EDGE, ROW_HEIGHT
from toolplanner_gui.widgets.box_layouts import column_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.chips import Chips
from toolplanner_gui.widgets.empty_state import EmptyState

_PLAN_MS = 100
"""Steps begin and end faster than a path can be looked at."""
AT_ONCE = 100_000
"""More points than these are sorted in a thread: 30 ms."""
_NAME_LETTERS = 60
_FINAL = "Show the finished map"
_FINAL_TIP = "Its places are computed; these are kept while you work, so that nothing moves"
_TOOLS = 3 * ROW_HEIGHT
"""Width that the buttons of the map take."""
_ANSWERS = frozenset("ARSNZJKDB")
"""Letters of the Review menu: while none of its entries can be done, they do nothing."""


class MapPanel(Panel):
    """Shows the canvas, or says what is needed to have a map."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self.setProperty("role", "map")
        self._empty = EmptyState("hexagon-multiple-outline")
        self.canvas = MapCanvas(context.theme.tokens)
        self.canvas.set_card(partial(hover_card_lines, context))
        self._look = CanvasBinding(context, self.canvas)
        self._review_camera = ReviewCamera(self.canvas)
        self._returning = CameraRestore(
            self.canvas, context.view, lambda: self._review_camera.is_used
        )
        self.bar = MapToolbar(context)
        self.chips = Chips("Filters of the map")
        self.chips.setParent(self.canvas)
        self.chips.removed.connect(context.map_look.filters.drop)
        self.chips.cleared.connect(context.map_look.filters.clear)
        context.map_look.filters.changed.connect(self._show_chips)
        self.final_button = push_button(_FINAL, self._on_final_wanted, tip=_FINAL_TIP)
        self.final_button.setParent(self.canvas)
        self.final_button.hide()
        page = QWidget()
        column_of(self.bar, (self.canvas, 1), of=page, gap=0)
        self._page = page
        self._stack = QStackedLayout(self)
        self._stack.addWidget(self._empty)
        self._stack.addWidget(page)
        self._middles: dict[ToolkitId | ApiId, tuple[float, float] | None] = {}
        self._middles_of = context.catalogue
        self._run_in_view = RunInView(self.canvas)
        self._plan_soon = QTimer(self, singleShot=True, interval=_PLAN_MS)
        self._plan_soon.timeout.connect(self._show_plan)
        for name in context.choices.map_outlines:
            self.canvas.turn(name)
        self.canvas.outlines_turned.connect(self._on_outlines_turned)
        self.canvas.selection_made.connect(self._on_selection_made)
        SelectionDrag(context, self.canvas, self)
        self.canvas.menu_wanted.connect(self._on_menu_wanted)
        self.canvas.point_activated.connect(self._on_activated)
        context.catalogue_changed.connect(self._on_catalogue_changed)
        context.catalogue_edited.connect(self._on_catalogue_changed)
        context.selection.changed.connect(self._on_selection_changed)
        context.first_map.waiting_changed.connect(self._show_what_waits)
        context.jobs.started.connect(self._say_what_is_missing)
        context.jobs.ended.connect(self._say_what_is_missing)
        context.layout_changed.connect(self._on_layout_changed)
        context.run_view.run_changed.connect(self._show_plan)
        context.run_view.nodes_changed.connect(self._on_nodes_changed)
        context.transitions.changed.connect(self._show_plan)
        self.canvas.plan.stop_chosen.connect(self._on_stop_chosen)
        context.map_look.found_changed.connect(self._on_hits_changed)
        context.map_look.filter_changed.connect(self._on_hits_changed)
        context.theme.dress(self, lambda: self.canvas.set_theme(context.theme.tokens))
        self._on_catalogue_changed()

    @property
    def is_idle(self) -> bool:
        if self._stack.currentWidget() is self._empty:
            return True
        context = self.context
        if self._plan_soon.isActive():
            return False
        return self.canvas.is_settled and context.map_look.is_idle and context.selecting.is_idle

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.context.opened is not None:
            self._show_chips()
            self._show_what_waits()

    def _follow_layout(self) -> bool:
        """See the map as the layout does; whether that is Review."""
        layout = self.context.shell.current_layout()
        if layout != "debug":
            self._run_in_view.leave()
        is_review = layout == "review"
        self._review_camera.follow(is_review=is_review)
        return is_review

    def _on_layout_changed(self) -> None:
        is_review = self._follow_layout()
        self.canvas.letters_of_others = _ANSWERS if is_review else frozenset()
        if self.canvas.tool != "pan":
            self.canvas.set_tool("pan")
        self._show_plan()

    def fit(self) -> None:
        """Show the central part of the map, then all."""
        self.canvas.fit()

    def zoom_to_hits(self) -> None:
        """Bring what a search found and filters show into view; all where there is neither."""
        look, n = self.context.map_look, len(self.canvas.points)
        both = (look.found, look.visible)
        hits = [mask for mask in both if mask is not None and len(mask) == n]
        if hits:
            self.canvas.centre_on(np.flatnonzero(np.logical_and.reduce(hits)))
        else:
            self.fit()

    def _on_hits_changed(self) -> None:
        look = self.context.map_look
        if self.context.choices.zooms_to_hits and not (look.found is look.visible is None):
            self.zoom_to_hits()

    def find(self) -> None:
        """Put the cursor into the field that finds APIs on the map."""
        self.bar.find()

    def export_png(self) -> None:
        """Ask where to, and write what is seen as a picture."""
        ask_and_export(self.context, self.canvas, "png")

    def export_svg(self) -> None:
        """The same as a drawing whose names are text."""
        ask_and_export(self.context, self.canvas, "svg")

    def export_table(self) -> None:
        """The same as a table."""
        ask_and_export(self.context, self.canvas, "csv")

    def walk(self) -> None:
        """Give the map the keyboard."""
        self.canvas.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def toolkit_at(self, place: QPoint | None) -> ToolkitId | None:
        """The toolkit of the API at a global place."""
        label = -1 if place is None else self.canvas.label_at(place)
        toolkits = self.context.catalogue.toolkits
        return toolkits[label].id if 0 <= label < len(toolkits) else None

    def _on_catalogue_changed(self) -> None:
        catalogue = self.context.catalogue
        if catalogue.xy is None or len(catalogue.rowids) == 0:
            self._say_what_is_missing()
            self._stack.setCurrentWidget(self._empty)
            return
        self._stack.setCurrentWidget(self._page)
        old, xy = self.canvas.points, catalogue.xy

        def made() -> MapPoints:
            return MapPoints(
                xy,
                catalogue.labels,
                [_short(t.name) for t in catalogue.toolkits],
                keys=np.array([int(t.id) for t in catalogue.toolkits], np.int64),
                settled=catalogue.colours,
                total=catalogue.n_apis,
                old=old,
            )

        if len(xy) <= AT_ONCE:
            self._show_points(made())
            return

        async def flow() -> None:
            points = await self.context.tasks.in_thread(made)
            if catalogue is self.context.catalogue:
                self._show_points(points)

        self.context.tasks.spawn(flow(), owner=self)

    def _show_points(self, points: MapPoints) -> None:
        self.canvas.set_points(points, self._look.legend())
        self._returning.go_back()
        self._look.show_known()
        self._look.show_column()
        self._look.show_filter()
        self._look.show_found()
        self._on_selection_changed(None)
        self._show_plan()

    def _say_what_is_missing(self) -> None:
        shell = self.context.shell
        n_apis = self.context.catalogue.n_apis
        if self.context.jobs.running:
            self._empty.say("The map appears here when the work below has finished.")
        elif self.context.is_catalogue_loading:
            self._empty.say(READING)
        elif n_apis == 0:
            self._empty.say(
                "There are no APIs yet.",
                button="Import tools …",
                run=lambda: shell.open(dialog_commands.import_tools),
            )
        else:
            self._empty.say(
                f"{counted(n_apis, 'API')} imported. Group them into toolkits to see the map.",
                button="Prepare the map …",
                run=lambda: shell.open(dialog_commands.prepare),
            )

    def _on_nodes_changed(self, paths: Sequence[NodePath]) -> None:
        nodes = self.context.run_view.nodes
        if any(changes_trails(nodes[path]) for path in paths) and not self._plan_soon.isActive():
            self._plan_soon.start()

    def _on_outlines_turned(self, names: Sequence[str]) -> None:
        self.context.choices.map_outlines = names

    def _show_chips(self) -> None:
        filters = self.context.map_look.filters
        self.chips.show_chips([(one.id, one.words) for one in filters])
        # Above the map, which stays in its place.
        self.chips.lie_above(EDGE, EDGE, self.canvas.width() - _TOOLS)
        self.chips.raise_()

    def _show_what_waits(self) -> None:
        button = self.final_button
        button.setVisible(self.context.first_map.is_waiting)
        button.adjustSize()
        # Under the chips, in the middle: neither names nor tools are there.
        button.move((self.canvas.width() - button.width()) // 2, EDGE + ROW_HEIGHT + EDGE)
        button.raise_()

    def _on_final_wanted(self) -> None:
        if self.context.opened is not None:
            self.context.opened.show_final_map()

    def _show_plan(self) -> None:
        """Beside a run, draw its plans as paths over the toolkits."""
        shell, catalogue = self.context.shell, self.context.catalogue
        if catalogue.xy is None or self._stack.currentWidget() is self._empty:
            return
        is_beside_run = shell.current_layout() == "debug"
        if is_beside_run:
            picture = plan_trails(self.context.run_view.nodes, self._place_of)
        else:
            shown = self.context.transitions
            picture = transition_trails(shown.arrows, shown.words, self._place_of)
        self.canvas.plan.set_trails(*picture)
        if not is_beside_run:
            self._run_in_view.leave()
        elif picture.trails:
            self._run_in_view.show(self.context.run_view.run)

    def _on_stop_chosen(self, key: str) -> None:
        """A stop is a place of the run, or an API that comes after another."""
        if not key.startswith(API_KEY):
            self.context.run_view.select_node(NodePath(key))
            return
        rows = rowids_of(self.context.file, [ApiId(key.removeprefix(API_KEY))])
        found = np.array(list(rows.values()), np.int64)
        self.context.selection.select_apis(found, None, made={"by": "graph"})

    def _place_of(self, subject: ToolkitId | ApiId) -> tuple[float, float] | None:
        """Where an API stands, or the middle of a toolkit."""
        if self._middles_of is not self.context.catalogue:
            self._middles, self._middles_of = {}, self.context.catalogue
        if subject not in self._middles:
            points = self._points_of(subject)
            assert self._middles_of.xy is not None
            x, y = np.median(self._middles_of.xy[points], axis=0) if len(points) else (0.0, 0.0)
            self._middles[subject] = (float(x), float(y)) if len(points) else None
        return self._middles[subject]

    def _points_of(self, subject: ToolkitId | ApiId) -> np.ndarray:
        catalogue, workspace = self.context.catalogue, self.context.workspace
        if isinstance(subject, int):
            return catalogue.points_of_toolkit(subject)
        rows = {} if workspace is None else rowids_of(workspace, [subject])
        return catalogue.points_of(np.array(list(rows.values()), np.int64))

    def _on_selection_made(self, mask: np.ndarray, mode: Mode, made: Made) -> None:
        selection = self.context.selection
        change = {
            "replace": selection.set_mask,
            "add": selection.add,
            "remove": selection.subtract,
            "toggle": selection.toggle,
        }[mode]
        change(mask, made, self)

    def _on_menu_wanted(self, point: int, place: QPoint) -> None:
        selection = self.context.selection
        if point >= 0 and not selection.mask[point]:
            rowid = self.context.catalogue.rowids[point]
            selection.select_apis([int(rowid)], made={"by": "click"})
        self.open_selection_menu(place)

    def _on_activated(self, point: int) -> None:
        toolkit = self.context.catalogue.toolkit_of_point(point)
        if toolkit is not None:
            self.context.selection.select_toolkit(toolkit.id)

    def _on_selection_changed(self, origin: object) -> None:
        if origin is self or self._stack.currentWidget() is self._empty:
            return
        selection = self.context.selection
        if len(selection.mask) != len(self.canvas.points):
            return
        if self.canvas.show_selection(selection.mask):
            # Review selects what it asks about before the layout is told to have changed.
            self._follow_layout()
            points = selection.points
            if len(points):
                self.canvas.centre_on(points)


@lru_cache(1_000_000)
def _short(name: str) -> str:
    """Asked anew of all toolkits after each edit: were they more than are kept, none would be."""
    return one_line(name, _NAME_LETTERS)
