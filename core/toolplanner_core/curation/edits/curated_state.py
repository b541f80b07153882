"""The curated state in memory: what edits are planned on away from the tables.

Used to look at another point of the history, to compare two points, to merge decisions of several
people, and by tests to hold tables, memory and history together.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Self, TypeVar

from toolplanner_core.domain.curated import (
    Changes,
    Functionality,
    LinkKind,
    Membership,
    Pair,
    RegionFields,
    ToolkitFields,
)
from toolplanner_core.domain.ids import RegionId, ToolkitId
from toolplanner_core.domain.toolkit import Author
from toolplanner_core.workspace import Database
from toolplanner_core.workspace.curated_tables import (
    CuratedTables,
    all_accepted_documentation,
    all_exclusions,
    all_links,
    all_memberships,
    all_model_texts,
    all_region_of,
    all_regions,
    all_rowids,
    all_toolkits,
)

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


@dataclass(slots=True, kw_only=True)
class CuratedState:
    """All toolkits, members, exclusions, links and regions; a `CuratedView` that can be changed.

    Attributes:
        told: texts of APIs that are not by rule.
        gone: toolkits that do not live any more, as they were last.
        rowids: all APIs of the catalogue.
        new_id: the id that the next new toolkit gets.
    """

    toolkits: dict[ToolkitId, ToolkitFields] = field(default_factory=dict)
    gone: dict[ToolkitId, ToolkitFields] = field(default_factory=dict)
    members_of: dict[ToolkitId, dict[int, bool]] = field(default_factory=dict)
    toolkit_of: dict[int, Membership] = field(default_factory=dict)
    excluded: dict[int, str] = field(default_factory=dict)
    accepted: dict[int, str] = field(default_factory=dict)
    linked: dict[Pair, LinkKind] = field(default_factory=dict)
    regions: dict[RegionId, RegionFields] = field(default_factory=dict)
    region_of: dict[ToolkitId, RegionId] = field(default_factory=dict)
    told: dict[int, Functionality] = field(default_factory=dict)
    rowids: frozenset[int] = frozenset()
    new_id: ToolkitId = ToolkitId(1)  # noqa: RUF009 - a number

    @classmethod
    def read(cls, db: Database) -> Self:
        """The state as the tables have it now."""
        state = cls(
            toolkits=all_toolkits(db),
            gone=all_toolkits(db, retired=True),
            toolkit_of=all_memberships(db),
            excluded=all_exclusions(db),
            accepted=all_accepted_documentation(db),
            linked=all_links(db),
            regions=all_regions(db),
            region_of=all_region_of(db),
            told=all_model_texts(db),
            rowids=frozenset(all_rowids(db)),
            new_id=CuratedTables(db).next_toolkit(),
        )
        for rowid, membership in state.toolkit_of.items():
            state.members_of.setdefault(membership.toolkit, {})[rowid] = membership.is_pinned
        return state

    def apply(self, changes: Changes) -> None:
        """Change the state; the same that `write_changes` does to the tables."""
        for toolkit, fields in changes.all_fields.items():
            if not fields.get("is_living", True):
                if toolkit in self.toolkits:
                    self.gone[toolkit] = self.toolkits.pop(toolkit)
                continue
            values = {name: value for name, value in fields.items() if name != "is_living"}
            old = (
                self.gone.pop(toolkit, None) or self.toolkits.get(toolkit) or ToolkitFields(name="")
            )
            self.toolkits[toolkit] = replace(old, **values)
            self.new_id = max(self.new_id, ToolkitId(toolkit + 1))
        for rowid, membership in changes.members.items():
            old_membership = self.toolkit_of.pop(rowid, None)
            if old_membership is not None:
                self.members_of[old_membership.toolkit].pop(rowid)
            if membership is not None:
                self.toolkit_of[rowid] = membership
                self.members_of.setdefault(membership.toolkit, {})[rowid] = membership.is_pinned
        _put(self.excluded, changes.excluded)
        _put(self.accepted, changes.accepted)
        _put(self.linked, changes.links)
        _put(self.region_of, changes.region_of)
        for region, fields in changes.regions.items():
            old_region = self.regions.pop(region, None) or RegionFields(name="")
            if fields.get("is_living", True):
                values = {name: value for name, value in fields.items() if name != "is_living"}
                self.regions[region] = replace(old_region, **values)
        for rowid, text in changes.texts.items():
            self.told.pop(rowid, None)
            if text is not None and text.author is not Author.RULE:
                self.told[rowid] = text

    def toolkit(self, toolkit: ToolkitId) -> ToolkitFields | None:
        """A living toolkit; None if there is none with this id."""
        return self.toolkits.get(toolkit)

    def retired(self, toolkit: ToolkitId) -> ToolkitFields | None:
        """A toolkit that does not live any more, as it was last."""
        return self.gone.get(toolkit)

    def members(self, toolkit: ToolkitId) -> Mapping[int, bool]:
        """Row ids of the APIs of a toolkit, with whether each is pinned; ascending."""
        return dict(sorted(self.members_of.get(toolkit, {}).items()))

    def memberships(self, rowids: Iterable[int]) -> Mapping[int, Membership]:
        """Where these APIs belong; those without a toolkit are missing."""
        return {rowid: self.toolkit_of[rowid] for rowid in rowids if rowid in self.toolkit_of}

    def exclusions(self, rowids: Iterable[int]) -> Mapping[int, str]:
        """The reasons of those that are excluded."""
        return {rowid: self.excluded[rowid] for rowid in rowids if rowid in self.excluded}

    def acceptances(self, rowids: Iterable[int]) -> Mapping[int, str]:
        """The hashes of documentation that was accepted."""
        return {rowid: self.accepted[rowid] for rowid in rowids if rowid in self.accepted}

    def links(self, pairs: Iterable[Pair]) -> Mapping[Pair, LinkKind]:
        """Those pairs that are linked."""
        return {pair: self.linked[pair] for pair in pairs if pair in self.linked}

    def region(self, region: RegionId) -> RegionFields | None:
        """A living region; None if there is none with this id."""
        return self.regions.get(region)

    def regions_of(self, toolkits: Iterable[ToolkitId]) -> Mapping[ToolkitId, RegionId]:
        """The regions of toolkits; those without one are missing."""
        return {t: self.region_of[t] for t in toolkits if t in self.region_of}

    def toolkits_in(self, region: RegionId) -> list[ToolkitId]:
        """The toolkits of a region, those that ended included; ascending."""
        return sorted(t for t, its in self.region_of.items() if its == region)

    def texts(self, rowids: Iterable[int]) -> Mapping[int, Functionality]:
        """The texts of these APIs that are not by rule."""
        return {rowid: self.told[rowid] for rowid in rowids if rowid in self.told}

    def unknown(self, rowids: Iterable[int]) -> list[int]:
        """Those that are no APIs of the catalogue."""
        return [rowid for rowid in rowids if rowid not in self.rowids]

    def next_toolkit(self) -> ToolkitId:
        """The id that the next new toolkit gets; never used before."""
        return self.new_id


def _put(kept: dict[_Key, _Value], values: Mapping[_Key, _Value | None]) -> None:
    """Write values; None takes one away."""
    for key, value in values.items():
        kept.pop(key, None)
        if value is not None:
            kept[key] = value
