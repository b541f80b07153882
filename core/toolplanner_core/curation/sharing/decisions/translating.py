"""Fields of edits with permanent API ids instead of row ids of one workspace, which mean nothing
elsewhere, and what is in them.
"""

from collections.abc import Callable, Mapping
from typing import Any, cast

from toolplanner_core.domain.ids import ApiId, ToolkitId

_API_FIELDS = {"rowids": "apis", "left_out": "left_out", "parts": "parts"}
"""Fields of edits that hold row ids, and what they are called in a decision."""


def asked_with_ids(asked: Mapping[str, Any], id_of: Mapping[int, ApiId]) -> dict[str, Any]:
    """The fields of an edit as JSON, with API ids instead of row ids."""

    def as_json(name: str, value: Any) -> Any:
        return _each(value, lambda item: id_of[item] if name in _API_FIELDS else item)

    return {_API_FIELDS.get(name, name): as_json(name, value) for name, value in asked.items()}


def apis_in(asked: Mapping[str, Any]) -> list[ApiId]:
    """All API ids in the fields of a decision, each once, in order."""
    found: list[ApiId] = []
    for name in _API_FIELDS.values():
        _each(asked.get(name, []), lambda api: found.append(ApiId(api)))
    return list(dict.fromkeys(found))


def toolkits_in(asked: Mapping[str, Any]) -> set[ToolkitId]:
    """The numbers of the toolkits in the fields of an edit or a decision."""
    named = [asked.get("toolkit"), asked.get("into"), asked.get("to")]
    named += [*asked.get("toolkits", ()), *asked.get("origins", ())]
    return {number for number in named if number is not None and number > 0}


def _each(value: Any, change: Callable[[Any], Any]) -> Any:
    """`change` of every value of a list of lists of any depth."""
    if isinstance(value, list | tuple):
        return [_each(item, change) for item in cast(list[Any], value)]
    return change(value)
