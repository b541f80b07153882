"""Which of a run's models answers which question: to change it changes what runs measure."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from typing import Any

from fixtures.command_line import command_here
from fixtures.scripted_run import ScriptedModel, ScriptedProvider, make_api, make_parts

from toolplanner_core import prompts
from toolplanner_core.prompts.question import Question, Role
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.workspace import Workspace

ROLES = {
    Role.PLANNING: {
        "blame_tool", "choose_helpers", "decompose", "describe_apis", "describe_toolkit",
        "make_checked_plan", "make_plan", "paraphrase", "probe_api", "reflect", "replan",
        "revise_checked_plan", "revise_program", "write_program", "write_task",
        "choose_of_group", "extract_apis", "reason_calls", "revise_solution", "write_solution",
    },
    Role.ACTING: {
        "analyse", "check_result", "choose_api", "fill_arguments", "final_answer", "propose_step",
        "act_by_code", "reason_answer",
    },
    Role.JUDGING: {
        "check_solvable", "compare_answers", "compare_branches", "grade_answer", "judge_answer",
        "score_tools", "rate_thought", "vote_thoughts",
    },
}  # fmt: skip


def questions(base: type[Any] = Question) -> Iterator[type[Question[Any]]]:
    for made in base.__subclasses__():
        if made.__module__.startswith(prompts.__name__):
            yield made
        yield from questions(made)


def test_roles_when_all_questions_are_read_then_each_has_the_role_it_had() -> None:
    for module in iter_modules(prompts.__path__):
        import_module(f"{prompts.__name__}.{module.name}")
    found = {role: {each.id for each in questions() if each.role is role} for role in Role}
    assert found == ROLES


def test_run_when_roles_have_models_then_the_acting_one_writes_the_answer_and_all_are_named(
    tmp_path: Path,
) -> None:
    path = tmp_path / "w.toolplanner"
    planning = ScriptedModel(plans=[[("one", 1, [])]], label="large")
    acting = ScriptedModel(label="small")
    parts = make_parts({"Up": [make_api("up_1")]}, acting, ScriptedProvider())
    models = {Role.ACTING: acting, Role.PLANNING: planning}
    parts = replace(parts, outside=replace(parts.outside, models=models))
    spec = RunSpec(query="q", model="openai:small", roles={"planning": "openai:large"})
    with Workspace.create(path) as workspace:
        asyncio.run(run(workspace, spec, parts=parts))
        alone = make_parts(
            {"Up": [make_api("up_1")]}, ScriptedModel(plans=[[("one", 1, [])]]), ScriptedProvider()
        )
        asyncio.run(run(workspace, RunSpec(query="q", model="openai:small"), parts=alone))
    assert {request.id for request in planning.asked} == {"make_plan"}
    assert {request.id for request in acting.asked} >= {"fill_arguments", "final_answer"}
    named = {"planning": "openai:large", "acting": "openai:small", "judging": "openai:small"}
    assert command_here("runs", "show", path, 1, "--json").data["models"] == named
    assert command_here("runs", "list", path, "--json").data[1]["models"] == named
    shown = command_here("runs", "show", path, 1).out
    assert "with openai:small (planning with openai:large) on" in shown
    assert "planning with" not in command_here("runs", "show", path, 2).out
    compared = command_here("runs", "diff", path, 1, 2, "--json").data["totals"]
    pair = {"name": "planning_model", "left": "openai:large", "right": "openai:small"}
    assert pair in compared
    assert "acting_model" not in [each["name"] for each in compared]
    assert "planning model" in command_here("runs", "diff", path, 1, 2).out
