"""ToolBench's layout: what goes in, and what happens to dirt."""

import json
from pathlib import Path

import jsonschema
import pytest

from toolplanner_core.domain.api import Risk
from toolplanner_core.sources.toolbench import function_name, parameter_schema


def test_zip_when_read_then_apis_carry_keys_titles_and_parameters(read, make_zip, tool):
    records = read("toolbench", make_zip(("toolenv/tools/Weather/meteo_now.json", tool())))
    assert not records.rejected
    api = records.apis[0]
    assert api.key == "Weather/meteo_now/get_weather"
    assert (api.category, api.tool, api.name) == ("Weather", "MeteoNow", "Get weather")
    assert api.parameters["required"] == ["city"]
    assert api.parameters["properties"]["city"] == {
        "type": "string",
        "description": "City",
        "default": "Oslo",
        "examples": ["Oslo"],
    }
    assert api.risk is Risk.READ
    assert [(group.done, group.total) for group in records.groups] == [(1, 1)]


def test_folder_and_zip_when_read_then_ids_are_the_same(
    read, make_zip, tool, tmp_path, monkeypatch
):
    folder = tmp_path / "elsewhere" / "tools" / "Weather"
    folder.mkdir(parents=True)
    (folder / "meteo.json").write_text(json.dumps(tool()))
    from_zip = read("toolbench", make_zip(("tools/Weather/meteo.json", tool())))
    from_folder = read("toolbench", tmp_path / "elsewhere")
    from_category = read("toolbench", folder)
    from_file = read("toolbench", folder / "meteo.json")
    monkeypatch.chdir(folder)
    here = read("toolbench", Path())
    assert here.apis[0].key == "Weather/meteo/get_weather"
    ids = {r.apis[0].id for r in (from_zip, from_folder, from_category, from_file, here)}
    assert len(ids) == 1


def test_identical_entries_when_read_then_both_go_in_with_stable_ids(read, make_zip, tool, entry):
    path = make_zip(("W/a.json", tool(entry(), entry(), entry())))
    first, second = read("toolbench", path), read("toolbench", path)
    ids = [api.id for api in first.apis]
    assert len(set(ids)) == 3
    assert ids == [api.id for api in second.apis]


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("Get user/{id}", "get_user_id"),
        ("3-day forecast", "get_3_day_forecast"),
        ("class", "is_class"),
        ("ID", "is_id"),
        ("__weird__  name__", "weird_name"),
        ("天气 now", "天气_now"),
        ("прогноз", ""),
        ("", ""),
    ],
)
def test_function_name_when_made_then_it_is_toolbenchs(name, function):
    assert function_name(name) == function


def test_broken_entries_when_read_then_each_is_named_and_the_rest_goes_in(
    read, make_zip, tool, entry
):
    path = make_zip(
        ("W/good.json", tool(entry("a"), 7, entry(""), entry("b", name=None), entry("c"))),
        ("W/broken.json", b'{"tool_name": "x", "api_list": [{"name": "a"}, {"na'),
        ("W/list.json", [1, 2]),
        ("W/other.json", {"tool_name": "no list"}),
        ("W/empty.json", b""),
        ("readme.txt", b"hello"),
        ("__MACOSX/W/._good.json", b"\x00\x05"),
        ("W/.DS_Store", b"\x00"),
    )
    records = read("toolbench", path)
    assert [api.name for api in records.apis] == ["a", "c"]
    assert records.reasons == {
        "tools.zip:W/good.json $.api_list[1]": "an API is an object, this is a number",
        "tools.zip:W/good.json $.api_list[2].name": "the API has no name",
        "tools.zip:W/good.json $.api_list[3].name": "the API has no name",
        "tools.zip:W/broken.json": (
            "broken JSON at line 1, column 49: Unterminated string starting at"
        ),
        "tools.zip:W/list.json": 'this is not a tool: it has no list "api_list"',
        "tools.zip:W/other.json": 'this is not a tool: it has no list "api_list"',
        "tools.zip:W/empty.json": "broken JSON at line 1, column 1: Expecting value",
        "tools.zip:readme.txt": "this is not a JSON file",
    }


def test_bad_parameters_when_read_then_the_api_goes_in_and_they_are_reported(
    read, make_zip, tool, entry
):
    city = {"name": "city", "type": "STRING", "description": "first", "default": ""}
    path = make_zip(
        (
            "W/a.json",
            tool(
                entry(
                    required_parameters=[city, 5, {"type": "NUMBER"}],
                    optional_parameters=[{**city, "description": "second"}, {"name": "n"}],
                ),
                entry("b", required_parameters="none", optional_parameters=None),
            ),
        )
    )
    records = read("toolbench", path)
    assert list(records.apis[0].parameters["properties"]) == ["city", "n"]
    assert records.apis[0].parameters["properties"]["city"]["description"] == "first"
    assert records.apis[1].parameters == {"type": "object", "properties": {}}
    assert [each.where.partition(" ")[2] for each in records.mended] == [
        "$.api_list[0].required_parameters[1]",
        "$.api_list[0].required_parameters[2]",
        "$.api_list[0].optional_parameters[0]",
        "$.api_list[1].required_parameters",
    ]


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("utf-8", "Wetter für Ærøskøbing 天气"),
        ("utf-8-sig", "Wetter für Ærøskøbing 天气"),
        ("utf-16", "Wetter für Ærøskøbing 天气"),
        ("utf-16-le", "Wetter für Ærøskøbing"),
        ("utf-32", "Wetter für Ærøskøbing 天气"),
        ("latin-1", "Wetter für Ærøskøbing"),
        ("cp1252", "Wetter „für“ Ærøskøbing"),
    ],
)
def test_encodings_when_read_then_text_is_right(read, make_zip, tool, encoding, text):
    content = json.dumps(tool(tool_description=text), ensure_ascii=False).encode(encoding)
    records = read("toolbench", make_zip(("W/a.json", content)))
    assert [api.tool_description for api in records.apis] == [text]


def test_hidden_characters_when_read_then_they_are_gone(read, make_zip, tool, entry):
    hidden = "Get\u200b wea\u202ether\U000e0041\x07 \ud83d of\u2060\ufeff now"
    content = json.dumps(
        tool(entry(hidden, description=hidden, schema={"type": "object", "title": hidden}))
    ).encode()
    api = read("toolbench", make_zip(("W/a.json", content))).apis[0]
    assert api.name == "Get weather of now"
    assert api.description == "Get weather  of now"
    assert api.response_schema["title"] == "Get weather  of now"
    api.name.encode()


def test_long_texts_when_read_then_300_letters_stay_and_megabytes_are_cut(
    read, make_zip, tool, entry
):
    path = make_zip(
        ("W/a.json", tool(entry("n" * 300), entry("x" * 5_000, description="d" * 10**6)))
    )
    short, long = read("toolbench", path).apis
    assert short.name == "n" * 300
    assert len(long.name) == 2_000
    assert long.name.endswith("[…]")
    assert len(long.description) == 20_000


@pytest.mark.parametrize(
    ("word", "default", "expected"),
    [
        ("NUMBER", "30", {"type": "number", "default": 30}),
        ("NUMBER", "59.91", {"type": "number", "default": 59.91}),
        ("NUMBER", "ten", {"type": "number", "x-documented-default": "ten"}),
        ("NUMBER", "007", {"type": "number", "x-documented-default": "007"}),
        ("NUMBER", "1e999", {"type": "number", "x-documented-default": "1e999"}),
        ("NUMBER", "nan", {"type": "number", "x-documented-default": "nan"}),
        ("BOOLEAN", "True", {"type": "boolean", "default": True}),
        ("BOOLEAN", "checked", {"type": "boolean", "x-documented-default": "checked"}),
        ("LIST", '["a"]', {"type": "array", "default": ["a"]}),
        ("ARRAY", "a,b", {"type": "array", "x-documented-default": "a,b"}),
        ("OBJECT", '{"a": 1}', {"type": "object", "default": {"a": 1}}),
        ("JSON", "[1]", {"type": "array", "default": [1]}),
        (
            "DATE (YYYY-MM-DD)",
            "2022-05-07",
            {"type": "string", "format": "date", "default": "2022-05-07"},
        ),
        ("DATEPICKER", "now", {"type": "string", "format": "date", "x-documented-default": "now"}),
        (
            "TIME (24-hour HH:MM)",
            "14:00",
            {"type": "string", "format": "time", "default": "14:00"},
        ),
        ("STRING", "<string>", {"type": "string", "x-documented-default": "<string>"}),
        ("string", "etf", {"type": "string", "default": "etf"}),
        ("STRING", 5, {"type": "string", "x-documented-default": 5}),
        ("NUMBER", 5, {"type": "number", "default": 5}),
        ("WIDGET", "", {"type": "string", "x-original-type": "WIDGET"}),
        (None, None, {"type": "string"}),
        (
            "CREDENTIALS",
            "secret",
            {
                "type": "string",
                "writeOnly": True,
                "x-original-type": "CREDENTIALS",
                "x-documented-default": "secret",
            },
        ),
    ],
)
def test_types_when_converted_then_schema_and_default_fit(word, default, expected):
    schema = parameter_schema(word, default, "", required=False)
    assert schema == expected
    jsonschema.Draft202012Validator.check_schema(schema)
    if "default" in schema:
        jsonschema.validate(schema["default"], schema)


@pytest.mark.parametrize(
    ("default", "description", "values"),
    [
        ("", 'The priority: "low", "normal" or "high"', ["low", "normal", "high"]),
        ("", "Possible values: rank(default), name, type", ["rank", "name", "type"]),
        ("asc|desc", "Order", ["asc", "desc"]),
        ("etf", "One of the following values : etf|fund", ["etf", "fund"]),
        ("", "Values: 10, 20, etc.", None),
        ("blue", "One of `red`, `green`", None),
        ("", "Default: `1`. Valid when `mode`: `AUTO`.", None),
        ("", "Sort photos in the specified order.", None),
    ],
)
def test_choices_when_listed_then_they_become_an_enum(default, description, values):
    schema = parameter_schema("SELECT", default, description, required=False)
    assert schema.get("enum") == values
    assert ("x-original-type" in schema) is (values is None)


def test_response_schemas_when_given_as_text_or_example_then_they_are_kept(
    read, make_zip, tool, entry
):
    path = make_zip(
        (
            "W/a.json",
            tool(
                entry("a", schema='{"type": "object"}'),
                entry("b", schema={"status": "ok"}),
                entry("c", schema="{broken"),
                entry("d", schema=None),
            ),
        )
    )
    assert [api.response_schema for api in read("toolbench", path).apis] == [
        {"type": "object"},
        {"type": "object", "examples": [{"status": "ok"}]},
        None,
        None,
    ]
