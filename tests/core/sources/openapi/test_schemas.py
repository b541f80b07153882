"""Schemas of OpenAPI as plain JSON Schema: old words, references, circles, inheritance."""

import json

import jsonschema
import pytest


@pytest.fixture
def schema_of(read_document):
    """What becomes of the schema of a parameter, with what was noted."""

    def read_schema(schema, **fields):
        parameter = {"name": "p", "in": "query", "schema": schema}
        records = read_document({"/a": {"get": {"parameters": [parameter]}}}, **fields)
        (api,) = records.apis
        jsonschema.Draft202012Validator.check_schema(api.parameters)
        return api.parameters["properties"]["p"], [each.why for each in records.mended]

    return read_schema


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"type": "string", "nullable": True}, {"type": ["string", "null"]}),
        (
            {"type": "string", "enum": ["a"], "nullable": True},
            {"type": ["string", "null"], "enum": ["a", None]},
        ),
        (
            {"type": "integer", "minimum": 3, "exclusiveMinimum": True, "maximum": 9},
            {"type": "integer", "exclusiveMinimum": 3, "maximum": 9},
        ),
        ({"type": "string", "example": "x"}, {"type": "string", "examples": ["x"]}),
        ({"type": "file"}, {"type": "string", "format": "binary"}),
        ({"type": "Float"}, {"type": "number"}),
        ({"type": "string", "xml": {}, "x-a": 1, "discriminator": {}}, {"type": "string"}),
        ({"type": "string", "pattern": r"\p{L}("}, {"type": "string"}),
        ({"type": "string", "required": True, "minLength": -1, "enum": []}, {"type": "string"}),
        (
            {"type": "object", "properties": {"nullable": {"type": "string"}}},
            {"type": "object", "properties": {"nullable": {"type": "string"}}},
        ),
    ],
)
def test_schema_when_written_in_old_words_then_it_says_the_same_in_new_ones(schema_of, old, new):
    assert schema_of(old, openapi="3.0.3") == (new, [])


def test_schema_when_of_3_1_then_it_stays(schema_of):
    schema = {
        "type": ["object", "null"],
        "properties": {"n": {"const": 1}, "t": {"prefixItems": [{"type": "string"}]}},
        "patternProperties": {"^x": {"type": "integer"}},
        "if": {"required": ["n"]},
        "then": {"required": ["t"]},
        "additionalProperties": False,
        "examples": [None],
    }
    assert schema_of(schema) == (schema, [])


def test_all_of_when_parts_agree_then_they_are_one_object(schema_of):
    parts = {
        "Base": {"type": "object", "required": ["id"], "properties": {"id": {"type": "string"}}},
        "Named": {"type": "object", "description": "Has a name", "properties": {"name": {}}},
    }
    refs = [{"$ref": f"#/components/schemas/{name}"} for name in parts]
    found, notes = schema_of(
        {"allOf": refs, "required": ["name"], "description": "A user"},
        components={"schemas": parts},
    )
    assert not notes
    assert found == {
        "type": "object",
        "description": "A user",
        "required": ["id", "name"],
        "properties": {"id": {"type": "string"}, "name": {}},
    }


def test_all_of_when_parts_contradict_then_all_of_them_stay(schema_of):
    parts = [{"type": "string", "minLength": 2}, {"type": "string", "minLength": 5}]
    assert schema_of({"allOf": parts}) == ({"allOf": parts}, [])


def test_all_of_when_its_parts_are_closed_then_the_whole_can_be_filled(schema_of):
    closed = {"type": "object", "properties": {"a": {}}, "additionalProperties": False}
    found, _ = schema_of({"allOf": [closed, {"properties": {"b": {}}}]})
    jsonschema.validate({"a": 1, "b": 2}, found)


def test_reference_when_it_leads_back_then_it_is_cut_on_that_path_and_told(schema_of):
    person = {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "boss": {"$ref": "#/components/schemas/Person"},
            "pet": {"$ref": "#/components/schemas/Pet"},
        },
    }
    pet = {"type": "object", "properties": {"owner": {"$ref": "#/components/schemas/Person"}}}
    found, notes = schema_of(
        {"$ref": "#/components/schemas/Person"},
        components={"schemas": {"Person": person, "Pet": pet}},
    )
    assert found["properties"]["boss"] == {"type": "object"}
    assert found["properties"]["pet"] == {
        "type": "object",
        "properties": {"owner": {"type": "object"}},
    }
    assert notes == ["the reference #/components/schemas/Person leads back to itself and is cut"]


@pytest.mark.parametrize(
    ("ref", "why"),
    [
        ("#/components/schemas/Nobody", "it leads nowhere"),
        ("#nowhere", "it leads nowhere"),
        ("other.json#/a", "a file that is not there"),
        ("file:///etc/passwd", "a file that is not there"),
        ("http://169.254.169.254/latest", "another server, which the option remote allows"),
        ("http://[", "it is no address"),
        ("\ud800", "a file that is not there"),
        ("other\u202e.json", "the reference other.json cannot be used"),
    ],
)
def test_reference_when_it_cannot_be_followed_then_anything_fits_and_it_is_told(
    schema_of, ref, why
):
    found, notes = schema_of({"$ref": ref, "description": "Something"})
    assert found == {"description": "Something"}
    assert len(notes) == 1
    assert why in notes[0]


def test_reference_when_fields_stand_beside_it_then_only_new_versions_mind_them(schema_of):
    fields = {"components": {"schemas": {"Word": {"type": "string", "description": "A word"}}}}
    schema = {"$ref": "#/components/schemas/Word", "description": "Mine", "maxLength": 3}
    new, _ = schema_of(schema, **fields)
    assert new == {"type": "string", "description": "Mine", "maxLength": 3}
    old, _ = schema_of(schema, openapi="3.0.0", **fields)
    assert old == {"type": "string", "description": "Mine"}


def test_schema_when_it_would_grow_for_ever_then_it_is_written_out_less_deep(schema_of):
    # Each stands in the next one ten times: written out it has 10^12 schemas.
    schemas = {"S0": {"type": "string"}}
    for number in range(1, 13):
        ref = {"$ref": f"#/components/schemas/S{number - 1}"}
        properties = {f"p{each}": ref for each in range(10)}
        schemas[f"S{number}"] = {"type": "object", "properties": properties}
    found, notes = schema_of({"$ref": "#/components/schemas/S12"}, components={"schemas": schemas})
    assert 1_000 < len(json.dumps(found)) < 500_000
    assert notes == ["a schema is too deep or too large and is not written out fully"]


def test_one_of_when_branches_are_cut_then_a_value_may_fit_several(schema_of):
    found, _ = schema_of({"oneOf": [{"$ref": "a.json"}, {"$ref": "b.json"}, {"type": "null"}]})
    assert found == {"anyOf": [{}, {}, {"type": "null"}]}
    jsonschema.validate({"any": "thing"}, found)
