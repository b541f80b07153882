"""Why trials failed: forked with one change, compared with an arm that solved them, and which APIs
stood in for others."""

from pathlib import Path
from typing import Any

import pytest
from fixtures.command_line import command_here

from toolplanner_core.domain.curated import LinkKind
from toolplanner_core.domain.lab import DataSet, GoldCall, Query
from toolplanner_core.lab.datasets.jsonl import write_data_set
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.cases import list_cases
from toolplanner_core.workspace.catalogue import stored_documents
from toolplanner_core.workspace.curated_tables import all_links
from toolplanner_core.workspace.edit_history import read_head
from toolplanner_core.workspace.settings import set_setting
from toolplanner_core.workspace.stand_ins import SeenStandIn, keep_stand_ins, stand_in_counts
from toolplanner_core.workspace.toolkits import labels_by_rowid

MILES, PETROL = "Convert 26.2 miles to kilometres.", "fallback-in-toolkit"
PUMPWATCH = "Travel/pumpwatch/cheapest_petrol_near_a_city"
TEXT = """
workspace = "demo.toolplanner"
dataset = "few.jsonl"
judges = ["evidence"]
[arm.one]
provider = "demo"
options = { max_in_toolkit = 1, max_replans = 0 }
faults = ['500:api="Reference/unitwise/convert_units"']
[arm.all]
provider = "demo"
faults = ['500:api="Reference/unitwise/convert_units"']
"""


@pytest.fixture
def ran(demo: Path) -> Path:
    """An experiment in which one arm may not fall back; an API that converts is down."""
    with Workspace.open(demo) as workspace:
        petrol = next(case.query for case in list_cases(workspace) if case.id == PETROL)
    arguments = {"value": 26.2, "from_unit": "mi", "to_unit": "km"}
    path = (GoldCall(api="Reference/measuremate/convert_measure", arguments=arguments),)
    queries = (
        Query(id="miles", text=MILES, path=path),
        Query(
            id="petrol",
            text=petrol,
            path=(GoldCall(api=PUMPWATCH, arguments={"city": "Springfield"}),),
        ),
    )
    write_data_set(DataSet(name="few", queries=queries), demo.with_name("few.jsonl"))
    file = demo.with_name("try.lab.toml")
    file.write_text(TEXT, encoding="utf-8")
    assert command_here("lab", "run", file, "--executor", "inline").status == 0
    return demo.with_name("try.lab")


def test_failures_when_forked_then_what_rescues_them_is_their_first_cause(ran: Path) -> None:
    before = ran.read_bytes()
    found = command_here("lab", "forks", ran, "--arm", "one", "--json")
    assert found.status == 0, found.err
    failures = {each["query"]: each for each in found.data["failures"]}
    assert failures["miles"]["error"] == "server_error"
    assert set(failures["miles"]["rescued"].values()) == {True}
    assert len(failures["miles"]["rescued"]) == 4, "the gold API is another one: no gold arguments"
    assert failures["miles"]["first_cause"] == "the API that failed was up"
    assert failures["petrol"]["rescued"] == {
        "gold arguments": False,
        "the next API of the toolkit": True,
        "gold APIs alone from the start": False,
    }
    share = found.data["shares"]["gold APIs alone from the start"]
    assert (share["value"], share["n"]) == (0.5, 2)
    said = command_here("lab", "forks", ran, "--arm", "one", "--most", "1").out
    assert "1 failed trial forked (judge evidence); 1 more were left out" in said
    assert ran.read_bytes() == before


def test_forks_when_something_is_not_there_then_are_refused(ran: Path) -> None:
    assert "no arm 'nobody'" in command_here("lab", "forks", ran, "--arm", "nobody").err
    ran.with_name("try.lab.toml").unlink()
    refused = command_here("lab", "forks", ran)
    assert refused.status == 2
    assert "is not there" in refused.err


def test_arms_when_one_solves_more_then_first_differences_are_grouped(ran: Path) -> None:
    found = command_here("lab", "parting", ran, "one", "all", "--json")
    assert found.status == 0, found.err
    assert found.data["groups"] == [
        ["all", "attempt: state", 1],
        ["all", "question: only the second arm", 1],
    ]
    said = {each["query"]: each["sentence"] for each in found.data["partings"]}
    assert said["petrol"].endswith("failed in one, fell back in all.")
    assert "2 were solved by one arm only" in command_here("lab", "parting", ran, "one", "all").out
    assert command_here("lab", "parting", ran, "one", "nobody").status == 2


def test_apis_when_they_stood_in_for_others_then_are_counted_by_pair(ran: Path) -> None:
    found = {
        each["failed_title"]: each for each in command_here("lab", "fallbacks", ran, "--json").data
    }
    assert found["UnitWise · Convert units"]["tried_title"] == "MeasureMate · Convert measure"
    assert found["UnitWise · Convert units"]["toolkit"] == "Unit conversion"
    assert [(each["served"], each["tried"]) for each in found.values()] == [(1, 1), (1, 1)]
    assert "No API was tried" in command_here("lab", "fallbacks", ran, "--arm", "one").out


def test_stand_ins_when_sent_to_the_review_then_it_asks_and_a_yes_is_one_edit(
    demo: Path, tmp_path: Path
) -> None:
    queries = (Query(id="miles", text=MILES), Query(id="pounds", text="Convert 12 pounds to kg."))
    write_data_set(DataSet(name="few", queries=queries), demo.with_name("few.jsonl"))
    file = demo.with_name("try.lab.toml")
    text = TEXT.partition("[arm.one]")[0] + "[arm.all]" + TEXT.partition("[arm.all]")[2]
    file.write_text(text, encoding="utf-8")
    assert command_here("lab", "run", file, "--executor", "inline").status == 0
    sent = command_here("lab", "fallbacks", file.with_suffix(""), "--to-review")
    assert "1 pair sent to the review" in sent.out, sent.err
    [asked] = _asked(demo)
    assert asked["title"] == (
        "In “Unit conversion” one API stood in for another 2 times of 2: keep them together?"
    )
    assert "it served 2 times" in asked["signals"]["experiments"]["sentence"]
    with Workspace.open(demo) as workspace:
        before = read_head(workspace.reader())
    said = command_here("review", "accept", demo, asked["key"], "--json")
    assert said.status == 0, said.err
    with Workspace.open(demo) as workspace:
        assert read_head(workspace.reader()) == before + 1
        assert [*all_links(workspace.reader()).values()] == [LinkKind.MUST]
    assert not _asked(demo), "it is answered"


def test_stand_ins_when_they_are_of_two_toolkits_then_one_toolkit_is_asked(demo: Path) -> None:
    with Workspace.open(demo) as workspace:
        row_of = {each.key: each.rowid for each in stored_documents(workspace)}
        seen = SeenStandIn("Reference/unitwise/convert_units", "Finance/fxline/exchange", 4, 4)
        rare = SeenStandIn("Reference/unitwise/convert_units", PUMPWATCH, 1, 4)
        keep_stand_ins(workspace, "try", [seen, rare, SeenStandIn("gone", PUMPWATCH, 9, 9)])
    pair = sorted(row_of[key] for key in seen[:2])
    said = command_here("review", "accept", demo, f"stand_in:{pair[0]}+{pair[1]}", "--json")
    assert said.status == 0, said.err
    refused = command_here("review", "accept", demo, f"stand_in:{row_of[seen.failed]}+1")
    assert refused.status == 2, "what served once of four times is not asked"
    with Workspace.open(demo) as workspace:
        kits = labels_by_rowid(workspace)
        assert kits[row_of[seen.failed]] == kits[row_of[seen.tried_instead]]
    assert command_here("history", "undo", demo).status == 0
    with Workspace.open(demo) as workspace:
        kits = labels_by_rowid(workspace)
        assert kits[row_of[seen.failed]] != kits[row_of[seen.tried_instead]]


def test_stand_ins_when_what_is_kept_is_odd_then_the_rest_counts(demo: Path) -> None:
    with Workspace.open(demo) as workspace:
        one, other = "Reference/unitwise/convert_units", "Finance/fxline/exchange"
        rows = [[one, other, 2, 3], [one, 7, 1, 1], "x", [one, other, 5, 1], [one, one, 1, 1], None]
        set_setting(workspace, "stand_ins", {"a": rows, "b": 3, "c": [[other, one, 1, 1]]})
        assert [*stand_in_counts(workspace).values()] == [(3, 4)]


def _asked(demo: Path) -> list[dict[str, Any]]:
    found = command_here("review", "list", demo, "--kind", "stand_in", "--json")
    assert found.status == 0, found.err
    return found.data
