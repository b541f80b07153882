"""A real language model behind a real server: far too small to plan, and never in our control.

A typed question, a dialogue with a function, whole and in a stream, a prompt that is too long,
and a run with little room.
What it answers is its own affair; that it is asked and read rightly is ours.
"""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fixtures.real_model import NAME, reason_to_skip, serving
from fixtures.scripted_run import ScriptedProvider, make_parts
from fixtures.spoken_run import KITS

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.plan import Status
from toolplanner_core.llm.model import (
    ModelContext,
    ModelError,
    ModelRequest,
    Reply,
    make_model,
)
from toolplanner_core.prompts.analyse import Analyse
from toolplanner_core.prompts.conversation import Function, Message
from toolplanner_core.runs.config.spec import Limits, RunSpec
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.runs.events.question import ModelFailed
from toolplanner_core.runs.log.stored_runs import read_run
from toolplanner_core.settings import EndpointSettings, Settings, save_settings
from toolplanner_core.strategies.interface.strategy import strategies
from toolplanner_core.workspace import Workspace

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(bool(reason_to_skip()), reason=reason_to_skip() or "-"),
]
NO_CONTEXT = ModelContext(encode=None)
WEATHER = Function(
    name="weather",
    description="The weather in a city.",
    parameters={
        "type": "object",
        "properties": {"city": {"type": "string", "maxLength": 20}},
        "required": ["city"],
    },
)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with serving() as found:
        yield found


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("TOOLPLANNER_SETTINGS", str(tmp_path / "settings.json"))
    monkeypatch.setenv("OPENAI_BASE_URL", url)
    monkeypatch.setattr(
        "toolplanner_core.llm.capabilities.user_cache_path", lambda name: tmp_path / name
    )


def asked(question: Any = None, text: str = "", *tools: Function) -> ModelRequest:
    messages = question.messages() if question else [Message("user", text)]
    return ModelRequest(
        id="q",
        question=question,
        messages=tuple(messages),
        schema=question.schema() if question else {},
        temperature=0.0,
        tools=tools,
        tool_choice="auto" if tools else "",
        timeout_s=500,
    )


def complete(request: ModelRequest) -> Reply:
    async def ask() -> Reply:
        model = make_model(f"openai:{NAME}", NO_CONTEXT)
        try:
            return await model.complete(request)
        finally:
            await model.close()

    return asyncio.run(ask())


def test_question_when_a_real_model_is_asked_by_schema_then_its_answer_fits() -> None:
    question = Analyse(query="Weather in Oslo?", goal="weather", api_title="w", value={"c": 3})
    reply = complete(asked(question))
    assert reply.raw["answer_mode"] == "schema"
    assert reply.usage.input_tokens > 20 and reply.usage.output_tokens > 0
    assert reply.data is not None or reply.raw["finish_reason"] == "length"


@pytest.mark.parametrize("stream", [False, True])
def test_dialogue_when_a_real_model_may_call_a_function_then_it_is_read(stream: bool) -> None:
    save_settings(Settings(endpoint=EndpointSettings(stream=stream)))
    reply = complete(asked(None, "What is the weather in Oslo?", WEATHER))
    assert reply.text or reply.calls
    assert reply.usage.output_tokens > 0
    assert "cut" not in reply.raw


def test_run_when_a_real_model_acts_then_it_ends_within_its_caps_with_a_class(
    workspace: Workspace,
) -> None:
    model = make_model(f"openai:{NAME}?prompt_tokens=400&reply_tokens=60", NO_CONTEXT)
    parts = make_parts(KITS, model, ScriptedProvider(), strategy=strategies.get("react"))
    limits = Limits(max_model_calls=2)
    spec = RunSpec(query="How warm is it in Oslo?", strategy="react", limits=limits)
    done = asyncio.run(run(workspace, spec, parts=parts))
    assert done.status in (Status.SOLVED, Status.UNSOLVED, Status.OVER_BUDGET)
    assert done.status is Status.SOLVED or done.reason
    assert 1 <= done.model_calls <= 2 and done.tokens > 50
    failures = [r.event for r in read_run(workspace, done.run) if isinstance(r.event, ModelFailed)]
    # A reply of 60 tokens may end in the middle of a call.
    cut = (ErrorClass.BAD_PAYLOAD, "The reply was cut for its length before it called anything")
    for event in failures:
        assert event.error == ErrorClass.OVER_BUDGET or (event.error, event.message) == cut


def test_prompt_when_longer_than_the_context_then_the_failure_says_so() -> None:
    with pytest.raises(ModelError) as failure:
        complete(asked(None, "word " * 6000))
    assert failure.value.error is ErrorClass.WRONG_FORMAT
    assert "too long for this model" in failure.value.message
