"""The rows of the toolkit list: toolkits in order, in regions where there are many of them."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Toolkit

ELSEWHERE = "Other toolkits"
Key = Callable[[Toolkit], tuple[Any, ...]]


@dataclass(slots=True, kw_only=True)
class Region:
    """A row that holds toolkits; `number` stays the same while the order changes.

    Attributes:
        size: APIs of all its toolkits; kept, for it is painted often.
    """

    number: int
    name: str
    toolkits: list[Toolkit] = field(default_factory=list[Toolkit])
    size: int = 0

    def count(self) -> None:
        """Add the sizes up after a change."""
        self.size = sum(toolkit.size for toolkit in self.toolkits)


class Grouping(NamedTuple):
    """Which toolkit belongs to which region: an index into `names`, none for one without."""

    names: Sequence[str]
    region_of: Mapping[ToolkitId, int]


class RowPlace(NamedTuple):
    """Where a toolkit stands; `region` is a number, 0 where there are no regions."""

    region: int
    row: int


class ToolkitRows:
    """Toolkits in regions; without regions one list."""

    def __init__(self) -> None:
        self._regions: list[Region] = [Region(number=0, name="")]
        self._row_of_region: dict[int, int] = {0: 0}
        self._place: dict[ToolkitId, RowPlace] = {}
        self.has_regions = False

    @property
    def regions(self) -> Sequence[Region]:
        """The regions in order."""
        return self._regions

    def toolkits(self) -> list[Toolkit]:
        """All toolkits in the order of their rows."""
        return [toolkit for region in self._regions for toolkit in region.toolkits]

    def fill(self, toolkits: Iterable[Toolkit], grouping: Grouping | None) -> None:
        """Take these toolkits; `order` puts them in order."""
        self._place = {}
        self.has_regions = grouping is not None and bool(grouping.names)
        if grouping is None or not grouping.names:
            self._regions = [Region(number=0, name="", toolkits=list(toolkits))]
        else:
            names = [*grouping.names, ELSEWHERE]
            made = [Region(number=number, name=name) for number, name in enumerate(names)]
            for toolkit in toolkits:
                # -1, no region, is the last one.
                made[grouping.region_of.get(toolkit.id, -1)].toolkits.append(toolkit)
            self._regions = [region for region in made if region.toolkits]

    def order(self, key: Key, *, is_by_name: bool, is_down: bool = False) -> None:
        """Sort toolkits by a key; regions by name, or the largest first."""
        for region in self._regions:
            region.toolkits.sort(key=key)
            region.count()
        if is_by_name:
            self._regions.sort(key=lambda r: r.name.casefold(), reverse=is_down)
        else:
            self._regions.sort(key=lambda r: (-r.size, r.name.casefold()))
        self._row_of_region = {region.number: row for row, region in enumerate(self._regions)}
        for region in self._regions:
            self._number(region)

    def place(self, toolkit: ToolkitId) -> RowPlace | None:
        """Where a toolkit stands; None if it is not shown."""
        return self._place.get(toolkit)

    def row_of_region(self, number: int) -> int:
        """The row of a region."""
        return self._row_of_region[number]

    def region(self, number: int) -> Region | None:
        """A region by its number."""
        row = self._row_of_region.get(number)
        return None if row is None else self._regions[row]

    def place_for(self, toolkit: Toolkit, key: Key, grouping: Grouping | None) -> RowPlace | None:
        """Where a new toolkit belongs; None if its region is not there yet."""
        number = 0
        if self.has_regions and grouping is not None:
            found = grouping.region_of.get(toolkit.id, -1)
            number = found if found >= 0 else len(grouping.names)
        region = self.region(number)
        if region is None:
            return None
        mine = key(toolkit)
        rows = (i for i, other in enumerate(region.toolkits) if key(other) > mine)
        return RowPlace(number, next(rows, len(region.toolkits)))

    def place_anew(self, toolkit: ToolkitId, key: Key) -> RowPlace | None:
        """Where a toolkit belongs among its neighbours by a key; None if it stands there."""
        region, row = self._place[toolkit]
        rows = self._regions[self._row_of_region[region]].toolkits
        mine = key(rows[row])
        is_after = row == 0 or key(rows[row - 1]) <= mine
        if is_after and (row == len(rows) - 1 or mine <= key(rows[row + 1])):
            return None
        others = [*rows[:row], *rows[row + 1 :]]
        return RowPlace(region, bisect_right(others, mine, key=key))

    def move(self, toolkit: ToolkitId, place: RowPlace) -> None:
        """Put a toolkit at another place of its region."""
        region = self._regions[self._row_of_region[place.region]]
        old = self._place[toolkit].row
        region.toolkits.insert(place.row, region.toolkits.pop(old))
        self._number(region, min(old, place.row), max(old, place.row) + 1)

    @property
    def is_largest_first(self) -> bool:
        """Whether regions stand in the order of their sizes."""
        sizes = [region.size for region in self._regions]
        return sizes == sorted(sizes, reverse=True)

    def fits(self, grouping: Grouping, before: Grouping) -> bool:
        """Whether every toolkit stands in its region; what has none any more may stay.

        Args:
            before: by which they stand where they do.
        """
        was = before.region_of.get
        moved = [(t, region) for t, region in grouping.region_of.items() if was(t) != region]
        places = ((self._place.get(toolkit), region) for toolkit, region in moved)
        return all(place is None or place.region == region for place, region in places)

    def insert(self, place: RowPlace, toolkit: Toolkit) -> None:
        """Put a toolkit at a place."""
        region = self._regions[self._row_of_region[place.region]]
        region.toolkits.insert(place.row, toolkit)
        region.size += toolkit.size
        self._number(region, place.row)

    def remove(self, toolkit: ToolkitId) -> None:
        """Take a toolkit away."""
        place = self._place.pop(toolkit)
        region = self._regions[self._row_of_region[place.region]]
        region.size -= region.toolkits.pop(place.row).size
        self._number(region, place.row)

    def replace(self, toolkits: Iterable[Toolkit]) -> None:
        """Take other values of some toolkits that are shown."""
        for toolkit in toolkits:
            place = self._place[toolkit.id]
            region = self._regions[self._row_of_region[place.region]]
            region.size += toolkit.size - region.toolkits[place.row].size
            region.toolkits[place.row] = toolkit

    def _number(self, region: Region, begin: int = 0, end: int | None = None) -> None:
        """Say where toolkits of a region stand now, from a row to before another."""
        for row, toolkit in enumerate(region.toolkits[begin:end], begin):
            self._place[toolkit.id] = RowPlace(region.number, row)
