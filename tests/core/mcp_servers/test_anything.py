"""Whatever a configuration or a server says: it is read, or refused with a reason."""

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from mcp_types import Tool

from toolplanner_core.domain.api import Api
from toolplanner_core.mcp_servers.config_files import read_servers
from toolplanner_core.mcp_servers.server_spec import ServerSpec, spec_of
from toolplanner_core.sources.documents import without_comments
from toolplanner_core.sources.identity import ApiIds
from toolplanner_core.sources.mcp import ToolPlace, api_of_tool
from toolplanner_core.sources.source import Rejected
from toolplanner_core.sources.text_cleaning import clean_line

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=12,
)
KEYS = st.sampled_from(["command", "args", "env", "url", "headers", "type", "disabled", "cwd", "x"])
ENTRY = st.dictionaries(KEYS, JSON | st.lists(st.text(max_size=9), max_size=4), max_size=5) | JSON
SPEC = ServerSpec(name="s", command="x")
SCHEMA_KEYS = st.sampled_from(["type", "properties", "required", "$ref", "enum", "allOf", "x"])


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(entries=st.dictionaries(st.text(max_size=8), ENTRY, max_size=3))
def test_configurations_of_anything_when_read_then_servers_or_reasons(entries: Any) -> None:
    for found in read_servers({"mcpServers": entries}):
        assert (found.spec is None) == bool(found.why)
        if found.spec is not None:
            operation = found.spec.operation_of("tool")
            assert spec_of(operation, found.spec.name) == found.spec
            shown = found.spec.in_words
            assert shown.isprintable()
            for value in found.secrets.values():
                assert value not in operation.headers.values() or len(value) < 3


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(text=st.text(max_size=60))
def test_texts_of_anything_when_comments_are_taken_out_then_a_text(text: str) -> None:
    assert isinstance(without_comments(text), str)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    name=st.text(max_size=9),
    description=st.none() | st.text(max_size=30),
    schema=st.dictionaries(SCHEMA_KEYS, JSON, max_size=4),
    result=st.none() | st.dictionaries(SCHEMA_KEYS, JSON, max_size=3),
)
def test_tools_of_anything_when_read_then_apis_or_reasons(
    name: str, description: str | None, schema: Any, result: Any
) -> None:
    tool = Tool(name=name, description=description, input_schema=schema, output_schema=result)
    place = ToolPlace("mcp", "MCP", "s", "")
    found = api_of_tool(tool, SPEC, place, ApiIds("mcp"), "here")
    if isinstance(found, Rejected):
        assert found.why
    else:
        assert isinstance(found, Api)
        assert found.name == clean_line(name) != ""
        assert found.parameters["type"] == "object"
