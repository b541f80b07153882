"""Anthropic: the parameter "tools" of messages.

Source: https://docs.anthropic.com/en/api/messages ("tools"); keys of properties match
`[a-zA-Z0-9_.-]{1,64}`.
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
    """A custom tool with its input schema."""
    return {
        "name": tool.name,
        "description": tool.description,
        "input_schema": dict(tool.parameters),
    }


def refusals(tool: Mapping[str, Any]) -> Iterator[str]:
    """Why Anthropic would refuse it."""
    yield from refused_name(tool["name"])
    yield from refused_schema(tool["input_schema"])


PLUGIN = DialectPlugin(
    id="anthropic",
    title="Anthropic",
    description="Messages of Anthropic.",
    write=write,
    refusals=refusals,
)
