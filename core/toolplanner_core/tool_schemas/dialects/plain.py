"""The Model Context Protocol's own form, in the portable schema that every client passes on.

Source: https://modelcontextprotocol.io/specification ("Tool").
"""

from collections.abc import Iterator, Mapping
from typing import Any

from toolplanner_core.tool_schemas.dialect import (
    DialectPlugin,
    Tool,
    refused_name,
    refused_schema,
)


def write(tool: Tool) -> dict[str, Any]:
    """A tool as `tools/list` lists it."""
    return {
        "name": tool.name,
        "description": tool.description,
        "inputSchema": dict(tool.parameters),
    }


def refusals(tool: Mapping[str, Any]) -> Iterator[str]:
    """Why a client, or the endpoint behind it, would refuse it."""
    yield from refused_name(tool["name"])
    yield from refused_schema(tool["inputSchema"])


PLUGIN = DialectPlugin(
    id="plain",
    title="Portable (MCP)",
    description="The form of MCP, with schemas that every vendor's endpoint accepts.",
    write=write,
    refusals=refusals,
)
