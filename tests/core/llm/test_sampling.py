"""How replies are drawn, chosen per model: the real client against a scripted server, and what the
log of a run says of it."""

import asyncio
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fixtures.openai_turns import turn_request
from fixtures.scripted_endpoint import Answers, Says, Status, scripted_endpoint

from toolplanner_core.errors import BadInput
from toolplanner_core.llm.model import ModelContext, make_model
from toolplanner_core.prompts.conversation import Message
from toolplanner_core.runs.config.spec import Limits, RunSpec
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.runs.events.event import event_from_body
from toolplanner_core.runs.events.question import ModelAsked
from toolplanner_core.runs.events.run import RunStarted
from toolplanner_core.runs.log.stored_runs import read_run
from toolplanner_core.workspace import Workspace

CHOSEN = "temperature=0.7&top_p=0.9&seed=11&reasoning_effort=low&reply_tokens=500"


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLPLANNER_SETTINGS", str(tmp_path / "settings.json"))


def say(spec: str, prompts: list[str]) -> None:
    """Send prompts one after the other, with one client."""

    async def go() -> None:
        model = make_model(spec, ModelContext(encode=None))
        try:
            for prompt in prompts:
                await model.complete(turn_request([Message("user", prompt)]))
        finally:
            await model.close()

    asyncio.run(go())


def test_request_when_sampling_is_chosen_then_it_is_sent_and_repeats_get_the_next_seed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with scripted_endpoint(*[Says("Lyon")] * 4) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        say(f"openai:scripted?{CHOSEN}", ["a", "a", "b"])
        say("openai:scripted", ["a"])
    sent = endpoint.requests
    assert [body["seed"] for body in sent[:3]] == [11, 12, 11]
    told = {name: sent[0][name] for name in ("temperature", "top_p", "reasoning_effort")}
    assert told == {"temperature": 0.7, "top_p": 0.9, "reasoning_effort": "low"}
    assert sent[0]["max_tokens"] == 500
    # Where nothing is chosen, the question's own temperature and nothing else.
    assert sent[3]["temperature"] == 0.0
    assert not {"top_p", "seed", "reasoning_effort", "max_tokens"} & set(sent[3])


@pytest.mark.parametrize("refused", ["temperature", "top_p", "seed", "reasoning_effort"])
def test_request_when_the_endpoint_refuses_a_choice_then_it_is_left_out_and_remembered(
    monkeypatch: pytest.MonkeyPatch, refused: str
) -> None:
    def picky(body: dict[str, Any]) -> Any:
        if refused in body:
            return Status(400, f"Unsupported parameter: '{refused}' is not supported")
        return "Lyon"

    with scripted_endpoint(Answers(picky)) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        say(f"openai:scripted?{CHOSEN}", ["a"])
        say(f"openai:scripted?{CHOSEN}", ["a"])
    assert [refused in body for body in endpoint.requests] == [True, False, False]
    kept = {"temperature", "top_p", "seed", "reasoning_effort"} - {refused}
    assert all(kept <= set(body) for body in endpoint.requests)


@pytest.mark.parametrize("wrong", ["temperature=3", "top_p=2", "seed=x", "reasoning_effort=odd"])
def test_model_when_a_choice_does_not_fit_then_it_is_said(wrong: str) -> None:
    with pytest.raises(BadInput, match=wrong.split("=", maxsplit=1)[0]):
        make_model(f"openai:scripted?{wrong}", ModelContext(encode=None))


def test_run_when_roles_sample_otherwise_then_the_first_event_and_each_question_say_so(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    with scripted_endpoint(Says(json.dumps({"steps": []}))) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        spec = RunSpec(
            query="Say hello",
            model="openai:small?temperature=0.9&prompt_tokens=4000",
            roles={"planning": f"openai:large?{CHOSEN}"},
            limits=Limits(max_model_calls=3),
        )
        summary = asyncio.run(run(workspace, spec))
    records = read_run(workspace, summary.run)
    (started,) = [r.event for r in records if isinstance(r.event, RunStarted)]
    assert started.sampling == {
        "acting": {"temperature": "0.9"},
        "planning": {
            "temperature": "0.7", "top_p": "0.9", "seed": "11", "reasoning_effort": "low",
            "reply_tokens": "500",
        },
    }  # fmt: skip
    planned = [r.event for r in records if isinstance(r.event, ModelAsked)]
    assert next(event.temperature for event in planned if event.question == "make_plan") == 0.7
    assert endpoint.requests[0]["temperature"] == 0.7
    assert event_from_body("run.started", old_body(started)) == replace(started, sampling={})


def old_body(event: RunStarted) -> dict[str, Any]:
    """As programs wrote it that knew no sampling."""
    body = event.to_body()
    del body["sampling"]
    return body
