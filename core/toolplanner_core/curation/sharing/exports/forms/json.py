"""Toolkits as JSON, format "toolplanner-toolkits" version 1.

The schema is `resources/schemas/toolkits.v1.json`. APIs that a person excluded are not among a
toolkit's APIs; they are listed apart with the reasons.
"""

from collections.abc import Iterator
from typing import Any

from toolplanner_core.curation.sharing.exports.contents import (
    ExportedMember,
    ExportedToolkit,
    read_contents,
)
from toolplanner_core.curation.sharing.exports.document import document_parts
from toolplanner_core.curation.sharing.exports.form import ExportForm, ExportRequest

FORMAT = "toolplanner-toolkits"
VERSION = 1
_API_FIELDS = (
    "id", "source", "key", "category", "tool", "tool_description", "name", "method", "url",
    "description", "risk", "parameters", "response_schema",
)  # fmt: skip


def write(request: ExportRequest) -> Iterator[str]:
    """The document, a toolkit at a time."""
    contents = read_contents(request.workspace, request.toolkits)
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


PLUGIN = ExportForm(
    id="json",
    title="As JSON, for programs",
    description="is for programs",
    suffix=".json",
    files="Toolkits",
    write=write,
    order=10,
)
