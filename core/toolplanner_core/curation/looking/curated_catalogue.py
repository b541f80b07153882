"""All that map and lists need of a workspace at once: read in one go.

Arrays are in the order of the map's points; whoever shows it never asks the workspace for more than
what one screen holds.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from toolplanner_core.curation.grouping.region_keeping import keep_regions
from toolplanner_core.curation.looking.map_colours import read_colours
from toolplanner_core.domain.curated import Membership, RegionFields
from toolplanner_core.domain.ids import RegionId, ToolkitId
from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_core.words.fuzzy_matching import begins_words
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import all_rowids, api_count
from toolplanner_core.workspace.curated_tables import (
    all_exclusions,
    all_memberships,
    all_region_of,
    all_regions,
)
from toolplanner_core.workspace.import_changes import waiting_hashes, waiting_rowids
from toolplanner_core.workspace.point_sets import load_layout, load_point_set
from toolplanner_core.workspace.settings import get_setting
from toolplanner_core.workspace.toolkits import list_toolkits


@dataclass(frozen=True, slots=True, kw_only=True)
class CuratedCatalogue:
    """A moment of a workspace.

    Attributes:
        n_apis: APIs in the workspace.
        toolkits: `labels` are positions in it.
        rowids: (n,) int64, row id of each point.
        labels: (n,) int32, position in `toolkits`, -1 without a toolkit.
        xy: (n, 2) float32, None before a layout was made.
        note: what the legend says of the layout.
        colours: (k,) number of the colour of each toolkit on the map, None = to be found.
        pinned: (n,) bool, whether each point is pinned in its toolkit.
        excluded: (n,) bool, whether each point is excluded from planning.
        unaccepted: hash of the documentation that has to be accepted, by row id; some of it was.
        waiting: (n,) bool, whether each point waits until its documentation is accepted.
        others: where the APIs without a point belong, by row id.
        regions: a level above toolkits; none where there are few.
        region_of: by toolkit; those that ended may stand in it.
    """

    n_apis: int = 0
    toolkits: tuple[Toolkit, ...] = ()
    rowids: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))
    labels: np.ndarray = field(default_factory=lambda: np.empty(0, np.int32))
    xy: np.ndarray | None = None
    note: str = ""
    colours: np.ndarray | None = None
    pinned: np.ndarray = field(default_factory=lambda: np.empty(0, bool))
    excluded: np.ndarray = field(default_factory=lambda: np.empty(0, bool))
    unaccepted: Mapping[int, str] = field(default_factory=dict[int, str])
    waiting: np.ndarray = field(default_factory=lambda: np.empty(0, bool))
    others: Mapping[int, Membership] = field(default_factory=dict[int, Membership])
    regions: Mapping[RegionId, RegionFields] = field(default_factory=dict[RegionId, RegionFields])
    region_of: Mapping[ToolkitId, RegionId] = field(default_factory=dict[ToolkitId, RegionId])

    def __post_init__(self) -> None:
        for name in ("pinned", "excluded", "waiting"):
            if len(getattr(self, name)) != len(self.rowids):
                object.__setattr__(self, name, np.zeros(len(self.rowids), bool))

    def toolkit(self, toolkit: ToolkitId) -> Toolkit | None:
        """The living toolkit with this id."""
        return next((t for t in self.toolkits if t.id == toolkit), None)

    @property
    def n_unplaced(self) -> int:
        """APIs that came in after the map was made: they have no point and no toolkit yet."""
        return 0 if self.xy is None else self.n_apis - len(self.rowids) - len(self.others)

    def name_of(self, toolkit: ToolkitId) -> str:
        """The name of a living toolkit; its number if it does not live."""
        found = self.toolkit(toolkit)
        return f"toolkit {toolkit}" if found is None else found.name

    def named(self, text: str) -> list[Toolkit]:
        """The living toolkits whose names hold all words of a text: the one that is called so
        first, then those where they begin words, then those inside of them; the largest first."""
        words = text.casefold().split()
        whole = " ".join(words)

        def rank(toolkit: Toolkit) -> tuple[bool, bool, int, str]:
            name = toolkit.name.casefold()
            return name != whole, not begins_words(words, name), -toolkit.size, name

        found = [t for t in self.toolkits if all(word in t.name.casefold() for word in words)]
        return sorted(found, key=rank)

    def region_places(self) -> np.ndarray:
        """(k,) int32, position in `regions` of the region of each toolkit, -1 for none."""
        place = {region: i for i, region in enumerate(self.regions)}
        found = (place.get(self.region_of.get(t.id, RegionId(0)), -1) for t in self.toolkits)
        return np.fromiter(found, np.int32, len(self.toolkits))

    def unused_toolkits(self) -> frozenset[ToolkitId]:
        """Toolkits whose APIs are all excluded: no plan is offered any of them."""
        held = self.labels[self.excluded & (self.labels >= 0)]
        counts = np.bincount(held, minlength=len(self.toolkits))
        some = [(self.toolkits[place], counts[place]) for place in np.flatnonzero(counts).tolist()]
        return frozenset(toolkit.id for toolkit, n in some if n == toolkit.size)

    def points_of_toolkit(self, toolkit: ToolkitId) -> np.ndarray:
        """Positions of a toolkit's APIs, (m,) int64."""
        return np.flatnonzero(self.mask_of_toolkit(toolkit))

    def mask_of_toolkit(self, toolkit: ToolkitId) -> np.ndarray:
        """Whether each point is an API of a toolkit, (n,) bool."""
        return self.mask_of_toolkits([toolkit])

    def mask_of_toolkits(self, toolkits: Collection[ToolkitId]) -> np.ndarray:
        """Whether each point is an API of one of these toolkits, (n,) bool."""
        places = [place for place, t in enumerate(self.toolkits) if t.id in toolkits]
        return np.isin(self.labels, places)

    def rowids_of(self, mask: np.ndarray, toolkits: Collection[ToolkitId]) -> np.ndarray:
        """Row ids of the points of a mask and of the APIs of `toolkits` without a point, int64."""
        others = [r for r, m in self.others.items() if m.toolkit in toolkits]
        return np.concatenate([self.rowids[mask], np.array(others, np.int64)])

    def points_of(self, rowids: np.ndarray) -> np.ndarray:
        """Positions of APIs by row id, (m,) int64; unknown ones are left out."""
        places = self.places_of(rowids)
        return places[places >= 0]

    def places_of(self, rowids: np.ndarray) -> np.ndarray:
        """Position of each API by row id, (m,) int64; -1 for one without a point."""
        if not len(self.rowids) or not len(rowids):
            return np.full(len(rowids), -1, np.int64)
        is_rising = bool(np.all(self.rowids[1:] >= self.rowids[:-1]))
        order = None if is_rising else np.argsort(self.rowids, kind="stable")
        found = np.searchsorted(self.rowids, rowids, sorter=order)
        found = np.minimum(found, len(self.rowids) - 1)
        places = found if order is None else order[found]
        return np.where(self.rowids[places] == rowids, places, -1)

    def toolkits_of(self, rowids: Sequence[int]) -> list[Toolkit | None]:
        """The toolkit of each API, those without a point included."""
        found: list[Toolkit | None] = []
        for rowid, place in zip(rowids, self.places_of(np.array(rowids, np.int64)), strict=True):
            other = self.others.get(rowid)
            if place >= 0:
                found.append(self.toolkit_of_point(int(place)))
            else:
                found.append(None if other is None else self.toolkit(other.toolkit))
        return found

    def toolkit_of_point(self, point: int) -> Toolkit | None:
        """The toolkit of a point."""
        label = int(self.labels[point])
        return self.toolkits[label] if label >= 0 else None


EMPTY = CuratedCatalogue()


def read_catalogue(workspace: Workspace) -> CuratedCatalogue:
    """Read toolkits, labels, regions and layout; finds regions where they are needed and none are.

    Not on the GUI thread: 45,000 APIs in half a second, some more if regions are to be found.
    """
    keep_regions(workspace)
    active: int | None = get_setting(workspace, "active_layout")
    layout = None if active is None else load_layout(workspace, active)
    if layout is None:
        rowids = np.asarray(all_rowids(workspace), np.int64)
    else:
        rowids = load_point_set(workspace, layout.point_set).rowids.astype(np.int64)
    db = workspace.reader()
    toolkits, members = tuple(list_toolkits(workspace)), all_memberships(db)
    place_of = {toolkit.id: place for place, toolkit in enumerate(toolkits)}
    of_points = [members.pop(rowid, None) for rowid in rowids.tolist()]
    found = (-1 if m is None else place_of.get(m.toolkit, -1) for m in of_points)
    labels = np.fromiter(found, np.int32, len(rowids))
    xy = None if layout is None else layout.xy
    return CuratedCatalogue(
        n_apis=api_count(workspace),
        toolkits=toolkits,
        rowids=rowids,
        labels=labels,
        xy=xy,
        colours=None if xy is None else read_colours(workspace, xy, labels, toolkits),
        note="" if layout is None else str(layout.options.get("legend", "")),
        pinned=np.fromiter((m is not None and m.is_pinned for m in of_points), bool, len(rowids)),
        excluded=np.isin(rowids, np.fromiter(all_exclusions(db), np.int64)),
        unaccepted=waiting_hashes(db),
        waiting=np.isin(rowids, np.fromiter(waiting_rowids(db), np.int64)),
        others=members,
        regions=all_regions(db),
        region_of=all_region_of(db),
    )
