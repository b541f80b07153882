"""How the map is looked at: by which column, through which filters; and what it knows of points.

Neighbours and columns are read on reader threads after the catalogue, newest wishes first, titles
when somebody comes near enough; the map shows itself before any of them is there. Shared by the
map, the selection menu and lists; no part of any history. One object for each open workspace:
`context.map_look`.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from PySide6.QtCore import QObject, Signal

from toolplanner_core.curation.looking.column_source import Categories, ColumnSource, Scale
from toolplanner_core.curation.looking.curated_catalogue import EMPTY, CuratedCatalogue
from toolplanner_core.curation.looking.map_columns import COLUMNS, REGION, TOOLKIT, column
from toolplanner_core.curation.looking.surroundings import PointTitles, read_neighbours, read_titles
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.workspace import Workspace
from toolplanner_gui.bridge.tasks import Tasks
from toolplanner_gui.bridge.view_state import ViewState
from toolplanner_gui.viewmodels.curate.filters import (
    FOUND,
    ApiFilter,
    ApiFilters,
    names_in_words,
    names_of,
)

_COLUMN_IDS = frozenset(each.id for each in COLUMNS)
REGIONS_FROM = 400
"""More toolkits than these are confetti: they are coloured by region unless someone chose."""


class MapViewState(QObject):
    """Column, filters and background knowledge of the map. GUI thread.

    Signals:
        known: neighbours or titles were read, or regions are others.
        column_changed: the values of the column are there; ask `column_id` and `values`.
        filter_changed: other points are shown; ask `visible`.
        found_changed: a search has found other points; ask `found`.
    """

    known = Signal()
    column_changed = Signal()
    filter_changed = Signal()
    found_changed = Signal()

    def __init__(
        self, workspace: Workspace, tasks: Tasks, view: ViewState, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._workspace = workspace
        self._catalogue: CuratedCatalogue = EMPTY
        self.region_of: Mapping[ToolkitId, int] = {}
        """Index into `regions` of each toolkit that is in one; another object when one moves."""
        self.region_places = self._catalogue.region_places()
        """As of the catalogue, for all toolkits."""
        self.titles = PointTitles()
        self.neighbours: np.ndarray | None = None
        """(n, k) int32, nearest points in the space of the vectors, itself first, -1 for none."""
        self._wants_titles = False
        self._view = view
        self._chosen = view.text("colour") if view.text("colour") in _COLUMN_IDS else ""
        self.column_id = TOOLKIT
        """What the map is coloured by."""
        self.values: Categories | Scale | None = None
        """The column's values; None for the toolkit, which needs none."""
        self._values_of = self._catalogue
        self.filters = ApiFilters(self)
        """Which APIs are shown; the legend's is the one of the present column."""
        self.visible: np.ndarray | None = None
        """(n,) bool, points that the filters let through; None without a filter."""
        self.found: np.ndarray | None = None
        """(n,) bool, points that the newest search has found; None without a search."""
        self.found_by = ""
        """Which field found them: "list" or "map"."""
        self._colours = np.empty(0, object)
        self.filters.changed.connect(self._on_filters_changed)
        self._asked = 0

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being read."""
        return not self._tasks.runs_for(self)

    @property
    def are_values_outdated(self) -> bool:
        """Whether the column's values are of the catalogue before; `column_changed` follows."""
        return self.values is not None and self._values_of is not self._catalogue

    @property
    def filter_codes(self) -> tuple[int, ...] | None:
        """Categories of the present column that are let through; None if all of them are."""
        one = self.filters.get(self.column_id)
        if one is None or not one.values or self.values is None:
            return None
        return one.codes(self.values) if isinstance(self.values, Categories) else (-1,)

    @property
    def visible_by_others(self) -> np.ndarray | None:
        """(n,) bool, points that the filters of other columns than the present one let through;
        None without such a filter."""
        if self.filters.get(self.column_id) is None:
            return self.visible
        return self.filters.mask(self._catalogue.rowids, without=self.column_id)

    @property
    def filter_words(self) -> str:
        """What the filters let through, for people; "" without one."""
        return " · ".join(one.words for one in self.filters)

    @property
    def regions(self) -> tuple[str, ...]:
        """Names of the regions; none where there are few toolkits."""
        return tuple(region.name for region in self._catalogue.regions.values())

    def set_colours(self, colours: np.ndarray) -> None:
        """Take the colour of each point on the map, (n,) of "#rrggbb"."""
        self._colours = colours

    def colour_of(self, rowid: int) -> str | None:
        """The colour of an API on the map, "#rrggbb"; None for one that has none there."""
        place = int(self._catalogue.places_of(np.array([rowid], np.int64))[0])
        return str(self._colours[place]) if 0 <= place < len(self._colours) else None

    def set_catalogue(self, catalogue: CuratedCatalogue) -> None:
        """Look at a catalogue that was read anew."""
        before = self._take(catalogue)
        if not np.array_equal(before.rowids, catalogue.rowids):
            self.visible = None
            self.filters.clear()
            self.mark_found(self.found_by, None)
        if catalogue.xy is not None:
            self._tasks.spawn(self._read(catalogue), owner=self)

    def follow(self, catalogue: CuratedCatalogue) -> None:
        """Look at the catalogue after an edit."""
        self._take(catalogue)
        self.known.emit()
        if self.column_id != TOOLKIT:
            self._start_column(self.column_id)

    def _take(self, catalogue: CuratedCatalogue) -> CuratedCatalogue:
        """The catalogue before."""
        before, self._catalogue = self._catalogue, catalogue
        if (before.regions, before.region_of) != (catalogue.regions, catalogue.region_of):
            place_of = {region: place for place, region in enumerate(catalogue.regions)}
            found = ((t, place_of.get(region)) for t, region in catalogue.region_of.items())
            self.region_of = {toolkit: place for toolkit, place in found if place is not None}
        place_in = self.region_of.get
        places = [place_in(toolkit.id, -1) for toolkit in catalogue.toolkits]
        self.region_places = np.array(places, np.int32)
        return before

    def read_titles(self) -> None:
        """Read the titles of APIs, now and whenever the catalogue is read anew; `known` follows."""
        self._wants_titles = True
        if self._catalogue.xy is not None:
            self._tasks.spawn(self._read_titles(self._catalogue), owner=self)

    def choose_column(self, name: str) -> None:
        """Colour by a column; `column_changed` follows when it was read.

        Raises:
            KeyError: there is no such column.
        """
        self._chosen = column(name).id
        self._view.put("colour", self._chosen)
        self._start_column(name)

    def show_only(self, mask: np.ndarray, words: str) -> None:
        """Filter: let the points of a mask (n,) bool through and dim all others."""
        self.filters.put(ApiFilter(id=FOUND, words=words, rowids=self._catalogue.rowids[mask]))

    def mark_found(self, by: str, mask: np.ndarray | None) -> None:
        """Mark what a search field has found, a mask (n,) bool; None when it searches no more.

        The field that was typed in last counts: another one that is empty takes nothing away.
        """
        if mask is None and by != self.found_by:
            return
        if mask is None and self.found is None:
            return
        self.found, self.found_by = mask, by
        self.found_changed.emit()

    def show_categories(self, codes: Sequence[int]) -> None:
        """Filter by categories of the present column; none of them shows all."""
        values, rowids = self.values, self._catalogue.rowids
        if not codes or values is None:
            self.filters.drop(self.column_id)
            return
        if isinstance(values, Scale):
            wanted, names, words = ~np.isfinite(values.values), ("",), values.nothing
        else:
            wanted, names = np.isin(values.codes, codes), names_of(values, codes)
            words = names_in_words(values, names)
        by = column(self.column_id)
        said = f"{by.title}: {words}"
        self.filters.put(ApiFilter(id=by.id, words=said, rowids=rowids[wanted], values=names))

    def clear_filter(self) -> None:
        """Show all points."""
        self.filters.clear()

    def _on_filters_changed(self) -> None:
        self.visible = self.filters.mask(self._catalogue.rowids)
        self.filter_changed.emit()

    def _start_column(self, name: str) -> None:
        self._asked += 1
        self._tasks.spawn(self._read_column(self._asked, name), owner=self)

    async def _read_column(self, number: int, name: str) -> None:
        catalogue = self._catalogue
        source = ColumnSource(self._workspace, catalogue)
        values: Categories | Scale | None = None
        if name != TOOLKIT:
            values = await self._tasks.in_thread(lambda: column(name).read(source))
        if number == self._asked and catalogue is self._catalogue:
            self.column_id, self.values, self._values_of = name, values, catalogue
            self.column_changed.emit()

    async def _read_titles(self, catalogue: CuratedCatalogue) -> None:
        found = await self._tasks.in_thread(lambda: read_titles(self._workspace, catalogue))
        # An edit changes no place: what was read before it still fits.
        if np.array_equal(catalogue.rowids, self._catalogue.rowids):
            self.titles = found
            self.known.emit()

    async def _read(self, catalogue: CuratedCatalogue) -> None:
        found = await self._tasks.in_thread(lambda: read_neighbours(self._workspace, catalogue))
        if catalogue is not self._catalogue:
            return
        self.neighbours, self.titles = found, PointTitles()
        self.known.emit()
        if self._wants_titles:
            self.read_titles()
        wanted = self._chosen
        if not wanted:
            is_crowded = len(catalogue.toolkits) > REGIONS_FROM and catalogue.regions
            wanted = REGION if is_crowded else TOOLKIT
        if wanted != TOOLKIT or self.column_id != TOOLKIT:
            self._start_column(wanted)
