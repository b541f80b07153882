"""Toolkits as JSON, format "toolplanner-toolkits" version 1.

The schema is `resources/schemas/toolkits.v1.json`. APIs that a person excluded are not among a
toolkit's APIs; they are listed apart with the reasons.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from toolplanner_core.curation.sharing.exports.contents import (
    Contents,
    ExportedMember,
    ExportedToolkit,
)
from toolplanner_core.workspace.rows import dump

FORMAT = "toolplanner-toolkits"
VERSION = 1
_API_FIELDS = (
    "id", "source", "key", "category", "tool", "tool_description", "name", "method", "url",
    "description", "risk", "parameters", "response_schema",
)  # fmt: skip


def json_parts(contents: Contents) -> Iterator[str]:
    """The document, a toolkit at a time."""
    head = {
        "format": FORMAT,
        "version": VERSION,
        "workspace": contents.workspace,
        "apis": sum(len(toolkit.offered) for toolkit in contents.toolkits),
        "excluded": [
            {"id": member.api.id, "toolkit": toolkit.id, "reason": member.excluded}
            for toolkit in contents.toolkits
            for member in toolkit.excluded
        ],
        "without_toolkit": contents.homeless,
    }
    return document_parts(head, map(_toolkit_row, contents.toolkits))


def document_parts(head: Mapping[str, Any], toolkits: Iterable[Mapping[str, Any]]) -> Iterator[str]:
    """A JSON object with a list of toolkits, one at a time, after what else it holds."""
    yield dump(head).removesuffix("}") + ',"toolkits":['
    for position, toolkit in enumerate(toolkits):
        yield (",\n" if position else "\n") + dump(toolkit)
    yield "\n]}\n"


def _toolkit_row(toolkit: ExportedToolkit) -> dict[str, Any]:
    """One toolkit with the APIs that plans may use."""
    fields = toolkit.fields
    return {
        "id": toolkit.id,
        "name": fields.name,
        "name_by": fields.name_author.value,
        "description": fields.description,
        "description_by": fields.description_author.value,
        "note": fields.note,
        "pinned": fields.is_pinned,
        "cohesion": None if toolkit.cohesion is None else round(toolkit.cohesion, 4),
        "excluded": len(toolkit.excluded),
        "apis": [_api_row(member) for member in toolkit.offered],
    }


def _api_row(member: ExportedMember) -> dict[str, Any]:
    about = {name: getattr(member.api, name) for name in _API_FIELDS}
    return about | {"pinned": member.is_pinned, "centrality": round(member.centrality, 4)}
