"""What a model says of an ended run: beside it, never instead; every verdict is kept."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from fixtures.command_line import command_here
from fixtures.own_strategy import own_strategy
from fixtures.scripted_endpoint import Answers, ScriptedEndpoint, Status, scripted_endpoint
from fixtures.scripted_run import ScriptedModel, ScriptedProvider, make_api, make_parts, ok

from toolplanner_core.domain.outcome import AnswerVerdict, VerdictSource
from toolplanner_core.domain.plan import Answer, Task
from toolplanner_core.domain.plan import Status as Ended
from toolplanner_core.errors import BadInput, ModelUnavailable
from toolplanner_core.prompts.judge_answer import JudgeAnswer
from toolplanner_core.prompts.texts import default_prompt, hash_of
from toolplanner_core.runs.config.spec import RunSpec, RunSummary
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.runs.export.html import export_html
from toolplanner_core.runs.judging.verdicts import judge_run, store_verdict
from toolplanner_core.runs.log.stored_runs import get_summary, list_runs, load_tree, read_run
from toolplanner_core.runs.tree.formatting import judged_words, verdict_memory
from toolplanner_core.strategies.interface.scope import RunScope
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.memories import memory_versions

NO = {"reason": "it is another city", "solved": False}


def made(workspace: Workspace, **spec: Any) -> RunSummary:
    """A solved run with one call."""
    model = ScriptedModel(plans=[[("the weather", 1, [])]], arguments={"a_1": {"q": "Oslo"}})
    provider = ScriptedProvider({"a_1": ok({"celsius": 3})})
    parts = make_parts({"One": [make_api("a_1")]}, model, provider)
    return asyncio.run(
        run(workspace, RunSpec(query="How warm is it in Oslo?", **spec), parts=parts)
    )


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedEndpoint]:
    """A model that says no, after one answer that cannot be used."""
    said = iter([json.dumps({"solved": "perhaps"}), *[json.dumps(NO)] * 9])
    with scripted_endpoint(Answers(lambda _: next(said))) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        monkeypatch.setenv("OPENAI_MODEL", "judge")
        yield endpoint


def test_answer_when_judged_then_the_verdict_stands_beside_it_everywhere(
    workspace: Workspace, judge: ScriptedEndpoint
) -> None:
    done = made(workspace)
    before = read_run(workspace, done.run)
    words = "Judged not solved by openai:judge: it is another city"
    assert judged_words(judge_run(workspace, done.run).to_json()) == words
    shown = judge.requests[0]["messages"][1]["content"]
    assert all(part in shown for part in ("How warm is it in Oslo?", '"q": "Oslo"', '"celsius": 3'))
    assert len(judge.requests) == 2, "what cannot be used is sent back once"
    after = get_summary(workspace, done.run)
    assert (done.status, after.status) == (Ended.ANSWERED, Ended.UNSOLVED)
    assert (after.answer, after.judged) == (done.answer, words)
    root = load_tree(workspace, done.run).root
    assert root is not None and root.data["status"] == "unsolved"
    assert [each.judged for each in list_runs(workspace)] == [words]
    assert read_run(workspace, done.run) == before, "the log is as it was"
    assert words in export_html(workspace, done.run)


def test_command_when_used_then_says_it_and_all_verdicts_are_kept(
    workspace: Workspace, judge: ScriptedEndpoint
) -> None:
    done = made(workspace)
    first = command_here("runs", "judge", workspace.path, done.run, "--json")
    text = hash_of(default_prompt("judge_answer").text)
    assert (first.status, first.data) == (
        1,
        NO
        | {"source": "judge", "who": "openai:judge", "version": 1, "votes": [False]}
        | {"prompt_hash": text},
    )
    again = command_here("runs", "judge", workspace.path, done.run, "--model", "openai:other")
    assert again.out.strip() == "Judged not solved by openai:other: it is another city"
    assert (
        "Judged not solved by openai:other" in command_here("runs", "show", workspace.path, 1).out
    )
    assert len(memory_versions(workspace, verdict_memory(done.run, VerdictSource.JUDGE))) == 2
    assert judge.requests[-1]["model"] == "other"


def test_run_when_it_shall_be_judged_then_it_is_after_its_end(
    demo: str, judge: ScriptedEndpoint
) -> None:
    query = "Convert 26.2 miles to kilometres."
    done = command_here("run", demo, query, "--judge", "--json")
    assert (done.status, done.data["status"]) == (1, "contradicted"), "the rules found it right"
    assert (done.data["outcome"], done.data["checked"]["level"]) == ("answered", "complete")
    [verdict] = done.data["verdicts"]
    assert (verdict["source"], verdict["who"]) == ("judge", "openai:judge")
    assert done.data["judged"] == "Judged not solved by openai:judge: it is another city"
    assert judge.requests


def test_run_when_nobody_can_judge_then_it_ends_as_it_would(workspace: Workspace) -> None:
    done = made(workspace, judge=True, roles={"judging": "offline"})
    assert done.status is Ended.ANSWERED
    assert done.judged.startswith("Not judged: Judging needs a language model")


def test_answer_when_nobody_can_judge_then_says_why_and_nothing_is_kept(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = made(workspace)
    monkeypatch.delenv("OPENAI_MODEL", raising=False)
    with pytest.raises(BadInput, match="No model was chosen"):
        judge_run(workspace, done.run)
    with pytest.raises(BadInput, match="needs a language model"):
        judge_run(workspace, done.run, model="offline")
    with scripted_endpoint(Answers(lambda _: Status(401, "no key"))) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        with pytest.raises(ModelUnavailable, match="no verdict"):
            judge_run(workspace, done.run, model="openai:judge")
    with scripted_endpoint(Answers(lambda _: "Looks fine to me.")) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        with pytest.raises(ModelUnavailable) as caught:
            judge_run(workspace, done.run, model="openai:judge")
        assert (caught.value.what, caught.value.why) == (
            "judge gave no verdict", "It said: Looks fine to me."
        )  # fmt: skip
        assert "another model" in caught.value.todo
    assert get_summary(workspace, done.run).verdicts == ()


def test_answer_when_no_model_is_named_for_judging_then_the_one_that_acted_judges(
    workspace: Workspace, judge: ScriptedEndpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_MODEL")
    done = made(workspace, model="openai:acting")
    assert judge_run(workspace, done.run).who == "openai:acting"
    assert {request["model"] for request in judge.requests} == {"acting"}
    with pytest.raises(BadInput, match="No model was chosen"):
        judge_run(workspace, made(workspace, model="not-known-here").run)


def test_person_when_they_say_it_then_it_counts_before_every_model_and_each_has_its_row(
    workspace: Workspace, judge: ScriptedEndpoint
) -> None:
    done = made(workspace)
    judge_run(workspace, done.run)
    said = command_here(
        "runs", "judge", workspace.path, done.run, "--solved", "--reason", "I looked"
    )
    assert (said.status, said.out.strip()) == (0, "Judged solved by you: I looked")
    shown = command_here("runs", "show", workspace.path, done.run, "--json").data
    assert shown["status"] == "solved"
    assert [(each["source"], each["solved"]) for each in shown["verdicts"]] == [
        ("person", True), ("judge", False),
    ]  # fmt: skip
    assert get_summary(workspace, done.run).status is Ended.SOLVED
    page = export_html(workspace, done.run)
    assert "Judged solved by you: I looked" in page and "Judged not solved by" in page


def test_verdict_when_the_run_has_no_answer_then_refused(workspace: Workspace) -> None:
    async def stopped() -> RunSummary:
        cancel = asyncio.Event()
        cancel.set()
        parts = make_parts({"One": [make_api("a_1")]}, ScriptedModel(), ScriptedProvider({}))
        return await run(workspace, RunSpec(query="q"), parts=parts, cancel=cancel)

    done = asyncio.run(stopped())
    with pytest.raises(BadInput, match="no answer that could be judged"):
        store_verdict(workspace, done.run, AnswerVerdict(source=VerdictSource.PERSON, solved=True))
    assert get_summary(workspace, done.run).status is Ended.CANCELLED


def test_judge_when_asked_several_times_then_the_majority_counts_and_the_votes_are_kept(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = made(workspace)
    said = iter([True, False, True])
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with scripted_endpoint(
        Answers(lambda _: json.dumps({"reason": "so", "solved": next(said)}))
    ) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        verdict = judge_run(workspace, done.run, model="openai:judge", votes=3)
    assert (verdict.solved, verdict.votes) == (True, (True, False, True))
    assert get_summary(workspace, done.run).judged == (
        "Judged solved by openai:judge (2 of 3 votes): so"
    )


@pytest.mark.parametrize(
    ("answer", "says", "ended"),
    [
        ("It is 3 degrees.", True, Ended.SOLVED),
        ("It is 3 degrees.", False, Ended.UNSOLVED),
        ("Nice.", True, Ended.ANSWERED),
        ("It is 29.4 degrees.", True, Ended.CONTRADICTED),
    ],
    ids=["shown and right", "shown and wrong", "of which nothing is shown", "made up"],
)
def test_judge_of_the_strategy_when_it_speaks_then_its_word_stands_in_the_run(
    workspace: Workspace, answer: str, says: bool, ended: Ended
) -> None:
    api = make_api("a_1")

    async def solve(task: Task, scope: RunScope, options: Any) -> Answer:
        del task, options
        await scope.call(api, {"q": "Oslo"})
        question = JudgeAnswer(query="How warm is it in Oslo?", way=(), answer=answer)
        said = await scope.ask(question)
        return Answer(text=answer, solved=True, reason=said.reason)

    said = {"reason": "so it is", "solved": says}
    model = ScriptedModel(answers={"judge_answer": [said]})
    provider = ScriptedProvider({"a_1": ok({"celsius": 3})})
    strategy = replace(own_strategy(lambda _: asyncio.sleep(0, "")), solve=solve)
    parts = make_parts({"One": [api]}, model, provider, strategy=strategy)
    spec = RunSpec(query="How warm is it in Oslo?", strategy="own")
    done = asyncio.run(run(workspace, spec, parts=parts))
    assert done.status is ended
    shown = command_here("runs", "show", workspace.path, done.run, "--json").data
    [verdict] = shown["verdicts"]
    assert (verdict["source"], verdict["solved"], verdict["reason"]) == (
        "strategy", says, "so it is",
    )  # fmt: skip
    assert verdict["prompt_hash"] == hash_of(default_prompt("judge_answer").text)
    assert "the strategy's own judge" in command_here("runs", "show", workspace.path, 1).out
