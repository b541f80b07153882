"""The real `openai` client against a scripted server on loopback."""

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest
from fixtures.scripted_endpoint import (
    Answers,
    CallsFunction,
    Cut,
    Hang,
    RawBody,
    Says,
    Status,
    scripted_endpoint,
)

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.errors import ModelUnavailable, NotFound
from toolplanner_core.llm.model import (
    ModelContext,
    ModelError,
    ModelRequest,
    Reply,
    Usage,
    make_model,
)
from toolplanner_core.llm.openai_replies import cut_in_silence
from toolplanner_core.prompts.conversation import Message
from toolplanner_core.prompts.question import Question
from toolplanner_core.settings import EndpointSettings, Settings, save_settings

SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}


@dataclass(frozen=True)
class WhichCity(Question[str]):
    id: ClassVar[str] = "which_city"
    title: ClassVar[str] = "Which city"

    def messages(self) -> list[Message]:
        return [Message("system", "Answer in JSON."), Message("user", "Which city?")]

    def schema(self) -> dict[str, Any]:
        return SCHEMA

    def parse(self, data: Any) -> str:
        return data["city"]


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLPLANNER_SETTINGS", str(tmp_path / "settings.json"))
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)


def ask(url: str, monkeypatch: pytest.MonkeyPatch, *, times: int = 1, timeout_s: float = 60) -> Any:
    monkeypatch.setenv("OPENAI_BASE_URL", url)

    async def run() -> list[Reply]:
        model = make_model("openai:scripted", ModelContext(encode=None))
        question = WhichCity()
        request = ModelRequest(
            id=question.id,
            question=question,
            messages=tuple(question.messages()),
            schema=question.schema(),
            temperature=0.3,
            timeout_s=timeout_s,
        )
        try:
            return [await model.complete(request) for _ in range(times)]
        finally:
            await model.close()

    return asyncio.run(run())


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(
    ("mode", "line"),
    [
        ("schema", Says('{"city": "Lyon"}')),
        ("tools", CallsFunction({"city": "Lyon"})),
        ("text", Says('Here it is:\n```json\n{"city": "Lyon"}\n```')),
    ],
)
def test_reply_when_asked_in_any_mode_then_data_text_and_usage_are_read(
    monkeypatch: pytest.MonkeyPatch, mode: Any, line: Any, stream: bool
) -> None:
    save_settings(Settings(endpoint=EndpointSettings(answer_mode=mode, stream=stream)))
    with scripted_endpoint(line) as endpoint:
        (reply,) = ask(endpoint.url, monkeypatch)
    assert reply.data == {"city": "Lyon"}
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (11, 7)
    assert reply.usage.cached_tokens == 3
    assert reply.raw["answer_mode"] == mode
    sent = endpoint.requests[0]
    assert sent["temperature"] == 0.3
    assert sent["messages"][1] == {"role": "user", "content": "Which city?"}
    assert ("response_format" in sent, "tools" in sent) == (mode == "schema", mode == "tools")


def test_endpoint_when_it_knows_no_schema_then_functions_then_text_are_tried_and_remembered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def picky(body: dict[str, Any]) -> Any:
        for word in ("response_format", "tools"):
            if word in body:
                return Status(400, f"unknown field {word}")
        return '{"city": "Lyon"}'

    with scripted_endpoint(Answers(picky)) as endpoint:
        replies = ask(endpoint.url, monkeypatch, times=2)
    assert [reply.data for reply in replies] == [{"city": "Lyon"}] * 2
    assert len(endpoint.requests) == 4


@pytest.mark.parametrize(
    ("line", "error", "is_transient"),
    [
        (Status(400, "context too long"), ErrorClass.WRONG_FORMAT, False),
        (Status(401), ErrorClass.UNAUTHORISED, False),
        (Status(403), ErrorClass.UNAUTHORISED, False),
        (Status(404, "no such model"), ErrorClass.NOT_FOUND, False),
        (Status(429, headers={"Retry-After": "3"}), ErrorClass.RATE_LIMITED, True),
        (Status(429, error_code="insufficient_quota"), ErrorClass.RATE_LIMITED, False),
        (Status(500), ErrorClass.SERVER_ERROR, True),
        (Status(503), ErrorClass.SERVER_ERROR, True),
        (RawBody(b"<html>gateway</html>", "text/html"), ErrorClass.BAD_PAYLOAD, True),
        (RawBody(b'{"choices": []}'), ErrorClass.BAD_PAYLOAD, True),
        (RawBody(b'{"choices": [{'), ErrorClass.BAD_PAYLOAD, True),
        (Cut(), ErrorClass.NETWORK, True),
    ],
)
def test_failure_when_scripted_then_has_its_class(
    monkeypatch: pytest.MonkeyPatch, line: Any, error: ErrorClass, is_transient: bool
) -> None:
    with scripted_endpoint(line) as endpoint, pytest.raises(ModelError) as failure:
        ask(endpoint.url, monkeypatch)
    assert (failure.value.error, failure.value.is_transient) == (error, is_transient)
    assert failure.value.retry_after_s == (3.0 if getattr(line, "headers", {}) else None)
    assert len(endpoint.requests) == 1, "the gate retries, not the client"


@pytest.mark.parametrize("stream", [False, True])
def test_endpoint_when_it_hangs_then_the_time_limit_ends_it(
    monkeypatch: pytest.MonkeyPatch, stream: bool
) -> None:
    save_settings(Settings(endpoint=EndpointSettings(stream=stream)))
    with scripted_endpoint(Hang()) as endpoint, pytest.raises(ModelError) as failure:
        ask(endpoint.url, monkeypatch, timeout_s=0.3)
    assert failure.value.error is ErrorClass.TIMEOUT


def test_endpoint_when_nobody_listens_then_network(monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted_endpoint() as endpoint:
        url = endpoint.url
    with pytest.raises(ModelError) as failure:
        ask(url, monkeypatch)
    assert failure.value.error is ErrorClass.NETWORK


@pytest.mark.parametrize("text", ["", "I cannot do that.", '{"city": "Ly', "[1, 2]", "{" * 20000])
def test_reply_when_it_holds_no_object_then_data_is_none_and_the_text_is_kept(
    monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    with scripted_endpoint(Says(text)) as endpoint:
        (reply,) = ask(endpoint.url, monkeypatch)
    assert reply.data is None
    assert reply.text == text


def test_key_when_in_the_environment_then_is_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "key-for-a-test")
    with scripted_endpoint(Says(json.dumps({"city": "Lyon"}))) as endpoint:
        ask(endpoint.url, monkeypatch)
    assert endpoint.keys == ["Bearer key-for-a-test"]


def test_model_when_no_key_and_no_local_address_then_says_what_to_set() -> None:
    with pytest.raises(ModelUnavailable, match="OPENAI_API_KEY"):
        make_model("openai:gpt", ModelContext(encode=None))


def test_model_when_it_has_no_name_then_says_how_to_write_it() -> None:
    with pytest.raises(ModelUnavailable, match="openai:NAME"):
        make_model("openai", ModelContext(encode=None))


def test_model_when_the_kind_is_unknown_then_lists_the_kinds() -> None:
    with pytest.raises(NotFound, match="openai"):
        make_model("oracle:delphi", ModelContext(encode=None))


@pytest.mark.parametrize("stream", [False, True])
def test_endpoint_when_it_refuses_the_temperature_then_asked_without_from_then_on(
    monkeypatch: pytest.MonkeyPatch, stream: bool
) -> None:
    def reasoning(body: dict[str, Any]) -> Any:
        if "temperature" in body:
            said = "Unsupported value: 'temperature' does not support 0.3 with this model."
            return Status(400, said, error_code="unsupported_value")
        return '{"city": "Lyon"}'

    save_settings(Settings(endpoint=EndpointSettings(stream=stream)))
    with scripted_endpoint(Answers(reasoning)) as endpoint:
        replies = ask(endpoint.url, monkeypatch, times=2)
        assert len(endpoint.requests) == 3
        replies += ask(endpoint.url, monkeypatch)  # another program, later
    assert [reply.data for reply in replies] == [{"city": "Lyon"}] * 3
    assert len(endpoint.requests) == 4


def test_reply_when_it_was_cut_for_its_length_then_asked_once_more_with_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def short(body: dict[str, Any]) -> Any:
        if "max_tokens" in body:
            return Status(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens'.")
        if "max_completion_tokens" in body:
            return '{"city": "Lyon"}'
        return Says('{"city": "Ly', finish_reason="length")

    with scripted_endpoint(Answers(short)) as endpoint:
        (reply,) = ask(endpoint.url, monkeypatch)
    assert reply.data == {"city": "Lyon"}
    assert len(endpoint.requests) == 3


def test_reply_when_it_is_always_cut_then_asked_no_third_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    cut = Says('{"city": "Ly', finish_reason="length")
    with scripted_endpoint(cut, cut) as endpoint:
        (reply,) = ask(endpoint.url, monkeypatch)
    assert (reply.data, reply.raw["finish_reason"]) == (None, "length")


def test_context_when_exceeded_then_said_and_no_way_of_asking_is_given_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    full = Status(
        400, "request (6031 tokens) exceeds the context size; response_format, max_tokens"
    )
    with scripted_endpoint(full) as endpoint, pytest.raises(ModelError) as failure:
        ask(endpoint.url, monkeypatch)
    assert "The prompt is too long for this model" in failure.value.message
    assert len(endpoint.requests) == 1


def test_prompt_when_the_endpoint_read_far_less_then_the_reply_says_so() -> None:
    long = [Message("user", "word " * 4000)]
    said = cut_in_silence(long, Usage(input_tokens=900))
    assert said.startswith("The endpoint read 900 tokens of at least 2,500")
    assert cut_in_silence(long, Usage(input_tokens=4100)) == ""
    assert cut_in_silence(long, Usage()) == "", "it told no figures"
    assert cut_in_silence([Message("user", "a" * 80)], Usage(input_tokens=1)) == ""
