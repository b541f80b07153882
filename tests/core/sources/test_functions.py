"""Functions as language models are offered them: every shape, and broken ones."""

import gzip
import json

import pytest

from toolplanner_core.domain.api import Risk
from toolplanner_core.sources.format_detection import detect
from toolplanner_core.sources.location import Location

SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string", "enum": ["Oslo", "Rome"]}},
    "required": ["city"],
    "additionalProperties": False,
}
BARE = {"name": "get_weather", "description": "Weather of a city", "parameters": SCHEMA}
OPENAI = {"type": "function", "function": BARE}
FLAT = {"type": "function", "strict": True, **BARE}
ANTHROPIC = {"name": "get_weather", "description": "Weather of a city", "input_schema": SCHEMA}
MCP = {"name": "get_weather", "description": "Weather of a city", "inputSchema": SCHEMA}

LANGCHAIN = {"name": "get_weather", "description": "Weather of a city", "args_schema": SCHEMA}
PYDANTIC = {"title": "get_weather", "description": "Weather of a city", **SCHEMA}
LLAMAINDEX = {
    "metadata": {
        "name": "get_weather",
        "description": "Weather of a city",
        "fn_schema_str": json.dumps(SCHEMA),
        "return_direct": False,
    }
}
BEDROCK = {
    "toolSpec": {
        "name": "get_weather",
        "description": "Weather of a city",
        "inputSchema": {"json": SCHEMA},
    }
}


@pytest.mark.parametrize(
    "shape", [BARE, OPENAI, FLAT, ANTHROPIC, MCP, LANGCHAIN, PYDANTIC, LLAMAINDEX, BEDROCK]
)
@pytest.mark.parametrize(
    "pack",
    [
        json.dumps,
        lambda one: json.dumps([one]),
        lambda one: json.dumps({"tools": [one]}, indent=2),
        lambda one: json.dumps({"functions": [one]}),
        lambda one: "\n" + json.dumps(one) + "\r\n\n",
    ],
)
def test_function_in_any_shape_when_read_then_it_is_the_same_api(read, tmp_path, shape, pack):
    path = tmp_path / "weather.json"
    path.write_text(pack(shape))
    records = read("functions", path)
    assert not records.rejected
    (api,) = records.apis
    assert (api.key, api.tool, api.category) == ("weather/get_weather", "weather", "")
    assert api.description == "Weather of a city"
    assert api.parameters == SCHEMA
    assert api.risk is Risk.READ


def test_lines_when_some_are_broken_then_they_are_named_and_the_rest_goes_in(read, tmp_path):
    path = tmp_path / "tools.jsonl"
    lines = [json.dumps(BARE), '{"name": "cut', "", json.dumps({**BARE, "name": "other"}), "5"]
    path.write_text("\n".join(lines))
    records = read("functions", path)
    assert [api.name for api in records.apis] == ["get_weather", "other"]
    assert records.reasons == {
        "tools.jsonl line 2": "broken JSON at column 10: Unterminated string starting at",
        "tools.jsonl line 5": "a function is an object, this is a number",
    }


def test_lines_when_the_name_does_not_say_so_then_they_are_read_as_lines(read, tmp_path):
    path = tmp_path / "tools.json"
    path.write_text("\n".join(["{broken", json.dumps(OPENAI), json.dumps(ANTHROPIC)]))
    records = read("functions", path)
    assert len(records.apis) == 2
    assert len({api.id for api in records.apis}) == 2
    assert list(records.reasons) == ["tools.json line 1"]


def test_list_when_broken_in_the_middle_then_what_came_before_goes_in(read, tmp_path):
    path = tmp_path / "tools.json"
    path.write_text(json.dumps([BARE, {**BARE, "name": "b"}])[:-1] + ',\n{"name": }]')
    records = read("functions", path)
    assert [api.name for api in records.apis] == ["get_weather", "b"]
    ((where, why),) = records.reasons.items()
    assert where == "tools.json $[2]"
    assert "line 2, column 10" in why
    assert "nothing after it was read" in why


def test_gzipped_lines_in_a_zip_when_read_then_folder_is_the_category(read, make_zip):
    packed = gzip.compress("\n".join([json.dumps(BARE)] * 2).encode())
    records = read("functions", make_zip(("travel/weather.jsonl.gz", packed)))
    assert [api.key for api in records.apis] == ["travel/weather/get_weather"] * 2


def test_options_when_given_then_they_place_the_functions(read, tmp_path):
    path = tmp_path / "export-2024-05-01.json"
    path.write_text(json.dumps(BARE))
    (api,) = read("functions", path, tool="Meteo", category="Weather").apis
    assert api.key == "Weather/Meteo/get_weather"


@pytest.mark.parametrize(
    ("function", "why"),
    [
        ({"name": "", "parameters": SCHEMA}, "no name"),
        ({"type": "web_search_preview"}, "built-in tool of type 'web_search_preview'"),
        ({"type": "function", "function": "f"}, "a function is an object, this is a text"),
        ({"name": "f", "parameters": [1]}, "this is a list"),
        ({"name": "f", "parameters": {"type": "array"}}, "not 'array'"),
        ({"name": "f", "parameters": {"properties": [1]}}, "this is a list"),
        (
            {"name": "f", "parameters": {"type": "object", "properties": {"a": {"type": "str"}}}},
            "$.properties.a.type",
        ),
        (
            {"name": "f", "parameters": {"type": "object", "required": "a"}},
            "$.required",
        ),
    ],
)
def test_function_when_unusable_then_the_reason_says_why(read, tmp_path, function, why):
    path = tmp_path / "tools.json"
    path.write_text(json.dumps([function, BARE]))
    records = read("functions", path)
    assert [api.name for api in records.apis] == ["get_weather"]
    (rejected,) = records.rejected
    assert rejected.where.startswith("tools.json $[0]")
    assert why in rejected.why


@pytest.mark.parametrize("parameters", [None, {}, {"type": "object"}])
def test_function_without_parameters_when_read_then_its_schema_is_an_empty_object(
    read, tmp_path, parameters
):
    path = tmp_path / "tools.json"
    path.write_text(json.dumps({"type": "function", "name": "now", "parameters": parameters}))
    (api,) = read("functions", path).apis
    assert api.parameters == {"type": "object", "properties": {}}
    assert api.description == ""


def test_function_when_a_parameter_may_be_anything_then_it_is_one_without_type(read, tmp_path):
    path = tmp_path / "tools.json"
    parameters = {"type": "object", "properties": {"any": True, "never": False}}
    path.write_text(json.dumps({**BARE, "parameters": parameters}))
    (api,) = read("functions", path).apis
    assert [(p.name, p.type, p.description) for p in api.parameter_list] == [
        ("any", "string", ""),
        ("never", "string", ""),
    ]


CITY = {"description": "Where", "enum": ["Oslo", "Rome"], "type": "string"}


@pytest.mark.parametrize(
    "document",
    [
        # Gemini: types in capitals, packs of declarations.
        {
            "tools": [
                {"googleSearch": {}},
                {
                    "functionDeclarations": [
                        {
                            "name": "forecast",
                            "parameters": {
                                "type": "OBJECT",
                                "properties": {
                                    "city": {**CITY, "type": "STRING"},
                                    "days": {"type": "INTEGER", "nullable": True},
                                },
                                "required": ["city"],
                                "propertyOrdering": ["city", "days"],
                            },
                        }
                    ]
                },
            ]
        },
        # Bedrock: an action group's parameters by name.
        {
            "functionSchema": {
                "functions": [
                    {
                        "name": "forecast",
                        "parameters": {
                            "city": {**CITY, "required": True},
                            "days": {"type": ["integer", "null"], "required": False},
                        },
                    }
                ]
            }
        },
        # LangChain: the properties alone.
        [
            {
                "name": "forecast",
                "args": {"city": CITY, "days": {"type": ["integer", "null"]}},
                "required": ["city"],
            }
        ],
        # Seal-Tools.
        {
            "api_name": "forecast",
            "api_description": "",
            "parameters": {"city": {**CITY, "type": "str"}, "days": {"type": ["int", "null"]}},
            "required": ["city", "nothing"],
        },
    ],
    ids=["gemini", "bedrock", "langchain", "sealtools"],
)
def test_function_when_its_parameters_are_no_json_schema_then_they_become_one(
    read, tmp_path, document
):
    path = tmp_path / "tools.json"
    path.write_text(json.dumps(document))
    (api,) = read("functions", path).apis
    assert api.name == "forecast"
    assert api.parameters == {
        "type": "object",
        "properties": {"city": CITY, "days": {"type": ["integer", "null"]}},
        "required": ["city"],
    }
    assert detect(Location.of(path)).id == "functions"


def test_function_when_a_parameter_is_called_like_a_keyword_then_it_is_one(read, tmp_path):
    path = tmp_path / "tools.json"
    parameters = {"type": {"type": "str"}, "properties": {"type": "str", "description": "More"}}
    path.write_text(json.dumps({"api_name": "draw", "parameters": parameters}))
    (api,) = read("functions", path).apis
    assert api.parameters["properties"] == {
        "type": {"type": "string"},
        "properties": {"type": "string", "description": "More"},
    }


def test_sealtools_when_read_then_all_tools_come_in_by_their_field(read, shared_data):
    records = read("functions", shared_data / "sealtools" / "tool.jsonl.gz")
    assert len(records.apis) == 4_076
    assert not records.rejected
    assert len({api.category for api in records.apis}) == 146
    assert records.apis[0].key == "Chemical Engineering/Forensic engineering/analyzeEvidence"
    assert all(api.response_schema["properties"] for api in records.apis[:50])
