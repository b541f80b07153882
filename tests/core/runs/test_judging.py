"""What a model says of an ended run: beside it, never instead; every verdict is kept."""

import asyncio
import json
from collections.abc import Iterator
from typing import Any

import pytest
from fixtures.command_line import command_here
from fixtures.scripted_endpoint import Answers, ScriptedEndpoint, Status, scripted_endpoint
from fixtures.scripted_run import ScriptedModel, ScriptedProvider, make_api, make_parts, ok

from toolplanner_core.domain.plan import Status as Ended
from toolplanner_core.errors import BadInput, ModelUnavailable
from toolplanner_core.runs.engine import run
from toolplanner_core.runs.export.html import export_html
from toolplanner_core.runs.judging import judge_run, verdict_memory, verdict_of
from toolplanner_core.runs.reading import get_summary, list_runs, read_run
from toolplanner_core.runs.spec import RunSpec, RunSummary
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
    words = "Judged unsolved by openai:judge: it is another city"
    assert judge_run(workspace, done.run).words == words
    shown = judge.requests[0]["messages"][1]["content"]
    assert all(part in shown for part in ("How warm is it in Oslo?", '"q": "Oslo"', '"celsius": 3'))
    assert len(judge.requests) == 2, "what cannot be used is sent back once"
    after = get_summary(workspace, done.run)
    assert (after.status, after.answer, after.judged) == (Ended.SOLVED, done.answer, words)
    assert [each.judged for each in list_runs(workspace)] == [words]
    assert read_run(workspace, done.run) == before, "the log is as it was"
    assert words in export_html(workspace, done.run)


def test_command_when_used_then_says_it_and_all_verdicts_are_kept(
    workspace: Workspace, judge: ScriptedEndpoint
) -> None:
    done = made(workspace)
    first = command_here("runs", "judge", workspace.path, done.run, "--json")
    assert (first.status, first.data) == (1, NO | {"model": "openai:judge"})
    again = command_here("runs", "judge", workspace.path, done.run, "--model", "openai:other")
    assert again.out.strip() == "Judged unsolved by openai:other: it is another city"
    assert "Judged unsolved by openai:other" in command_here("runs", "show", workspace.path, 1).out
    assert len(memory_versions(workspace, verdict_memory(done.run))) == 2
    assert judge.requests[-1]["model"] == "other"


def test_run_when_it_shall_be_judged_then_it_is_after_its_end(
    demo: str, judge: ScriptedEndpoint
) -> None:
    query = "Convert 26.2 miles to kilometres."
    done = command_here("run", demo, query, "--judge", "--json")
    assert (done.status, done.data["status"]) == (0, "solved")
    assert done.data["judged"] == "Judged unsolved by openai:judge: it is another city"
    assert judge.requests


def test_run_when_nobody_can_judge_then_it_ends_as_it_would(workspace: Workspace) -> None:
    done = made(workspace, judge=True, roles={"judging": "offline"})
    assert done.status is Ended.SOLVED
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
    assert verdict_of(workspace, done.run) is None
