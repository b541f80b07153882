"""Schemas in the form that every endpoint accepts, and the way back of the arguments."""

import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from toolplanner_core.tool_schemas.dialect import refused_schema
from toolplanner_core.tool_schemas.portable import (
    LARGEST_TOOL,
    LONGEST_TEXT,
    at_a_sentence,
    portable_schema,
)

TEXT = {"type": "string"}


def of(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def property_of(schema: Any, **beside: Any) -> dict[str, Any]:
    return portable_schema({**of(one=schema), **beside}).schema["properties"]["one"]


@pytest.mark.parametrize(
    ("schema", "portable"),
    [
        (True, {}),
        ({"type": "array"}, {"type": "array", "items": {}}),
        ({"items": TEXT}, {"type": "array", "items": TEXT}),
        ({"type": "array", "items": [TEXT, TEXT]}, {"type": "array", "items": TEXT}),
        (
            {"type": "array", "prefixItems": [TEXT, {"type": "integer"}]},
            {"type": "array", "items": {"anyOf": [TEXT, {"type": "integer"}]}},
        ),
        ({"type": ["string", "null"]}, {**TEXT, "description": "May be left out."}),
        ({**TEXT, "nullable": True}, {**TEXT, "description": "May be left out."}),
        ({"type": ["string", "integer"]}, {"anyOf": [TEXT, {"type": "integer"}]}),
        ({"type": "String"}, TEXT),
        ({"type": "float"}, {"type": "number"}),
        ({"type": "anything"}, {}),
        ({"anyOf": [TEXT, {"type": "null"}]}, {**TEXT, "description": "May be left out."}),
        ({"anyOf": [TEXT, {}]}, {}),
        ({"oneOf": [TEXT, TEXT]}, TEXT),
        ({"allOf": [of(a=TEXT), of(b=TEXT)]}, of(b=TEXT, a=TEXT)),
        ({**TEXT, "enum": ["a", "b", "a", None]}, {
            **TEXT, "enum": ["a", "b"], "description": "May be left out.",
        }),
        ({**TEXT, "enum": []}, TEXT),
        ({"const": "card"}, {"enum": ["card"]}),
        ({**TEXT, "pattern": "[", "maxLength": "9", "minLength": -1}, TEXT),
        ({**TEXT, "x-order": 1, "writeOnly": True, "$comment": "no"}, TEXT),
        ({**TEXT, "default": 3}, TEXT),
        ({**TEXT, "default": "x"}, {**TEXT, "default": "x"}),
        ({**TEXT, "examples": ["Oslo"]}, {**TEXT, "description": "Example: Oslo."}),
        ({**TEXT, "title": "The city"}, {**TEXT, "description": "The city"}),
        ({"anyOf": [{"required": ["a"]}, {"required": ["b"]}], **of(a=TEXT, b=TEXT)}, {
            **of(a=TEXT, b=TEXT), "description": "Give one of: a; b.",
        }),
        ("no schema", {}),
    ],
)  # fmt: skip
def test_property_when_written_in_any_way_then_endpoints_accept_it(
    schema: Any, portable: dict[str, Any]
) -> None:
    assert property_of(schema) == portable


def test_references_when_followed_then_stand_in_place_with_what_stood_beside_them() -> None:
    found = property_of(
        {"$ref": "#/$defs/City", "description": "Where to."}, **{"$defs": {"City": of(name=TEXT)}}
    )
    assert found == {**of(name=TEXT), "description": "Where to."}
    assert property_of({"$ref": "#/$defs/Missing"}) == {}
    assert property_of({"$ref": "other.json#/City"}) == {}


def test_references_when_they_hold_themselves_then_end_in_an_object() -> None:
    node = of(value=TEXT, next={"$ref": "#/$defs/Node"})
    found = property_of({"$ref": "#/$defs/Node"}, **{"$defs": {"Node": node}})
    depth = 0
    while "properties" in found:
        found, depth = found["properties"].get("next", {"type": "object"}), depth + 1
    assert 1 <= depth <= 6
    loop = {"$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}}
    assert property_of({"$ref": "#/$defs/A"}, **loop) == {"type": "object", "properties": {}}


def test_references_when_their_choices_multiply_then_the_work_is_bounded() -> None:
    every = [{"$ref": f"#/$defs/{name}"} for name in "abcdefghij"]
    bomb = {"$defs": {name: {"anyOf": every} for name in "abcdefghij"}}
    many = {"$defs": {name: {"allOf": every} for name in "abcdefghij"}}
    for schema in (bomb, many):
        found = portable_schema({**of(one={"$ref": "#/$defs/a"}), **schema})
        assert len(json.dumps(found.schema)) <= LARGEST_TOOL


def test_choice_at_the_top_when_of_objects_then_all_properties_and_a_sentence() -> None:
    schema = portable_schema(
        {"oneOf": [of(id=TEXT) | {"required": ["id"]}, of(name=TEXT) | {"required": ["name"]}]}
    ).schema
    assert schema == {
        "type": "object",
        "properties": {"name": TEXT, "id": TEXT},
        "required": [],
        "description": "Give one of: id; name.",
    }


def test_names_when_replaced_then_arguments_come_back_under_the_real_ones() -> None:
    schema = of(
        **{
            "N/A": TEXT,
            "N_A": TEXT,
            "größe in cm": {"type": "integer"},
            "filter[name]": of(**{"a b": TEXT, "c": TEXT}),
            "list": {"type": "array", "items": of(**{"x y": TEXT})},
            "": TEXT,
        }
    )
    portable = portable_schema(schema)
    arguments = {
        "N_A_2": "1", "N_A": "2", "gr_e_in_cm": 3, "filter_name": {"a_b": "4", "c": "5"},
        "list": [{"x_y": "6"}], "value": "7",
    }  # fmt: skip
    jsonschema.validate(arguments, {**portable.schema, "additionalProperties": False})
    assert portable.restore(arguments) == {
        "N/A": "1", "N_A": "2", "größe in cm": 3, "filter[name]": {"a b": "4", "c": "5"},
        "list": [{"x y": "6"}], "": "7",
    }  # fmt: skip


def test_required_property_when_it_may_be_null_then_left_out_it_is_sent_as_null() -> None:
    schema = {**of(note={"type": ["string", "null"]}, id=TEXT), "required": ["id", "note"]}
    portable = portable_schema(schema)
    assert portable.schema["required"] == ["id"]
    assert portable.restore({"id": "1"}) == {"id": "1", "note": None}
    assert portable.restore({"id": "1", "note": "x"}) == {"id": "1", "note": "x"}


def test_schema_when_too_large_then_texts_get_shorter_and_deep_parts_free() -> None:
    long = {"type": "string", "description": "Says something of it. " * 30}
    wide = portable_schema(of(**{f"p{n}": long for n in range(30)})).schema
    assert len(json.dumps(wide)) <= LARGEST_TOOL
    assert len(wide["properties"]) == 30
    deep = of(**{f"p{n}": of(**{f"q{m}": TEXT for m in range(30)}) for n in range(30)})
    shallow = portable_schema(deep).schema
    assert len(json.dumps(shallow)) <= LARGEST_TOOL
    assert shallow["properties"].keys() == {f"p{n}" for n in range(30)}


def test_text_when_cut_then_after_a_sentence_where_one_ends_late_enough() -> None:
    assert at_a_sentence("Short.", 20) == "Short."
    assert at_a_sentence("The first sentence ends. The second is long.", 30) == (
        "The first sentence ends."
    )
    assert at_a_sentence("One. And a second sentence without an end", 30).endswith("…")


names = st.text(max_size=12) | st.sampled_from(["id", "a/b", "a_b", "$ref", "größe", "x" * 80])
schemas: st.SearchStrategy[Any] = st.recursive(
    st.booleans() | st.none() | st.just("x") | st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["string", "integer", "null", "file", ["string", "null"],
                                     ["array", "integer"], [], 3, "object", "array"]),
            "enum": st.lists(st.none() | st.integers() | st.text(max_size=3) | st.booleans()),
            "default": st.none() | st.integers() | st.text(max_size=3),
            "minimum": st.floats() | st.text(max_size=2),
            "maxLength": st.integers() | st.floats(),
            "pattern": st.sampled_from(["^a", "[", ""]),
            "description": st.text(max_size=400) | st.integers(),
            "examples": st.lists(st.text(max_size=5)) | st.text(max_size=2),
            "nullable": st.booleans(),
            "$ref": st.sampled_from(["#", "#/properties/id", "#/$defs/x", "http://x/y#", 7]),
            "x-y": st.integers(),
        },
    ),
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["object", "array", ["object", "null"]]),
            "properties": st.dictionaries(names, inner, max_size=4),
            "required": st.lists(names, max_size=3) | st.booleans(),
            "items": inner | st.lists(inner, max_size=2),
            "anyOf": st.lists(inner, max_size=3),
            "oneOf": st.lists(inner, max_size=3),
            "allOf": st.lists(inner, max_size=3),
            "additionalProperties": inner,
        },
    ),
    max_leaves=12,
)  # fmt: skip


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(names, schemas, max_size=4), st.lists(names, max_size=3), schemas)
def test_schema_when_anything_at_all_then_its_portable_form_is_accepted_and_valid(
    properties: dict[str, Any], required: list[str], beside: Any
) -> None:
    whole = {**(beside if isinstance(beside, dict) else {}), "properties": properties}
    portable = portable_schema({"type": "object", "required": required, **whole})
    assert list(refused_schema(portable.schema)) == []
    jsonschema.Draft202012Validator.check_schema(portable.schema)
    assert json.loads(json.dumps(portable.schema, allow_nan=False)) == portable.schema
    assert portable_schema(whole).schema == portable_schema(dict(whole)).schema
    texts = [str(one.get("description", "")) for one in portable.schema["properties"].values()]
    assert all(len(text) <= LONGEST_TEXT for text in texts)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.text(min_size=1, max_size=80), st.text(max_size=3), max_size=8))
def test_arguments_when_sent_under_portable_names_then_restored_exactly(
    values: dict[str, str],
) -> None:
    portable = portable_schema(of(**dict.fromkeys(values, TEXT)))
    assert len(portable.schema["properties"]) == len(values)
    sent = dict(zip(portable.schema["properties"], values.values(), strict=True))
    assert portable.restore(sent) == values
