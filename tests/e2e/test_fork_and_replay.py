"""Replay and fork through the command line, on the demo world."""

import shutil
from pathlib import Path

import pytest
from fixtures.command_line import toolplanner

pytestmark = pytest.mark.slow
QUERY = "Find the cheapest petrol near Springfield, Illinois."


@pytest.fixture(scope="module")
def demo(demo_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copy(demo_file, tmp_path_factory.mktemp("fork") / "demo.toolplanner"))


def test_run_when_replayed_and_forked_then_the_prefix_costs_nothing(demo: Path) -> None:
    done = toolplanner("run", demo, QUERY, "--json").data
    replayed = toolplanner("runs", "replay", demo, done["run"], "--json")
    assert replayed.status == 0, replayed.out
    assert replayed.data["identical"] is True
    nodes = toolplanner("runs", "show", demo, done["run"], "--json").data["nodes"]
    call = next(node["path"] for node in nodes if node["kind"] == "call")
    assert done["fallbacks"] + done["replans"] > 0
    cost = toolplanner("runs", "fork", demo, done["run"], "--at", call, "--estimate", "--json")
    assert cost.data["api_calls"] == done["api_calls"]
    forked = toolplanner("runs", "fork", demo, done["run"], "--at", call, "--json")
    assert forked.status == 0, forked.err
    assert forked.data["parent_run"] == done["run"]
    assert forked.data["answer"] == done["answer"]
    again = toolplanner("runs", "replay", demo, forked.data["run"])
    assert "replays identically" in again.out
    nowhere = toolplanner("runs", "fork", demo, done["run"], "--at", "plan.99")
    assert (nowhere.status, "no node" in nowhere.err) == (2, True)
    assert toolplanner("runs", "fork", demo, done["run"], "--go-on").status == 2


def test_fault_when_given_on_the_command_line_then_shown_as_injected(demo: Path) -> None:
    done = toolplanner("run", demo, QUERY, "--fault", "500:all", "--json")
    assert (done.status, done.data["status"]) == (1, "unsolved")
    told = toolplanner("run", demo, QUERY, "--fault", "500:all,next=1").out
    assert "A fault was injected. Solved after 1 failed call (1 by a fault): " in told
    wrong = toolplanner("run", demo, QUERY, "--fault", "bang:all")
    assert (wrong.status, "Kinds are" in wrong.err) == (2, True)
    nodes = toolplanner("runs", "show", demo, done.data["run"], "--json").data["nodes"]
    call = next(node["path"] for node in nodes if node["kind"] == "call")
    better = toolplanner(
        "runs", "fork", demo, done.data["run"], "--at", call, "--no-faults", "--json"
    )
    assert better.data["status"] == "solved"
