"""Answers in six languages over the demo, right and wrong: no wrong one is shown as solved, of the
right ones the values are traced (`tests/data/answers_in_six_languages.json`)."""

import asyncio
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from fixtures.own_strategy import own_strategy

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.plan import Answer, Status, Task
from toolplanner_core.runs.catalogue.workspace_catalogue import WorkspaceCatalogue
from toolplanner_core.runs.config.spec import RunSpec, RunSummary
from toolplanner_core.runs.engine.run_parts import prepare
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.strategies.interface.scope import RunScope
from toolplanner_core.words.languages import language_of
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import api_names, get_api

FILE = Path(__file__).parents[3] / "data" / "answers_in_six_languages.json"
TASKS: list[dict[str, Any]] = json.loads(FILE.read_text("utf-8"))["tasks"]
LANGUAGES = ("de", "es", "fr", "pt", "zh", "ar")


class Asked(NamedTuple):
    """A run, what its answer says, and whether that is right."""

    done: RunSummary
    language: str
    value: str
    is_right: bool


class World:
    """The demo, and a model that nobody asks: it is no rule that looks whether a wish is met."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace, self.catalogue = workspace, WorkspaceCatalogue(workspace)
        named = {get_api(workspace, each.id).name: each.id for each in api_names(workspace)}
        spec = RunSpec(query="q", strategy="react", model="openai:scripted")
        self.usual = prepare(workspace, spec, self.catalogue)
        self.apis: dict[str, Api] = {name: get_api(workspace, id_) for name, id_ in named.items()}

    def ask(self, query: str, call: dict[str, Any], answer: str) -> RunSummary:
        async def solve(task: Task, scope: RunScope, options: Any) -> Answer:
            del task, options
            await scope.call(self.apis[call["api"]], call["arguments"])
            return Answer(text=answer, solved=True)

        spec = RunSpec(query=query, strategy="own", model="openai:scripted")
        strategy = replace(own_strategy(lambda _: asyncio.sleep(0, "")), solve=solve)
        parts = replace(self.usual, strategy=strategy, options=strategy.options())
        return asyncio.run(run(self.workspace, spec, parts=parts))


@pytest.fixture(scope="module")
def asked(demo_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Asked]]:
    """All 120 answers."""
    path = tmp_path_factory.mktemp("languages") / "demo.toolplanner"
    path.write_bytes(demo_file.read_bytes())
    found: list[Asked] = []
    with pytest.MonkeyPatch.context() as patch, Workspace.open(path) as workspace:
        patch.setenv("OPENAI_API_KEY", "none")
        patch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:9/v1")
        world = World(workspace)
        for task in TASKS:
            for language, (query, right, value, wrong, wrong_value) in task["texts"].items():
                assert language_of(query) == language, query
                done = world.ask(query, task, right)
                found.append(Asked(done, language, value, is_right=True))
                done = world.ask(query, task.get("wrong", task), wrong)
                found.append(Asked(done, language, wrong_value, is_right=False))
        world.catalogue.close()
        yield found


def test_answers_when_wrong_then_none_is_shown_as_solved_and_what_no_reply_holds_is_named(
    asked: list[Asked],
) -> None:
    wrong = [each for each in asked if not each.is_right]
    assert len(wrong) == 60
    assert not [each.done.answer for each in wrong if each.done.status is Status.SOLVED]
    unnamed = [
        (each.done.answer, each.done.checked["unsupported"])
        for each in wrong
        if each.value and each.value not in each.done.checked["unsupported"]
    ]
    assert unnamed == []


def test_answers_when_right_then_answered_with_their_values_traced_to_the_call(
    asked: list[Asked],
) -> None:
    right = [each for each in asked if each.is_right]
    assert {each.language for each in right} == set(LANGUAGES)
    assert len(right) == 60
    lost = [
        (each.done.status, each.done.answer, each.done.reason)
        for each in right
        if each.done.status is not Status.ANSWERED
    ]
    assert lost == []
    untraced = [
        (each.done.answer, each.done.checked)
        for each in right
        if each.value not in [row["value"] for row in each.done.checked["values"]]
        or each.done.checked["unsupported"]
        or any(row["call"] != "call.1" for row in each.done.checked["values"])
    ]
    assert untraced == []
