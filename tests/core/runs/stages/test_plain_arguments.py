"""Arguments that are passed at a glance are those that the validator would pass."""

from typing import Any

import pytest
from fixtures.scripted_run import make_api
from hypothesis import given
from hypothesis import strategies as st

from toolplanner_core.runs.stages import arguments
from toolplanner_core.runs.stages.arguments import ArgumentCheck, plain_kinds, surely_fit

TYPES = ["string", "integer", "number", "boolean", "array", "object", "null"]
NAMES = ["q", "n", "when"]
values = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.sampled_from([1.0, 1.5, float("nan"), "", "x", "2026-01-01", "far too long"]),
    st.sampled_from([[], [1], {}, {"a": 1}]),
)
asked = st.fixed_dictionaries(
    {},
    optional={
        "type": st.one_of(
            st.sampled_from(TYPES), st.lists(st.sampled_from(TYPES), min_size=1, unique=True)
        ),
        "description": st.just("words"),
        "default": st.just(1),
        "enum": st.just(["x", 1]),
        "maxLength": st.just(4),
        "minimum": st.just(0),
        "anyOf": st.just([{"type": "string"}]),
        "$ref": st.just("#/properties/q"),
    },
)
schemas = st.fixed_dictionaries(
    {"properties": st.dictionaries(st.sampled_from(NAMES), st.one_of(asked, st.booleans()))},
    optional={
        "type": st.sampled_from(["object", ["object"], "array"]),
        "required": st.lists(st.sampled_from(NAMES), unique=True),
        "additionalProperties": st.one_of(st.booleans(), asked),
        "patternProperties": st.just({"^q": {"type": "string"}}),
        "minProperties": st.just(2),
        "title": st.just("words"),
    },
)


def checked_in_full(schema: Any, given_arguments: Any) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(arguments, "plain_kinds", lambda _: None)
        return ArgumentCheck().check(make_api("a_1", parameters=schema), given_arguments)


@given(schemas, st.dictionaries(st.sampled_from([*NAMES, "other"]), values))
def test_arguments_when_passed_at_a_glance_then_the_validator_passes_them_too(
    schema: Any, given_arguments: Any
) -> None:
    found = ArgumentCheck().check(make_api("a_1", parameters=schema), given_arguments)
    assert found == checked_in_full(schema, given_arguments)


def test_usual_schema_when_looked_at_then_the_validator_is_not_needed() -> None:
    kinds = plain_kinds(
        {
            "type": "object",
            "properties": {"q": {"type": "string", "description": "a city"}, "any": {}},
            "required": ["q"],
        }
    )
    assert surely_fit(kinds, {"q": "Zagreb", "any": [1]})
    assert not surely_fit(kinds, {"q": 3})
    assert not surely_fit(kinds, {"unknown": "x"})
