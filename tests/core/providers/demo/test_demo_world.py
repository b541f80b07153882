"""Every API of the demo world does what its data say, whatever it is called with."""

import asyncio
import json
from collections import Counter
from datetime import date
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, FormatChecker

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.observation import Observation, RawResult
from toolplanner_core.errors import BadInput
from toolplanner_core.providers.classify import observe
from toolplanner_core.providers.demo.provider import PLUGIN, DemoOptions, DemoProvider
from toolplanner_core.providers.demo.world.clock import easter
from toolplanner_core.providers.demo.world.endpoint import (
    FUNCTIONS,
    Endpoint,
    endpoints,
    load_demo_apis,
)
from toolplanner_core.providers.demo.world.execute import BEHAVIOURS
from toolplanner_core.providers.demo.world.gazetteer import distance_km
from toolplanner_core.providers.provider import CallLimits, providers

_KEYS = sorted(endpoints())
_HEALTHY = [key for key in _KEYS if endpoints()[key].behaviour["kind"] == "ok"]
_MISBEHAVIOUR = {
    "needs_key": ErrorClass.UNAUTHORISED,
    "not_subscribed": ErrorClass.NOT_SUBSCRIBED,
    "quota": ErrorClass.RATE_LIMITED,
    "deprecated": ErrorClass.NOT_FOUND,
    "server_error": ErrorClass.SERVER_ERROR,
    "html_error": ErrorClass.SERVER_ERROR,
    "timeout": ErrorClass.TIMEOUT,
    "network": ErrorClass.NETWORK,
    "broken_json": ErrorClass.BAD_PAYLOAD,
    "empty": ErrorClass.EMPTY_RESULT,
}


def _raw(key: str, arguments: dict[str, Any], provider: DemoProvider | None = None) -> RawResult:
    provider = provider or DemoProvider(DemoOptions())
    return asyncio.run(provider.call(endpoints()[key].api, arguments, CallLimits(timeout_s=5)))


def _call(key: str, **arguments: Any) -> Observation:
    return observe(_raw(key, arguments), endpoints()[key].api)


def _expected_error(endpoint: Endpoint) -> ErrorClass | None:
    behaviour = endpoint.behaviour
    if behaviour["kind"] == "envelope":
        is_limit = behaviour.get("code") == 429
        return ErrorClass.RATE_LIMITED if is_limit else ErrorClass.SERVER_ERROR
    return _MISBEHAVIOUR.get(behaviour["kind"])


def test_demo_world_when_loaded_then_it_is_large_and_ids_are_unique() -> None:
    apis = load_demo_apis()
    assert len(apis) >= 190
    assert len({api.id for api in apis}) == len({api.key for api in apis}) == len(apis)
    assert len({endpoint.kind for endpoint in endpoints().values()}) >= 22
    healthy = [e for e in endpoints().values() if e.behaviour["kind"] == "ok"]
    assert 0.7 <= len(healthy) / len(apis) <= 0.85


def test_demo_world_when_loaded_then_every_behaviour_occurs_and_is_known() -> None:
    kinds = {endpoint.behaviour["kind"] for endpoint in endpoints().values()}
    assert kinds == set(BEHAVIOURS)
    assert {endpoint.function for endpoint in endpoints().values()} <= set(FUNCTIONS)


@pytest.mark.parametrize("key", _KEYS)
def test_documentation_when_read_then_it_is_complete_and_its_example_fits(key: str) -> None:
    endpoint = endpoints()[key]
    api = endpoint.api
    assert len(api.description) >= 15
    assert len(api.tool_description) >= 10
    assert api.url.startswith("https://api.")
    assert ".example/" in api.url
    assert all(p.description and "type" in p.schema for p in api.parameter_list)
    Draft202012Validator.check_schema(dict(api.parameters))
    checker = FormatChecker()
    validator = Draft202012Validator(dict(api.parameters), format_checker=checker)
    assert not list(validator.iter_errors(dict(endpoint.example)))
    assert set(endpoint.example) <= set(api.parameters["properties"])


@pytest.mark.parametrize("key", _KEYS)
def test_call_when_given_the_documented_example_then_behaves_as_documented(key: str) -> None:
    endpoint = endpoints()[key]
    provider = DemoProvider(DemoOptions())
    example = dict(endpoint.example)
    free_calls = endpoint.behaviour.get("calls", 0)
    for _ in range(free_calls):
        assert observe(_raw(key, example, provider), endpoint.api).ok
    raw = _raw(key, example, provider)
    seen = observe(raw, endpoint.api)
    error = _expected_error(endpoint)
    assert seen.error == error, seen.message
    assert seen.origin == "demo"
    if error is None:
        assert raw.headers["X-Response-Time"].endswith(" ms")
        # A hole in a reply is a name in its template that the function does not compute.
        assert "null" not in raw.body
    else:
        assert seen.message


@pytest.mark.parametrize("key", _HEALTHY)
def test_call_when_a_required_argument_is_left_out_then_a_typed_failure(key: str) -> None:
    endpoint = endpoints()[key]
    for name in endpoint.api.parameters["required"]:
        rest = {k: v for k, v in endpoint.example.items() if k != name}
        raw = _raw(key, rest)
        seen = observe(raw, endpoint.api)
        assert raw.status == 400
        assert seen.error is ErrorClass.MISSING_PARAMETER
        assert name in seen.message


@given(data=st.data())
@settings(max_examples=400, suppress_health_check=[HealthCheck.too_slow], deadline=None)
def test_call_when_given_any_arguments_then_a_reply_and_never_an_exception(
    data: st.DataObject,
) -> None:
    key = data.draw(st.sampled_from(_KEYS))
    properties = sorted(endpoints()[key].api.parameters["properties"])
    values = (
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12)
        | st.lists(st.integers(), max_size=2) | st.just({}) | st.sampled_from(
            ["Chicago", "52.5,13.4", "nan,nan", "2026-11-21", "http://[::1", "1Z", "Japan", "USD",
             "inf", "0001-01-01", "9999-12-31", "Europe", "America/", "../etc/passwd", "\x00"]
        )
    )  # fmt: skip
    names = [*properties, "unknown"]
    arguments = data.draw(st.dictionaries(st.sampled_from(names), values, max_size=6))
    example = dict(endpoints()[key].example) if data.draw(st.booleans()) else {}
    raw = _raw(key, {**example, **arguments})
    seen = observe(raw, endpoints()[key].api)
    assert seen.ok == (seen.error is None)
    assert raw.status in (None, 200, 400, 401, 403, 404, 410, 422, 429, 500, 503)


@pytest.mark.parametrize(
    ("key", "arguments", "status", "error"),
    [
        ("Maps/geopoint/geocode_city", {"city": "Atlantis"}, 404, ErrorClass.NOT_FOUND),
        ("Weather/pureair/air_quality_index", {"lat": 100, "lon": 0}, 422,
         ErrorClass.INVALID_PARAMETER),
        ("Weather/pureair/air_quality_index", {"lat": "north", "lon": 0}, 422,
         ErrorClass.WRONG_FORMAT),
        ("Weather/skycast/forecast_by_coordinates", {"lat": 0, "lon": 0, "date": "tomorrow-ish"},
         422, ErrorClass.WRONG_FORMAT),
        ("Finance/exchangehub/convert_currency", {"from": "USD", "to": "XXX", "amount": 1}, 404,
         ErrorClass.NOT_FOUND),
        ("Web/ipscout/locate_ip_address", {"ip": "999.1.1.1"}, 422, ErrorClass.WRONG_FORMAT),
        ("Reference/unitwise/convert_units", {"value": 1, "from": "kg", "to": "m"}, 400,
         ErrorClass.INVALID_PARAMETER),
        ("Food/cookbookly/search_recipes_by_ingredient", {"ingredients": "plutonium"}, 200,
         ErrorClass.EMPTY_RESULT),
        ("Food/chefline/recipe_by_name", {"dish": "plutonium"}, 404, ErrorClass.NOT_FOUND),
    ],
)  # fmt: skip
def test_call_when_arguments_make_no_sense_then_status_and_class_say_so(
    key: str, arguments: dict[str, Any], status: int, error: ErrorClass
) -> None:
    raw = _raw(key, arguments)
    assert raw.status == status, raw.body
    assert observe(raw, endpoints()[key].api).error is error


def test_call_when_vendor_is_unlocked_then_key_and_subscription_are_accepted() -> None:
    for key in ("Finance/tickerline/latest_stock_price", "Finance/bankfeed/reference_rate"):
        endpoint = endpoints()[key]
        provider = DemoProvider(DemoOptions(unlocked=(endpoint.vendor,)))
        assert observe(_raw(key, dict(endpoint.example), provider), endpoint.api).ok


def test_call_when_quota_is_used_up_then_retry_after_and_a_new_provider_starts_afresh() -> None:
    key = "Food/nutriscan/calories_and_nutrients_of_food"
    provider = DemoProvider(DemoOptions())
    example = dict(endpoints()[key].example)
    assert _raw(key, example, provider).status == 200
    refused = _raw(key, example, provider)
    assert refused.status == 429
    assert refused.headers["Retry-After"] == "3600"
    assert _raw(key, example).status == 200


def test_call_when_api_is_retired_then_message_names_its_successor() -> None:
    seen = _call("Time/holidayapi_classic/next_public_holiday", country="Japan")
    assert "NextBreak" in seen.message


def test_call_when_repeated_then_bodies_are_equal_and_another_seed_differs() -> None:
    for key, endpoint in endpoints().items():
        example = dict(endpoint.example)
        assert _raw(key, example) == _raw(key, example)
    key = "Weather/meteonow/daily_forecast"
    other = DemoProvider(DemoOptions(seed=2))
    assert _raw(key, {"city": "Rome"}) != _raw(key, {"city": "Rome"}, other)


def test_call_when_api_is_of_another_catalogue_then_unknown_api() -> None:
    api = next(iter(endpoints().values())).api
    stranger = type(api)(**{f: getattr(api, f) for f in api.__slots__} | {"source": "toolbench"})
    raw = asyncio.run(DemoProvider(DemoOptions()).call(stranger, {}, CallLimits()))
    assert raw.failure is ErrorClass.UNKNOWN_API


def test_options_when_time_is_not_iso_then_bad_input() -> None:
    with pytest.raises(BadInput, match="2026"):
        DemoProvider(DemoOptions(now="next week"))


def test_plugin_when_looked_up_then_it_touches_nothing() -> None:
    assert providers.get("demo") is PLUGIN
    assert not PLUGIN.touches_world


def test_vendors_when_asked_for_the_same_then_they_agree() -> None:
    celsius = _call("Weather/meteonow/daily_forecast", city="Denver, Colorado", days=1)
    by_point = _call("Weather/skycast/forecast_by_coordinates", lat=39.739, lon=-104.99)
    fahrenheit = _call("Weather/fahrenheitdaily/us_forecast", city="Denver, Colorado")
    high_c = celsius.value["forecast"][0]["temp_max"]
    assert by_point.value["temperature"]["high"] == high_c
    assert fahrenheit.value["highF"] == round(high_c * 1.8 + 32, 1)


def test_answers_when_compared_with_the_real_world_then_they_are_right() -> None:
    assert _call(
        "Reference/unitwise/convert_units", value=26.2, **{"from": "miles", "to": "km"}
    ).value["result"] == pytest.approx(42.164813)
    assert _call(
        "Reference/tempswap/convert_temperature",
        degrees=451, from_scale="fahrenheit", to_scale="celsius",
    ).value["degrees"] == pytest.approx(232.7778, abs=1e-3)  # fmt: skip
    # Berlin to Paris is 878 km as the crow flies.
    assert distance_km(52.52, 13.405, 48.857, 2.352) == pytest.approx(878, abs=2)
    assert easter(2026) == date(2026, 4, 5)
    assert easter(2027) == date(2027, 3, 28)
    thanksgiving = _call("Time/dayoff/is_it_a_holiday", country="US", date="2026-11-26")
    assert thanksgiving.value["name"] == "Thanksgiving Day"
    tokyo = _call("Time/worldclockr/current_time_in_city", city="Tokyo").value
    assert (tokyo["local_time"], tokyo["utc_offset"]) == ("21:00", "+09:00")
    # Full moon of 24 November 2026, sunset in Chicago that week about 16:22.
    moon = _call("Astronomy/lunaphase/moon_phase", date="2026-11-24").value
    assert moon["phase"] == "Full moon"
    sun = _call("Astronomy/sunclock/sunrise_and_sunset_times", lat=41.878, lon=-87.63).value
    assert sun["sunset"][:3] == "16:"
    assert 20 <= int(sun["sunset"][3:]) <= 30
    euros = _call(
        "Finance/exchangehub/convert_currency", amount=250, **{"from": "EUR", "to": "USD"}
    )
    assert euros.value["result"] == 285.5


def test_tracking_numbers_when_checked_then_form_and_check_digit_decide() -> None:
    key = "Logistics/trackcheck/validate_tracking_number"
    # RR473124829 with check digit 9 of UPU S10; changed by one digit it is wrong.
    assert _call(key, code="RR473124829DE").value["valid"]
    assert not _call(key, code="RR473124828DE").value["valid"]
    assert _call(key, code="1Z999AA10123456784").value["carrier"] == "UPS"
    assert _call(key, code="hello").error is ErrorClass.NOT_FOUND


def test_payload_when_it_holds_the_word_error_or_500_then_it_is_an_answer() -> None:
    entry = _call("Language/lexicore/entry", lemma="error")
    assert entry.ok
    assert entry.value[0]["lemma"] == "error"
    index = _call("Weather/aeroindex/pollution_today", lat=41.878, lon=-87.63)
    assert index.ok
    assert index.value["scale_max"] == 500


def test_coordinates_of_one_vendor_when_given_to_another_then_it_is_the_same_place() -> None:
    for name in ("Springfield, Illinois", "Springfield, MA", "Reykjavik", "Paris, France"):
        found = _call("Maps/geopoint/geocode_city", city=name).value
        place = _call(
            "Maps/openatlas/reverse_geocoding", lat=found["latitude"], lon=found["longitude"]
        ).value["results"][0]
        assert place["city"] == name.split(",")[0]
        assert place["country"] == found["country"]


def test_misbehaviour_when_counted_then_most_kinds_have_a_healthy_member() -> None:
    healthy = Counter(e.kind for e in endpoints().values() if e.behaviour["kind"] == "ok")
    without = {e.kind for e in endpoints().values()} - set(healthy)
    assert without == {"crime", "lottery"}
    assert min(healthy.values()) >= 2


def test_replies_when_read_then_they_are_json_that_can_be_stored() -> None:
    for key, endpoint in endpoints().items():
        raw = _raw(key, dict(endpoint.example))
        if raw.status == 200 and endpoint.behaviour["kind"] == "ok":
            assert json.dumps(json.loads(raw.body), allow_nan=False)
