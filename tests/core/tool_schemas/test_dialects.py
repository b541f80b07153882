"""Tools in every dialect: nothing that an endpoint, or its vendor's own client, would refuse."""

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from pydantic import TypeAdapter, ValidationError

from toolplanner_core.jobs.progress import Progress
from toolplanner_core.providers.demo.filling import fill_demo_workspace
from toolplanner_core.sources.importing import import_source
from toolplanner_core.tool_schemas.dialect import DialectPlugin, Tool, dialects, tool_of
from toolplanner_core.tool_schemas.names import tool_names
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import all_rowids, apis_by_rowid

every = pytest.mark.parametrize("dialect", list(dialects), ids=lambda dialect: dialect.id)


@cache
def vendor_check(dialect: str) -> Callable[[Any], object] | None:
    """The check of the vendor's own client library.

    None for Amazon's, which needs another python-dateutil than we have; its model says no more than
    `refusals` checks (names of 1 to 64 of `[a-zA-Z0-9_-]`, texts not empty).
    """
    match dialect:
        case "openai":
            from openai.types.chat import ChatCompletionToolParam as Form

            return TypeAdapter(Form).validate_python
        case "anthropic":
            from anthropic.types import ToolParam as Form

            return TypeAdapter(Form).validate_python
        case "gemini":
            from google.genai import types

            return types.FunctionDeclaration.model_validate
        case "plain":
            import mcp.types

            return mcp.types.Tool.model_validate
        case _:
            return None


def vendor_refusal(dialect: str, tool: dict[str, Any]) -> str:
    """What the vendor's own client library says against a tool, "" if nothing."""
    if check := vendor_check(dialect):
        try:
            check(tool)
        except ValidationError as error:
            return str(error)
    return ""


def refused(dialect: DialectPlugin, tools: list[Tool]) -> Iterator[str]:
    for tool in tools:
        written = dialect.write(tool)
        assert json.loads(json.dumps(written, allow_nan=False)) == written
        yield from dialect.refusals(written)
        if said := vendor_refusal(dialect.id, written):
            yield said


def tools_of(workspace: Workspace) -> list[Tool]:
    apis = list(apis_by_rowid(workspace, all_rowids(workspace)).values())
    names = tool_names(apis)
    return [tool_of(api, names[api.id]) for api in apis]


@pytest.fixture(scope="module")
def demo_tools(tmp_path_factory: pytest.TempPathFactory) -> list[Tool]:
    """The demo's APIs as tools."""
    file = tmp_path_factory.mktemp("demo") / "w.toolplanner"
    with Workspace.create(file) as workspace:
        fill_demo_workspace(workspace, progress=Progress())
        return tools_of(workspace)


@pytest.fixture(scope="module")
def document_tools(shared_data: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Tool]:
    """All operations of the real OpenAPI documents, and Seal-Tools, as tools."""
    file = tmp_path_factory.mktemp("documents") / "w.toolplanner"
    with Workspace.create(file) as workspace:
        import_source(workspace, shared_data / "openapi" / "documents.zip")
        import_source(workspace, shared_data / "sealtools" / "tool.jsonl.gz")
        return tools_of(workspace)


@every
def test_demo_when_written_then_nobody_refuses_a_tool(
    dialect: DialectPlugin, demo_tools: list[Tool]
) -> None:
    assert len(demo_tools) == 196
    assert list(refused(dialect, demo_tools)) == []


@every
def test_real_documents_when_written_then_nobody_refuses_a_tool(
    dialect: DialectPlugin, document_tools: list[Tool]
) -> None:
    assert len(document_tools) > 4_000
    assert list(refused(dialect, document_tools)) == []


def bad(**parameters: Any) -> Tool:
    schema = {"type": "object", "properties": {"one": parameters}, "required": []}
    return Tool(name="one", description="One.", parameters=schema)


@every
@pytest.mark.parametrize(
    ("tool", "why"),
    [
        (bad(type="array"), "an array without items"),
        (bad(type="object", properties={"a b": {}}), "the property name 'a b'"),
        (bad(**{"type": "string", "x-order": 1}), "the keyword x-order"),
        (Tool(name="2", description="", parameters=bad().parameters), "the name '2'"),
    ],
)
def test_tool_when_an_endpoint_would_refuse_it_then_it_is_said(
    dialect: DialectPlugin, tool: Tool, why: str
) -> None:
    written = dialect.write(tool)
    if dialect.id == "gemini" and why == "the keyword x-order":
        # Its form leaves out what Google does not know.
        assert "x-order" not in json.dumps(written)
        return
    assert any(said.startswith(why) for said in dialect.refusals(written))


def test_google_when_its_schema_cannot_say_it_then_the_description_does() -> None:
    tool = bad(type="integer", enum=[1, 2], exclusiveMinimum=0, description="How many.")
    written = dialects.get("gemini").write(tool)
    assert written["parameters"]["properties"]["one"] == {
        "type": "integer", "description": "How many. One of: 1, 2. More than 0.",
    }  # fmt: skip
    assert vendor_refusal("gemini", written) == ""
    raw = {"name": "one", "parameters": tool.parameters | {"x-order": 1}}
    assert "x-order" in vendor_refusal("gemini", raw)
