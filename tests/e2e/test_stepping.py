"""Stepping in the terminal, with commands from a pipe."""

import json
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from fixtures.command_line import started_toolplanner, toolplanner
from fixtures.scripted_endpoint import Answers, Turn, scripted_endpoint

from toolplanner_core.runs.presentation.stop_choices import skeleton

pytestmark = pytest.mark.slow
QUERY = "Find the cheapest petrol near Springfield, Illinois."


@pytest.fixture(scope="module")
def demo(demo_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copy(demo_file, tmp_path_factory.mktemp("step") / "demo.toolplanner"))


def step(demo: Path, commands: str, *options: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [sys.executable, "-m", "toolplanner_core.cli", "run", str(demo), QUERY, *options],
        input=commands,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_step_when_commands_come_from_a_pipe_then_held_changed_and_stopped(demo: Path) -> None:
    done = step(
        demo, "?\njump\ns\no\no\nf timeout\nc\n", "--step", "--break", "at=before_call,hits=1"
    )
    assert done.returncode in (0, 1), done.stderr
    assert "before question: Make a plan" in done.stderr
    assert "step into, step over" in done.stderr
    assert "There is no command 'jump'; h lists them" in done.stderr
    assert done.stderr.count("before question: Make a plan") == 1, "a stop is said once"
    assert "before call:" in done.stderr
    stopped = step(demo, "q\n", "--step")
    assert stopped.returncode == 130
    ended = step(demo, "", "--break", "failure=always")
    assert ended.stderr.count("after call:") == 1, "without commands it goes on"
    wrong = step(demo, "", "--break", "nowhere=1")
    assert (wrong.returncode, "Unknown part" in wrong.stderr) == (2, True)


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT for one process")
def test_step_when_interrupted_at_the_prompt_then_the_run_is_stopped_and_said(demo: Path) -> None:
    with started_toolplanner("run", demo, QUERY, "--step") as process:
        assert process.stderr is not None
        assert any("before question" in line for line in process.stderr)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "stopped by" in out


def test_show_when_a_run_is_held_in_another_terminal_then_says_so_and_what_was_done_so_far(
    demo: Path,
) -> None:
    with started_toolplanner("run", demo, QUERY, "--break", "at=before_call") as process:
        assert process.stderr is not None
        assert any("before call" in line for line in process.stderr)
        run = toolplanner("runs", "list", demo, "--json").data[0]["run"]
        toolplanner("runs", "mark", demo, run, "--note", "Looked at while it is held")
        shown = toolplanner("runs", "show", demo, run)
        process.communicate("q\n", timeout=120)
    (totals,) = (line for line in shown.out.splitlines() if line.startswith(f"Run {run}: "))
    assert totals.startswith(f"Run {run}: held by tool-planner with offline planner")
    assert "2 model calls" in totals and "0 API calls" in totals
    assert "Note: Looked at while it is held" in shown.out


def test_step_when_a_dialogue_is_held_then_messages_turns_and_calls_are_changed_and_forked(
    demo: Path,
) -> None:
    def look(body: dict[str, Any]) -> Turn:
        offered = body["tools"][0]["function"]
        call = (offered["name"], skeleton(offered["parameters"]))
        return Turn("I look.", [call, call])

    end = ("give_answer", {"final_answer": "3.19 dollars", "no_call_needed": True})
    with scripted_endpoint(Answers(look), Turn("", [end])) as endpoint:
        talk = ("--strategy", "react", "--model", "openai:scripted")
        environment = {"OPENAI_BASE_URL": endpoint.url, "OPENAI_API_KEY": "none"}
        commands = [
            "m 2 Find petrol.",  # before the question
            "t I know where.",  # after the answer: the calls stay
            'v {"price": 3.19}',  # before the first call
        ]
        said = "\n".join([*commands, "c", ""])
        done = toolplanner("run", demo, QUERY, *talk, "--step", "--json", said=said, **environment)
        assert done.status == 0, done.err
        run, answer = done.data["run"], done.data["answer"]
        assert answer == "3.19 dollars"
        assert "  call 2: " in done.err
        told = [message.get("content") for message in endpoint.requests[1]["messages"]]
        assert told[1:3] == ["Find petrol.", "I know where."]
        assert "3.19" in told[3]
        shown = toolplanner("runs", "show", demo, run, "--json").data["nodes"]
        first = next(node["path"] for node in shown if node["kind"] == "question")
        node = toolplanner("runs", "show", demo, run, "--node", first)
        assert "Find petrol." in node.out
        assert "You changed the messages" in node.out
        turn = json.dumps({"text": "", "calls": [{"name": end[0], "arguments": end[1]}]})
        fork = ("runs", "fork", demo, run, "--at", first, "--json")
        other = toolplanner(*fork, "--answer", turn, **environment)
        assert (other.data["answer"], other.data["api_calls"]) == (answer, 0)
        wrong = toolplanner(*fork, "--set-message", "9=x", **environment)
        assert (wrong.status, "There is no message 9" in wrong.err) == (2, True)
        assert toolplanner("runs", "replay", demo, other.data["run"]).status == 0
        assert len(endpoint.requests) == 2
