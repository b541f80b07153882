"""Changes of the curated state as JSON, compact: a re-clustering changes 45,000 members at once.

{"toolkits": {"7": {"name": ...}}, "members": {"apis": [..], "toolkits": [.., 0 = none],
 "pinned": [0, 1, ..]}, "excluded": {"12": "reason" | null}, "links": [[a, b, kind | null]],
 "regions": {"3": {"name": ...}}, "region_of": {"7": 3 | null},
 "texts": {"12": [text, author] | null}, "accepted": {"12": "hash" | null},
 "retold": {"7": {"description": ...}}}
"""

from collections.abc import Callable, Mapping
from typing import Any

from toolplanner_core.domain.curated import Changes, Functionality, LinkKind, Membership
from toolplanner_core.domain.ids import RegionId, ToolkitId
from toolplanner_core.domain.toolkit import Author

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
