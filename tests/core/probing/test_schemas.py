"""Replies as schemas, and schemas beside the documentation."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolplanner_core.probing.schemas import compare_schemas, infer_schema, merge_schemas

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=20,
)


def test_reply_when_made_a_schema_then_structure_and_types_recursively() -> None:
    reply = {"total": 2, "next": None, "items": [{"id": 1, "at": 0.5}, {"id": "x", "tags": []}]}
    assert infer_schema(reply) == {
        "type": "object",
        "properties": {
            "total": {"type": "integer"},
            "next": {"type": "null"},
            "items": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "id": {"type": ["integer", "string"]},
                        "at": {"type": "number"},
                        "tags": {"type": "array", "items": {}},
                    },
                },
            },
        },
    }


def test_object_when_it_is_a_table_by_ids_then_one_schema_for_all_values() -> None:
    found = infer_schema({f"id{n}": {"n": n} for n in range(300)})
    assert "properties" not in found
    assert found["additionalProperties"]["properties"] == {"n": {"type": "integer"}}


@given(JSON, JSON)
def test_schema_when_inferred_then_the_replies_fit_it(one: Any, other: Any) -> None:
    from jsonschema import Draft202012Validator

    for schema in (infer_schema(one), merge_schemas([infer_schema(one), infer_schema(other)])):
        Draft202012Validator(schema).validate(one)


def test_schemas_when_compared_then_each_field_is_said_once() -> None:
    documented = {
        "properties": {
            "id": {"type": "string"},
            "sum": {"type": "number"},
            "gone": {"type": "string"},
            "rows": {"type": "array", "items": {"properties": {"n": {"type": "integer"}}}},
        }
    }
    found = infer_schema({"id": 7, "sum": 3, "rows": [{"n": 1}], "more": None})
    difference = compare_schemas(documented, found)
    assert difference.same == ("sum", "rows", "rows[]", "rows[].n")
    assert difference.other_type == ("id: string, integer",)
    assert difference.only_found == ("more",)
    assert difference.only_documented == ("gone",)
    assert difference.share_right == pytest.approx(4 / 6)
    assert difference.in_words == (
        "4 fields as documented; 1 of another type (id: string, integer);"
        " 1 not documented (more); 1 not seen (gone)"
    )
