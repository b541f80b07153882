"""Whatever stands in a tool or functions file: records come out, exceptions never do."""

import json
import tempfile
from contextlib import closing
from pathlib import Path

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolplanner_core.domain.api import Api
from toolplanner_core.errors import BadInput
from toolplanner_core.sources.functionality import CAP, functionality_of
from toolplanner_core.sources.importing import import_source
from toolplanner_core.sources.location import Location
from toolplanner_core.sources.samples import look_at
from toolplanner_core.sources.source import sources
from toolplanner_core.sources.yaml_documents import parse_any

texts = st.text(max_size=30) | st.sampled_from(
    ["name", "NUMBER", "SELECT", "a, b", "a|b", "<b>", "[1", "nan", "1e999", "\ud800", "\u200b", ""]
)
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=8,
)


def mostly(kind):
    """Mostly what belongs there, else anything."""
    return kind | kind | kind | values


parameters = st.fixed_dictionaries(
    {},
    optional={
        "name": mostly(texts),
        "type": mostly(
            st.sampled_from(["NUMBER", "BOOLEAN", "LIST", "OBJECT", "ENUM", "DATE", "MAP", "FILE"])
        ),
        "default": mostly(texts),
        "description": mostly(texts),
    },
)
entries = st.fixed_dictionaries(
    {"name": mostly(texts)},
    optional={
        "url": mostly(texts),
        "method": mostly(st.sampled_from(["GET", "post", "DELETE"])),
        "description": mostly(texts),
        "required_parameters": mostly(st.lists(mostly(parameters), max_size=3)),
        "optional_parameters": mostly(st.lists(mostly(parameters), max_size=3)),
        "schema": values,
    },
)
tools = st.fixed_dictionaries(
    {"api_list": mostly(st.lists(mostly(entries), max_size=4))},
    optional={"tool_name": mostly(texts), "tool_description": mostly(texts)},
)
functions = st.fixed_dictionaries(
    {"name": mostly(texts)},
    optional={
        "description": mostly(texts),
        "type": mostly(st.just("function")),
        "parameters": mostly(
            st.fixed_dictionaries(
                {"type": mostly(st.just("object"))},
                optional={"properties": mostly(st.dictionaries(texts, values, max_size=3))},
            )
        ),
        "function": values,
    },
)
references = st.fixed_dictionaries(
    {
        "$ref": st.sampled_from(
            ["#/a", "#/paths", "#", "", "x.json", "http://[", "#/paths/~1a/get", "file:", "\ud800"]
        )
    }
)
schemas = st.recursive(
    values | references,
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "type": mostly(st.sampled_from(["object", "array", "string", "file", "null"])),
            "properties": mostly(st.dictionaries(texts, inner, max_size=3)),
            "required": mostly(st.lists(texts, max_size=2)),
            "items": inner,
            "allOf": mostly(st.lists(inner, max_size=3)),
            "anyOf": mostly(st.lists(inner, max_size=2)),
            "nullable": mostly(st.booleans()),
            "enum": values,
            "minimum": values,
            "exclusiveMinimum": values,
            "pattern": mostly(texts),
            "default": values,
            "examples": values,
            "readOnly": values,
        },
    ),
    max_leaves=6,
)
media = st.fixed_dictionaries({"schema": schemas}, optional={"example": values})
contents = mostly(st.dictionaries(texts | st.just("application/json"), mostly(media), max_size=2))
a_parameter = st.fixed_dictionaries(
    {
        "name": mostly(texts),
        "in": mostly(st.sampled_from(["path", "query", "header", "body", "formData"])),
    },
    optional={"schema": schemas, "required": values, "style": values, "content": contents},
)
parameter_lists = mostly(st.lists(references | a_parameter, max_size=3))
bodies = mostly(st.fixed_dictionaries({"content": contents}))
servers = st.fixed_dictionaries({"url": mostly(texts)}, optional={"variables": values})
operations = st.fixed_dictionaries(
    {},
    optional={
        "operationId": mostly(texts),
        "tags": mostly(st.lists(mostly(texts), max_size=2)),
        "parameters": parameter_lists,
        "requestBody": bodies,
        "responses": mostly(st.dictionaries(st.sampled_from(["200", "default", "x"]), bodies)),
        "servers": mostly(st.lists(servers, max_size=2)),
        "security": mostly(st.lists(st.dictionaries(texts, values, max_size=2), max_size=2)),
    },
)
path_items = st.fixed_dictionaries(
    {},
    optional={
        "get": mostly(operations),
        "post": mostly(operations),
        "parameters": parameter_lists,
        "$ref": mostly(st.just("#/paths/~1a")),
    },
)
paths = st.dictionaries(st.sampled_from(["/a", "/a/{b}", "x"]), mostly(path_items))
apis = st.fixed_dictionaries(
    {"paths": mostly(paths)},
    optional={
        "openapi": mostly(st.sampled_from(["3.0.1", "3.1.0"])),
        "swagger": mostly(st.just("2.0")),
        "info": mostly(st.fixed_dictionaries({"title": mostly(texts)})),
        "components": values,
        "consumes": values,
        "webhooks": values,
    },
)
cards = st.fixed_dictionaries(
    {"api_name": mostly(texts), "api_call": mostly(texts)},
    optional={"domain": mostly(texts), "framework": mostly(texts), "api_arguments": values},
)
rows = st.fixed_dictionaries(
    {"name": mostly(texts), "description": mostly(texts)},
    optional={"parameters": values, "url": mostly(texts), "required": values, "tool": values},
)
documents = {
    "apibench": mostly(st.lists(mostly(cards), max_size=3)),
    "table": mostly(st.lists(mostly(rows), max_size=3)),
    "openapi": apis,
    "toolbench": tools,
    "functions": mostly(st.lists(mostly(functions), max_size=4)),
}


FORMATS = [*documents]


def read_bytes(format_id: str, data: bytes) -> list[object]:
    plugin = sources.get(format_id)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "tool.json")
        path.write_bytes(data)
        location = Location.of(path)
        assert 0 <= plugin.recognises(look_at(location)) <= 1
        with closing(plugin.read(location, plugin.options(), source="any")) as records:
            return list(records)


def check(records: list[object]) -> None:
    assert len(records) >= 1
    for record in records:
        if isinstance(record, Api):
            assert record.name.strip()
            json.dumps([record.key, record.parameters, record.response_schema], allow_nan=False)
            "".join([record.key, record.name, record.description, record.tool]).encode()
            jsonschema.Draft202012Validator.check_schema(record.parameters)
            assert 0 < len(functionality_of(record)) <= CAP
            functionality_of(record).encode()
            assert record.parameter_list is not None


@pytest.mark.parametrize("format_id", FORMATS)
@given(data=st.data())
def test_any_json_when_read_then_only_records_come_out(format_id, data):
    document = data.draw(documents[format_id] | values)
    check(read_bytes(format_id, json.dumps(document).encode()))


@pytest.mark.parametrize("format_id", FORMATS)
@given(data=st.binary(min_size=1, max_size=200))
def test_any_bytes_when_read_then_only_records_or_one_sentence_come_out(format_id, data):
    try:
        check(read_bytes(format_id, data))
    except BadInput as error:
        assert "the zip archive is damaged" in error.sentence


@pytest.mark.parametrize("format_id", FORMATS)
@given(data=st.data())
def test_json_cut_anywhere_when_read_then_only_records_come_out(format_id, data):
    text = json.dumps(data.draw(documents[format_id]), indent=data.draw(st.sampled_from([None, 1])))
    cut = data.draw(st.integers(1, len(text)))
    check(read_bytes(format_id, text[:cut].encode()))


@given(text=st.text(alphabet="ab:-[]{},&*!<|>'\"#? \n\t%~0123.e", max_size=80))
def test_any_text_when_read_as_yaml_then_a_json_value_or_one_sentence_comes_out(text):
    try:
        json.dumps(parse_any(text, name="a.yaml"), allow_nan=False)
    except BadInput as error:
        assert error.what


@pytest.mark.parametrize("format_id", FORMATS)
def test_import_when_all_is_rejected_then_nothing_is_in_the_catalogue(
    format_id, workspace, tmp_path
):
    path = tmp_path / "tools.json"
    path.write_text('{"openapi": "3.1.0", "paths": {"/a": {"get": 5}}}')
    import_source(workspace, path, format_id=format_id)
    reader = workspace.reader()
    for table in ("apis", "apis_fts", "tools", "import_staging"):
        assert reader.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)
