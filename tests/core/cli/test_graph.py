"""The graph of tools by the command line: built from runs and files, shown, decided."""

import json
from pathlib import Path
from typing import Any

import pytest
from fixtures.catalogues import add_apis, made_up_apis
from fixtures.command_line import command_here
from fixtures.scripted_endpoint import Turn
from fixtures.spoken_run import speak_run

from toolplanner_core.runs.graph.tool_graph import edge_changes, graph_now
from toolplanner_core.strategies.techniques.tool_graph import GRAPH_MEMORY, Formula
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.memories import decide_memory


@pytest.fixture
def path(workspace: Workspace, tmp_path: Path) -> Path:
    add_apis(workspace, made_up_apis(2))
    return workspace.path


def paths_file(tmp_path: Path, *paths: list[Any]) -> Path:
    file = tmp_path / "paths.json"
    file.write_text(json.dumps([{"query": "q", "solution": path} for path in paths]))
    return file


RATES, FORECAST = "Finance/Financelyan/0", "GET https://example.org/Weather/0"
"""One by its catalogue's key, one by method and address, as RestBench has them."""


def test_graph_when_built_from_a_file_then_shows_neighbours_and_what_has_no_name_here(
    workspace: Workspace, path: Path, tmp_path: Path
) -> None:
    assert command_here("graph", "show", path).out.startswith("There is no graph yet")
    file = paths_file(tmp_path, [RATES, FORECAST], [RATES, "GET /fly"], [[RATES, 2]])
    built = command_here("graph", "build", path, file)
    assert built.status == 0, built.err
    assert "2 trajectories of paths.json" in built.out
    assert "1 left out: no API has one of their names (GET /fly ...)" in built.out
    rows = command_here("graph", "show", path, "--json").data
    [rates, forecast] = [row["api"] for row in rows]
    shown = command_here("graph", "show", path, rates, "--beta", 1, "--json").data
    after = {row["api"]: round(row["weight"], 2) for row in shown if row["where"] == "after"}
    assert after == {forecast: 0.33, rates: 0.33, "end": 0.33}
    assert "Weatherlyan" in command_here("graph", "show", path, rates).out


def test_graph_when_a_person_decides_then_it_stays_and_can_be_taken_back(
    workspace: Workspace, path: Path, tmp_path: Path
) -> None:
    command_here("graph", "build", path, paths_file(tmp_path, [RATES, FORECAST]))
    [rates, forecast] = [row["api"] for row in command_here("graph", "show", path, "--json").data]

    def weights() -> dict[str, float]:
        shown = command_here("graph", "show", path, rates, "--beta", 1, "--json").data
        return {row["api"]: row["weight"] for row in shown if row["where"] == "after"}

    assert command_here("graph", "decide", path, rates, forecast, "40").status == 0
    assert weights()[forecast] == 0.4
    command_here("graph", "decide", path, rates, forecast, "cut")
    assert forecast not in weights()
    command_here("memory", "revert", path, "toolnet decided", 1)
    assert weights()[forecast] == 0.4
    command_here("graph", "decide", path, rates, forecast, "free")
    assert weights()[forecast] == 1.0
    for wrong in (("end", rates, "cut"), (rates, "nobody", "cut"), (rates, forecast, "140")):
        assert command_here("graph", "decide", path, *wrong).status == 2
    [change] = edge_changes(workspace, rates, forecast, Formula(beta=1))
    assert (change.run, change.weight, change.reason) == (None, 1.0, "the graph was built anew")


def test_graph_when_a_window_is_given_then_weights_are_by_the_last_scores(
    workspace: Workspace, path: Path, tmp_path: Path
) -> None:
    command_here("graph", "build", path, paths_file(tmp_path, [RATES, FORECAST]))
    [rates, forecast] = [row["api"] for row in command_here("graph", "show", path, "--json").data]
    graph = graph_now(workspace).with_scores({forecast: (-3, "broken")})
    mended = graph.with_scores({forecast: (3, "mended")})
    decide_memory(workspace, GRAPH_MEMORY, mended.to_json())

    def dynamic(*flags: Any) -> float:
        shown = command_here("graph", "show", path, rates, "--json", *flags).data
        [after] = [row for row in shown if (row["where"], row["api"]) == ("after", forecast)]
        return after["dynamic"]

    assert dynamic() == pytest.approx(1 / 3), "-3 and 3 are 0"
    assert dynamic("--window", 1) == pytest.approx(2.5 / 4.5), "f(3) = 0.5 x 3 + 1"


def test_memory_when_seeded_then_toolchain_star_has_plans_to_begin_with(
    workspace: Workspace, path: Path, tmp_path: Path
) -> None:
    file = paths_file(tmp_path, [RATES, FORECAST], [RATES, FORECAST], [FORECAST], ["GET /fly"])
    seeded = command_here("memory", "seed", path, file)
    assert seeded.status == 0, seeded.err
    assert "1 of paths.json left out" in seeded.out
    assert "toolchain-star plans: 2 plans more, as version 1." in seeded.out
    plans = command_here("memory", "show", path, "toolchain-star plans").data["plans"]
    assert [len(plan) for plan in plans] == [2, 1]
    again = command_here("memory", "seed", path, file).out
    assert "Nothing is new: toolchain-star plans holds 2 plans." in again


def test_graph_when_an_answered_run_adds_nothing_then_it_is_named(
    workspace: Workspace, path: Path
) -> None:
    said = ("give_answer", {"final_answer": "Hello.", "no_call_needed": True})
    spoken = speak_run(workspace, "react", [Turn("", [said])])
    built = command_here("graph", "build", path)
    assert "0 trajectories of runs that answered" in built.out
    assert "1 run that answered added nothing, since no call served" in built.out
    assert built.out.splitlines()[1].endswith(f"this workspace: {spoken.summary.run}")
