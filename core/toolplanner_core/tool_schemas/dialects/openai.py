"""OpenAI and all who speak like it: the parameter "tools" of chat completions.

Source: https://platform.openai.com/docs/api-reference/chat/create ("tools": "A max of 128 functions
are supported"; of 200 the whole request is refused).
"""

from collections.abc import Iterator, Mapping
from typing import Any

from toolplanner_core.tool_schemas.dialect import (
    LONGEST_DESCRIPTION,
    DialectPlugin,
    Tool,
    refused_name,
    refused_schema,
)


def write(tool: Tool) -> dict[str, Any]:
    """A tool of the type "function"."""
    return {
        "type": "function",
        "function": {
            "name": tool.name,
            "description": tool.description,
            "parameters": dict(tool.parameters),
        },
    }


def refusals(tool: Mapping[str, Any]) -> Iterator[str]:
    """Why OpenAI would refuse it."""
    function = tool["function"]
    yield from refused_name(function["name"])
    yield from refused_schema(function["parameters"])
    if len(function["description"]) > LONGEST_DESCRIPTION:
        yield f"a description of over {LONGEST_DESCRIPTION:,} characters"


PLUGIN = DialectPlugin(
    id="openai",
    title="OpenAI",
    description="Chat completions of OpenAI and of servers that speak like it.",
    write=write,
    refusals=refusals,
    most_tools=128,
)
