"""What people decide about regions: their names, which are one, which stay, who belongs to them.

And where a new toolkit belongs, whatever edit made it: to the region that most of its members come
from.
"""

from collections import Counter
from dataclasses import dataclass, replace
from typing import ClassVar

from toolplanner_core.curation.edits.describe import proper_name
from toolplanner_core.curation.edits.edit import Edit, Planned, living
from toolplanner_core.domain.curated import Changes, CuratedView, RegionFields
from toolplanner_core.domain.ids import RegionId, ToolkitId
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.errors import BadInput
from toolplanner_core.words.formatting import counted
from toolplanner_core.words.window_places import SEE_REGIONS


@dataclass(frozen=True, slots=True, kw_only=True)
class RenameRegion(Edit):
    """Give a region another name."""

    kind: ClassVar[str] = "rename_region"

    region: RegionId
    name: str

    def plan(self, view: CuratedView) -> Planned:
        """Name and author."""
        old = _living(view, self.region)
        name = proper_name(self.name, of="region")
        fields = {"name": name, "name_author": Author.PERSON}
        return Planned(
            label=f"Rename region “{old.name}” to “{name}”",
            changes=Changes(regions={self.region: fields}),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class MergeRegions(Edit):
    """Put the toolkits of some regions into one; the others end."""

    kind: ClassVar[str] = "merge_regions"

    regions: tuple[RegionId, ...]
    into: RegionId

    def plan(self, view: CuratedView) -> Planned:
        """All toolkits of the others."""
        target = _living(view, self.into)
        others = [region for region in dict.fromkeys(self.regions) if region != self.into]
        if not others:
            raise BadInput("A merge needs at least two regions", todo="Choose another one")
        names = [_living(view, region).name for region in others]
        what = f"region “{names[0]}”" if len(names) == 1 else counted(len(names), "region")
        return Planned(
            label=f"Merge {what} into “{target.name}”",
            changes=Changes(
                regions={region: {"is_living": False} for region in others},
                region_of={t: self.into for region in others for t in view.toolkits_in(region)},
            ),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class PinRegions(Edit):
    """Pin regions, or unpin them: no rule puts toolkits into a pinned one or takes it apart."""

    kind: ClassVar[str] = "pin_regions"

    regions: tuple[RegionId, ...]
    is_pinned: bool = True

    def plan(self, view: CuratedView) -> Planned:
        """The pins."""
        if not self.regions:
            raise BadInput("No regions were chosen")
        names = [_living(view, region).name for region in self.regions]
        what = f"region “{names[0]}”" if len(names) == 1 else counted(len(names), "region")
        return Planned(
            label=f"{'Pin' if self.is_pinned else 'Unpin'} {what}",
            changes=Changes(regions={r: {"is_pinned": self.is_pinned} for r in self.regions}),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class MoveToRegion(Edit):
    """Put toolkits into another region."""

    kind: ClassVar[str] = "move_to_region"

    toolkits: tuple[ToolkitId, ...]
    region: RegionId

    def plan(self, view: CuratedView) -> Planned:
        """Where they belong."""
        if not self.toolkits:
            raise BadInput("No toolkits were chosen")
        names = [living(view, toolkit).name for toolkit in self.toolkits]
        what = f"“{names[0]}”" if len(names) == 1 else counted(len(names), "toolkit")
        return Planned(
            label=f"Move {what} to region “{_living(view, self.region).name}”",
            changes=Changes(region_of=dict.fromkeys(self.toolkits, self.region)),
        )


REGION_EDITS = frozenset(c.kind for c in (RenameRegion, MergeRegions, PinRegions, MoveToRegion))
"""Kinds of edits that are about regions alone."""


def with_regions(changes: Changes, view: CuratedView) -> Changes:
    """The changes, with regions for the toolkits that begin and have none."""
    begun = set(changes.begun) - changes.region_of.keys()
    new = begun - view.regions_of(begun).keys()
    if not new:
        return changes
    goes = {r: m.toolkit for r, m in changes.members.items() if m is not None and m.toolkit in new}
    came = {rowid: m.toolkit for rowid, m in view.memberships(goes).items()}
    region_of = view.regions_of(set(came.values()))
    found: dict[ToolkitId, Counter[RegionId]] = {}
    for rowid, toolkit in goes.items():
        if (region := region_of.get(came.get(rowid, ToolkitId(0)))) is not None:
            found.setdefault(toolkit, Counter())[region] += 1
    mostly = {toolkit: counts.most_common(1)[0][0] for toolkit, counts in found.items()}
    return replace(changes, region_of={**mostly, **changes.region_of})


def _living(view: CuratedView, region: RegionId) -> RegionFields:
    found = view.region(region)
    if found is None:
        raise BadInput(
            f"There is no region {region}",
            why="It never existed, or it was merged or undone",
            todo=SEE_REGIONS,
        )
    return found
