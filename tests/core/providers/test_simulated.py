"""Simulated replies: fit the schema, repeat by seed, fail at the given rate, always marked."""

import asyncio
import dataclasses
import json
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolplanner_core.domain.api import Api, Risk
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.domain.observation import RawResult
from toolplanner_core.errors import BadInput
from toolplanner_core.options.values import make_options
from toolplanner_core.providers.provider import CallLimits
from toolplanner_core.providers.simulated import SimulatedOptions, SimulatedProvider

SCHEMA = {
    "type": "object",
    "properties": {
        "city": {"type": "string"},
        "temperature": {"type": "number", "minimum": -20, "maximum": 40},
        "sky": {"enum": ["clear", "rain"]},
        "days": {"type": "array", "items": {"type": "string", "format": "date"}},
    },
    "required": ["city", "temperature", "sky", "days"],
}
API = Api(
    id=ApiId("1" * 16), source="toolbench", key="W/m/f", category="W", tool="Meteo", name="f",
    method="GET", url="", description="Forecast", tool_description="", parameters={},
    response_schema=SCHEMA, risk=Risk.READ, doc_hash="",
)  # fmt: skip


def call(arguments: dict[str, Any], api: Api = API, **options: Any) -> RawResult:
    provider = SimulatedProvider(SimulatedOptions(**options))
    return asyncio.run(provider.call(api, arguments, CallLimits()))


def test_reply_when_a_schema_is_documented_then_fits_it_and_is_marked() -> None:
    result = call({"city": "Lyon"})
    data = json.loads(result.body)
    jsonschema.validate(data["data"], SCHEMA)
    assert data["simulated"] is True
    assert data["data"]["city"] == "Lyon"
    assert result.origin == "simulated"


def test_reply_when_seed_and_call_are_the_same_then_is_the_same() -> None:
    assert call({"a": 1}) == call({"a": 1})
    assert call({"a": 1}) != call({"a": 1}, seed=2)


def test_failures_when_a_rate_is_given_then_come_at_that_rate_in_those_classes() -> None:
    results = [
        call({"n": n}, failure_rate=0.3, failure_classes=("timeout", "server_error"))
        for n in range(500)
    ]
    failures = [result.failure for result in results if result.failure]
    assert 110 < len(failures) < 190
    assert set(failures) == {ErrorClass.TIMEOUT, ErrorClass.SERVER_ERROR}


@pytest.mark.parametrize("options", [
    {"failure_rate": 1.5}, {"failure_classes": "bad_luck"}, {"failure_classes": " , "},
])  # fmt: skip
def test_options_when_wrong_then_say_so(options: dict[str, Any]) -> None:
    with pytest.raises(BadInput):
        SimulatedProvider(make_options(SimulatedOptions, options, of="provider simulated"))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(
        st.sampled_from(["type", "properties", "items", "enum", "anyOf", "minimum", "default"])
        | st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@given(st.dictionaries(st.sampled_from(["type", "properties", "items", "enum", "anyOf"]), JSON))
def test_reply_when_the_schema_is_anything_then_is_json_all_the_same(schema: Any) -> None:
    result = call({}, api=dataclasses.replace(API, response_schema=schema))
    assert "data" in json.loads(result.body)
