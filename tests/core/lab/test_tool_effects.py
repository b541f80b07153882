"""Effects of tools by availability that chance decided: the statistics, and an experiment's."""

from pathlib import Path

import numpy as np
from fixtures.command_line import command_here

from toolplanner_core.domain.lab import DataSet, Query
from toolplanner_core.lab.datasets.jsonl import write_data_set
from toolplanner_core.lab.statistics.effects import SELECTED, average_effect, select_pairs
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import apis_by_rowid, stored_documents
from toolplanner_core.workspace.lab_store import LabStore
from toolplanner_core.workspace.toolkits import toolkit_of

TEXT = """
workspace = "demo.toolplanner"
dataset = "few.jsonl"
seeds = [1, 2, 3, 4, 5, 6]
judges = ["evidence"]
[arm.whole]
provider = "demo"
[arm.one]
provider = "demo"
options = { max_in_toolkit = 1, max_replans = 0 }
faults = ["500:all,p=0.5"]
"""


def test_effect_when_queries_differ_then_is_that_within_queries() -> None:
    random = np.random.default_rng(3)
    query = np.repeat(np.arange(20), 30)
    is_up = random.random(600) < 0.6
    outcomes = (random.random(600) < 0.02 * query + 0.4 * is_up).astype(np.float64)
    found = average_effect(outcomes, is_up, query.tolist())
    assert found is not None
    assert found.low < 0.4 < found.high
    assert found.high - found.low < 0.2
    assert (found.n, found.clusters) == (600, 20)
    assert average_effect(outcomes, np.ones(600, dtype=np.bool_), query.tolist()) is None


def test_effect_when_it_is_certain_then_has_an_interval_still() -> None:
    is_up = np.arange(30) % 2 == 0
    found = average_effect(is_up.astype(np.float64), is_up, ["one"] * 30)
    assert found is not None
    assert found.low < found.value == found.high == 1.0


def test_effect_when_drawn_often_then_intervals_hold_what_is_true() -> None:
    random = np.random.default_rng(5)
    query, held = np.repeat(np.arange(8), 20).tolist(), 0
    for seed in range(100):
        is_up = random.random(160) < 0.65
        outcomes = (random.random(160) < 0.4 + 0.3 * is_up).astype(np.float64)
        found = average_effect(outcomes, is_up, query, draws=400, seed=seed)
        held += found is not None and found.low <= 0.3 <= found.high
    assert 0.88 <= held / 100 <= 0.99


def test_pairs_when_two_stand_in_for_each_other_then_they_are_found_and_by_chance_none() -> None:
    random = np.random.default_rng(1)
    query = random.integers(0, 12, 600)
    is_down = random.random((600, 8)) < 0.35
    chance = 0.6 + 0.03 * query - 0.35 * is_down[:, 0] - 0.6 * (is_down[:, 1] & is_down[:, 2])
    outcomes = (random.random(600) < chance).astype(np.float64)
    found = select_pairs(outcomes, is_down, query.tolist(), draws=40)
    assert found is not None
    assert found.looked_at == 28
    assert [each.columns for each in found.units if each.frequency >= SELECTED] == [(0,)]
    [pair] = [each for each in found.pairs if each.frequency >= SELECTED]
    assert pair.columns == (1, 2)
    assert pair.coefficient < 0
    assert found.by_chance == 0
    assert select_pairs(np.ones(600), is_down, query.tolist()) is None


def test_effects_when_an_api_is_down_by_chance_then_are_those_of_the_api(demo: Path) -> None:
    queries = (
        Query(id="miles", text="Convert 26.2 miles to kilometres."),
        Query(id="pounds", text="Convert 12 pounds to kilograms."),
    )
    write_data_set(DataSet(name="few", queries=queries), demo.with_name("few.jsonl"))
    file = demo.with_name("try.lab.toml")
    file.write_text(TEXT, encoding="utf-8")
    assert command_here("lab", "run", file, "--executor", "inline").status == 0
    found = command_here("lab", "effects", file, "--json")
    assert found.status == 0, found.err
    assert (found.data["arm"], found.data["trials"]) == ("one", 12)
    [api] = found.data["effects"]
    assert (api["name"], api["queries"]) == ("Reference/unitwise/convert_units", 2)
    assert api["effect"]["value"] == 1.0, "nothing stands in for it"
    assert 0 < api["down"] < 12
    [toolkit] = command_here("lab", "effects", file, "--of", "toolkits", "--json").data["effects"]
    assert toolkit == {**api, "name": "Unit conversion"}
    assert "up minus down" in command_here("lab", "effects", file).out
    refused = command_here("lab", "effects", file, "--arm", "whole")
    assert refused.status == 2
    assert "drawn by API" in refused.err


def test_effects_when_whole_toolkits_are_down_then_no_api_of_one_stands_in(demo: Path) -> None:
    queries = (Query(id="miles", text="Convert 26.2 miles to kilometres."),)
    write_data_set(DataSet(name="few", queries=queries), demo.with_name("few.jsonl"))
    file = demo.with_name("try.lab.toml")
    text = TEXT.partition("[arm.one]")[0] + 'faults = ["500:all,p=0.5,by=toolkit"]\n'
    file.write_text(text, encoding="utf-8")
    ran = command_here("lab", "run", file, "--executor", "inline", "--json")
    assert (ran.status, ran.data["left"]) == (0, 0), ran.err
    errors: dict[tuple[int, str], list[str]] = {}
    with Workspace.open(demo) as workspace, LabStore.open(demo.with_name("try.lab")) as store:
        kit_of = {
            row.key: toolkit_of(workspace, api.id)
            for row in stored_documents(workspace)
            for api in apis_by_rowid(workspace, [row.rowid]).values()
        }
        for trial in store.trials():
            facts = store.facts(trial.number)
            assert facts is not None
            for call in facts.calls:
                place = (trial.seed, str(kit_of[call.api]))
                errors.setdefault(place, []).append(call.error)
    # Others lacked an argument, and were not even called.
    down = {place for place, said in errors.items() if "server_error" in said}
    assert not any("" in errors[place] for place in down), errors
    assert any(len(errors[place]) > 1 for place in down), "another one was tried"
    assert any("" in said for said in errors.values())
    said = command_here("lab", "effects", demo.with_name("try.lab"), "--of", "toolkits", "--json")
    assert said.status == 0, said.err
    assert said.data["effects"][0]["effect"]["value"] > 0.5
