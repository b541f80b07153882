"""Carries column, filter, names and neighbours from the view models to the map's canvas, and the
colours of toolkits back."""

from contextlib import suppress
from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject

from toolplanner_core.curation.looking.column_source import Categories, Scale
from toolplanner_core.curation.looking.map_colours import keep_colours
from toolplanner_core.curation.looking.map_columns import REGION, TOOLKIT, column
from toolplanner_core.errors import WorkspaceError
from toolplanner_core.words.formatting import within
from toolplanner_gui.context import AppContext
from toolplanner_gui.map.column_colours import (
    ColumnColouring,
    colour_categories,
    colour_values,
    count_rows,
)
from toolplanner_gui.map.label_plan import MapNames
from toolplanner_gui.map.layer_stack import colours_of, point_colours, toolkit_colour_places
from toolplanner_gui.map.points import MapPoints
from toolplanner_gui.map.toolkit_colours import CATEGORY_COUNT

if TYPE_CHECKING:
    from toolplanner_gui.map.canvas import MapCanvas

_ROOM_FOR_LEGEND = 300
"""Height of a map on which a legend opens by itself, pixels."""


class CanvasBinding(QObject):
    """Keeps a canvas looking as `context.map_look` says.

    Args:
        canvas: what is coloured.
    """

    def __init__(self, context: AppContext, canvas: "MapCanvas") -> None:
        super().__init__(canvas)
        self._context = context
        self._canvas = canvas
        look = context.map_look
        look.known.connect(self.show_known)
        look.column_changed.connect(self.show_column)
        look.filter_changed.connect(self.show_filter)
        look.found_changed.connect(self.show_found)
        canvas.categories_chosen.connect(look.show_categories)
        canvas.filter_cleared.connect(look.clear_filter)
        canvas.titles_wanted.connect(look.read_titles)
        canvas.colours_changed.connect(self.share_colours)
        canvas.colours_settled.connect(self._keep_colours)

    def legend(self) -> str:
        """What the colours mean and what nearness means."""
        look, note = self._context.map_look, self._context.catalogue.note.lower()
        title = column(look.column_id).title
        only = f"only {look.filter_words}" if look.filter_words else ""
        parts = [only, f"coloured by {within(title)}", note]
        return " · ".join(part for part in parts if part)

    def show_known(self) -> None:
        """Write regions and titles, and know the neighbours."""
        look, points = self._context.map_look, self._canvas.points
        if not self._fits(points):
            return
        near = look.neighbours
        self._canvas.set_neighbours(near if near is not None and len(near) == len(points) else None)
        known = look.titles
        self._canvas.set_names(
            MapNames(
                region_of=look.region_places,
                regions=look.regions,
                title_rows=known.points,
                titles=known.texts,
            )
        )

    def show_column(self) -> None:
        """Colour by the chosen column."""
        look, points = self._context.map_look, self._canvas.points
        values = look.values
        if not self._fits(points):
            return
        if look.column_id == TOOLKIT or values is None:
            self._canvas.set_colouring(None, self.legend())
            self.share_colours()
            return
        if look.are_values_outdated:
            return
        size = len(values.values) if isinstance(values, Scale) else len(values.codes)
        if size != len(points):
            return
        name = look.column_id
        self._context.tasks.spawn(self._colour(name, values, points), owner=self)

    def show_filter(self) -> None:
        """Dim what the filter does not let through."""
        look, points = self._context.map_look, self._canvas.points
        visible = look.visible
        if visible is not None and len(visible) != len(points):
            return
        self._canvas.set_visible_mask(
            visible, look.filter_codes, counts=self._counts(points), legend=self.legend()
        )

    def show_found(self) -> None:
        """Ring what a search has found."""
        look = self._context.map_look
        if look.found is None or len(look.found) == len(self._canvas.points):
            # Two fields find by other ways: the same words have another number in each.
            by = "on the map" if look.found_by == "map" else "by the search"
            self._canvas.show_found(look.found, by)

    def _counts(self, points: MapPoints) -> tuple[int, ...] | None:
        """Of each row of the legend the points that the filters of other columns let through."""
        look, colouring = self._context.map_look, points.colouring
        mask, values = look.visible_by_others, look.values
        if mask is None or values is None or colouring is None or colouring.id != look.column_id:
            return None
        is_scale = isinstance(values, Scale)
        codes = np.where(np.isfinite(values.values), 0, -1) if is_scale else values.codes
        return count_rows(colouring.rows, codes, mask) if len(codes) == len(mask) else None

    def share_colours(self) -> None:
        """Let lists show a toolkit in the colour that it has on the map, if it has one there."""
        points, by = self._canvas.points, self._context.map_look.column_id
        if points.colouring is None and by != TOOLKIT:
            return  # its values are being read
        tokens = self._context.theme.tokens
        self._context.map_look.set_colours(point_colours(points, tokens))
        # Thousands of toolkits have a dozen colours.
        names = [colour.name() for colour in colours_of(points.colouring, tokens)]
        places = toolkit_colour_places(points).tolist()
        pairs = zip(self._context.catalogue.toolkits, places, strict=False)
        colours = {kit.id: names[place] for kit, place in pairs if place >= 0}
        if colours != self._context.colours:
            self._context.set_colours(colours)

    def _keep_colours(self) -> None:
        """For the next opening, which need not find them again."""
        points, toolkits = self._canvas.points, self._context.catalogue.toolkits
        if points.is_coloured or not np.array_equal(points.keys, [t.id for t in toolkits]):
            return
        file, xy, labels = self._context.file, points.xy, points.labels
        with suppress(WorkspaceError):  # it may be closed by now
            keep_colours(file, points.colours, xy=xy, labels=labels, toolkits=toolkits)

    def _fits(self, points: MapPoints) -> bool:
        return len(points) == len(self._context.catalogue.rowids)

    async def _colour(self, name: str, values: Categories | Scale, points: MapPoints) -> None:
        made = await self._context.tasks.in_thread(lambda: _colouring(name, values))
        look = self._context.map_look
        if look.values is values and points is self._canvas.points:
            # Regions are named on the map itself, and on a low map it would cover all: then the
            # legend is closed at first.
            is_open = name != REGION and self._canvas.height() >= _ROOM_FOR_LEGEND
            self._canvas.set_colouring(made, self.legend(), is_open=is_open)
            self.share_colours()
            self.show_filter()


def _colouring(name: str, values: Categories | Scale) -> ColumnColouring:
    title = column(name).title
    if isinstance(values, Scale):
        return colour_values(
            name,
            title,
            values.values,
            text=values.with_unit,
            ends=values.ends,
            nothing=values.nothing,
        )
    colours = np.array(values.colours, np.int64) % CATEGORY_COUNT if values.colours else None
    return colour_categories(
        name, title, values.codes, values.names, colours=colours, nothing=values.nothing
    )
