"""Replies become values or failures by form, never by the bare word "error"."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolplanner_core.domain.api import Api, Risk
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.domain.observation import Observation, RawResult
from toolplanner_core.providers.classify import observe


def _api(risk: Risk = Risk.READ) -> Api:
    return Api(
        id=ApiId("0" * 16),
        source="test",
        key="test/weather/now",
        category="Weather",
        tool="Weather",
        name="now",
        method="GET",
        url="",
        description="",
        tool_description="",
        parameters={"type": "object", "properties": {}},
        response_schema=None,
        risk=risk,
        doc_hash="",
    )


def _observe(status: int | None, body: Any, risk: Risk = Risk.READ, **more: Any) -> Observation:
    text = body if isinstance(body, str) else json.dumps(body)
    raw = RawResult(status=status, body=text, origin="test", **more)
    return observe(raw, _api(risk), seq=7)


@pytest.mark.parametrize(
    "body",
    [
        {"text": "Error bars of the forecast are small, no error expected"},
        {"temperature": 4, "alerts": [], "error": None},
        {"temperature": 4, "error": 0.5},
        {"population": 500, "code": 500},
        {"error": "", "value": 3},
        {"error": False, "value": 3},
        {"term": "error", "error": "a measure of the deviation"},
        {"url": "https://x.example", "ok": False, "status_code": 503, "up": False},
        {"success": False, "match": "Bern - Basel", "message": "lost", "score": [0, 1]},
        {"status": "error", "shipment": "AB12", "events": [{"text": "delivery error"}]},
        {"message": "Server error is a song by The Pipes"},
        False,
        0,
        500,
        '"error"',
        ["error", 500],
        {"count": 0, "holiday": False},
        {"results": [0]},
        {"alerts": []},
        {"count": 0, "city": "Rome", "alerts": []},
        {"status": 500, "unit": "hPa"},
        {"result": False},
        {"result": "false"},
        {"status": "UP", "checks": []},
        {"winner": None},
        {"valid": False, "reason": "The domain does not exist", "domain": "x.example"},
        {"status": "invalid", "reason": "rejected_email", "email": "a@b.example"},
        {"taskId": 7, "status": "failed"},
        {"code": "404", "name": "Not Found", "meaning": "The page is not there", "class": 4},
        {"success": True, "message": "Error rate: 0.2 %", "rate": 0.2},
        {"name": "Bob", "age": 3, "children": []},
        {"id": 5, "tags": []},
        {"song": "Ashes", "artist": "Celine Dion", "lyrics": "Not found!"},
        {"status": "ok", "mx": "No MX found"},
    ],
)
def test_observe_when_payload_only_looks_like_an_error_then_ok(body: Any) -> None:
    seen = _observe(200, body)
    assert seen.ok, seen.message
    assert seen.value == (json.loads(body) if isinstance(body, str) else body)
    assert seen.seq == 7
    assert seen.origin == "test"


@pytest.mark.parametrize(
    ("status", "body", "error"),
    [
        (401, {"message": "Invalid API key"}, ErrorClass.UNAUTHORISED),
        (401, "", ErrorClass.UNAUTHORISED),
        (403, {"message": "You are not subscribed to this API."}, ErrorClass.NOT_SUBSCRIBED),
        (403, {"error": {"code": "plan", "message": "Upgrade your plan"}},
         ErrorClass.NOT_SUBSCRIBED),
        (403, {"message": "You have exceeded the DAILY quota for Requests"},
         ErrorClass.RATE_LIMITED),
        (403, "<html>Forbidden</html>", ErrorClass.UNAUTHORISED),
        (402, "", ErrorClass.NOT_SUBSCRIBED),
        (404, {"error": "City not found"}, ErrorClass.NOT_FOUND),
        (410, {"message": "Gone", "successor": "v2"}, ErrorClass.NOT_FOUND),
        (408, "", ErrorClass.TIMEOUT),
        (400, {"error": {"code": "missing_parameter", "field": "q"}},
         ErrorClass.MISSING_PARAMETER),
        (422, {"detail": [{"loc": ["query", "q"], "msg": "field required", "type": "missing"}]},
         ErrorClass.MISSING_PARAMETER),
        (422, {"errors": [{"field": "date", "message": "must be in the format YYYY-MM-DD"}]},
         ErrorClass.WRONG_FORMAT),
        (400, {"message": "lat is out of range"}, ErrorClass.INVALID_PARAMETER),
        (400, "", ErrorClass.INVALID_PARAMETER),
        (429, {"message": "Too many requests"}, ErrorClass.RATE_LIMITED),
        (500, {"error": "boom"}, ErrorClass.SERVER_ERROR),
        (503, "<html></html>", ErrorClass.SERVER_ERROR),
        (302, "", ErrorClass.BAD_PAYLOAD),
        (None, "", ErrorClass.NETWORK),
        (200, '{"a": ', ErrorClass.BAD_PAYLOAD),
        (200, "<html>hello</html>", ErrorClass.BAD_PAYLOAD),
        (200, "[" * 100_000 + "]" * 100_000, ErrorClass.BAD_PAYLOAD),
        (200, "[" * 300 + "1" + "]" * 300, ErrorClass.BAD_PAYLOAD),
        (200, "", ErrorClass.EMPTY_RESULT),
        (200, [], ErrorClass.EMPTY_RESULT),
        (200, {}, ErrorClass.EMPTY_RESULT),
        (200, "null", ErrorClass.EMPTY_RESULT),
        (200, {"results": []}, ErrorClass.EMPTY_RESULT),
        (200, {"count": 0, "recipes": []}, ErrorClass.EMPTY_RESULT),
        (200, {"count": 0, "page": 1, "data": None}, ErrorClass.EMPTY_RESULT),
        (200, {"status": "error", "message": "City not found"}, ErrorClass.NOT_FOUND),
        (200, {"status": "error", "message": "strange"}, ErrorClass.SERVER_ERROR),
        (200, {"success": False, "error": {"code": 101, "type": "missing_access_key"}},
         ErrorClass.UNAUTHORISED),
        (200, {"success": False, "message": "Invalid currency XYZ"},
         ErrorClass.INVALID_PARAMETER),
        (200, {"error": {"code": "rate_limit_exceeded"}}, ErrorClass.RATE_LIMITED),
        (200, {"error": {"code": 404, "message": "none"}}, ErrorClass.NOT_FOUND),
        (200, {"cod": "404", "message": "city not found"}, ErrorClass.NOT_FOUND),
        (200, {"errors": [{"message": "field required"}], "data": None},
         ErrorClass.MISSING_PARAMETER),
        (200, {"message": "You are not subscribed to this API."}, ErrorClass.NOT_SUBSCRIBED),
        (200, {"error": "internal server error"}, ErrorClass.SERVER_ERROR),
        (200, {"Response": "False", "Error": "Movie not found!"}, ErrorClass.NOT_FOUND),
        (200, {"Status": 400, "Message": "Invalid token"}, ErrorClass.UNAUTHORISED),
        (200, {"success": "url is required"}, ErrorClass.MISSING_PARAMETER),
        (200, {"success": False, "data": {"code": 0, "message": "city not found"}},
         ErrorClass.NOT_FOUND),
        (200, {"code": -1, "msg": "keywords empty", "took": 0.1}, ErrorClass.MISSING_PARAMETER),
        (200, {"id": "8f2a", "type": "resource_not_found", "message": "none"},
         ErrorClass.NOT_FOUND),
        (200, {"sms": {"code": 401, "response": "Wrong password"}}, ErrorClass.UNAUTHORISED),
        (200, {"clinics": []}, ErrorClass.EMPTY_RESULT),
        (200, {"from": "2023-01-01", "to": "2023-01-02", "matches": []}, ErrorClass.EMPTY_RESULT),
        (200, {"status": 200, "data": {"shared": [], "kept": []}}, ErrorClass.EMPTY_RESULT),
        (200, {"broadcast": None, "reel": None, "status": "ok"}, ErrorClass.EMPTY_RESULT),
    ],
)  # fmt: skip
def test_observe_when_reply_is_a_known_failure_then_its_class(
    status: int | None, body: Any, error: ErrorClass
) -> None:
    seen = _observe(status, body)
    assert seen.error is error, seen.message
    assert not seen.ok
    assert seen.value is None
    assert seen.message.endswith(".")


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("{'message': 'user not found', 'code': None}", ErrorClass.NOT_FOUND),
        ("<!DOCTYPE html><html><head><title>404 Not Found</title></head></html>",
         ErrorClass.NOT_FOUND),
        ("<?xml version='1.0'?><Error><Code>AccessDenied</Code><m>Access Denied</m></Error>",
         ErrorClass.UNAUTHORISED),
        ("Failed to retrieve entry", ErrorClass.SERVER_ERROR),
        ("b''", ErrorClass.EMPTY_RESULT),
        ("Failure is the mother of success", None),
        ("Error is human, to forgive divine", None),
        ("error", None),
        ("No rest for the wicked", None),
        ("Missing someone is part of loving them", None),
        ("Can't touch this", None),
        ("unknown", None),
        ("invalid", None),
        ("<html><head><title>Weather in Oslo</title></head><body>No error found</body></html>",
         None),
        ("<rss><channel><title>Error prone</title></channel></rss>", None),
    ],
)  # fmt: skip
def test_observe_when_the_reply_is_a_text_then_a_failure_if_it_begins_so(
    text: str, error: ErrorClass | None
) -> None:
    assert _observe(200, text, content_type="text/plain").error is error


def test_observe_when_provider_says_failure_then_it_wins_over_status() -> None:
    seen = _observe(200, {"a": 1}, failure=ErrorClass.TIMEOUT, message="after 30 s")
    assert seen.error is ErrorClass.TIMEOUT
    assert "after 30 s" in seen.message


def test_observe_when_quota_is_used_up_then_message_says_when_to_try_again() -> None:
    seen = _observe(429, {"message": "Slow down"}, headers={"Retry-After": "60"})
    assert "Slow down" in seen.message
    assert seen.message.endswith("Try again after 60 s.")


def test_observe_when_endpoint_is_retired_then_message_names_successor() -> None:
    seen = _observe(410, {"error": {"message": "Version 1 is gone", "successor": "GET /v2/now"}})
    assert "GET /v2/now" in seen.message


def test_observe_when_writing_call_answers_nothing_then_ok() -> None:
    assert _observe(204, "", risk=Risk.WRITE).ok
    assert _observe(204, "", risk=Risk.READ).error is ErrorClass.EMPTY_RESULT


def test_observe_when_text_was_declared_then_value_is_text() -> None:
    assert _observe(200, "sunny", content_type="text/plain").value == "sunny"
    assert _observe(200, '{"a": 1}', content_type="text/plain").value == {"a": 1}
    assert _observe(200, "{broken", content_type="text/plain").value == "{broken"


def test_observe_when_json_has_nan_or_lone_surrogates_then_value_can_be_stored() -> None:
    seen = _observe(200, '{"a": NaN, "b": 1e999, "c": "\\ud800x"}')
    assert seen.value == {"a": None, "b": None, "c": "?x"}


_json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                [
                    "error",
                    "errors",
                    "status",
                    "message",
                    "code",
                    "data",
                    "success",
                    "results",
                    "detail",
                    "loc",
                    "successor",
                    "ok",
                    "x",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)


@given(
    status=st.none() | st.integers(min_value=-1, max_value=1000),
    body=st.text(max_size=60) | _json_values.map(json.dumps),
    content_type=st.sampled_from(["application/json", "text/html", "", "application/hal+json"]),
    failure=st.none() | st.sampled_from(list(ErrorClass)),
    risk=st.sampled_from(list(Risk)),
)
def test_observe_when_given_anything_then_never_raises_and_ok_xor_error(
    status: int | None, body: str, content_type: str, failure: ErrorClass | None, risk: Risk
) -> None:
    raw = RawResult(
        status=status, body=body, content_type=content_type, failure=failure, origin="test"
    )
    seen = observe(raw, _api(risk))
    assert seen.ok == (seen.error is None)
    assert seen.ok or seen.message


@pytest.mark.parametrize(
    ("kind", "body", "value"),
    [
        ("text/json", '{"a": 1}', {"a": 1}),
        ("application/x-json", '"yes"', "yes"),
        ("application/problem+json", '{"a": 1}', {"a": 1}),
        ("application/x-ndjson", '{"a": 1}\n{"a": 2}\n', [{"a": 1}, {"a": 2}]),
        ("application/jsonl", '{"a": 1}\r\n\r\n[2]', [{"a": 1}, [2]]),
        ("application/json-seq", '\x1e{"a": 1}\n\x1e{"a": 2}\n', [{"a": 1}, {"a": 2}]),
    ],
)
def test_reply_when_json_has_another_name_then_its_value_is_read(
    kind: str, body: str, value: Any
) -> None:
    seen = _observe(200, body, content_type=kind)
    assert (seen.ok, seen.value) == (True, value)


def test_reply_when_a_line_of_json_lines_is_broken_then_it_is_a_bad_payload() -> None:
    seen = _observe(200, '{"a": 1}\n{"a":', content_type="application/x-ndjson")
    assert seen.error is ErrorClass.BAD_PAYLOAD
