"""What settings of arms are worth: main effects over all others, and interactions."""

from pathlib import Path

import numpy as np
import pytest
from fixtures.command_line import command_here

from toolplanner_core.domain.experiment import TrialResult, TrialState, TrialVerdict
from toolplanner_core.domain.lab import DataSet, Query
from toolplanner_core.lab.datasets.jsonl import write_data_set
from toolplanner_core.lab.experiment_file import read_experiment_file, resolve
from toolplanner_core.lab.planning import plan_trials
from toolplanner_core.lab.statistics.ablation import interaction, main_effect
from toolplanner_core.workspace.lab_store import LabStore

TEXT = """
workspace = "demo.toolplanner"
dataset = "few.jsonl"
seeds = [1, 2]
judges = ["evidence"]
[arm.many]
[arm.few]
options = { max_in_toolkit = 1, max_replans = 0 }
[factor.faults]
none = []
half = ["500:all,p=0.5"]
"""


def test_effect_when_pairs_are_compared_then_odds_are_those_of_discordant_ones() -> None:
    a = np.array([[1.0], [1.0], [1.0], [0.0], [1.0], [0.0]])
    b = np.array([[0.0], [0.0], [1.0], [1.0], [0.0], [0.0]])
    found = main_effect(a, b, range(6))
    assert found.odds_ratio is not None
    assert found.odds_ratio.value == 3.0
    assert found.odds_ratio.low < 1 < found.odds_ratio.high
    assert found.shares.difference is not None
    assert found.shares.difference.value == pytest.approx(1 / 3)
    assert main_effect(a, a, range(6)).odds_ratio is None


def test_interaction_when_an_effect_is_there_with_one_value_alone_then_is_that_effect() -> None:
    random = np.random.default_rng(2)
    base, helped = ((random.random((80, 4)) < share).astype(float) for share in (0.3, 0.8))
    found = interaction([[helped, base], [base, base]], range(80))
    assert found is not None
    assert found.low < 0.5 < found.high
    none = interaction([[base, base], [base, base]], range(80))
    assert none is not None
    assert none.value == 0


def test_ablation_when_arms_are_a_product_then_each_factor_is_compared_over_the_others(
    demo: Path,
) -> None:
    queries = [Query(id=str(number), text=f"q {number}") for number in range(10)]
    write_data_set(DataSet(name="few", queries=queries), demo.with_name("few.jsonl"))
    file = demo.with_name("try.lab.toml")
    file.write_text(TEXT, encoding="utf-8")
    experiment, data_set = resolve(read_experiment_file(file), edit=0)
    trials = plan_trials(experiment, data_set)
    with LabStore.create(demo.with_name("try.lab"), experiment, data_set, trials) as store:
        for trial in trials:
            solved = float(trial.arm != "few/half" or trial.query == "0")
            result = TrialResult(number=trial.number, key=trial.key, state=TrialState.DONE)
            store.collect(result, {("evidence", 1): TrialVerdict(solved=solved)})
    found = command_here("lab", "ablation", file, "--json")
    assert found.status == 0, found.err
    effects = {each["factor"]: each for each in found.data["effects"]}
    assert set(effects) == {"options.max_in_toolkit + options.max_replans", "faults"}
    for each in effects.values():
        assert each["settings"] == 2
        assert each["effect"]["shares"]["difference"]["value"] == pytest.approx(0.45)
        assert each["effect"]["shares"]["table"]["only_b"] == 0
    [pair] = found.data["interactions"]
    assert abs(pair["difference"]["value"]) == pytest.approx(0.9)
    said = command_here("lab", "ablation", file).out
    assert "Does more with" in said
