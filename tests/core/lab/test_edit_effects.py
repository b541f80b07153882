"""What an edit would change, foreseen over a data set and run both ways; nothing is written."""

from pathlib import Path

import pytest
from fixtures.command_line import command_here

from toolplanner_core.domain.lab import DataSet, Query
from toolplanner_core.lab.datasets.jsonl import write_data_set
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.cases import list_cases
from toolplanner_core.workspace.edit_history import read_head
from toolplanner_core.workspace.runs import run_count
from toolplanner_core.workspace.toolkits import list_toolkits

MILES = "Reference/unitwise/convert_units"


@pytest.fixture
def merge(demo: Path) -> str:
    with Workspace.open(demo) as workspace:
        number = {each.name: each.id for each in list_toolkits(workspace)}
    return f"merge {number['Currency exchange']} {number['Unit conversion']}"


def data_set(demo: Path) -> Path:
    """Five cases; of that with miles the gold API is known."""
    with Workspace.open(demo) as workspace:
        cases = list_cases(workspace)[:5]
    gold = (frozenset({MILES}),)
    queries = [
        Query(
            id=case.id,
            text=case.query,
            expected=case.expected,
            gold=gold if "miles" in case.query else (),
        )
        for case in cases
    ]
    file = demo.with_name("few.jsonl")
    write_data_set(DataSet(name="few", queries=queries), file)
    return file


def test_whatif_when_toolkits_are_merged_then_says_which_queries_change_and_writes_nothing(
    demo: Path, merge: str
) -> None:
    with Workspace.open(demo) as workspace:
        before = read_head(workspace.reader()), run_count(workspace)
    flags = ("--dataset", data_set(demo), "--run", "expected", "--provider", "demo")
    found = command_here("lab", "whatif", demo, merge, *flags, "--json")
    assert found.status == 0, found.err
    differs = {each["query"]: each["differs"] for each in found.data["changed"]}
    assert differs["no-error"] == ["plan", "shortlist"]
    assert differs["parallel-needs"] == ["fallbacks", "shortlist"]
    [planned] = [each for each in found.data["changed"] if each["query"] == "no-error"]
    assert planned["before"] == [["Unit conversion", "UnitWise · Convert units"]]
    assert planned["after"] == [["Currency exchange", "UnitWise · Convert units"]]
    assert planned["better"] == 0
    assert "Finance/fxline/exchange" in planned["apis"], "a fallback for currencies, now for miles"
    ran = found.data["ran"]
    assert (ran["judge"], ran["ran"], ran["before"], ran["after"]) == ("expected", 2, 2, 1)
    assert sorted(ran["solved"].values()) == [[True, False], [True, True]]
    said = command_here("lab", "whatif", demo, merge, *flags).out
    assert "Of 5 queries 5 another shortlist, 1 another plan, 1 other fallbacks" in said
    assert "2 were solved without the edit and 1 with it" in said
    with Workspace.open(demo) as workspace:
        assert (read_head(workspace.reader()), run_count(workspace)) == before


def test_whatif_when_gold_falls_out_of_reach_then_says_so_with_an_interval(demo: Path) -> None:
    found = command_here(
        "lab", "whatif", demo, f"exclude {MILES}", "--dataset", data_set(demo), "--json"
    )
    assert found.status == 0, found.err
    [changed] = [each for each in found.data["changed"] if each["query"] == "no-error"]
    assert changed["better"] == -1
    for how in ("on the shortlist", "in the plan", "tried first"):
        pairs = found.data["reach"][how]
        assert (pairs["gained"], pairs["lost"]) == (0, 1)
        assert pairs["difference"]["value"] == -1
        assert pairs["difference"]["low"] <= -1 < pairs["difference"]["high"]


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        ("melt 1 2", "no edit 'melt'"),
        ("merge nobody 2", "no toolkit"),
        ('merge "1', "cannot be read"),
        ("merge 1", "TOOLKIT"),
        ("99", "no edit 99"),
        ("0", "are as after edit 0"),
        (" ", "No edit was named"),
    ],
)
def test_whatif_when_no_edit_is_meant_then_is_refused(demo: Path, edit: str, words: str) -> None:
    refused = command_here("lab", "whatif", demo, edit, "--dataset", data_set(demo))
    assert refused.status == 2
    assert words in refused.err


def test_whatif_when_a_point_of_the_history_is_named_then_compares_with_it(
    demo: Path, merge: str
) -> None:
    name, *toolkits = merge.split()
    assert command_here("toolkits", name, demo, *toolkits).status == 0
    found = command_here("lab", "whatif", demo, "0", "--dataset", data_set(demo), "--json")
    [planned] = [each for each in found.data["changed"] if each["query"] == "no-error"]
    assert planned["before"][0][0] == "Currency exchange"
    assert planned["after"][0][0] == "Unit conversion"
