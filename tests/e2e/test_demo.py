"""The main job on the demo world, through the command line, as a newcomer would type it."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from fixtures.command_line import command_here, toolplanner

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A demo workspace whose cases have been run."""
    path = tmp_path_factory.mktemp("demo") / "demo.toolplanner"
    new = toolplanner("new", path, "--demo", "--json")
    assert new.status == 0, new.err
    assert new.data["apis"] >= 150
    assert new.data["toolkits"] >= 20
    return path


@pytest.fixture(scope="module")
def results(made: Path) -> list[dict[str, Any]]:
    ran = toolplanner("cases", "run", made, "--json")
    failed = [(r["case"], r["why"]) for r in ran.data if not r["passed"]]
    assert ran.status == 0, failed
    return ran.data


@pytest.fixture
def demo(made: Path, results: list[dict[str, Any]], tmp_path: Path) -> Path:
    """A copy of it, to be changed at will."""
    return Path(shutil.copy(made, tmp_path / "demo.toolplanner"))


def test_cases_when_run_then_show_fallbacks_replans_and_runs_without_any(
    results: list[dict[str, Any]],
) -> None:
    assert len(results) >= 6
    assert any(r["fallbacks"] == 0 and r["replans"] == 0 for r in results)
    assert any(r["fallbacks"] >= 1 and r["replans"] == 0 for r in results)
    assert any(r["fallbacks"] >= 2 for r in results)
    assert any(r["replans"] >= 1 for r in results)
    assert all(r["tokens"] == 0 for r in results), "the offline planner uses no tokens"


def test_run_when_shown_then_causes_point_at_failures(
    demo: Path, results: list[dict[str, Any]]
) -> None:
    replanned = next(r for r in results if r["replans"])
    nodes = toolplanner("runs", "show", demo, replanned["run"], "--json").data["nodes"]
    plans = [node for node in nodes if node["kind"] == "plan"]
    assert plans[0]["state"] == "replanned"
    assert plans[1]["cause"] is not None
    fell_back = [n for n in nodes if n["kind"] == "attempt" and n["state"] == "fell_back"]
    assert all(node["error"] for node in fell_back)
    tree = toolplanner("runs", "show", demo, replanned["run"])
    assert tree.status == 0
    assert "because" in tree.out
    assert "offline planner" in tree.out
    failed = fell_back[0]["path"]
    said = toolplanner("runs", "show", demo, replanned["run"], "--node", failed, "--json").data
    assert (
        said["title"] in toolplanner("runs", "show", demo, replanned["run"], "--node", failed).out
    )


def test_run_when_the_query_cannot_be_met_then_ends_unsolved_with_status_1(demo: Path) -> None:
    ran = toolplanner("run", demo, "Compose a symphony for my cat", "--max-calls", 5, "--json")
    assert ran.status == 1
    assert ran.data["status"] in {"unsolved", "over_budget"}


def test_run_when_the_budget_is_nothing_then_no_call_is_made(demo: Path) -> None:
    ran = toolplanner("run", demo, "Convert 10 USD to EUR", "--max-calls", 0, "--json")
    assert (ran.status, ran.data["api_calls"]) == (1, 0)


@pytest.mark.parametrize(
    ("embedder", "query"),
    [("lsa", "currency exchange rate"), ("minilm", "how much is a euro in dollars")],
)
def test_search_when_words_or_meaning_fit_then_finds_the_api(
    demo: Path, request: pytest.FixtureRequest, embedder: str, query: str
) -> None:
    models = request.getfixturevalue("minilm") if embedder == "minilm" else ""
    there = {"TOOLPLANNER_MODELS": str(models)}
    assert toolplanner("embed", demo, "--embedder", embedder, **there).status == 0
    rows = toolplanner("search", demo, query, "--json", **there).data
    toolkits = {t["id"]: t["name"] for t in toolplanner("toolkits", "list", demo, "--json").data}
    assert "urrency" in " ".join(toolkits[row["toolkit"]] for row in rows[:3])


def test_toolkit_when_shown_then_lists_its_members(demo: Path) -> None:
    toolkit = toolplanner("toolkits", "list", demo, "--json").data[0]
    shown = toolplanner("toolkits", "show", demo, toolkit["id"], "--json").data
    assert len(shown["members"]) == toolkit["size"]
    api = shown["members"][0]
    detail = toolplanner("apis", "show", demo, api["id"], "--json").data
    assert detail["parameters"]["type"] == "object"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["apis", "show", "{}", "no-such-id"], "There is no API"),
        (["toolkits", "show", "{}", "999999"], "There is no toolkit"),
        (["runs", "show", "{}", "999999"], "There is no run"),
        (["cases", "run", "{}", "nothing"], "There is no case"),
        (["run", "{}", "x", "--strategy", "magic"], "There is no strategy"),
        (["run", "{}", "x", "--model", "oracle"], "There is no model"),
        (["run", "{}", "x", "--provider", "nobody"], "There is no provider"),
        (["run", "{}", "x", "--provider", "recorded"], "no recorded calls"),
        (["run", "{}", "x", "--option", "max_replans"], "NAME=VALUE"),
        (["run", "{}", "x", "--option", "max_replans=soon"], "max_replans"),
        (["run", "{}", "x", "--option", "luck=1"], "luck"),
        (["embed", "{}", "--embedder", "oracle"], "oracle"),
        (["cluster", "{}", "--method", "oracle"], "oracle"),
        (["cluster", "{}", "--k", "0"], ""),
        (["import", "{}", "/nowhere"], "/nowhere"),
        (["new", "{}"], "already"),
        (["new", ""], "empty"),
        (["import", "{}", ""], "empty"),
        (["runs", "show", "{}", "9" * 30], ""),
        (["runs", "search", "{}", "x", "--limit", "9" * 30], ""),
        (["runs", "export", "{}", "1", "--output", "{}"], "replace a workspace"),
        (["runs", "fork", "{}", "1", "--at", "5", "--api", "nosuch"], "There is no API"),
        (["layout", "{}", "--seed", "-1"], ""),
        (["search", "{}"], ""),
    ],
)
def test_command_when_the_input_is_wrong_then_says_so_with_status_2(
    demo: Path, arguments: list[str], words: str
) -> None:
    outcome = command_here(*(a.format(demo) for a in arguments))
    assert outcome.status == 2, outcome
    assert words in outcome.err
    assert "Traceback" not in outcome.err


def test_command_when_the_input_is_wrong_then_the_process_ends_with_status_2(demo: Path) -> None:
    outcome = toolplanner("runs", "show", demo, "999999")
    assert (outcome.status, outcome.out) == (2, "")
    assert "There is no run" in outcome.err


def test_self_test_when_run_then_all_that_is_needed_works() -> None:
    outcome = toolplanner("self-test", "--json")
    assert outcome.status == 0, outcome.out
    assert outcome.data["passed"]
