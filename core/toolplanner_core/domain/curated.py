"""The state that people curate, and changes of it.

State: which toolkits live and what they are called, which API belongs to which, what is pinned,
excluded and linked. A change is a set of values to write; its inverse is the set of values that
were there before, under the same keys. So every edit can be undone, checked and composed without
knowing its kind. Source: `design/architecture.md`, "Edits".

Changes of the curated state as JSON, compact: a re-clustering changes 45,000 members at once.

{"toolkits": {"7": {"name": ...}}, "members": {"apis": [..], "toolkits": [.., 0 = none],
 "pinned": [0, 1, ..]}, "excluded": {"12": "reason" | null}, "links": [[a, b, kind | null]],
 "regions": {"3": {"name": ...}}, "region_of": {"7": 3 | null},
 "texts": {"12": [text, author] | null}, "accepted": {"12": "hash" | null},
 "retold": {"7": {"description": ...}}}
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, NamedTuple, Protocol, TypeVar

from toolplanner_core.domain.ids import RegionId, ToolkitId
from toolplanner_core.domain.toolkit import Author


class LinkKind(StrEnum):
    """What a person says of two APIs; hard for every clustering."""

    MUST = "must"
    CANNOT = "cannot"


class Membership(NamedTuple):
    """Where an API belongs, and whether no machine may move it."""

    toolkit: ToolkitId
    is_pinned: bool


class Functionality(NamedTuple):
    """The text of an API that is embedded, and who wrote it."""

    text: str
    author: Author


_Id = TypeVar("_Id", ToolkitId, RegionId)
Pair = tuple[int, int]
"""Row ids of two APIs, the smaller one first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolkitFields:
    """A living toolkit without its members.

    Attributes:
        is_description_old: members came or went since a person or a model wrote it.
        proposed_name: what the rule would call it now that its members are others; "" = nothing
            else. A name itself never changes but by an edit that names the toolkit.
    """

    name: str
    description: str = ""
    note: str = ""
    name_author: Author = Author.RULE
    description_author: Author = Author.RULE
    is_description_old: bool = False
    proposed_name: str = ""
    is_pinned: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RegionFields:
    """A living region, a level above toolkits, without them; `colour` is a number of its own."""

    name: str
    colour: int = 0
    name_author: Author = Author.RULE
    is_pinned: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """Values to write. Under each key stands what shall be there afterwards.

    Attributes:
        toolkits: by toolkit and field name (`ToolkitFields`, and "is_living").
        members: by API row id; None = belongs to no toolkit.
        excluded: the reason by API row id; None = not excluded.
        links: by pair of API row ids; None = not linked.
        regions: by region and field name (`RegionFields`, and "is_living").
        region_of: by toolkit; None = belongs to no region.
        texts: by API row id; None = the one by rule, which only its table knows.
        accepted: the hash of the documentation that a person accepted, by API row id; None = none.
        retold: as `toolkits`, what follows from changed members: a description by rule, a name that
            is proposed, or that a description is old. It disturbs no other change, since it can be
            worked out again.
    """

    toolkits: Mapping[ToolkitId, Mapping[str, Any]] = field(default_factory=dict)
    members: Mapping[int, Membership | None] = field(default_factory=dict)
    excluded: Mapping[int, str | None] = field(default_factory=dict)
    links: Mapping[Pair, LinkKind | None] = field(default_factory=dict)
    regions: Mapping[RegionId, Mapping[str, Any]] = field(default_factory=dict)
    region_of: Mapping[ToolkitId, RegionId | None] = field(default_factory=dict)
    texts: Mapping[int, Functionality | None] = field(default_factory=dict)
    accepted: Mapping[int, str | None] = field(default_factory=dict)
    retold: Mapping[ToolkitId, Mapping[str, Any]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return any(getattr(self, name) for name in self.__slots__)

    @property
    def all_fields(self) -> Mapping[ToolkitId, Mapping[str, Any]]:
        """By toolkit and field name, with what follows from changed members."""
        return _both(self.toolkits, self.retold) if self.retold else self.toolkits

    @property
    def begun(self) -> tuple[ToolkitId, ...]:
        """The toolkits that begin to live, or live again."""
        return tuple(t for t, fields in self.toolkits.items() if fields.get("is_living") is True)

    @property
    def ended(self) -> tuple[ToolkitId, ...]:
        """The toolkits that end."""
        return tuple(t for t, fields in self.toolkits.items() if fields.get("is_living") is False)

    @property
    def updated(self) -> tuple[ToolkitId, ...]:
        """The toolkits that live on with another name, text or pin."""
        return tuple(t for t, fields in self.toolkits.items() if "is_living" not in fields)

    def keys(self) -> set[tuple[str, Any, str]]:
        """What it touches, field by field; two changes without a common key do not disturb each
        other."""
        return (
            {
                ("toolkit", toolkit, name)
                for toolkit, fields in self.toolkits.items()
                for name in fields
            }
            | {("member", rowid, "") for rowid in self.members}
            | {("excluded", rowid, "") for rowid in self.excluded}
            | {("link", pair, "") for pair in self.links}
            | {("region", r, name) for r, fields in self.regions.items() for name in fields}
            | {("region_of", toolkit, "") for toolkit in self.region_of}
            | {("text", rowid, "") for rowid in self.texts}
            | {("accepted", rowid, "") for rowid in self.accepted}
        )

    def then(self, later: "Changes") -> "Changes":
        """Both, one after the other, as one."""
        return Changes(
            toolkits=_both(self.toolkits, later.toolkits),
            members={**self.members, **later.members},
            excluded={**self.excluded, **later.excluded},
            links={**self.links, **later.links},
            regions=_both(self.regions, later.regions),
            region_of={**self.region_of, **later.region_of},
            texts={**self.texts, **later.texts},
            accepted={**self.accepted, **later.accepted},
            retold=_both(_without(self.retold, later.toolkits), later.retold),
        )


class CuratedView(Protocol):
    """The state as an edit sees it: the tables inside a transaction, or a copy in memory."""

    def toolkit(self, toolkit: ToolkitId) -> ToolkitFields | None:
        """A living toolkit; None if there is none with this id."""
        ...

    def retired(self, toolkit: ToolkitId) -> ToolkitFields | None:
        """A toolkit that does not live any more, as it was last."""
        ...

    def members(self, toolkit: ToolkitId) -> Mapping[int, bool]:
        """Row ids of the APIs of a toolkit, with whether each is pinned; ascending."""
        ...

    def memberships(self, rowids: Iterable[int]) -> Mapping[int, Membership]:
        """Where these APIs belong; those without a toolkit are missing."""
        ...

    def exclusions(self, rowids: Iterable[int]) -> Mapping[int, str]:
        """The reasons of those that are excluded."""
        ...

    def acceptances(self, rowids: Iterable[int]) -> Mapping[int, str]:
        """The hashes of documentation that was accepted."""
        ...

    def links(self, pairs: Iterable[Pair]) -> Mapping[Pair, LinkKind]:
        """Those pairs that are linked."""
        ...

    def region(self, region: RegionId) -> RegionFields | None:
        """A living region; None if there is none with this id."""
        ...

    def regions_of(self, toolkits: Iterable[ToolkitId]) -> Mapping[ToolkitId, RegionId]:
        """The regions of toolkits; those without one are missing."""
        ...

    def toolkits_in(self, region: RegionId) -> Sequence[ToolkitId]:
        """The toolkits of a region, those that ended included; ascending."""
        ...

    def texts(self, rowids: Iterable[int]) -> Mapping[int, Functionality]:
        """The texts of these APIs; in memory only those that are not by rule."""
        ...

    def unknown(self, rowids: Iterable[int]) -> list[int]:
        """Those that are no APIs of the catalogue."""
        ...

    def next_toolkit(self) -> ToolkitId:
        """The id that the next new toolkit gets; never used before."""
        ...


def invert_changes(changes: Changes, view: CuratedView) -> Changes:
    """What brings back the state before these changes.

    Args:
        view: the state before them.
    """
    memberships = view.memberships(changes.members)
    exclusions = view.exclusions(changes.excluded)
    links = view.links(changes.links)
    regions_of = view.regions_of(changes.region_of)
    texts = view.texts(changes.texts)
    acceptances = view.acceptances(changes.accepted)
    return Changes(
        toolkits={
            toolkit: _fields_before(view.toolkit(toolkit), fields)
            for toolkit, fields in changes.toolkits.items()
        },
        members={rowid: memberships.get(rowid) for rowid in changes.members},
        excluded={rowid: exclusions.get(rowid) for rowid in changes.excluded},
        links={pair: links.get(pair) for pair in changes.links},
        regions={r: _fields_before(view.region(r), v) for r, v in changes.regions.items()},
        region_of={toolkit: regions_of.get(toolkit) for toolkit in changes.region_of},
        texts={rowid: texts.get(rowid) for rowid in changes.texts},
        accepted={rowid: acceptances.get(rowid) for rowid in changes.accepted},
        retold={t: _fields_before(view.toolkit(t), fields) for t, fields in changes.retold.items()},
    )


def revived_fields(fields: ToolkitFields | RegionFields) -> dict[str, Any]:
    """All values of what lives again, so that whoever shows it needs no other source."""
    return {"is_living": True} | {name: getattr(fields, name) for name in fields.__slots__}


def _both(
    earlier: Mapping[_Id, Mapping[str, Any]], later: Mapping[_Id, Mapping[str, Any]]
) -> dict[_Id, dict[str, Any]]:
    return {key: {**earlier.get(key, {}), **later.get(key, {})} for key in {**earlier, **later}}


def _without(
    fields: Mapping[_Id, Mapping[str, Any]], gone: Mapping[_Id, Mapping[str, Any]]
) -> dict[_Id, Mapping[str, Any]]:
    """The fields but those that `gone` has, too."""
    kept = {
        key: {name: v for name, v in values.items() if name not in gone.get(key, {})}
        for key, values in fields.items()
    }
    return {key: values for key, values in kept.items() if values}


def _fields_before(
    now: ToolkitFields | RegionFields | None, fields: Mapping[str, Any]
) -> Mapping[str, Any]:
    if now is None:
        return {"is_living": False}
    if "is_living" in fields:
        return revived_fields(now)
    return {name: getattr(now, name) for name in fields}


def drop_unchanged(changes: Changes, view: CuratedView) -> Changes:
    """Only those values that differ from what is there."""
    before = invert_changes(changes, view)
    return Changes(
        toolkits=_differing(changes.toolkits, before.toolkits),
        members={k: v for k, v in changes.members.items() if before.members[k] != v},
        excluded={k: v for k, v in changes.excluded.items() if before.excluded[k] != v},
        links={k: v for k, v in changes.links.items() if before.links[k] != v},
        regions=_differing(changes.regions, before.regions),
        region_of={k: v for k, v in changes.region_of.items() if before.region_of[k] != v},
        texts={k: v for k, v in changes.texts.items() if before.texts[k] != v},
        accepted={k: v for k, v in changes.accepted.items() if before.accepted[k] != v},
        retold=_differing(changes.retold, before.retold),
    )


def _differing(
    values: Mapping[_Id, Mapping[str, Any]], before: Mapping[_Id, Mapping[str, Any]]
) -> dict[_Id, dict[str, Any]]:
    nothing = object()
    found = {
        key: {name: v for name, v in fields.items() if before[key].get(name, nothing) != v}
        for key, fields in values.items()
    }
    return {key: fields for key, fields in found.items() if fields}


_AUTHORS = ("name_author", "description_author")


def changes_to_json(changes: Changes, id_of: Callable[[int], Any] = int) -> dict[str, Any]:
    """A JSON-able dict; parts without a value are left out.

    Args:
        id_of: what stands there for the row id of an API.
    """
    body: dict[str, Any] = {}
    if changes.toolkits:
        body["toolkits"] = {str(toolkit): dict(v) for toolkit, v in changes.toolkits.items()}
    if changes.retold:
        body["retold"] = {str(toolkit): dict(v) for toolkit, v in changes.retold.items()}
    if changes.members:
        values = changes.members.values()
        body["members"] = {
            "apis": [id_of(rowid) for rowid in changes.members],
            "toolkits": [0 if value is None else value.toolkit for value in values],
            "pinned": [int(value is not None and value.is_pinned) for value in values],
        }
    if changes.excluded:
        body["excluded"] = {str(id_of(rowid)): why for rowid, why in changes.excluded.items()}
    if changes.regions:
        body["regions"] = {str(region): dict(v) for region, v in changes.regions.items()}
    if changes.region_of:
        body["region_of"] = {str(toolkit): to for toolkit, to in changes.region_of.items()}
    if changes.texts:
        body["texts"] = {str(id_of(rowid)): told for rowid, told in changes.texts.items()}
    if changes.accepted:
        body["accepted"] = {str(id_of(rowid)): text for rowid, text in changes.accepted.items()}
    if changes.links:
        body["links"] = [[id_of(a), id_of(b), kind] for (a, b), kind in changes.links.items()]
    return body


def changes_from_json(
    body: Mapping[str, Any], rowid_of: Callable[[Any], int | None] = int
) -> Changes:
    """The inverse of `changes_to_json`.

    Args:
        rowid_of: the row id of what stands for an API; what is about one without is left out.
    """
    members = body.get("members", {"apis": (), "toolkits": (), "pinned": ()})
    accepted = {rowid_of(api): text for api, text in body.get("accepted", {}).items()}
    excluded = {rowid_of(api): reason for api, reason in body.get("excluded", {}).items()}
    texts = {rowid_of(api): told for api, told in body.get("texts", {}).items()}
    links = [(rowid_of(a), rowid_of(b), kind) for a, b, kind in body.get("links", ())]
    return Changes(
        toolkits={ToolkitId(int(t)): _fields(v) for t, v in body.get("toolkits", {}).items()},
        retold={ToolkitId(int(t)): _fields(v) for t, v in body.get("retold", {}).items()},
        regions={RegionId(int(r)): _fields(v) for r, v in body.get("regions", {}).items()},
        region_of={
            ToolkitId(int(toolkit)): None if to is None else RegionId(to)
            for toolkit, to in body.get("region_of", {}).items()
        },
        members={
            rowid: Membership(ToolkitId(toolkit), bool(pinned)) if toolkit else None
            for api, toolkit, pinned in zip(
                members["apis"], members["toolkits"], members["pinned"], strict=True
            )
            if (rowid := rowid_of(api)) is not None
        },
        accepted={rowid: text for rowid, text in accepted.items() if rowid is not None},
        excluded={rowid: reason for rowid, reason in excluded.items() if rowid is not None},
        texts={
            rowid: None if told is None else Functionality(told[0], Author(told[1]))
            for rowid, told in texts.items()
            if rowid is not None
        },
        links={
            (min(a, b), max(a, b)): None if kind is None else LinkKind(kind)
            for a, b, kind in links
            if a is not None and b is not None
        },
    )


def _fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: Author(value) if name in _AUTHORS else value for name, value in fields.items()}
