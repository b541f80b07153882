"""How the map is looked at: by which column, through which filter; and what it knows of points.

Regions, titles, neighbours and columns are read on reader threads after the catalogue, newest
wishes first; the map shows itself before any of them is there. Shared by the map, the selection
menu and lists; no part of any history. One object for the program: `context.map_look`.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from PySide6.QtCore import QObject, Signal

from toolplanner_core.curation.figures import toolkit_sums
from toolplanner_core.curation.regions import find_regions
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.map_facts import exemplars, known_neighbours
from toolplanner_gui.bridge.tasks import Tasks
from toolplanner_gui.viewmodels.catalogue import EMPTY, Catalogue
from toolplanner_gui.viewmodels.catalogue_patch import CatalogueEdit
from toolplanner_gui.viewmodels.map_columns import (
    REGION,
    TOOLKIT,
    Categories,
    ColumnSource,
    Scale,
    column,
)
from toolplanner_gui.viewmodels.map_finding import neighbours_of_points

REGIONS_FROM = 400
"""More toolkits than these are confetti: they are coloured by region unless someone chose."""
TITLES_EACH = 3
"""APIs of each toolkit whose title may stand on the map."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Titles:
    """Titles of APIs: (m,) points, the most telling first, and m texts."""

    points: np.ndarray
    texts: Sequence[str]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _Known:
    """What was read for a catalogue."""

    region_of: dict[ToolkitId, int]
    regions: tuple[str, ...]
    titles: Titles
    neighbours: np.ndarray | None


_NOTHING_KNOWN = _Known(
    region_of={},
    regions=(),
    titles=Titles(points=np.zeros(0, np.int64), texts=()),
    neighbours=None,
)


class MapLook(QObject):
    """Column, filter and background knowledge of the map. GUI thread.

    Signals:
        known: regions, titles and neighbours were read, or are others.
        column_changed: the values of the column are there; ask `column_id` and `values`.
        filter_changed: other points are shown; ask `visible`.
    """

    known = Signal()
    column_changed = Signal()
    filter_changed = Signal()

    def __init__(self, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._tasks = tasks
        self._workspace: Workspace | None = None
        self._catalogue: Catalogue = EMPTY
        self._known = _NOTHING_KNOWN
        self._chosen = ""
        self._column = TOOLKIT
        self._values: Categories | Scale | None = None
        self._visible: np.ndarray | None = None
        self._codes: tuple[int, ...] | None = None
        self._filter_words = ""
        self._asked = 0
        self._open = 0

    @property
    def is_idle(self) -> bool:
        """Whether nothing is being read."""
        return self._open == 0

    @property
    def column_id(self) -> str:
        """What the map is coloured by."""
        return self._column

    @property
    def values(self) -> Categories | Scale | None:
        """The column's values; None for the toolkit, which needs none."""
        return self._values

    @property
    def visible(self) -> np.ndarray | None:
        """(n,) bool, points that the filter lets through; None without a filter."""
        return self._visible

    @property
    def filter_words(self) -> str:
        """What the filter lets through, for people; "" without one."""
        return self._filter_words

    @property
    def filter_codes(self) -> tuple[int, ...] | None:
        """Categories that the filter lets through, if it was set by category."""
        return self._codes

    @property
    def neighbours(self) -> np.ndarray | None:
        """(n, k) int32, nearest points in the space of the vectors, itself first, -1 for none."""
        return self._known.neighbours

    @property
    def titles(self) -> Titles:
        """Titles that may stand on the map."""
        return self._known.titles

    @property
    def regions(self) -> tuple[str, ...]:
        """Names of the regions; none where there are few toolkits."""
        return self._known.regions

    def region_of(self, toolkit: ToolkitId) -> int:
        """Index into `regions`, -1 for none."""
        return self._known.region_of.get(toolkit, -1)

    def regions_of_toolkits(self) -> np.ndarray:
        """(k,) int32, region of each toolkit of the catalogue, -1 for none."""
        toolkits, get = self._catalogue.toolkits, self._known.region_of.get
        return np.fromiter((get(t.id, -1) for t in toolkits), np.int32, len(toolkits))

    def set_workspace(self, workspace: Workspace | None) -> None:
        """Look at another workspace: what was chosen and known goes."""
        self._workspace = workspace
        self._tasks.cancel_all(self)
        self._known, self._catalogue = _NOTHING_KNOWN, EMPTY
        self._chosen, self._column, self._values = "", TOOLKIT, None
        self._set_filter(None, "", None)

    def set_catalogue(self, catalogue: Catalogue) -> None:
        """Look at a catalogue that was read anew."""
        before, self._catalogue = self._catalogue, catalogue
        if not np.array_equal(before.rowids, catalogue.rowids):
            self._set_filter(None, "", None)
        workspace = self._workspace
        if workspace is not None and catalogue.xy is not None:
            old = self._known.region_of
            keeps = sum(t.id in old for t in catalogue.toolkits) * 2 > len(catalogue.toolkits)
            self._tasks.spawn(self._read(workspace, catalogue, keeps=keeps), owner=self)

    def follow(self, edit: CatalogueEdit, catalogue: Catalogue) -> None:
        """Look at the catalogue after an edit; toolkits keep their regions."""
        before, self._catalogue = self._catalogue, catalogue
        region_of = dict(self._known.region_of)
        for toolkit in edit.touched:
            if region_of and toolkit not in region_of:
                region_of[toolkit] = self._region_of_members(before, catalogue, toolkit)
        self._known = _Known(
            region_of=region_of,
            regions=self._known.regions,
            titles=self._known.titles,
            neighbours=self._known.neighbours,
        )
        self.known.emit()
        if self._column != TOOLKIT:
            self._start_column(self._column)

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
        values = self._values
        if not codes or not isinstance(values, Categories | Scale):
            self.clear_filter()
            return
        if isinstance(values, Scale):
            self._set_filter(~np.isfinite(values.values), "not known", tuple(codes))
            return
        wanted = np.isin(values.codes, codes)
        names = [values.nothing if code < 0 else values.names[code] for code in codes[:1]]
        words = names[0] if len(codes) == 1 else f"{len(codes):,} others"
        self._set_filter(wanted, f"{column(self._column).title}: {words}", tuple(codes))

    def clear_filter(self) -> None:
        """Show all points."""
        self._set_filter(None, "", None)

    def _set_filter(
        self, mask: np.ndarray | None, words: str, codes: tuple[int, ...] | None
    ) -> None:
        if mask is None and self._visible is None:
            return
        self._visible, self._filter_words, self._codes = mask, words, codes
        self.filter_changed.emit()

    def _start_column(self, name: str) -> None:
        workspace = self._workspace
        if workspace is None:
            return
        self._asked += 1
        self._tasks.spawn(self._read_column(self._asked, workspace, name), owner=self)

    async def _read_column(self, number: int, workspace: Workspace, name: str) -> None:
        catalogue = self._catalogue
        source = ColumnSource(
            workspace, catalogue, region_of=self.regions_of_toolkits(), regions=self.regions
        )
        self._open += 1
        try:
            values: Categories | Scale | None = None
            if name != TOOLKIT:
                values = await self._tasks.in_thread(lambda: column(name).read(source))
        finally:
            self._open -= 1
        if number == self._asked and catalogue is self._catalogue:
            was_by_category = self._codes is not None and name != self._column
            self._column, self._values = name, values
            if was_by_category:
                # Its row is no longer in the legend: the filter stays, as a filter by words.
                self._codes = None
            self.column_changed.emit()

    async def _read(self, workspace: Workspace, catalogue: Catalogue, *, keeps: bool) -> None:
        before = self._known
        self._open += 1
        try:
            found = await self._tasks.in_thread(
                lambda: _read_known(workspace, catalogue, before if keeps else None)
            )
        finally:
            self._open -= 1
        if catalogue is not self._catalogue:
            return
        self._known = found
        self.known.emit()
        wanted = self._chosen
        if not wanted:
            is_crowded = len(catalogue.toolkits) > REGIONS_FROM and found.regions
            wanted = REGION if is_crowded else TOOLKIT
        if wanted != TOOLKIT or self._column != TOOLKIT:
            self._start_column(wanted)

    def _region_of_members(self, before: Catalogue, after: Catalogue, toolkit: ToolkitId) -> int:
        """Where most members of a new toolkit were before."""
        points = after.points_of_toolkit(toolkit)
        labels = before.labels[points] if len(before.labels) == len(after.labels) else points[:0]
        found = [self.region_of(before.toolkits[i].id) for i in labels.tolist() if i >= 0]
        found = [region for region in found if region >= 0]
        return int(np.bincount(found).argmax()) if found else -1


def _read_known(workspace: Workspace, catalogue: Catalogue, before: _Known | None) -> _Known:
    """Read everything; blocks. Regions are kept where most toolkits are the same."""
    if before is None:
        regions, region_of = _read_regions(workspace, catalogue)
    else:
        regions, region_of = before.regions, before.region_of
    chosen = exemplars(workspace, TITLES_EACH)
    places = catalogue.places_of(np.array([each.rowid for each in chosen], np.int64))
    there = np.flatnonzero(places >= 0).tolist()
    near = known_neighbours(workspace)
    return _Known(
        region_of=region_of,
        regions=regions,
        titles=Titles(points=places[there], texts=[chosen[i].title for i in there]),
        neighbours=None if near is None else neighbours_of_points(near, catalogue),
    )


def _read_regions(
    workspace: Workspace, catalogue: Catalogue
) -> tuple[tuple[str, ...], dict[ToolkitId, int]]:
    sums = toolkit_sums(workspace)
    if sums is None:
        return (), {}
    name_of = {toolkit.id: toolkit.name for toolkit in catalogue.toolkits}
    names = [name_of.get(toolkit, "") for toolkit in sums.toolkits]
    regions = find_regions(sums.sums, sums.counts, names, places=_places(catalogue, sums.toolkits))
    of = dict(zip(sums.toolkits, regions.of_toolkit.tolist(), strict=True))
    return regions.names, of


def _places(catalogue: Catalogue, toolkits: Sequence[ToolkitId]) -> np.ndarray | None:
    """(t, 2) where the APIs of each toolkit lie on the map, nan for none; None without a map."""
    if catalogue.xy is None:
        return None
    used = catalogue.labels >= 0
    own, k = catalogue.labels[used], len(catalogue.toolkits)
    counts = np.bincount(own, minlength=k)
    with np.errstate(invalid="ignore"):
        middles = [np.bincount(own, catalogue.xy[used, i], minlength=k) / counts for i in (0, 1)]
    position = {toolkit.id: i for i, toolkit in enumerate(catalogue.toolkits)}
    found = np.column_stack([*middles])
    nowhere = np.full(2, np.nan)
    return np.array([found[position[t]] if t in position else nowhere for t in toolkits])
