"""Amazon Bedrock: `toolConfig.tools` of the Converse API.

Source: https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolSpecification.html
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
    """A tool specification; its description is not empty."""
    return {
        "toolSpec": {
            "name": tool.name,
            "description": tool.description or tool.name,
            "inputSchema": {"json": dict(tool.parameters)},
        }
    }


def refusals(tool: Mapping[str, Any]) -> Iterator[str]:
    """Why Bedrock would refuse it."""
    specification = tool["toolSpec"]
    yield from refused_name(specification["name"])
    yield from refused_schema(specification["inputSchema"]["json"])
    if not specification["description"]:
        yield "an empty description"


PLUGIN = DialectPlugin(
    id="bedrock",
    title="Amazon Bedrock",
    description="The Converse API of Amazon Bedrock.",
    write=write,
    refusals=refusals,
)
