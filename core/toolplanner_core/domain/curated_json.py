"""Changes of the curated state as JSON, compact: a re-clustering changes 45,000 members at once.

{"toolkits": {"7": {"name": ...}}, "members": {"apis": [..], "toolkits": [.., 0 = none],
 "pinned": [0, 1, ..]}, "excluded": {"12": "reason" | null}, "links": [[a, b, kind | null]]}
"""

from collections.abc import Mapping
from typing import Any

from toolplanner_core.domain.curated import Changes, LinkKind, Membership
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Author

_AUTHORS = ("name_author", "description_author")


def changes_to_json(changes: Changes) -> dict[str, Any]:
    """A JSON-able dict; parts without a value are left out."""
    body: dict[str, Any] = {}
    if changes.toolkits:
        body["toolkits"] = {str(toolkit): dict(v) for toolkit, v in changes.toolkits.items()}
    if changes.members:
        values = changes.members.values()
        body["members"] = {
            "apis": list(changes.members),
            "toolkits": [0 if value is None else value.toolkit for value in values],
            "pinned": [int(value is not None and value.is_pinned) for value in values],
        }
    if changes.excluded:
        body["excluded"] = {str(rowid): reason for rowid, reason in changes.excluded.items()}
    if changes.links:
        body["links"] = [[a, b, kind] for (a, b), kind in changes.links.items()]
    return body


def changes_from_json(body: Mapping[str, Any]) -> Changes:
    """The inverse of `changes_to_json`."""
    members = body.get("members", {"apis": (), "toolkits": (), "pinned": ()})
    return Changes(
        toolkits={
            ToolkitId(int(toolkit)): {
                name: Author(value) if name in _AUTHORS else value for name, value in fields.items()
            }
            for toolkit, fields in body.get("toolkits", {}).items()
        },
        members={
            rowid: Membership(ToolkitId(toolkit), bool(pinned)) if toolkit else None
            for rowid, toolkit, pinned in zip(
                members["apis"], members["toolkits"], members["pinned"], strict=True
            )
        },
        excluded={int(rowid): reason for rowid, reason in body.get("excluded", {}).items()},
        links={
            (a, b): None if kind is None else LinkKind(kind) for a, b, kind in body.get("links", ())
        },
    )
