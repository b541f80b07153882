"""Endpoints that misbehave in every way that issue trackers know: what the product makes of it,
through the real `openai` client and the gate of a real run."""

import asyncio
import json
import socket
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from fixtures.scripted_endpoint import RawBody, Refuses, Says, Status, Streams, scripted_endpoint

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.llm.model import (
    ModelContext,
    ModelError,
    ModelRequest,
    Reply,
    ReplyChunk,
    ReplyListener,
    make_model,
)
from toolplanner_core.prompts.conversation import Message
from toolplanner_core.settings import EndpointSettings, Settings, save_settings

WHOLE = '{"city": "Lyon"}'


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLPLANNER_SETTINGS", str(tmp_path / "settings.json"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.setattr(
        "toolplanner_core.llm.capabilities.user_cache_path", lambda name: tmp_path / name
    )


async def ask(
    url: str, *, timeout_s: float = 60.0, hear: ReplyListener | None = None, stream: bool = True
) -> Reply:
    """One turn of a dialogue without functions."""
    save_settings(Settings(endpoint=EndpointSettings(base_url=url, stream=stream)))
    model = make_model("openai:scripted", ModelContext(encode=None))
    request = ModelRequest(
        id="turn",
        question=None,
        messages=(Message("user", "Which city?"),),
        schema={},
        temperature=0.0,
        timeout_s=timeout_s,
        hear=hear,
    )
    try:
        return await model.complete(request)
    finally:
        await model.close()


def chunk(**fields: Any) -> bytes:
    return b"data: " + json.dumps(fields).encode() + b"\n\n"


def delta(text: str) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": {"content": text}}]}


@pytest.mark.parametrize(
    ("line", "error", "is_transient", "retry_after_s"),
    [
        (Status(408), ErrorClass.TIMEOUT, True, None),
        (Status(409), ErrorClass.SERVER_ERROR, True, None),
        (Status(429), ErrorClass.RATE_LIMITED, True, None),
        (Status(429, headers={"Retry-After": "7"}), ErrorClass.RATE_LIMITED, True, 7.0),
        (Status(529, "Overloaded"), ErrorClass.SERVER_ERROR, True, None),
        (Streams(["Ly"], then="reset"), ErrorClass.NETWORK, True, None),
        (Streams([], then="nothing"), ErrorClass.BAD_PAYLOAD, True, None),
        (
            RawBody(chunk(**delta("Ly")) + b"data: {not json\n\n", "text/event-stream"),
            ErrorClass.BAD_PAYLOAD,
            True,
            None,
        ),
        (
            RawBody(
                chunk(**delta("Ly")) + chunk(error={"message": "out of memory"}),
                "text/event-stream",
            ),
            ErrorClass.BAD_PAYLOAD,
            True,
            None,
        ),
        (RawBody(b"[1, 2]"), ErrorClass.BAD_PAYLOAD, True, None),
        (RawBody(b'{"choices": 3}'), ErrorClass.BAD_PAYLOAD, True, None),
        (RawBody(b'{"choices": {"0": 1}}'), ErrorClass.BAD_PAYLOAD, True, None),
    ],
)  # fmt: skip
def test_stream_when_it_fails_then_it_has_its_class(
    line: Any, error: ErrorClass, is_transient: bool, retry_after_s: float | None
) -> None:
    with scripted_endpoint(line) as endpoint, pytest.raises(ModelError) as failure:
        asyncio.run(ask(endpoint.url))
    assert failure.value.error is error, failure.value
    assert (failure.value.is_transient, failure.value.retry_after_s) == (
        is_transient,
        retry_after_s,
    )
    assert len(endpoint.requests) == 1, "the gate retries, not the client"


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (RawBody(b'{"choices": [null]}'), ""),
        (RawBody(b'{"choices": [{"message": null, "finish_reason": 3}]}'), ""),
        (Refuses("I will not do that."), "I will not do that."),
        (Says(""), ""),
        (Says("x" * 20_000), "x" * 20_000),
        (Says("ok", usage={"prompt_tokens": "many", "completion_tokens": -5}), "ok"),
        (Says("ok", usage=[1, 2]), "ok"),
        (Says("ok", usage=None), "ok"),
    ],
)
@pytest.mark.parametrize("stream", [True, False])
def test_reply_when_it_is_odd_then_read_as_it_came(line: Any, text: str, stream: bool) -> None:
    with scripted_endpoint(line) as endpoint:
        reply = asyncio.run(ask(endpoint.url, stream=stream))
    assert reply.text == text
    assert reply.usage.input_tokens >= 0 and reply.usage.output_tokens >= 0


@pytest.mark.parametrize("stream", [True, False])
def test_reply_when_it_never_ends_then_not_read_on_and_not_asked_again(stream: bool) -> None:
    line = Streams(["x" * 30_000] * 40, then="stall") if stream else Says("x" * 1_200_000)
    with scripted_endpoint(line) as endpoint, pytest.raises(ModelError) as failure:
        asyncio.run(ask(endpoint.url, stream=stream))
    assert (failure.value.error, failure.value.is_transient) == (ErrorClass.BAD_PAYLOAD, False)
    assert "longer than 1,000,000 characters" in failure.value.message


def test_stream_when_an_endpoint_knows_none_then_its_whole_reply_is_taken() -> None:
    whole = {"choices": [{"message": {"content": WHOLE}, "finish_reason": "stop"}], "model": "m"}
    with scripted_endpoint(RawBody(json.dumps(whole).encode())) as endpoint:
        assert asyncio.run(ask(endpoint.url)).text == WHOLE


def test_stream_when_an_endpoint_refuses_it_then_asked_whole_from_then_on() -> None:
    refused = Status(400, "'stream' is not supported by this gateway")
    with scripted_endpoint(refused, Says("a"), Says("b")) as endpoint:
        texts = [asyncio.run(ask(endpoint.url)).text for _ in range(2)]
    assert texts == ["a", "b"]
    assert [request.get("stream") for request in endpoint.requests] == [True, None, None]


def test_pieces_when_a_reply_streams_then_text_thought_and_calls_come_in_order() -> None:
    call = {"index": 0, "id": "c", "function": {"name": "look", "arguments": ""}}
    deltas: Sequence[Any] = [
        {"reasoning_content": "Hm, "},
        {"reasoning": "Lyon."},
        "It is ",
        "Lyon.",
        {"tool_calls": [call]},
        {"tool_calls": [{"index": 0, "function": {"arguments": '{"q": 1}'}}]},
    ]
    heard: list[ReplyChunk] = []
    with scripted_endpoint(Streams(deltas)) as endpoint:
        reply = asyncio.run(ask(endpoint.url, hear=heard.append))
    assert heard == [
        ReplyChunk(reasoning="Hm, "),
        ReplyChunk(reasoning="Lyon."),
        ReplyChunk(text="It is "),
        ReplyChunk(text="Lyon."),
        ReplyChunk(call=0, name="look"),
        ReplyChunk(call=0, arguments='{"q": 1}'),
    ]
    assert (reply.text, reply.raw["reasoning"]) == ("It is Lyon.", "Hm, Lyon.")


def test_time_when_the_first_piece_has_come_then_counts_from_it() -> None:
    """The first piece comes after 0.6 of the limit, the end after 1.2 of it."""
    first, rest = threading.Event(), threading.Event()

    async def run(url: str) -> Reply:
        loop, heard = asyncio.get_running_loop(), asyncio.Event()
        asking = asyncio.ensure_future(ask(url, timeout_s=100.0, hear=lambda _: heard.set()))
        await asyncio.to_thread(endpoint.asked.wait, 60)
        jump(loop, 60.0)
        first.set()
        await heard.wait()
        jump(loop, 60.0)
        rest.set()
        return await asking

    def pieces() -> Any:
        yield "Ly"
        rest.wait(60)
        yield "on"

    with scripted_endpoint(Streams(pieces(), first=first)) as endpoint:
        assert asyncio.run(run(endpoint.url)).text == "Lyon"


def test_time_when_a_stream_stalls_then_the_limit_ends_it_and_the_connection() -> None:
    async def run(url: str) -> None:
        loop, heard = asyncio.get_running_loop(), asyncio.Event()
        asking = asyncio.ensure_future(ask(url, timeout_s=100.0, hear=lambda _: heard.set()))
        await heard.wait()
        jump(loop, 101.0)
        with pytest.raises(ModelError) as failure:
            await asking
        assert failure.value.error is ErrorClass.TIMEOUT

    with scripted_endpoint(Streams(["Ly"], then="stall")) as endpoint:
        asyncio.run(run(endpoint.url))
        assert endpoint.left.wait(60)


def test_stream_when_cancelled_then_the_server_sees_the_connection_closed() -> None:
    async def run(url: str) -> None:
        heard = asyncio.Event()
        asking = asyncio.ensure_future(ask(url, hear=lambda _: heard.set()))
        await heard.wait()
        asking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asking

    with scripted_endpoint(Streams(["Ly"], then="stall")) as endpoint:
        asyncio.run(run(endpoint.url))
        assert endpoint.left.wait(60)


def jump(loop: asyncio.AbstractEventLoop, seconds: float) -> None:
    """Let time pass at once: timers that fall into it are due."""
    now = loop.time
    loop.time = lambda: now() + seconds  # pyright: ignore[reportAttributeAccessIssue]


def test_message_when_nobody_useful_answers_then_says_where_and_why() -> None:
    with scripted_endpoint(RawBody(b"hello")) as endpoint, pytest.raises(ModelError) as failure:
        asyncio.run(ask(endpoint.url))
    url = endpoint.url.rstrip("/")
    assert failure.value.message.startswith(f"What {url} sent is no reply of a chat model: ")
    with pytest.raises(ModelError) as failure:
        asyncio.run(ask(url))
    assert failure.value.message.startswith(f"The endpoint {url} cannot be reached: ")
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        with pytest.raises(ModelError) as failure:
            asyncio.run(ask(url, timeout_s=0.1))
    said = failure.value.message
    assert said in (
        f"No reply from scripted at {url} within 0.1 s",
        f"The model at {url} did not answer in time",
    )
