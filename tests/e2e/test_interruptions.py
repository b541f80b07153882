"""Ctrl+C and kill -9 at every stage, through the command line: what is there afterwards."""

import json
import os
import shutil
import signal
import subprocess
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from fixtures.command_line import command_here, started_toolplanner, toolplanner
from fixtures.scripted_endpoint import Hang, ScriptedEndpoint, scripted_endpoint

pytestmark = pytest.mark.slow


FULL = bool(os.environ.get("TOOLPLANNER_BENCH"))
CTRL_C = (signal.SIGINT, 130)
KILL = (signal.SIGKILL, -signal.SIGKILL)
STAGES = ("Embedding", "Choosing first centres", "Placing")
MOMENTS = [(stage, *how) for stage in STAGES for how in (CTRL_C, KILL)]


def functions(n: int) -> str:
    """A catalogue of n functions, as JSON."""
    return json.dumps(
        [
            {
                "name": f"f{i}",
                "description": f"Get the {('weather', 'price', 'song')[i % 3]} of place {i % 41}",
                "parameters": {"type": "object", "properties": {}},
            }
            for i in range(n)
        ]
    )


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with 150 APIs that nobody has prepared."""
    folder = tmp_path_factory.mktemp("imported")
    source, path = folder / "functions.json", folder / "w.toolplanner"
    source.write_text(functions(150))
    assert command_here("new", path).status == 0
    assert command_here("import", path, source, "--json").data["added"] == 150
    return path


def stop_when(process: "subprocess.Popen[str]", words: str, number: signal.Signals) -> int:
    """Send a signal to the main process when it says `words` on stderr; returns its exit status."""
    assert process.stderr is not None
    for line in process.stderr:
        if words in line:
            process.send_signal(number)
            break
    else:
        pytest.fail(f"it ended without saying {words!r}")
    # `communicate` reads on, so that a full pipe cannot hold it up.
    process.communicate(timeout=120)
    return process.returncode


@pytest.mark.parametrize(("number", "status"), [CTRL_C, KILL])
def test_import_when_stopped_then_the_catalogue_is_as_before_and_it_can_be_repeated(
    tmp_path: Path, number: signal.Signals, status: int
) -> None:
    path, catalogue = tmp_path / "w.toolplanner", tmp_path / "functions.json"
    catalogue.write_text(functions(8_000))
    command_here("new", path)
    with started_toolplanner("import", path, catalogue) as process:
        assert stop_when(process, "Reading", number) == status
    assert command_here("apis", "list", path, "--json").data == []
    assert command_here("import", path, catalogue, "--json").data["added"] == 8_000


@pytest.mark.parametrize(
    ("stage", "number", "status"),
    # Each stage, each signal; all pairs in the long version: a layout takes ten seconds.
    MOMENTS if FULL else [MOMENTS[0], MOMENTS[3], MOMENTS[4]],
)
def test_prepare_when_stopped_then_finished_stages_are_kept_and_it_goes_on(
    imported: Path, tmp_path: Path, stage: str, number: signal.Signals, status: int
) -> None:
    path = Path(shutil.copy(imported, tmp_path / "w.toolplanner"))
    with started_toolplanner("prepare", path, "--embedder", "lsa") as process:
        assert stop_when(process, stage, number) == status
    done = toolplanner("prepare", path, "--embedder", "lsa", "--json")
    assert done.status == 0, done.err
    assert done.data["layout"]["points"] == 150
    if stage != "Embedding":
        assert done.data["embed"]["encoded"] == 0, "vectors that were there are not made again"


def test_run_when_killed_then_opens_as_interrupted(demo: Path) -> None:
    with scripted_endpoint(Hang()) as endpoint, started_run(demo, endpoint.url) as process:
        wait_for_request(endpoint, process)
        process.kill()
        process.communicate(timeout=120)
    runs = command_here("runs", "list", demo, "--json").data
    assert [run["status"] for run in runs] == ["interrupted"]
    shown = command_here("runs", "show", demo, runs[0]["run"])
    assert shown.status == 0
    assert "interrupted" in shown.out


def test_run_when_ctrl_c_then_ends_as_cancelled_with_status_130(demo: Path) -> None:
    with scripted_endpoint(Hang()) as endpoint, started_run(demo, endpoint.url) as process:
        wait_for_request(endpoint, process)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=120)
    assert process.returncode == 130
    runs = command_here("runs", "list", demo, "--json").data
    assert [run["status"] for run in runs] == ["cancelled"]


def started_run(path: Path, url: str) -> "AbstractContextManager[subprocess.Popen[str]]":
    """A run that waits for the endpoint for ever."""
    query, model = "Convert 10 USD to EUR", "openai:scripted"
    return started_toolplanner("run", path, query, "--model", model, OPENAI_BASE_URL=url)


def wait_for_request(endpoint: ScriptedEndpoint, process: "subprocess.Popen[str]") -> None:
    if not endpoint.asked.wait(120):
        process.kill()
        pytest.fail(f"no request came: {process.communicate()}")
