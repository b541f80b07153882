"""Values and fields of edits between row ids of one workspace and permanent API ids.

Row ids mean nothing elsewhere.
"""

from collections.abc import Callable, Mapping
from typing import Any, cast

from toolplanner_core.domain.curated import Changes
from toolplanner_core.domain.curated_json import changes_from_json, changes_to_json
from toolplanner_core.domain.ids import ApiId

_API_FIELDS = {"rowids": "apis", "left_out": "left_out", "parts": "parts"}
"""Fields of edits that hold row ids, and what they are called in a decision."""


def asked_with_ids(asked: Mapping[str, Any], id_of: Mapping[int, ApiId]) -> dict[str, Any]:
    """The fields of an edit with API ids instead of row ids."""
    return {
        _API_FIELDS.get(name, name): (
            _each(value, id_of.__getitem__) if name in _API_FIELDS else _listed(value)
        )
        for name, value in asked.items()
    }


def apis_in(asked: Mapping[str, Any]) -> list[ApiId]:
    """All API ids in the fields of a decision, each once, in order."""
    found: list[ApiId] = []
    for name in _API_FIELDS.values():
        _each(asked.get(name, []), lambda api: found.append(ApiId(api)))
    return list(dict.fromkeys(found))


def changes_with_ids(changes: Changes, id_of: Mapping[int, ApiId]) -> dict[str, Any]:
    """Values with API ids instead of row ids, JSON-able."""
    body = changes_to_json(changes)
    if "members" in body:
        body["members"]["apis"] = [id_of[rowid] for rowid in body["members"]["apis"]]
    if "excluded" in body:
        body["excluded"] = {id_of[int(r)]: reason for r, reason in body["excluded"].items()}
    if "links" in body:
        body["links"] = [[id_of[a], id_of[b], kind] for a, b, kind in body["links"]]
    return body


def changes_with_rowids(body: Mapping[str, Any], rowid_of: Mapping[ApiId, int]) -> Changes:
    """The inverse of `changes_with_ids`; what is about APIs that are not here is left out.

    Toolkits keep the numbers they had where the values come from.
    """
    local: dict[str, Any] = {"toolkits": body.get("toolkits", {})}
    if "members" in body:
        members = body["members"]
        rows = [
            (rowid_of[api], toolkit, pinned)
            for api, toolkit, pinned in zip(
                members["apis"], members["toolkits"], members["pinned"], strict=True
            )
            if api in rowid_of
        ]
        names = ("apis", "toolkits", "pinned")
        local["members"] = {name: [row[i] for row in rows] for i, name in enumerate(names)}
    excluded = body.get("excluded", {})
    local["excluded"] = {str(rowid_of[a]): why for a, why in excluded.items() if a in rowid_of}
    local["links"] = [
        [*sorted((rowid_of[a], rowid_of[b])), kind]
        for a, b, kind in body.get("links", ())
        if a in rowid_of and b in rowid_of
    ]
    return changes_from_json(local)


def _each(value: Any, change: Callable[[Any], Any]) -> Any:
    """`change` of every value of a list of lists of any depth."""
    if isinstance(value, list | tuple):
        return [_each(item, change) for item in cast(list[Any], value)]
    return change(value)


def _listed(value: Any) -> Any:
    return _each(value, lambda item: item) if isinstance(value, list | tuple) else value
