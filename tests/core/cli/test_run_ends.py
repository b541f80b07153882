"""How a run that a model answered ends in the terminal: what is said, and the exit status."""

import json
from pathlib import Path
from typing import Any

import pytest
from fixtures.command_line import command_here
from fixtures.scripted_endpoint import Answers, Turn, scripted_endpoint

from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.rows import dump

QUERY = "Convert 26.2 miles to kilometres."


def says(answer: str) -> Any:
    """Converts units with the first function that can, then answers so."""

    def next_turn(body: dict[str, Any]) -> Any:
        if any(message["role"] == "tool" for message in body["messages"]):
            return Turn("", [("give_answer", {"final_answer": answer})])
        tools = [tool["function"] for tool in body["tools"]]
        name = next(tool["name"] for tool in tools if "Convert_units" in tool["name"])
        return Turn("", [(name, {"value": 26.2, "from": "mi", "to": "km"})])

    return Answers(next_turn)


@pytest.mark.parametrize(
    ("answer", "require", "ended"),
    [
        ("It is 42.16 km.", "answered", (0, "answered")),
        ("It is 42.16 km.", "solved", (1, "answered")),
        ("It is 97.31 km.", "answered", (1, "unsolved")),
    ],
)
def test_run_when_a_model_answered_then_the_status_says_whether_anything_speaks_against_it(
    demo: Path, monkeypatch: pytest.MonkeyPatch, answer: str, require: str, ended: tuple[int, str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    with scripted_endpoint(says(answer)) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        asked = ("--strategy", "react", "--model", "openai:m", "--require", require)
        done = command_here("run", demo, QUERY, *asked)
    shown = command_here("runs", "show", demo, 1, "--json").data
    assert (done.status, shown["status"]) == ended, done.out + done.err
    assert ("Answered, not checked" in done.err) is (ended[1] == "answered")
    assert "Answered, not checked" not in done.out.partition("Run 1:")[0]
    if ended[1] == "answered":
        assert "Run 1: answered, not checked by react" in done.out
        assert "42.16" in [each["value"] for each in shown["checked"]["values"]]
        assert "answered, not checked" in command_here("runs", "list", demo).out


def test_run_when_it_is_of_an_earlier_program_then_says_what_solved_meant_there(
    demo: Path,
) -> None:
    assert command_here("run", demo, QUERY).status == 0
    with Workspace.open(demo) as workspace:
        [totals] = workspace.one_row("SELECT totals FROM runs WHERE id = 1")
        former = {
            name: value
            for name, value in json.loads(totals).items()
            if name not in ("outcome", "checked", "verdicts")
        }
        workspace.writer.run(
            lambda db: db.conn.execute("UPDATE runs SET totals = ?", [dump(former)])
        )
    shown = command_here("runs", "show", demo, 1)
    assert "solved by tool-planner" in shown.out
    assert "earlier version, where solved meant that calls had served it" in shown.out
