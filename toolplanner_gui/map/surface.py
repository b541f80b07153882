"""What the map shows: points, names, outlines, legend and the small widgets above them.

It puts the parts together and draws what changes together at once; `canvas.py` adds what people do
with it.
"""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QEvent, QTimer, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from toolplanner_gui.map.attention import Attention, CardText
from toolplanner_gui.map.background import Background
from toolplanner_gui.map.colouring import Colouring
from toolplanner_gui.map.derivation import Derivation
from toolplanner_gui.map.naming import Names
from toolplanner_gui.map.outlines import Outlines
from toolplanner_gui.map.overlays import Overlays
from toolplanner_gui.map.plan_view import PlanView
from toolplanner_gui.map.pointing import Pointing
from toolplanner_gui.map.points import MapPoints
from toolplanner_gui.map.scene import RasterStyle, Scene
from toolplanner_gui.map.stage import Stage
from toolplanner_gui.map.togetherness import Togetherness
from toolplanner_gui.theme.tokens import EDGE, LIGHT, Tokens

COLOURED_FIRST = 400
"""After an edit of up to so many toolkits their colours are waited for: 20 ms."""

_LOST_MS = 120
"""After the map has come to rest it is looked whether anything is in view."""


class MapSurface(QWidget):
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
        self._stage = Stage(self, tokens)
        self.camera = self._stage.camera
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._stage.view)
        self._overlays = Overlays(self, tokens)
        self._background = Background(self)
        self._derivation = Derivation(self._stage, self._background)
        overlays = self._overlays
        switch = overlays.tools.button("plan")
        self.plan = PlanView(self._stage, overlays.card, switch, tokens)
        self._pointing = Pointing(self._stage, self.plan.covers)
        self.attention = Attention(self._stage, overlays.card)
        self._outlines = Outlines(self._stage, self._background)
        self._together = Togetherness(self._stage, overlays.hint, self._background)
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

    def set_names(self, names: Names) -> None:
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
        self, colouring: Colouring | None, legend: str, *, is_open: bool = True
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
