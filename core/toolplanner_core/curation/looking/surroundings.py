"""What is known around the points of a catalogue: regions, titles, nearest neighbours.

Read once after the catalogue; an edit of toolkits changes nothing of it but the regions of new
toolkits.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from toolplanner_core.curation.grouping.regions import find_regions
from toolplanner_core.curation.grouping.toolkit_sums import toolkit_sums
from toolplanner_core.curation.looking.curated_catalogue import CuratedCatalogue
from toolplanner_core.curation.looking.map_finding import neighbours_of_points
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.map_facts import exemplars, known_neighbours

TITLES_EACH = 3
"""APIs of each toolkit whose title may stand on the map."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Surroundings:
    """What was read for a catalogue.

    Attributes:
        regions: names of the regions; none where there are few toolkits.
        region_of: index into `regions` by toolkit.
        titled: (m,) int64, points whose title may be shown, the most telling first.
        titles: m texts.
        neighbours: (n, k) int32, nearest points in the space of the vectors, itself first, -1 for
            none; None before they are known.
    """

    regions: tuple[str, ...] = ()
    region_of: Mapping[ToolkitId, int] = field(default_factory=dict[ToolkitId, int])
    titled: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))
    titles: Sequence[str] = ()
    neighbours: NDArray[np.int32] | None = None

    def with_new(
        self, toolkits: Collection[ToolkitId], before: CuratedCatalogue, after: CuratedCatalogue
    ) -> "Surroundings":
        """After an edit: new toolkits belong to the region that most of their members come from."""
        new = {t for t in toolkits if self.region_of and t not in self.region_of}
        found = {toolkit: self._region_of_members(before, after, toolkit) for toolkit in new}
        return replace(self, region_of={**self.region_of, **found})

    def _region_of_members(
        self, before: CuratedCatalogue, after: CuratedCatalogue, toolkit: ToolkitId
    ) -> int:
        points = after.points_of_toolkit(toolkit)
        labels = before.labels[points] if len(before.labels) == len(after.labels) else points[:0]
        found = [self.region_of.get(before.toolkits[i].id, -1) for i in labels.tolist() if i >= 0]
        found = [region for region in found if region >= 0]
        return int(np.bincount(found).argmax()) if found else -1


def read_surroundings(
    workspace: Workspace, catalogue: CuratedCatalogue, before: Surroundings | None = None
) -> Surroundings:
    """Read everything; blocks for about a second.

    Args:
        before: regions are taken from these if most toolkits are still the same.
    """
    old = {} if before is None else before.region_of
    if before is not None and sum(t.id in old for t in catalogue.toolkits) * 2 > len(
        catalogue.toolkits
    ):
        regions, region_of = before.regions, old
    else:
        regions, region_of = _read_regions(workspace, catalogue)
    chosen = exemplars(workspace, TITLES_EACH)
    places = catalogue.places_of(np.array([each.rowid for each in chosen], np.int64))
    there = np.flatnonzero(places >= 0)
    near = known_neighbours(workspace)
    return Surroundings(
        regions=regions,
        region_of=region_of,
        titled=places[there],
        titles=[chosen[i].title for i in there.tolist()],
        neighbours=None if near is None else neighbours_of_points(near, catalogue),
    )


def _read_regions(
    workspace: Workspace, catalogue: CuratedCatalogue
) -> tuple[tuple[str, ...], Mapping[ToolkitId, int]]:
    sums = toolkit_sums(workspace)
    if sums is None:
        return (), {}
    name_of = {toolkit.id: toolkit.name for toolkit in catalogue.toolkits}
    names = [name_of.get(toolkit, "") for toolkit in sums.toolkits]
    regions = find_regions(sums.sums, sums.counts, names, places=_places(catalogue, sums.toolkits))
    of = dict(zip(sums.toolkits, regions.of_toolkit.tolist(), strict=True))
    return regions.names, of


def _places(
    catalogue: CuratedCatalogue, toolkits: Sequence[ToolkitId]
) -> NDArray[np.float64] | None:
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
