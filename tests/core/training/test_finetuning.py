"""The training set for a planner: its three properties, and the format that services take."""

import json
from pathlib import Path

import pytest
from fixtures.small_catalogue import import_small_catalogue

from toolplanner_core.cli.app import run_command_line
from toolplanner_core.domain.demonstration import Demonstration, DemonstrationStep
from toolplanner_core.errors import BadInput
from toolplanner_core.training.finetuning import check_tuning_lines, tuning_set
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import api_names
from toolplanner_core.workspace.demonstrations import add_demonstration

GOOD = [
    {"role": "system", "content": "s"},
    {"role": "user", "content": "u"},
    {"role": "assistant", "content": "a"},
]


def tasks(workspace: Workspace, folder: Path) -> None:
    import_small_catalogue(workspace, folder)
    apis = [each.id for each in api_names(workspace)]
    for number in range(4):
        steps = tuple(
            DemonstrationStep(goal=f"part {n}", api=apis[number + n], title="T")
            for n in range(1 + number % 2)
        )
        run = None if number == 3 else number + 1
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
    assert report.real == 0.75
    assert report.structured == 1
    assert 0 < report.with_demonstrations < 1
    assert report.instructions == report.prompts == 16
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
    assert "75% come from runs" in capsys.readouterr().out
    assert check_tuning_lines(file.read_text(encoding="utf-8").splitlines()) == []
