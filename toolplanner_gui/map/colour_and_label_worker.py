"""What is worked out beside the GUI: the colours of toolkits and when names are shown.

After each change of points, names, font or window the results follow within a second, worked out
in a thread from arrays that nobody writes to. Called by the canvas.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QFont

from toolplanner_core.jobs.isolation import Isolation, PartKind
from toolplanner_gui.map.background_worker import BackgroundWorker
from toolplanner_gui.map.label_layer import LabelFonts
from toolplanner_gui.map.label_plan import LabelPlan, MapNames, label_items, places_of, plan_labels
from toolplanner_gui.map.layer_stack import LayerStack
from toolplanner_gui.map.points import MapPoints
from toolplanner_gui.map.toolkit_colours import assign_colours, provisional_colours

_COLOURS = PartKind("choice of colours", "choices of colours", "neighbours may look alike")
REPLAN_MS = 150
REPLAN_CHANGE = 1.2
FIRST_REACH = 4.0
"""Names are planned up to so many times the overview's scale at first: few people go closer, and
the names of 5,000 toolkits take ten times as long."""
NEAR = 2.0
"""Times the overview's scale from which on all names are planned."""


class ColourAndLabelWorker(QObject):
    """Keeps colours and names in step with the points.

    Args:
        stage: the points, the camera before them and the layer that gets the plans.
        background: where the work is done.

    Signals:
        coloured: the colours of the toolkits fit their neighbours now; whether they are others.
    """

    coloured = Signal(bool)
    titles_wanted = Signal()
    """Somebody has come so near that titles of APIs will be shown soon; once for each map."""

    def __init__(self, stage: LayerStack, background: BackgroundWorker) -> None:
        super().__init__(stage)
        self._stage = stage
        self._background = background
        self.names = MapNames()
        """Of regions and APIs."""
        self._planned_for = 0.0
        self._is_near = False
        self._colour = self._timer(0, self._start_colours)
        self._replan = self._timer(REPLAN_MS, self._plan_now)
        stage.camera.overview_changed.connect(self._on_overview_changed)
        stage.camera.moved.connect(self._on_moved)

    @property
    def is_settled(self) -> bool:
        """Whether nothing is going to change."""
        return not (self._colour.isActive() or self._replan.isActive())

    def restart(self, before: MapPoints) -> None:
        """Other points: work everything out anew, as soon as the window is free.

        Args:
            before: the points before; in the same places, names of now are written at once.
        """
        points = self._stage.points
        if points.is_same_places:
            places = places_of(points.keys, before.keys)
            self._stage.labels.rename_toolkits(places, points.names)
        self._planned_for = 0.0
        self._colour.start()

    def set_names(self, names: MapNames) -> None:
        """Write other regions and titles beside the names of the toolkits."""
        if names.is_same(self.names):
            return  # planning takes as long as drawing the map; whoever has other points restarts
        self.names = names
        self._stage.labels.rename_regions(names.regions)
        self._replan.start(0)

    def set_font(self, font: QFont) -> None:
        """Measure the names in another font."""
        self._stage.labels.set_font(font)
        self._planned_for = 0.0
        self._replan.start(REPLAN_MS)

    def _timer(self, interval: int, slot: Callable[[], None]) -> QTimer:
        timer = QTimer(self, singleShot=True, interval=interval)
        timer.timeout.connect(slot)
        return timer

    def _on_moved(self) -> None:
        camera = self._stage.camera
        if not self._is_near and camera.view.scale > NEAR * camera.overview_scale:
            self._is_near = True
            self._replan.start(0)
            self.titles_wanted.emit()

    def _on_overview_changed(self) -> None:
        scale = self._stage.camera.overview_scale
        if self._planned_for and not 1 / REPLAN_CHANGE < scale / self._planned_for < REPLAN_CHANGE:
            self._replan.start(REPLAN_MS)

    def _start_colours(self) -> None:
        points = self._stage.points

        def settle(colours: np.ndarray) -> None:
            if points is self._stage.points:
                self.coloured.emit(points.settle_colours(colours))

        if points.is_coloured:
            self.coloured.emit(False)
        else:
            self._background.start("colours", partial(derive_colours, points), settle)
        self._plan_now()

    def _plan_now(self) -> None:
        self._replan.stop()
        points, scale = self._stage.points, self._stage.camera.overview_scale
        self._planned_for = scale
        reach = np.inf if self._is_near else FIRST_REACH
        fonts = self._stage.labels.fonts
        work = partial(derive_labels, points, self.names, fonts, scale, reach=reach)

        def show(found: tuple[LabelPlan, list[str]]) -> None:
            if points is self._stage.points:
                self._stage.labels.set_plan(*found)

        self._background.start("labels", work, show)


def derive_colours(points: MapPoints) -> np.ndarray:
    """Colours `(k,) int64` that differ between neighbours, near to those of before."""
    count, settled = len(points.names), points.settled_colours
    return Isolation().make(
        _COLOURS,
        partial(assign_colours, points.xy, points.labels, count, settled, keys=points.keys),
        partial(provisional_colours, count, points.keys),
    )


def derive_labels(
    points: MapPoints,
    names: MapNames,
    fonts: LabelFonts,
    overview_scale: float,
    *,
    reach: float = np.inf,
) -> tuple[LabelPlan, list[str]]:
    """The plan of names, and their texts.

    Args:
        points: the points.
        names: of regions and APIs; ignored if they are about other toolkits.
        fonts: to measure with.
        overview_scale: scale at which the whole map is in view.
        reach: up to so many times that scale.
    """
    if len(names.regions) and len(names.region_of) != len(points.names):
        names = MapNames(title_rows=names.title_rows, titles=names.titles)
    if len(names.title_rows) and int(names.title_rows.max()) >= len(points):
        names = MapNames(region_of=names.region_of, regions=names.regions)
    items, texts = label_items(
        points,
        names,
        measure=fonts.width,
        heights=fonts.heights,
        overview_scale=overview_scale,
    )
    return plan_labels(items, overview_scale=overview_scale, reach=reach), texts
