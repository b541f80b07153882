"""Samples of one prompt in one request: ToolChain* and tree of thoughts at endpoints that give
several replies to one, that refuse to, and that take no notice."""

import json
from typing import Any

import pytest
from fixtures.scripted_endpoint import USAGE, Answers, Samples, Says, Status
from fixtures.scripted_run import ScriptedProvider, ok
from fixtures.spoken_run import Spoken, replay_spoken, speak_run

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.plan import Status as Ended
from toolplanner_core.runs.config.spec import Limits, RunSpec
from toolplanner_core.runs.events.question import ModelReplied
from toolplanner_core.runs.log.stored_runs import load_tree, read_run
from toolplanner_core.runs.replay.fork import fork
from toolplanner_core.runs.stages.samples import LEAST_FOR_A_SAMPLE
from toolplanner_core.workspace import Workspace

GEO, SKY = "geo_find_for_geo", "sky_daily_for_sky"
SEARCHES: list[tuple[str, dict[str, Any]]] = [
    ("toolchain-star", {"samples": 5}),
    ("tot", {"thoughts": 3, "evaluations": 3}),
]
ONE_BY_ONE = "samples are asked for one by one"


def said(body: dict[str, Any]) -> str:
    """The way GEO, SKY, answer; every thought is rated sure."""
    words = body["messages"][-1]["content"]
    if "'then'" not in str(body["response_format"]):
        return json.dumps({"reasoning": "", "value": "sure"})
    so_far = words.partition("<so_far>")[2]
    call, arguments = (GEO, {"q": "Oslo"}) if GEO not in so_far else (SKY, {"q": "Oslo"})
    if SKY in so_far:
        call, arguments = "give_answer", {"final_answer": "3 degrees.", "no_call_needed": True}
    return json.dumps({"thought": "", "call": call, "arguments": arguments, "then": []})


def gives(body: dict[str, Any]) -> Any:
    return Samples([said(body)] * body.get("n", 1))


def refuses(body: dict[str, Any]) -> Any:
    if "n" in body:
        return Status(400, "Only one completion choice is allowed")
    return Says(said(body))


def ignores(body: dict[str, Any]) -> Any:
    return Says(said(body))


def search(workspace: Workspace, strategy: str, model: Any, **given: Any) -> Spoken:
    provider = ScriptedProvider({"sky_daily": ok({"celsius": 3}), "geo_find": ok({"lat": 60})})
    return speak_run(workspace, strategy, [Answers(model)], provider=provider, **given)


def prompts_of(spoken: Spoken) -> set[str]:
    return {json.dumps(body["messages"]) for body in spoken.requests}


def replies_of(workspace: Workspace, spoken: Spoken) -> list[ModelReplied]:
    records = read_run(workspace, spoken.summary.run)
    return [record.event for record in records if isinstance(record.event, ModelReplied)]


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize(("strategy", "options"), SEARCHES)
def test_search_when_the_endpoint_gives_samples_then_one_request_for_each_prompt(
    workspace: Workspace, strategy: str, options: dict[str, Any], stream: bool
) -> None:
    spoken = search(workspace, strategy, gives, stream=stream, **options)
    assert spoken.summary.status is Ended.ANSWERED
    assert [name for name, _ in spoken.calls] == ["geo_find", "sky_daily"]
    assert len(spoken.requests) == len(prompts_of(spoken)) == (3 if strategy[-1] == "r" else 6)
    assert {body["n"] for body in spoken.requests} == {max(options.values())}
    replies = replies_of(workspace, spoken)
    assert len(replies) == len(spoken.requests) * max(options.values()), "each is a question"
    # What the endpoint said of all stands at the first of them.
    spent = sum(reply.input_tokens + reply.output_tokens for reply in replies)
    assert spent == len(spoken.requests) * 18, USAGE
    assert replay_spoken(workspace, spoken.summary).identical


@pytest.mark.parametrize(("strategy", "options"), SEARCHES)
@pytest.mark.parametrize("model", [refuses, ignores])
def test_search_when_the_endpoint_gives_one_reply_then_samples_come_one_by_one_as_is_said_once(
    workspace: Workspace, model: Any, strategy: str, options: dict[str, Any]
) -> None:
    spoken = search(workspace, strategy, model, **options)
    assert spoken.summary.status is Ended.ANSWERED
    n_prompts = 3 if strategy[-1] == "r" else 6
    assert len(prompts_of(spoken)) == n_prompts
    assert len(spoken.requests) == n_prompts * max(options.values()) + (model is refuses)
    assert [body.get("n", 1) for body in spoken.requests] == [
        max(options.values()),
        *[1] * (len(spoken.requests) - 1),
    ]
    told = [line for line in spoken.tree if ONE_BY_ONE in line]
    assert len(told) == 1
    assert replay_spoken(workspace, spoken.summary).identical


def test_search_when_a_sample_cannot_be_used_then_it_alone_is_asked_for_again(
    workspace: Workspace,
) -> None:
    """One broke off, and one holds no JSON object and is sent back to be repaired."""

    def model(body: dict[str, Any]) -> Any:
        if body.get("n") == 4:
            return Samples([said(body), None, "no idea", said(body)])
        return gives(body)

    spoken = search(workspace, "toolchain-star", model, samples=4, max_expansions=1)
    first = {json.dumps(spoken.requests[0]["messages"])}
    again = [body for body in spoken.requests if json.dumps(body["messages"]) in first]
    assert [body.get("n", 1) for body in again] == [4, 1], "the one that broke off"
    repaired = [b for b in spoken.requests if "no idea" in json.dumps(b["messages"])]
    assert {body.get("n", 1) for body in repaired} == {1}
    tree = load_tree(workspace, spoken.summary.run)
    assert tree.nodes[NodePath("candidate.1")].data["share"] == 1.0, "all four count"


def test_search_when_tokens_are_limited_then_the_samples_share_the_room_of_one_reply(
    workspace: Workspace,
) -> None:
    limits = Limits(max_tokens=4 * LEAST_FOR_A_SAMPLE)
    spec = RunSpec(query="How warm is it in Oslo?", strategy="toolchain-star", limits=limits)
    spoken = search(workspace, "toolchain-star", gives, spec=spec, samples=5, max_expansions=1)
    body = spoken.requests[0]
    assert 1 < body["n"] < 5
    assert body["max_tokens"] >= LEAST_FOR_A_SAMPLE
    assert body["n"] * body["max_tokens"] < 4 * LEAST_FOR_A_SAMPLE


def test_fork_when_some_samples_have_a_reply_then_only_the_others_are_asked_for(
    workspace: Workspace,
) -> None:
    spoken = search(workspace, "toolchain-star", gives, samples=3)
    records = read_run(workspace, spoken.summary.run)
    replied = [record.seq for record in records if isinstance(record.event, ModelReplied)]
    spec = fork(workspace, spoken.summary.run, replied[0])
    forked = search(workspace, "toolchain-star", gives, spec=spec, samples=3)
    assert forked.summary.status is Ended.ANSWERED
    assert [body["n"] for body in forked.requests] == [2, 3, 3]
