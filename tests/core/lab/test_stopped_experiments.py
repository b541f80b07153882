"""Experiments that a person stops: what was answered by then is not asked again."""

import signal
import sys
from pathlib import Path

import pytest
from fixtures.command_line import command_here, started_toolplanner
from fixtures.counting_endpoint import TURNS, counting_endpoint

from toolplanner_core.domain.lab import DataSet, Query
from toolplanner_core.lab.datasets.jsonl import write_data_set
from toolplanner_core.workspace.lab_store import LabStore

EXPERIMENT = """
workspace = "demo.toolplanner"
dataset = "many.jsonl"
[arm.act]
strategy = "react"
model = "openai:scripted"
provider = "demo"
"""


def experiment_beside(demo: Path, *, queries: int) -> Path:
    """An experiment that asks a model, over as many queries."""
    asked = [Query(id=str(n), text=f"Weather in city {n}") for n in range(queries)]
    write_data_set(DataSet(name="many", queries=asked), demo.with_name("many.jsonl"))
    file = demo.with_name("try.lab.toml")
    file.write_text(EXPERIMENT, encoding="utf-8")
    return file


@pytest.mark.skipif(sys.platform == "win32", reason="Windows cannot send Ctrl+C to one process")
@pytest.mark.parametrize("executor", ["inline", "processes"])
def test_experiment_when_runs_are_stopped_twice_then_only_what_had_no_reply_is_asked_again(
    demo: Path, executor: str
) -> None:
    file = experiment_beside(demo, queries=3)
    command = ("lab", "run", file, "--executor", executor, "--workers", 1, "--json")
    with counting_endpoint() as (endpoint, counting):
        environment = {"OPENAI_BASE_URL": endpoint.url, "OPENAI_API_KEY": "k"}
        for request in (TURNS + 2, TURNS + 4):  # in the middle of the second query, then later
            counting.stop_at(request, before_reply=True)
            with started_toolplanner(*command, **environment) as process:
                assert process.stderr is not None
                assert counting.reached.wait(200), process.poll()
                process.send_signal(signal.SIGINT)
                assert any("Press Ctrl+C again" in line for line in process.stderr)
                process.send_signal(signal.SIGINT)
                process.communicate()
                assert process.returncode == 1
            counting.go_on()
        with started_toolplanner(*command, **environment) as process:
            process.communicate()
            assert process.returncode == 0
        assert len(set(counting.asked)) == 3 * TURNS
        assert counting.asked_again <= 2, "those that were under way at the two stops"
    with LabStore.open(demo.with_name("try.lab")) as store:
        standing, spent = store.standing(), store.spent()
        answers = [facts.answer for n in (1, 2, 3) if (facts := store.facts(n)) is not None]
    assert (standing.planned, standing.left, standing.duplicates) == (3, 0, 0)
    assert answers == [f"It took {TURNS} turns."] * 3
    assert sum(each.model_calls for each in spent.values()) <= 3 * TURNS + 2
    assert command_here("lab", "run", file).out.startswith("Nothing is left to run")


@pytest.mark.parametrize("now", [False, True])
def test_stop_when_another_process_asks_then_no_further_trial_begins(demo: Path, now: bool) -> None:
    file, path = experiment_beside(demo, queries=3), demo.with_name("try.lab")
    command = ("lab", "run", file, "--executor", "inline", "--json")
    with counting_endpoint() as (endpoint, counting):
        environment = {"OPENAI_BASE_URL": endpoint.url, "OPENAI_API_KEY": "k"}
        counting.stop_at(2, before_reply=True)
        with started_toolplanner(*command, **environment) as process:
            assert counting.reached.wait(200), process.poll()
            asked = command_here("lab", "stop", path, *(("--now",) if now else ()))
            assert (asked.status, asked.out) == (0, "Asked to stop: no further trial begins.\n")
            if now:  # the run ends without the reply that it waits for
                process.communicate()
                counting.go_on()
            else:
                assert process.stderr is not None
                assert any("Asked to stop" in line for line in process.stderr)
                counting.go_on()
                process.communicate()
            assert process.returncode == 1
        states = command_here("lab", "status", path, "--json").data["states"]
        assert states["done"] == (0 if now else 1)
        nobody = command_here("lab", "stop", path)
        assert (nobody.status, nobody.out) == (1, "Nobody runs this experiment.\n")
        with started_toolplanner(*command, **environment) as process:
            process.communicate()
            assert process.returncode == 0, "what was asked then does not hold for a later start"
        assert counting.asked_again == now
