"""Dialogues with tools through the real `openai` client: with function calling, by schema, in
words; found out once per endpoint and remembered."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fixtures.scripted_endpoint import Answers, RawBody, Says, Status, Turn, scripted_endpoint

from toolplanner_core.llm.capabilities import capabilities_path, known_mode
from toolplanner_core.llm.function_call_pieces import CallAssembler
from toolplanner_core.llm.model import (
    ModelContext,
    ModelError,
    ModelRequest,
    Reply,
    make_model,
)
from toolplanner_core.prompts.conversation import Function, FunctionCall, Message
from toolplanner_core.settings import EndpointSettings, Settings, save_settings

LOOK = Function(
    "look_up",
    "Looks something up",
    {"type": "object", "properties": {"q": {"type": "string"}}, "required": ["q"]},
)
FIRST = (Message("system", "Be short."), Message("user", "Find it."))
SECOND = (
    *FIRST,
    Message("assistant", "I look.", (FunctionCall("call_1", "look_up", '{"q": "a"}'),)),
    Message("tool", "found: b", call="call_1", name="look_up"),
)


@pytest.fixture(autouse=True)
def own_places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLPLANNER_SETTINGS", str(tmp_path / "settings.json"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setattr(
        "toolplanner_core.llm.capabilities.user_cache_path", lambda name: tmp_path / "cache" / name
    )
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def talk(
    url: str, monkeypatch: pytest.MonkeyPatch, *conversations: Any, choice: str = "auto"
) -> list[Reply]:
    monkeypatch.setenv("OPENAI_BASE_URL", url)

    async def run() -> list[Reply]:
        model = make_model("openai:scripted", ModelContext(encode=None))
        try:
            return [
                await model.complete(
                    ModelRequest(
                        id="act",
                        question=None,
                        messages=messages,
                        schema={},
                        temperature=0.3,
                        tools=(LOOK,),
                        tool_choice=choice,
                        timeout_s=60,
                    )
                )
                for messages in conversations
            ]
        finally:
            await model.close()

    return asyncio.run(run())


@pytest.mark.parametrize("stream", [False, True])
def test_turn_when_the_endpoint_calls_functions_then_text_and_calls_are_read(
    monkeypatch: pytest.MonkeyPatch, stream: bool
) -> None:
    save_settings(Settings(endpoint=EndpointSettings(stream=stream)))
    two = Turn("I look.", [("look_up", {"q": "a long word"}), ("look_up", '{"q": ')])
    with scripted_endpoint(two, Turn("Done.")) as endpoint:
        first, second = talk(endpoint.url, monkeypatch, FIRST, SECOND)
    assert not endpoint.refused
    assert first.text == "I look."
    assert [(c.id, c.name) for c in first.calls] == [("call_1", "look_up"), ("call_2", "look_up")]
    assert first.calls[0].values() == {"q": "a long word"}
    assert first.calls[1].values() is None  # broken JSON stays as it came
    assert (second.text, second.calls) == ("Done.", ())
    sent = endpoint.requests[1]["messages"]
    assert sent[2]["tool_calls"][0]["function"] == {"name": "look_up", "arguments": '{"q": "a"}'}
    assert sent[3] == {"role": "tool", "tool_call_id": "call_1", "content": "found: b"}


def knows(*modes: str) -> Callable[[dict[str, Any]], Any]:
    """An endpoint that refuses what is not among these."""

    def answer(body: dict[str, Any]) -> Any:
        if "tools" in body and "tools" not in modes:
            return Status(400, "tools are not supported by this model")
        if "response_format" in body and "schema" not in modes:
            return Status(400, "response_format json_schema is not supported")
        if "tools" in body:
            return Turn("", [("look_up", {"q": "x"})])
        said = {"say": "I look.", "calls": [{"name": "look_up", "arguments": {"q": "x"}}]}
        fence = "" if "schema" in modes else "```"
        return Says(f"{fence}{json.dumps(said)}{fence}")

    return answer


@pytest.mark.parametrize(
    ("modes", "mode"),
    [(("tools", "schema"), "tools"), (("schema",), "schema"), ((), "text")],
)
def test_turn_when_the_endpoint_knows_less_then_the_same_comes_another_way(
    monkeypatch: pytest.MonkeyPatch, modes: tuple[str, ...], mode: str
) -> None:
    with scripted_endpoint(Answers(knows(*modes))) as endpoint:
        first, _ = talk(endpoint.url, monkeypatch, FIRST, SECOND)
        tries = len(endpoint.requests)
        (later,) = talk(endpoint.url, monkeypatch, SECOND)
        assert len(endpoint.requests) == tries + 1  # found out once, remembered by a new client
        assert known_mode(f"{endpoint.url}/", "scripted", "dialogues") == mode
        capabilities_path().unlink()
        talk(endpoint.url, monkeypatch, FIRST)
        assert len(endpoint.requests) == tries + 1 + {"tools": 1, "schema": 2, "text": 3}[mode]
    assert not endpoint.refused
    for reply in (first, later):
        assert [(c.name, c.values()) for c in reply.calls] == [("look_up", {"q": "x"})]
        assert reply.raw["answer_mode"] == mode
    if mode != "tools":
        sent = endpoint.requests[tries]["messages"]
        assert "look_up" in sent[0]["content"]
        assert [m["role"] for m in sent] == ["system", "user", "assistant", "user"]
        assert sent[-1]["content"] == "Result of look_up: found: b"


def raw_turn(content: Any, *calls: dict[str, Any]) -> RawBody:
    """A reply that no rule of the API holds back."""
    message = {"role": "assistant", "content": content, "tool_calls": list(calls) or None}
    choice = {"index": 0, "message": message, "finish_reason": "stop"}
    body = {"id": "x", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}
    return RawBody(json.dumps(body).encode())


def raw_call(arguments: Any, call_id: str | None = "a") -> dict[str, Any]:
    return {
        "id": call_id, "type": "function", "function": {"name": "look_up", "arguments": arguments},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("reply", "text", "calls"),
    [
        (raw_turn(None, raw_call("{}"), raw_call("{}")), "", [("a", "{}"), ("a", "{}")]),
        (
            raw_turn(None, raw_call("{}", None), raw_call("{}", "")),
            "", [("", "{}"), ("", "{}")],
        ),
        (raw_turn("x", raw_call({"q": "Oslo"})), "x", [("a", '{"q": "Oslo"}')]),
        (raw_turn("x", raw_call(None)), "x", [("a", "")]),
        (raw_turn([{"type": "text", "text": "he"}, {"type": "text", "text": "y"}]), "hey", []),
        (raw_turn("x", {"id": "a", "type": "custom", "custom": {"name": "f"}}), "x", [("a", "")]),
    ],
)  # fmt: skip
def test_turn_when_the_endpoint_is_careless_then_read_as_it_was_meant(
    monkeypatch: pytest.MonkeyPatch, reply: RawBody, text: str, calls: list[tuple[str, str]]
) -> None:
    with scripted_endpoint(reply) as endpoint:
        (got,) = talk(endpoint.url, monkeypatch, FIRST)
    assert got.text == text
    assert [(call.id, call.arguments) for call in got.calls] == calls


def test_stream_when_all_calls_have_one_number_then_told_apart_by_their_ids() -> None:
    got = CallAssembler()
    for call_id, name, arguments in (
        ("a", "look_up", '{"q":'), (None, None, " 1}"), ("b", "look_up", "{}"), ("a", None, " "),
    ):  # fmt: skip
        function = {"name": name, "arguments": arguments}
        got.add({"index": 0, "id": call_id, "function": function})
    assert [(call.id, call.arguments) for call in got.mended().calls] == [
        ("a", '{"q": 1} '),
        ("b", "{}"),
    ]


@pytest.mark.parametrize(
    ("status", "message", "is_refused"),
    [
        (404, "No endpoints found that support tool use", True),
        (422, "tools: extra fields not permitted", True),
        (501, "tools are not implemented", True),
        (400, "maximum context length is 4097 tokens, of which 2000 are in the functions", False),
        (404, "no such model", False),
    ],
)
def test_mode_when_an_endpoint_refuses_then_another_only_if_it_complains_of_the_mode(
    monkeypatch: pytest.MonkeyPatch, status: int, message: str, is_refused: bool
) -> None:
    said = json.dumps({"say": "ok", "calls": []})
    with scripted_endpoint(Status(status, message), Says(said)) as endpoint:
        if not is_refused:
            with pytest.raises(ModelError, match=f"HTTP {status}: {message}"):
                talk(endpoint.url, monkeypatch, FIRST)
            return
        (got,) = talk(endpoint.url, monkeypatch, FIRST)
        assert got.text == "ok"


def test_memory_of_endpoints_when_damaged_then_found_out_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    path = capabilities_path()
    path.parent.mkdir(parents=True)
    for text in ("{not json", "[1]", '{"x": 3}'):
        path.write_text(text)
        with scripted_endpoint(Answers(knows("tools"))) as endpoint:
            (reply,) = talk(endpoint.url, monkeypatch, FIRST)
            assert reply.calls
            assert known_mode(f"{endpoint.url}/", "scripted", "dialogues") == "tools"


@pytest.mark.parametrize("choice", ["none", "required", "look_up"])
def test_choice_when_given_then_sent_as_the_endpoint_wants_it(
    monkeypatch: pytest.MonkeyPatch, choice: str
) -> None:
    with scripted_endpoint(Turn("ok")) as endpoint:
        talk(endpoint.url, monkeypatch, FIRST, choice=choice)
    named = {"type": "function", "function": {"name": "look_up"}}
    assert endpoint.requests[0]["tool_choice"] == (named if choice == "look_up" else choice)
    assert not endpoint.refused
