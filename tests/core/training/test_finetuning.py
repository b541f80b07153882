"""The training set for a planner: its three properties, and the format that services take."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
from fixtures.command_line import command_here
from fixtures.scripted_endpoint import Answers, Turn, scripted_endpoint
from fixtures.scripted_run import ScriptedProvider, ok
from fixtures.small_catalogue import import_small_catalogue
from fixtures.spoken_run import speak_run

from toolplanner_core.cli.app import run_command_line
from toolplanner_core.domain.demonstration import (
    Demonstration,
    DemonstrationOrigin,
    DemonstrationStep,
)
from toolplanner_core.domain.observation import SIMULATED
from toolplanner_core.errors import BadInput
from toolplanner_core.llm.example import QUERY
from toolplanner_core.runs.export.demonstrations import origin_of, save_solved_runs
from toolplanner_core.training.finetuning import TuningForm, check_tuning_lines, tuning_set
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import api_names
from toolplanner_core.workspace.demonstrations import add_demonstration

GOOD = [
    {"role": "system", "content": "s"},
    {"role": "user", "content": "u"},
    {"role": "assistant", "content": "a"},
]


ASKED = [
    Turn("Look.", [("meteo_now_for_meteo", {"q": "Oslo"})]),
    Turn("", [("give_answer", {"final_answer": "It is 3 degrees."})]),
]
REPLY = {"meteo_now": ok({"celsius": 3})}
INVENTED = {"meteo_now": dataclasses.replace(ok({"celsius": 3}), origin=SIMULATED)}


def tasks(workspace: Workspace, folder: Path) -> None:
    import_small_catalogue(workspace, folder)
    apis = [each.id for each in api_names(workspace)]
    http = speak_run(workspace, "react", ASKED, provider=ScriptedProvider(REPLY))
    made_up = speak_run(workspace, "react", ASKED, provider=ScriptedProvider(INVENTED))
    runs = [http.summary.run, made_up.summary.run, 99]
    for number in range(4):
        steps = tuple(
            DemonstrationStep(goal=f"part {n}", api=apis[number + n], title="T")
            for n in range(1 + number % 2)
        )
        run = None if number == 3 else runs[number]
        add_demonstration(
            workspace, Demonstration(id=0, query=f"task {number}", steps=steps, run=run)
        )


def test_set_when_made_then_it_has_the_three_properties_and_keeps_the_format(
    workspace: Workspace, tmp_path: Path
) -> None:
    tasks(workspace, tmp_path)
    lines, report = tuning_set(workspace)
    assert report.examples == len(lines) == 16
    assert report.problems == ()
    assert report.origins == {
        DemonstrationOrigin.REAL: 0.25,
        DemonstrationOrigin.INVENTED: 0.25,
        DemonstrationOrigin.UNKNOWN: 0.25,
        DemonstrationOrigin.BY_HAND: 0.25,
    }
    assert report.structured == 1
    assert 0 < report.with_demonstrations < 1
    assert (report.queries, report.paraphrased) == (4, 0), "a phrase in front is no other wording"
    assert report.prompts == 16
    assert report.several_steps == 0.5
    assert report.irrelevant > 1
    assert report.first < 0.8
    messages = json.loads(lines[0])["messages"]
    answer = json.loads(messages[-1]["content"])["subtasks"]
    first = api_names(workspace)[0].title
    assert f"{answer[0]['api']}: {first} -- " in messages[1]["content"]
    assert tuning_set(workspace)[0] == lines


@pytest.mark.parametrize(
    ("messages", "what"),
    [
        (GOOD[:2], "the last message is not the assistant's"),
        ([GOOD[1], GOOD[0], GOOD[2]], "a system message is not the first"),
        ([{"role": "tool", "content": "x"}, *GOOD[1:]], "unknown role 'tool'"),
        ([GOOD[0], {"role": "user", "content": " "}, GOOD[2]], "a message has no text"),
        ([], 'it has no "messages"'),
    ],
)
def test_format_when_a_line_breaks_it_then_says_where_and_how(
    messages: list[dict[str, str]], what: str
) -> None:
    good = json.dumps({"messages": GOOD})
    found = check_tuning_lines([good] * 9 + [json.dumps({"messages": messages})])
    assert found == [f"Line 10: {what}"]
    assert check_tuning_lines([good] * 10) == []
    assert "10 at least" in check_tuning_lines([good])[0]


def test_set_when_there_are_too_few_demonstrations_then_said(
    workspace: Workspace, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(BadInput, match="nothing to make a training set of"):
        tuning_set(workspace)
    tasks(workspace, tmp_path)
    file = tmp_path / "set.jsonl"
    place = str(workspace.path)
    assert run_command_line(["train", "finetune", place, str(file), "--variants", "1"]) == 1
    assert "Against the format: There are 4 examples" in capsys.readouterr().out
    assert run_command_line(["train", "finetune", place, str(file)]) == 0
    said = capsys.readouterr().out
    assert "Real-world data: 25% come from runs over real services, 25% from runs with" in said
    assert "4 queries, none in other words" in said
    assert check_tuning_lines(file.read_text(encoding="utf-8").splitlines()) == []


def test_set_when_written_for_trl_then_each_column_holds_one_kind_of_message_lists(
    workspace: Workspace, tmp_path: Path
) -> None:
    tasks(workspace, tmp_path)
    form = TuningForm.PROMPT_COMPLETION
    lines, report = tuning_set(workspace, form=form)
    rows = [json.loads(line) for line in lines]
    assert report.problems == ()
    assert {tuple(row) for row in rows} == {("prompt", "completion")}
    shapes = {tuple(m["role"] for m in row["prompt"] + row["completion"]) for row in rows}
    assert shapes == {("system", "user", "assistant")}
    assert {tuple(m) for row in rows for m in row["prompt"]} == {("role", "content")}
    chat = [json.loads(line)["messages"] for line in tuning_set(workspace)[0]]
    assert chat == [row["prompt"] + row["completion"] for row in rows]
    wrong = json.dumps({"prompt": GOOD[:2], "completion": [GOOD[2]], "id": 1})
    assert check_tuning_lines([wrong], form=form) == ['Line 1: "id" is no member of this form']
    assert check_tuning_lines(lines[:1])[0] == 'Line 1: it has no "messages"'


def test_origin_when_a_run_is_an_example_then_scripted_and_one_of_the_demo_world_invented(
    demo: Path,
) -> None:
    example = ("--model", "example")
    assert command_here("run", demo, QUERY, *example, "--provider", "demo").status == 0
    petrol = "What is the cheapest petrol near Springfield, Illinois?"
    assert command_here("run", demo, petrol).status == 0
    with Workspace.open(demo) as workspace:
        found = save_solved_runs(workspace, is_answered_enough=True)
        assert [origin_of(workspace, each) for each in found.made] == [DemonstrationOrigin.INVENTED]
        assert found.left_out == {"examples with scripted replies": 1}
        scripted = dataclasses.replace(found.made[0], run=1)
        assert origin_of(workspace, scripted) is DemonstrationOrigin.SCRIPTED


def test_paraphrases_when_a_model_makes_them_then_those_that_lose_a_value_are_refused_and_counted(
    workspace: Workspace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import_small_catalogue(workspace, tmp_path)
    step = DemonstrationStep(goal="", api=api_names(workspace)[0].id, title="T")
    for query in ("Convert 250 EUR to USD", "Weather in Oslo on 3 May"):
        add_demonstration(workspace, Demonstration(id=0, query=query, steps=(step,)))

    def say(body: dict[str, Any]) -> str:
        is_money = "250" in body["messages"][1]["content"]
        good = ["How many USD are 250 EUR?", "Change EUR to USD", "how many usd are 250 eur?"]
        return json.dumps({"paraphrases": good if is_money else ["What is it like on 3 May?"]})

    file = tmp_path / "set.jsonl"
    with scripted_endpoint(Answers(say)) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        words = ["--paraphrases", "3", "--model", "openai:x", "--variants", "6", "--json"]
        made = command_here("train", "finetune", workspace.path, file, *words)
    assert made.status == 0
    assert (made.data["queries"], made.data["paraphrased"], made.data["unparaphrased"]) == (2, 1, 1)
    assert made.data["paraphrased_by"] == "openai:x"
    lines = file.read_text(encoding="utf-8").splitlines()
    asked = [json.loads(line)["messages"][1]["content"] for line in lines]
    assert sum("How many USD are 250 EUR?" in text for text in asked) == 3
    assert not any("Change EUR" in text for text in asked)
