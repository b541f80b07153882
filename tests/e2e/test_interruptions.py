"""Ctrl+C and kill -9 at every stage, through the command line: what is there afterwards."""

import json
import os
import shutil
import signal
import subprocess
from pathlib import Path

import pytest
from fixtures.command_line import start_toolplanner, toolplanner
from fixtures.scripted_endpoint import Hang, ScriptedEndpoint, scripted_endpoint

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("demo") / "demo.toolplanner"
    assert toolplanner("new", path, "--demo").status == 0
    return path


def stop_when(process: "subprocess.Popen[str]", words: str, number: signal.Signals) -> int:
    """Send a signal to the main process when it says `words` on stderr; returns its exit status."""
    assert process.stderr is not None
    for line in process.stderr:
        if words in line:
            os.kill(process.pid, number)
            break
    else:
        pytest.fail(f"it ended without saying {words!r}")
    # `communicate` reads on, so that a full pipe cannot hold it up, and closes the pipes.
    process.communicate(timeout=30)
    return process.returncode


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)]
)
def test_import_when_stopped_then_the_catalogue_is_as_before_and_it_can_be_repeated(
    tmp_path: Path, shared_data: Path, number: signal.Signals, status: int
) -> None:
    path = tmp_path / "w.toolplanner"
    toolplanner("new", path)
    catalogue = shared_data / "toolbench" / "toolenv.zip"
    process = start_toolplanner("import", path, catalogue)
    assert stop_when(process, "Reading", number) == status
    assert toolplanner("apis", "list", path, "--json").data == []
    again = toolplanner("import", path, catalogue, "--json")
    assert again.data["added"] + len(again.data["rejected"]) == 45_284


@pytest.mark.parametrize("stage", ["Embedding", "Choosing first centres", "Placing"])
@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGKILL, -signal.SIGKILL)]
)
def test_prepare_when_stopped_then_finished_stages_are_kept_and_it_goes_on(
    demo: Path, tmp_path: Path, stage: str, number: signal.Signals, status: int
) -> None:
    path = Path(shutil.copy(demo, tmp_path / "w.toolplanner"))
    fresh = tmp_path / "fresh.toolplanner"
    toolplanner("new", fresh)
    source = tmp_path / "functions.json"
    shown = toolplanner("apis", "list", path, "--json").data
    functions = [
        {
            "name": f"f{n}",
            "description": f"{api['tool']} {api['name']} of {n % 7}",
            "parameters": {"type": "object", "properties": {}},
        }
        for n, api in enumerate(shown)
    ]
    source.write_text(json.dumps(functions))
    assert toolplanner("import", fresh, source, "--json").data["added"] == len(shown)
    process = start_toolplanner("prepare", fresh, "--embedder", "lsa")
    assert stop_when(process, stage, number) == status
    done = toolplanner("prepare", fresh, "--embedder", "lsa", "--json")
    assert done.status == 0, done.err
    assert done.data["layout"]["points"] == len(shown)
    if stage != "Embedding":
        assert done.data["embed"]["encoded"] == 0, "vectors that were there are not made again"


def test_run_when_killed_then_opens_as_interrupted(demo: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(demo, tmp_path / "w.toolplanner"))
    with scripted_endpoint(Hang()) as endpoint:
        process = start_run(path, endpoint.url)
        wait_for_request(endpoint, process)
        process.kill()
        process.communicate(timeout=30)
    runs = toolplanner("runs", "list", path, "--json").data
    assert [run["status"] for run in runs] == ["interrupted"]
    shown = toolplanner("runs", "show", path, runs[0]["run"])
    assert shown.status == 0
    assert "interrupted" in shown.out


def test_run_when_ctrl_c_then_ends_as_cancelled_with_status_130(demo: Path, tmp_path: Path) -> None:
    path = Path(shutil.copy(demo, tmp_path / "w.toolplanner"))
    with scripted_endpoint(Hang()) as endpoint:
        process = start_run(path, endpoint.url)
        wait_for_request(endpoint, process)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=30)
    assert process.returncode == 130
    runs = toolplanner("runs", "list", path, "--json").data
    assert [run["status"] for run in runs] == ["cancelled"]


def start_run(path: Path, url: str) -> "subprocess.Popen[str]":
    before = os.environ.get("OPENAI_BASE_URL")
    os.environ["OPENAI_BASE_URL"] = url
    try:
        return start_toolplanner("run", path, "Convert 10 USD to EUR", "--model", "openai:scripted")
    finally:
        if before is None:
            del os.environ["OPENAI_BASE_URL"]
        else:
            os.environ["OPENAI_BASE_URL"] = before


def wait_for_request(endpoint: ScriptedEndpoint, process: "subprocess.Popen[str]") -> None:
    if not endpoint.asked.wait(60):
        process.kill()
        pytest.fail(f"no request came: {process.communicate()}")
