"""How the map is looked at: by which column, through which filter; and what it knows of points.

Titles, neighbours and columns are read on reader threads after the catalogue, newest
wishes first; the map shows itself before any of them is there. Shared by the map, the selection
menu and lists; no part of any history. One object for each open workspace: `context.map_look`.
"""

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import QObject, Signal

from toolplanner_core.curation.looking.curated_catalogue import EMPTY, CuratedCatalogue
from toolplanner_core.curation.looking.map_columns import (
    REGION,
    TOOLKIT,
    Categories,
    ColumnSource,
    Scale,
    column,
)
from toolplanner_core.curation.looking.surroundings import Surroundings, read_surroundings
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.workspace import Workspace
from toolplanner_gui.bridge.tasks import Tasks

REGIONS_FROM = 400
"""More toolkits than these are confetti: they are coloured by region unless someone chose."""

SAID = 3
"""Categories of a filter that are named."""


class MapLook(QObject):
    """Column, filter and background knowledge of the map. GUI thread.

    Signals:
        known: titles and neighbours were read, or regions are others.
        column_changed: the values of the column are there; ask `column_id` and `values`.
        filter_changed: other points are shown; ask `visible`.
    """

    known = Signal()
    column_changed = Signal()
    filter_changed = Signal()

    def __init__(self, workspace: Workspace, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._workspace = workspace
        self._catalogue: CuratedCatalogue = EMPTY
        self._region_of: dict[ToolkitId, int] = {}
        self.surroundings = Surroundings()
        """Titles and neighbours."""
        self._chosen = ""
        self.column_id = TOOLKIT
        """What the map is coloured by."""
        self.values: Categories | Scale | None = None
        """The column's values; None for the toolkit, which needs none."""
        self.visible: np.ndarray | None = None
        """(n,) bool, points that the filter lets through; None without a filter."""
        self.filter_codes: tuple[int, ...] | None = None
        """Categories that the filter lets through, if it was set by category."""
        self.filter_words = ""
        """What the filter lets through, for people; "" without one."""
        self._asked = 0

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being read."""
        return not self._tasks.runs_for(self)

    @property
    def neighbours(self) -> np.ndarray | None:
        """(n, k) int32, nearest points in the space of the vectors, itself first, -1 for none."""
        return self.surroundings.neighbours

    @property
    def regions(self) -> tuple[str, ...]:
        """Names of the regions; none where there are few toolkits."""
        return tuple(region.name for region in self._catalogue.regions.values())

    def region_of(self, toolkit: ToolkitId) -> int:
        """Index into `regions`, -1 for none."""
        return self._region_of.get(toolkit, -1)

    def set_catalogue(self, catalogue: CuratedCatalogue) -> None:
        """Look at a catalogue that was read anew."""
        before = self._take(catalogue)
        if not np.array_equal(before.rowids, catalogue.rowids):
            self._set_filter(None, "", None)
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
        places = catalogue.region_places().tolist()
        self._region_of = {t.id: at for t, at in zip(catalogue.toolkits, places, strict=True)}
        return before

    def choose_column(self, name: str) -> None:
        """Colour by a column; `column_changed` follows when it was read.

        Raises:
            KeyError: there is no such column.
        """
        self._chosen = column(name).id
        self._start_column(name)

    def show_only(self, mask: np.ndarray, words: str) -> None:
        """Filter: let the points of a mask (n,) bool through and dim all others."""
        self._set_filter(mask, words, None)

    def show_categories(self, codes: Sequence[int]) -> None:
        """Filter by categories of the present column; none of them shows all."""
        values = self.values
        if not codes or not isinstance(values, Categories | Scale):
            self.clear_filter()
            return
        if isinstance(values, Scale):
            self._set_filter(~np.isfinite(values.values), "not known", tuple(codes))
            return
        wanted = np.isin(values.codes, codes)
        names = [values.nothing if code < 0 else values.names[code] for code in codes[:SAID]]
        more = len(codes) - len(names)
        words = ", ".join(names) + (f" and {more:,} more" if more else "")
        self._set_filter(wanted, f"{column(self.column_id).title}: {words}", tuple(codes))

    def clear_filter(self) -> None:
        """Show all points."""
        self._set_filter(None, "", None)

    def _set_filter(
        self, mask: np.ndarray | None, words: str, codes: tuple[int, ...] | None
    ) -> None:
        if mask is None and self.visible is None:
            return
        self.visible, self.filter_words, self.filter_codes = mask, words, codes
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
            was_by_category = self.filter_codes is not None and name != self.column_id
            self.column_id, self.values = name, values
            if was_by_category:
                # Its row is no longer in the legend: the filter stays, as a filter by words.
                self.filter_codes = None
            self.column_changed.emit()

    async def _read(self, catalogue: CuratedCatalogue) -> None:
        found = await self._tasks.in_thread(lambda: read_surroundings(self._workspace, catalogue))
        if catalogue is not self._catalogue:
            return
        self.surroundings = found
        self.known.emit()
        wanted = self._chosen
        if not wanted:
            is_crowded = len(catalogue.toolkits) > REGIONS_FROM and catalogue.regions
            wanted = REGION if is_crowded else TOOLKIT
        if wanted != TOOLKIT or self.column_id != TOOLKIT:
            self._start_column(wanted)
