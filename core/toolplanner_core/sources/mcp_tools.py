"""A tool of an MCP server as an API of the catalogue, with its risk and the hash of what it says.

The provider makes the same of what a server says before it calls, and compares: so a tool that
changes after it was imported is noticed.

Source: MCP 2025-11-25, "Tools"; `ToolAnnotations` in its schema.
"""

from typing import TYPE_CHECKING, Any, NamedTuple

from toolplanner_core.domain.api import Api, Risk
from toolplanner_core.mcp_servers.spec import ServerSpec
from toolplanner_core.sources.cleaning import clean_json, clean_line, clean_text
from toolplanner_core.sources.documents import MAX_DEPTH, is_too_deep
from toolplanner_core.sources.function_records import schema_problem
from toolplanner_core.sources.identity import ApiIds, doc_hash
from toolplanner_core.sources.risk import risk_of
from toolplanner_core.sources.source import Rejected

if TYPE_CHECKING:
    from mcp_types import Tool, ToolAnnotations


class ToolPlace(NamedTuple):
    """Where in the catalogue the tools of one server belong.

    Attributes:
        instructions: what the server says of itself.
    """

    source: str
    category: str
    server: str
    instructions: str


def documented(tool: "Tool", spec: ServerSpec, place: ToolPlace) -> dict[str, Any]:
    """All that is said of a tool, cleaned: what `doc_hash` hashes."""
    title = tool.title or (tool.annotations.title if tool.annotations else None)
    return {
        "tool": place.server,
        "name": clean_line(tool.name),
        "description": clean_text(tool.description) or clean_text(title),
        "tool_description": clean_text(place.instructions),
        "parameters": {"type": "object", "properties": {}, **clean_json(tool.input_schema)},
        "response_schema": clean_json(tool.output_schema) if tool.output_schema else None,
        "operation": spec.operation_of(tool.name, _hints(tool.annotations)),
    }


def api_of_tool(
    tool: "Tool", spec: ServerSpec, place: ToolPlace, ids: ApiIds, where: str
) -> Api | Rejected:
    """The API, or why there is none.

    Args:
        where: the server, for messages.
    """
    where = f"{where} {tool.name[:100]}"
    if is_too_deep(tool.input_schema) or is_too_deep(tool.output_schema):
        return Rejected(where=where, why=f"its schema is nested deeper than {MAX_DEPTH} levels")
    if problem := schema_problem(tool.input_schema):
        return Rejected(where=where, why=problem)
    said = documented(tool, spec, place)
    name = said["name"]
    if not name:
        return Rejected(where=where, why="the tool has no name")
    return Api(
        id=ids.next(category=place.category, tool=place.server, name=name, method="", url=""),
        source=place.source,
        key=f"{place.category}/{place.server}/{name.replace('/', '_')}",
        category=place.category,
        method="",
        url="",
        risk=risk_of_tool(name, said["description"], tool.annotations),
        doc_hash=doc_hash(**said),
        **said,
    )


def risk_of_tool(name: str, description: str, says: "ToolAnnotations | None") -> Risk:
    """The risk by what a server says of its tool, never lower than a name that speaks of deleting.

    A server that says nothing is judged by names, like every other source.
    """
    by_name = risk_of("", name, description)
    if says is None or by_name is Risk.DESTRUCTIVE:
        return by_name
    if says.read_only_hint:
        return Risk.READ
    if says.destructive_hint or (says.read_only_hint is False and says.destructive_hint is None):
        # "Default: true", says the protocol of tools that are not read-only.
        return Risk.DESTRUCTIVE
    return Risk.WRITE if says.destructive_hint is False else by_name


def _hints(says: "ToolAnnotations | None") -> tuple[str, ...]:
    if says is None:
        return ()
    known = {
        "read-only": says.read_only_hint,
        "destructive": says.destructive_hint,
        "idempotent": says.idempotent_hint,
        "open-world": says.open_world_hint,
    }
    return tuple(
        word if value else f"not {word}" for word, value in known.items() if value is not None
    )
