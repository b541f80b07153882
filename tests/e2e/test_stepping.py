"""Stepping in the terminal, with commands from a pipe."""

import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from fixtures.command_line import started_toolplanner

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
    done = step(demo, "?\njump\ns\no\nf timeout\nc\n", "--step", "--break", "at=before_call,hits=1")
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
    assert "cancelled by" in out
