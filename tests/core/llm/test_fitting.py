"""A prompt that is too long for an endpoint is cut to fit, and the run says what was left out."""

import asyncio
import re
from dataclasses import replace
from typing import Any

import pytest
from fixtures.scripted_endpoint import Says, scripted_endpoint
from fixtures.scripted_endpoint import Status as Refusal
from fixtures.scripted_run import ScriptedProvider, make_parts
from fixtures.spoken_run import KITS
from hypothesis import given, settings
from hypothesis import strategies as st

from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.plan import Status
from toolplanner_core.llm.model import ModelContext, ModelRequest, Reply, make_model
from toolplanner_core.llm.openai_model import OpenAiModel, OpenAiOptions
from toolplanner_core.llm.prompt_fitting import estimate_tokens, fit_request
from toolplanner_core.prompts.conversation import Function, FunctionCall, Message
from toolplanner_core.prompts.make_plan import MakePlan
from toolplanner_core.prompts.render import ToolkitCard, block
from toolplanner_core.runs.config.spec import Limits, RunSpec
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.settings import EndpointSettings
from toolplanner_core.strategies.interface.strategy import strategies
from toolplanner_core.workspace import Workspace

QUERY = "How warm is it in Oslo?"
PLAN = '{"steps": [{"number": 1, "goal": "g", "toolkit": 1, "needs": []}], "unmet": []}'


def plan_request(toolkits: int) -> ModelRequest:
    cards = tuple(
        ToolkitCard(id=ToolkitId(n), name=f"Toolkit {n}", description="all about " * 9)
        for n in range(1, toolkits + 1)
    )
    question = MakePlan(query=QUERY, toolkits=cards)
    return ModelRequest(
        id="make_plan",
        question=question,
        messages=tuple(question.messages()),
        schema=question.schema(),
        temperature=0.0,
    )


def turn_request(*contents: str, tools: int = 0) -> ModelRequest:
    functions = [
        Function(
            f"function_{n}",
            "It does something of use. " * 20,
            {"type": "object", "properties": {"q": {"type": "string", "description": "w " * 99}}},
        )
        for n in range(tools)
    ]
    finish = Function("give_answer", "Answer.", {"type": "object", "properties": {}})
    messages = [Message("system", "Rules."), Message("user", block("query", QUERY))]
    messages += [Message("tool", text, call=f"c{n}") for n, text in enumerate(contents)]
    return ModelRequest(
        id="act",
        question=None,
        messages=tuple(messages),
        schema={},
        temperature=0.0,
        tools=(*functions, finish),
    )


def test_prompt_when_it_fits_then_nothing_is_changed() -> None:
    request = plan_request(3)
    assert fit_request(request, 5_000) == (request, "")


def test_plan_when_too_long_then_the_last_toolkits_go_and_rules_and_query_stay() -> None:
    request = plan_request(60)
    shorter, said = fit_request(request, 1_000)
    assert estimate_tokens(request) > 2_000 and estimate_tokens(shorter) <= 1_000
    text = shorter.messages[1].content
    assert "1: Toolkit 1 " in text and "60: Toolkit 60" not in text
    assert QUERY in text and "the rest was left out" in text
    assert shorter.messages[0] == request.messages[0]
    assert "toolkits" in said and "cut from about" in said


def test_results_when_full_of_numbers_then_each_digit_is_counted() -> None:
    request = turn_request(
        *['{"lat": 59.9139, "lon": 10.7522, "at": "2026-11-20T12:00:00Z"}, ' * 20] * 2
    )
    shorter, said = fit_request(request, 1_000)
    digits = sum(c.isdigit() for message in shorter.messages for c in message.content)
    assert estimate_tokens(request) > 1_500 and estimate_tokens(shorter) <= 1_000
    assert 100 < digits < 1_000 and "results" in said


def test_turn_when_too_long_then_functions_are_said_shorter_before_any_goes() -> None:
    request = turn_request(tools=5)
    shorter, said = fit_request(request, 400)
    assert len(shorter.tools) == 6 and "functions" in said
    fewest, _ = fit_request(turn_request(tools=40), 400)
    assert fewest.tools[-1].name == "give_answer" and 1 < len(fewest.tools) < 41


def test_dialogue_when_it_has_gone_on_for_long_then_its_oldest_turns_are_left_out_whole() -> None:
    request = turn_request()
    turns: list[Message] = []
    for n in range(30):
        call = FunctionCall(f"c{n}", "look", '{"q": "' + "x" * 100 + '"}')
        turns += [
            Message("assistant", "thinking " * 40, calls=(call,)),
            Message("tool", f"result {n}", call=f"c{n}", name="look"),
        ]
    shorter, said = fit_request(replace(request, messages=(*request.messages, *turns)), 600)
    assert estimate_tokens(shorter) <= 600
    assert "earlier turns" in said and "earlier words" in said
    assert shorter.messages[:2] == request.messages
    assert shorter.messages[-1].content == "result 29"
    called = {call.id for message in shorter.messages for call in message.calls}
    assert {message.call for message in shorter.messages if message.role == "tool"} == called


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(max_size=3_000), max_size=6), st.integers(0, 30), st.integers(1, 2_000))
def test_prompt_when_cut_at_any_size_then_it_ends_and_never_grows(
    contents: list[str], tools: int, tokens: int
) -> None:
    request = turn_request(*contents, tools=tools)
    shorter, said = fit_request(request, tokens)
    assert estimate_tokens(shorter) <= estimate_tokens(request)
    assert [m.role for m in shorter.messages] == [m.role for m in request.messages]
    assert any(QUERY in message.content for message in shorter.messages)
    assert bool(said) == (shorter != request)


def complete(request: ModelRequest, url: str, *, times: int = 1, **options: Any) -> Reply:
    from openai import AsyncOpenAI

    async def ask() -> Reply:
        client = AsyncOpenAI(api_key="none", base_url=url, max_retries=0)
        chosen = OpenAiOptions(**options)
        model = OpenAiModel("m", client=client, settings=EndpointSettings(), options=chosen)
        try:
            replies = [await model.complete(request) for _ in range(times)]
            return replies[-1]
        finally:
            await model.close()

    return asyncio.run(ask())


def test_endpoint_when_it_refuses_a_prompt_for_its_length_then_a_shorter_one_is_sent() -> None:
    refusal = Refusal(
        400, "This model's maximum context length is 1000 tokens, you sent 3000 tokens"
    )
    with scripted_endpoint(refusal, Says(PLAN)) as endpoint:
        reply = complete(plan_request(60), endpoint.url)
    first, second = (len(body["messages"][1]["content"]) for body in endpoint.requests)
    assert second < first / 2
    assert "to fit the endpoint" in reply.raw["cut"]
    assert reply.data is not None


def test_model_when_given_little_room_then_prompts_and_replies_keep_to_it() -> None:
    with scripted_endpoint(Says(PLAN)) as endpoint:
        reply = complete(plan_request(60), endpoint.url, prompt_tokens=1_000, reply_tokens=99)
    sent = endpoint.requests[0]
    texts = [message["content"] for message in sent["messages"]]
    assert sum(len(re.findall(r"\w+|[^\w\s]", text)) for text in texts) <= 1_000
    assert sent["max_tokens"] == 99
    assert "toolkits" in reply.raw["cut"]


def test_model_when_the_endpoint_counts_more_than_guessed_then_the_next_prompt_is_shorter() -> None:
    heavy = {"prompt_tokens": 1_800, "completion_tokens": 9, "total_tokens": 1_809}
    light = {"prompt_tokens": 300, "completion_tokens": 9, "total_tokens": 309}
    script = [Says(PLAN, usage=heavy), *[Says(PLAN, usage=light)] * 5]
    with scripted_endpoint(*script) as endpoint:
        complete(plan_request(60), endpoint.url, times=6, prompt_tokens=1_000)
    first, second, *_, last = (
        sum(len(message["content"]) for message in body["messages"]) for body in endpoint.requests
    )
    assert second < first * 0.8, "it went over its room"
    assert last > second, "much of it was left"


def test_spec_when_it_names_the_room_then_the_model_is_made_with_it(monkeypatch: Any) -> None:
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")
    model = make_model("openai:tiny?prompt_tokens=500", ModelContext(encode=None))
    assert model.label == "tiny"


def test_run_when_replies_are_cut_for_want_of_room_then_it_says_so_instead_of_no_json(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut = Says('{"steps": [{"number": 1, "goal": "the wea', finish_reason="length")
    with scripted_endpoint(*[cut] * 3) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        model = make_model("openai:tiny?reply_tokens=16", ModelContext(encode=None))
        parts = make_parts(KITS, model, ScriptedProvider(), strategy=strategies.get("tool-planner"))
        spec = RunSpec(query=QUERY, strategy="tool-planner", limits=Limits(max_model_calls=3))
        done = asyncio.run(run(workspace, spec, parts=parts))
        sent = endpoint.requests[1]["messages"][-1]["content"]
    assert (done.status, done.model_calls) == (Status.UNSOLVED, 3)
    assert "wrong format" in done.reason and "was cut for its length" in done.reason
    assert "answer shorter" in sent, "the model is told"
