"""Replies over streamable HTTP as they really are: read by what they hold, never thrown away."""

import asyncio
from typing import Any

import pytest
from fixtures.scripted_mcp import handshake
from fixtures.scripted_web_mcp import EVENTS, JSON, Reply, WebScript, data, events, web_script

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.mcp_servers.connection import Connection
from toolplanner_core.mcp_servers.failures import McpFailure
from toolplanner_core.mcp_servers.server_spec import ServerSpec

LONG_S = 120.0
RIGHT = '{"jsonrpc":"2.0","id":@ID@,"result":{"content":[{"type":"text","text":"sunny"}]}}'
LOG = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}'
STEP = (
    '{"jsonrpc":"2.0","method":"notifications/progress",'
    '"params":{"progressToken":@ID@,"progress":1,"total":2,"message":"half"}}'
)
HALF, REST = RIGHT[: RIGHT.index('"result"')], RIGHT[RIGHT.index('"result"') :]


def using(url: str, n_calls: int = 1) -> tuple[list[Any], list[str]]:
    """The results or failures of calls, and the progress that was heard."""
    steps: list[str] = []

    async def run() -> list[Any]:
        connection = Connection(ServerSpec(name="w", url=url), {})
        found: list[Any] = []
        try:
            await connection.open(timeout_s=LONG_S)
            for _ in range(n_calls):
                try:
                    result = await connection.call(
                        "get_weather",
                        {"city": "Ulm"},
                        timeout_s=LONG_S,
                        on_progress=lambda done, total, words: steps.append(str(words)),
                    )
                    found.append(result.content[0].text)  # pyright: ignore
                except McpFailure as failure:
                    found.append(failure)
        finally:
            await connection.close()
            assert len(asyncio.all_tasks()) == 1
        return found

    return asyncio.run(run()), steps


@pytest.mark.parametrize(
    "reply",
    [
        Reply(RIGHT),
        Reply(RIGHT, "application/json; charset=utf-8"),
        Reply(RIGHT, "Application/JSON;charset=UTF-8"),
        Reply(RIGHT, "text/plain"),
        Reply(RIGHT, "application/octet-stream"),
        Reply(RIGHT, ""),
        Reply(RIGHT, EVENTS),
        Reply("\ufeff\n" + RIGHT),
        Reply(f"[{LOG},{RIGHT}]"),
        Reply(f"{LOG}\n{RIGHT}\n", "application/x-ndjson"),
        Reply(RIGHT.replace("@ID@", '"@ID@"')),
        Reply(RIGHT.replace("@ID@", "99")),
        Reply(RIGHT.replace("@ID@", "null")),
        Reply(RIGHT, status=201),
        events(data(RIGHT)),
        events(data(RIGHT), status=206),
        Reply(f"{data(RIGHT)}\n\n", JSON),
        Reply(f"{data(RIGHT)}\n\n", "text/event-stream; charset=utf-8"),
        Reply(f"{data(RIGHT)}\r\n\r\n", EVENTS),
        Reply(f"{data(RIGHT)}\r\r", EVENTS),
        Reply(data(RIGHT), EVENTS),
        Reply(f"\ufeff{data(RIGHT)}\n\n", EVENTS),
        events(": hello", "retry: 10", ": ping", f"event: message\nid: 1\n{data(RIGHT)}"),
        events(f"event: response\n{data(RIGHT)}"),
        events(f"{data(HALF)}\n{data(REST)}"),
        events(f"data:{RIGHT}"),
        events(data("ping"), data("[DONE]"), data(""), data(RIGHT)),
        events("retry: soon\nid: a\u0000b\nfoo: bar", data(RIGHT)),
        events(data(LOG), data('{"jsonrpc":"2.0","id":"s","method":"ping"}'), data(RIGHT)),
        events(data(RIGHT.replace("sunny", r"sunny\ud83d").replace(r"\ud83d", ""))),
        events(data(RIGHT), data(RIGHT)),
    ],
)
def test_reply_of_any_form_when_called_then_it_is_the_result(reply):
    with web_script(tools_call=reply) as script:
        found, _ = using(script.url)
    assert found == ["sunny"]


def test_reply_that_is_large_when_called_then_whole():
    with web_script(tools_call=events(data(RIGHT.replace("sunny", "s" * 3_000_000)))) as script:
        assert using(script.url)[0] == ["s" * 3_000_000]


def test_progress_and_messages_between_when_called_then_heard():
    with web_script(tools_call=events(data(LOG), data(STEP), data(LOG), data(RIGHT))) as script:
        assert using(script.url) == (["sunny"], ["half"])


@pytest.mark.parametrize(
    "first",
    [
        events(f"id: 7\nretry: 1\n{data(STEP)}"),
        events("id: 7\nretry: 1\ndata:"),
        events(": hello", "id: 6\nretry: 99999999999", f"id: 7\nretry: 1\n{data(LOG)}"),
    ],
    ids=["after-progress", "primed", "late-retry"],
)
@pytest.mark.parametrize("form", [data(RIGHT) + "\n\n", RIGHT], ids=["events", "json"])
def test_result_after_a_reconnection_when_called_then_asked_for_by_its_last_event(first, form):
    # The stream of the session is asked for first and refused, then that of the call.
    def stream(number: int) -> Reply:
        return Reply(form, EVENTS) if number > 1 else Reply("", status=405)

    with web_script(tools_call=first, GET=stream) as script:
        found, _ = using(script.url)
        assert found == ["sunny"]
        assert [headers.get("last-event-id") for headers in script.asked("GET")][-1] == "7"


@pytest.mark.parametrize("status", [307, 308])
def test_server_that_sends_on_within_its_origin_when_called_then_asked_there(status):
    def answer(number: int) -> Reply | dict[str, Any]:
        elsewhere = {"Location": "/mcp/"}
        return Reply("", status=status, headers=elsewhere) if number % 2 else handshake()

    def reply(number: int) -> Reply:
        elsewhere = {"Location": "/mcp/"}
        return Reply("", status=status, headers=elsewhere) if number % 2 else Reply(RIGHT)

    with web_script(initialize=answer, tools_call=reply) as script:
        assert using(script.url)[0] == ["sunny"]


BAD, NO_KEY, BUSY = ErrorClass.BAD_PAYLOAD, ErrorClass.UNAUTHORISED, ErrorClass.RATE_LIMITED
ERROR = '{"jsonrpc":"2.0","id":@ID@,"error":{"code":"E1","message":"Gone"}}'
NO_CITY = '{"jsonrpc":"2.0","id":null,"error":{"code":-32602,"message":"No city"}}'
NO_SESSION = '{"jsonrpc":"2.0","id":"x","error":{"code":-32600,"message":"Session not found"}}'
EXPIRED = '{"error":"invalid_token","error_description":"It expired"}'
BEARER = {"WWW-Authenticate": 'Bearer error_description="It expired"'}


@pytest.mark.parametrize(
    ("reply", "error", "words"),
    [
        (Reply(""), BAD, "the reply is empty"),
        (Reply("", status=204), BAD, "the reply is empty"),
        (Reply("<html><title>Login</title><p>Sign in", "text/html"), BAD, "Login Sign in"),
        (events(data("not ready")), BAD, "not ready"),
        (events(": nothing"), BAD, "the reply is empty"),
        (Reply(RIGHT[:60]), BAD, "no JSON"),
        (Reply(ERROR), ErrorClass.SERVER_ERROR, "E1: Gone"),
        (Reply(NO_CITY, status=400), ErrorClass.INVALID_PARAMETER, "No city"),
        (Reply(EXPIRED, status=401), NO_KEY, "It expired"),
        (Reply("", status=401), NO_KEY, "its key is missing, wrong or has expired"),
        (Reply("", status=401, headers=BEARER), NO_KEY, "It expired; it may let you sign in"),
        (Reply('{"detail":"Not for you"}', status=403), NO_KEY, "Not for you"),
        (Reply("slow down", "text/plain", 429, {"Retry-After": "7"}), BUSY, "again after 7 s"),
        (Reply("<h1>Bad gateway</h1>", "text/html", 502), ErrorClass.SERVER_ERROR, "Bad gateway"),
        (Reply(ERROR, status=500), ErrorClass.SERVER_ERROR, "500"),
    ],
)  # fmt: skip
def test_refusal_in_the_middle_when_called_then_its_words_and_what_to_do(reply, error, words):
    def call(number: int) -> Reply:
        return reply if number == 1 else Reply(RIGHT)

    with web_script(tools_call=call) as script:
        (failure, after), _ = using(script.url, n_calls=2)
    assert isinstance(failure, McpFailure), failure
    assert failure.error is error
    assert words in failure.message
    assert after == "sunny"


@pytest.mark.parametrize(
    "lost",
    [
        Reply("", status=404),
        Reply(NO_SESSION, status=404),
        Reply('{"error":"Bad Request: No valid session ID provided"}', status=400),
        Reply("session expired", "text/plain", 400),
    ],
)
def test_session_that_is_lost_when_called_then_a_new_one_is_begun_once(lost):
    def call(number: int) -> Reply:
        return Reply(RIGHT) if number in (1, 3) else lost

    with web_script(tools_call=call) as script:
        (first, second, third), _ = using(script.url, n_calls=3)
        assert (first, second) == ("sunny", "sunny")
        assert isinstance(third, McpFailure)
        assert third.error is ErrorClass.NETWORK
        assert "ended the session" in third.message
        assert sessions(script) == ["s1", "s1", "s2", "s2", "s3"]


def sessions(script: WebScript) -> list[str]:
    return [headers["mcp-session-id"] for headers in script.asked("tools/call")]
