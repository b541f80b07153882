"""Runs with edited prompts: what is sent, what is kept of it, how they replay and fork."""

import asyncio

from fixtures.command_line import command_here
from fixtures.scripted_run import ScriptedModel, ScriptedProvider, api_finder, make_api, make_parts

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.prompts.editing import edit_prompt, edited_texts, reset_prompt
from toolplanner_core.prompts.texts import default_prompt, hash_of
from toolplanner_core.runs.config.spec import RunSpec, RunSummary
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.runs.events.question import ModelAsked
from toolplanner_core.runs.log.prompts_used import prompts_used
from toolplanner_core.runs.log.stored_runs import load_records, read_run
from toolplanner_core.runs.presentation.node_report import read_report
from toolplanner_core.runs.replay.fork import fork
from toolplanner_core.runs.replay.replay import replay
from toolplanner_core.workspace import Workspace

KITS = {f"Kit {i}": [make_api(f"kit{i}_{j}") for j in range(2)] for i in (1, 2)}
API_OF = api_finder(KITS)
LONG = "A word more.\n" * 120
"""Longer than what an event holds in its own row."""


def record(workspace: Workspace) -> RunSummary:
    model = ScriptedModel(plans=[[("a", 1, []), ("b", 2, [])]])
    parts = make_parts(KITS, model, ScriptedProvider(), prompts=edited_texts(workspace))
    return asyncio.run(run(workspace, RunSpec(query="find"), parts=parts))


def edited(name: str, begin: str) -> str:
    return f"{begin}\n{LONG}{default_prompt(name).text}"


def system_of(workspace: Workspace, run_id: RunSummary, path: str) -> str:
    for each in load_records(workspace, run_id.run, NodePath(path)):
        if isinstance(each.event, ModelAsked):
            return str(each.event.messages[0]["content"])
    raise AssertionError(path)


def asked_at(workspace: Workspace, done: RunSummary, question: str) -> str:
    events = (r for r in read_run(workspace, done.run) if isinstance(r.event, ModelAsked))
    return next(r.path for r in events if r.event.question == question)  # type: ignore[union-attr]


def test_run_when_a_prompt_is_edited_then_it_is_sent_and_its_hash_kept(
    workspace: Workspace,
) -> None:
    plain = record(workspace)
    text = edited("analyse", "Look twice.")
    edit_prompt(workspace, "analyse", text)
    done = record(workspace)
    path = asked_at(workspace, done, "analyse")
    assert system_of(workspace, done, path).startswith("Look twice.\n")
    assert not system_of(workspace, plain, path).startswith("Look twice.")
    used = prompts_used(read_run(workspace, done.run))
    assert used["analyse"] == (hash_of(text),)
    assert used["make_plan"] == (hash_of(default_prompt("make_plan").text),)
    assert {"analyse", "fill_arguments", "final_answer", "make_plan"} == set(used)
    report = read_report(workspace, done.run, NodePath(path))
    assert "edited prompt" in report.facts
    titled = f"{default_prompt('analyse').title} · {hash_of(text)} (edited)"
    assert any(titled == s.text for s in report.why)
    root = read_report(workspace, done.run, NodePath(""))
    assert any(s.title == "Edited prompts" for s in root.why)


def test_replay_when_a_prompt_was_edited_since_then_takes_the_runs_own_and_says_so(
    workspace: Workspace,
) -> None:
    plain = record(workspace)
    edit_prompt(workspace, "analyse", edited("analyse", "Look twice."))
    done = record(workspace)
    assert replay(workspace, done.run, api_of=API_OF).changed_prompts == ()
    edit_prompt(workspace, "analyse", edited("analyse", "Look thrice."))
    for each in (plain, done):
        report = replay(workspace, each.run, api_of=API_OF)
        assert report.divergence is None
        assert report.changed_prompts == ("analyse",)


def test_fork_when_a_prompt_was_edited_since_then_it_holds_after_the_fork_point(
    workspace: Workspace,
) -> None:
    edit_prompt(workspace, "analyse", edited("analyse", "Look twice."))
    done = record(workspace)
    edit_prompt(workspace, "analyse", edited("analyse", "Look thrice."))
    first = asked_at(workspace, done, "analyse")
    later = next(
        r.path
        for r in read_run(workspace, done.run)
        if isinstance(r.event, ModelAsked) and r.event.question == "analyse" and r.path != first
    )
    model = ScriptedModel(plans=[[("a", 1, []), ("b", 2, [])]])
    parts = make_parts(KITS, model, ScriptedProvider(), prompts=edited_texts(workspace))
    spec = fork(workspace, done.run, NodePath(later))
    child = asyncio.run(run(workspace, spec, parts=parts))
    assert system_of(workspace, child, first).startswith("Look twice.")
    assert system_of(workspace, child, later).startswith("Look thrice.")
    reset_prompt(workspace, "analyse")
    assert replay(workspace, child.run, api_of=API_OF).divergence is None


def test_command_when_a_prompt_is_edited_from_a_file_then_shown_compared_and_reset(
    workspace: Workspace,
) -> None:
    path = workspace.path
    file = path.with_name("plan.txt")
    file.write_text("Be brief.\n" + command_here("prompts", "show", path, "make_plan").out, "utf-8")
    done = command_here("prompts", "edit", path, "make_plan", "--file", file)
    assert done.status == 0, done.err
    assert "+Be brief." in command_here("prompts", "diff", path, "make_plan").out
    rows = {row["name"]: row for row in command_here("prompts", "list", path, "--json").data}
    assert rows["make_plan"]["is_edited"] and not rows["replan"]["is_edited"]
    assert len(command_here("prompts", "versions", path, "make_plan", "--json").data) == 2
    file.write_text("Be brief. {{max_stops}}", "utf-8")
    wrong = command_here("prompts", "edit", path, "make_plan", "--file", file)
    assert wrong.status == 2
    assert "{{max_stops}} is unknown" in wrong.err and "{{data_rule}} is missing" in wrong.err
    assert "default" in command_here("prompts", "reset", path, "make_plan").out
    assert "This is the default" in command_here("prompts", "diff", path, "make_plan").out
    run_id = record(workspace).run
    assert "Prompts: " in command_here("runs", "show", path, run_id).out


def test_text_in_between_when_edited_then_an_answer_is_sent_back_with_it(
    workspace: Workspace,
) -> None:
    edit_prompt(workspace, "answer_again", "Wrong at {{where}}, since {{what}}. Once more.")
    model = ScriptedModel(plans=[[("a", 9, [])], [("a", 1, [])]])
    parts = make_parts(KITS, model, ScriptedProvider(), prompts=edited_texts(workspace))
    done = asyncio.run(run(workspace, RunSpec(query="find"), parts=parts))
    records = load_records(workspace, done.run, NodePath("make_plan.1"))
    asked = [r.event for r in records if isinstance(r.event, ModelAsked) and r.event.repair]
    said = str(list(asked[0].messages)[-1]["content"])
    assert said.startswith("Wrong at $.steps[0].toolkit, since toolkit 9 is not offered")
    assert said.endswith("Once more.")
    assert "answer_again" in prompts_used(read_run(workspace, done.run))
    assert replay(workspace, done.run, api_of=API_OF).identical
