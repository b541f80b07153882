"""Errors as endpoints really send them, by status or in a body of status 200: their class, their
words, how long to wait, what to do; and parameters that are refused in them."""

import json
from email.utils import formatdate
from typing import Any

import pytest
from fixtures.openai_turns import delta_event, event, take_turn, take_turns
from fixtures.scripted_endpoint import RawBody, RawPieces, Says, Status, scripted_endpoint

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.llm.model import ModelError
from toolplanner_core.llm.reply_errors import read_error

LIMITED, BROKEN = ErrorClass.RATE_LIMITED, ErrorClass.BAD_PAYLOAD
FORM, DOWN = ErrorClass.WRONG_FORMAT, ErrorClass.SERVER_ERROR
KEY, NONE = ErrorClass.UNAUTHORISED, ErrorClass.NOT_FOUND
PAID = ErrorClass.NOT_SUBSCRIBED
GOOGLE = {
    "error": {
        "code": 429,
        "status": "RESOURCE_EXHAUSTED",
        "message": "Quota exceeded",
        "details": [{"@type": "google.rpc.RetryInfo", "retryDelay": "13s"}],
    }
}
PAGE = b"<!DOCTYPE html><html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>"
FRONT = b"<html><head><title>Open WebUI</title></head></html>"
BODIES: dict[str, tuple[Any, ErrorClass, str, float | None]] = {
    "code as number": (
        {"error": {"message": "Slow down", "code": 429}}, LIMITED, "Slow down", None),
    "code as text": ({"error": {"message": "Busy", "code": "503"}}, DOWN, "Busy", None),
    "code as a word": (
        {"error": {"message": "No", "code": "invalid_api_key"}}, KEY, "No", None),
    "type": ({"error": {"message": "No", "type": "authentication_error"}}, KEY, "No", None),
    "status beside": ({"status": 404, "error": "no model"}, NONE, "no model", None),
    "a text": ({"error": "out of memory"}, BROKEN, "out of memory", None),
    "a text with a status": ({"error": "Error code: 429 - slow down"}, LIMITED, "slow down", None),
    "true": ({"error": True, "message": "it is full"}, BROKEN, "it is full", None),
    "detail": ({"detail": "Unauthorized"}, KEY, "Unauthorized", None),
    "details": ({"detail": [{"loc": ["body", "n"], "msg": "Extra inputs are not permitted"}]},
                FORM, "body.n: Extra inputs are not permitted", None),
    "message": ({"message": "Rate limit reached"}, LIMITED, "Rate limit reached", None),
    "errors": ({"errors": [{"message": "a"}, {"message": "b"}]}, BROKEN, "a; b", None),
    "errors as texts": ({"errors": ["a", "b"]}, BROKEN, "a; b", None),
    "object: error": (
        {"object": "error", "message": "too long", "code": 400}, FORM, "too long", None),
    "type: error": (
        {"type": "error", "error": {"type": "overloaded_error", "message": "Full"}},
                    DOWN, "Full", None),
    "success: false": ({"success": False, "msg": "No", "code": 401}, KEY, "No", None),
    "MiniMax": ({"choices": None, "base_resp": {"status_code": 1008,
                                                "status_msg": "insufficient balance"}},
                PAID, "insufficient balance", None),
    "Amazon": ({"__type": "ThrottlingException", "Message": "Rate exceeded"},
               LIMITED, "Rate exceeded", None),
    "Apigee": ({"fault": {"faultstring": "Invalid ApiKey", "detail": {"errorcode": "x"}}},
               KEY, "Invalid ApiKey", None),
    "Cloudflare": ({"result": None, "success": False, "messages": [],
                    "errors": [{"code": 10000, "message": "Authentication error"}]},
                   KEY, "Authentication error", None),
    "in a list": ([GOOGLE], LIMITED, "Quota exceeded", 13.0),
    "Google": (GOOGLE, LIMITED, "Quota exceeded", 13.0),
    "JSON in words": ({"error": {"message": json.dumps({"error": {"message": "x", "code": 503}})}},
                      DOWN, "x", None),
    "who passes on": ({"error": {"message": "Provider returned error", "code": 502,
                                 "metadata": {"raw": '{"error": {"message": "busy"}}'}}},
                      DOWN, "Provider returned error: busy", None),
    "at the choice": ({"choices": [{"error": {"message": "up", "code": 502}}]}, DOWN, "up", None),
    "a wait beside": (
        {"error": {"message": "x", "code": 429, "retry_after": 7}}, LIMITED, "x", 7.0),
    "a wait in ms": ({"error": {"message": "x", "code": 429}, "retry_after_ms": 1500},
                     LIMITED, "x", 1.5),
    "a wait in words": ({"error": {"message": "Please try again in 1m30.5s", "code": 429}},
                        LIMITED, "try again", 90.5),
}  # fmt: skip
WAYS = {
    "a body": lambda body: RawBody(json.dumps(body).encode()),
    "the first event": lambda body: RawPieces([b"data: ", json.dumps(body).encode(), b"\n\n"]),
}


@pytest.fixture(scope="module")
def failures() -> dict[str, Any]:
    lines = {
        f"{name}, {way}": make(body)
        for name, (body, *_) in BODIES.items()
        for way, make in WAYS.items()
    }
    return take_turns(lines)


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("way", WAYS)
def test_error_when_it_comes_with_status_200_then_as_if_by_its_status(
    name: str, way: str, failures: dict[str, Any]
) -> None:
    _, error, words, wait_s = BODIES[name]
    failure = failures[f"{name}, {way}"]
    assert isinstance(failure, ModelError), failure
    assert (failure.error, failure.retry_after_s) == (error, wait_s)
    assert words in failure.message
    assert failure.is_transient is (error in (LIMITED, DOWN, BROKEN))
    assert "/v1" not in failure.todo


@pytest.mark.parametrize(
    "words", ["Internal Server Error", "502 Bad Gateway", "upstream connect error"]
)
def test_words_of_a_proxy_when_they_come_with_status_200_then_its_failure(words: str) -> None:
    failure = take_turns({"it": RawBody(words.encode(), "text/plain")})["it"]
    assert isinstance(failure, ModelError)
    assert (failure.error, words in failure.message) == (DOWN, True)
    assert "address" not in failure.todo


def test_error_when_it_comes_in_the_middle_then_the_same() -> None:
    said = delta_event({"content": "Ly"})
    lines = {
        "error": RawPieces([said, event(error={"message": "x", "code": 429})]),
        "named": RawPieces([said, b'event: error\ndata: {"message": "overloaded"}\n\n']),
        "named, a text": RawPieces([said, b"event: error\ndata: overloaded\n\n"]),
        "with a choice": RawPieces(
            [said, event(error={"message": "x", "code": 502}, choices=[{"finish_reason": "error"}])]
        ),
    }
    found = take_turns(lines)
    classes = [failure.error for failure in found.values() if isinstance(failure, ModelError)]
    assert classes == [LIMITED, DOWN, DOWN, DOWN]


def status(code: int, body: Any = None, **headers: str) -> Status:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    return Status(code, body=raw, headers=named)


def test_error_when_it_comes_by_status_then_words_wait_and_advice_fit() -> None:
    lines: dict[str, tuple[Status, ErrorClass, str, float | None, str]] = {
        "page of a proxy": (status(502, PAGE), DOWN, "502 Bad Gateway", None, "proxy"),
        "page, not found": (status(404, b"<html><h1>Not Found</h1>"),
                            NONE, "Not Found", None, "address"),
        "empty": (status(500, b""), DOWN, "HTTP 500", None, ""),
        "detail": (status(422, {"detail": [{"loc": ["body"], "msg": "bad"}]}),
                   FORM, "bad", None, ""),
        "a text": (status(401, b"who are you"), KEY, "who are you", None, ""),
        "errors": (status(503, {"errors": ["full"]}), DOWN, "full", None, ""),
        "seconds": (status(429, {}, Retry_After="7"), LIMITED, "429", 7.0, ""),
        "milliseconds": (status(429, {}, retry_after_ms="250"), LIMITED, "429", 0.25, ""),
        "Google": (status(429, GOOGLE), LIMITED, "Quota exceeded", 13.0, ""),
        "beside the error": (status(429, {"error": {"message": "x"}, "retry_after": 9}),
                             LIMITED, "x", 9.0, ""),
    }  # fmt: skip
    found = take_turns({name: line for name, (line, *_) in lines.items()})
    for name, (_, error, words, wait_s, todo) in lines.items():
        failure = found[name]
        assert isinstance(failure, ModelError), name
        assert (failure.error, failure.retry_after_s) == (error, wait_s), name
        assert words in failure.message and todo in failure.todo, name
        assert "<" not in failure.message


@pytest.mark.parametrize(
    ("headers", "wait_s"),
    [
        ({"retry-after": formatdate(1_000_090, usegmt=True), "date": formatdate(1_000_000)}, 90.0),
        ({"retry-after": formatdate(1_000_090, usegmt=True)}, 60.0),
        ({"retry-after": formatdate(1_000_000, usegmt=True)}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-3"}, None),
        ({"retry-after": "1.5", "retry-after-ms": "20"}, 0.02),
    ],
)
def test_wait_when_a_header_says_it_then_in_seconds(
    headers: dict[str, str], wait_s: float | None
) -> None:
    assert read_error({}, 429, headers, 1_000_030).retry_after_s == wait_s


def test_page_when_it_comes_with_status_200_then_the_address_is_doubted() -> None:
    found = take_turns({"proxy": RawBody(PAGE, "text/html"), "front": RawBody(FRONT, "text/html")})
    proxy, front = found.values()
    assert isinstance(proxy, ModelError) and isinstance(front, ModelError)
    assert (proxy.error, front.error, front.tries) == (DOWN, BROKEN, 2)
    assert "Open WebUI" in front.message and "address" in front.todo


@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "Unsupported parameter: 'temperature'", "code": 400}},
        {"error": "temperature is not supported by this model"},
        {"detail": [{"loc": ["body", "temperature"], "msg": "Extra inputs are not permitted"}]},
        {"message": "Unknown parameter: temperature"},
    ],
)
def test_parameter_when_refused_in_a_body_of_status_200_then_dropped(body: Any) -> None:
    with scripted_endpoint(RawBody(json.dumps(body).encode()), Says("Lyon")) as endpoint:
        assert take_turn(endpoint).text == "Lyon"
    assert ["temperature" in request for request in endpoint.requests] == [True, False]


def test_stream_when_an_error_speaks_of_upstream_then_still_asked_for() -> None:
    with scripted_endpoint(Status(400, "upstream error"), Says("Lyon")) as endpoint:
        with pytest.raises(ModelError):
            take_turn(endpoint)
        assert take_turn(endpoint).text == "Lyon"
    assert [request.get("stream") for request in endpoint.requests] == [True, True]
