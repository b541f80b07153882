"""Toolkits as JSON, format "toolplanner-toolkits" version 1.

The schema is `resources/schemas/toolkits.v1.json`. APIs that a person excluded are not among a
toolkit's APIs; they are listed apart with the reasons.
"""

import json
from collections.abc import Iterator
from typing import Any

from toolplanner_core.curation.sharing.exports.contents import (
    Contents,
    ExportedMember,
    ExportedToolkit,
)

FORMAT = "toolplanner-toolkits"
VERSION = 1


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
    yield _text(head).removesuffix("}") + ',"toolkits":['
    for position, toolkit in enumerate(contents.toolkits):
        yield (",\n" if position else "\n") + _text(toolkit_row(toolkit))
    yield "\n]}\n"


def toolkit_row(toolkit: ExportedToolkit) -> dict[str, Any]:
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
    api = member.api
    return {
        "id": api.id,
        "source": api.source,
        "key": api.key,
        "category": api.category,
        "tool": api.tool,
        "tool_description": api.tool_description,
        "name": api.name,
        "method": api.method,
        "url": api.url,
        "description": api.description,
        "risk": api.risk.value,
        "pinned": member.is_pinned,
        "centrality": round(member.centrality, 4),
        "parameters": api.parameters,
        "response_schema": api.response_schema,
    }


def _text(value: dict[str, Any]) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
