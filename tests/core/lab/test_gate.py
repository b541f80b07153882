"""The gate: an exit status from a paired difference, for checks without a person."""

from pathlib import Path

import pytest
from fixtures.command_line import command_here

from toolplanner_core.domain.experiment import (
    Arm,
    Experiment,
    TrialResult,
    TrialState,
    TrialVerdict,
)
from toolplanner_core.domain.lab import DataSet, Query
from toolplanner_core.lab.planning import plan_trials
from toolplanner_core.workspace.lab_store import LabStore


def store_with(path: Path, solved: dict[str, list[float | None]]) -> Path:
    """An experiment whose arms solved what is said, by query; None = no verdict."""
    [number] = {len(each) for each in solved.values()}
    data_set = DataSet(
        name="few", queries=[Query(id=str(n), text=f"Query {n}") for n in range(number)]
    )
    experiment = Experiment(
        name="try", dataset="few", dataset_version=data_set.version, seeds=(1,),
        arms=tuple(Arm(name=name, settings={"strategy": name}) for name in solved),
        judges=("evidence",),
    )  # fmt: skip
    trials = plan_trials(experiment, data_set)
    with LabStore.create(path, experiment, data_set, trials) as store:
        for trial in trials:
            said = solved[trial.arm][int(trial.query)]
            verdicts = {} if said is None else {("evidence", 1): TrialVerdict(solved=said)}
            result = TrialResult(number=trial.number, key=trial.key, state=TrialState.DONE)
            store.collect(result, verdicts)
    return path


@pytest.mark.parametrize(
    ("new", "old", "by", "status"),
    [
        ([1.0] * 95 + [0.0] * 5, [1.0] * 95 + [0.0] * 5, "0.03", 0),  # equal, query by query
        ([1.0] * 50 + [0.0] * 50, [1.0] * 95 + [0.0] * 5, "0.03", 1),
        ([1.0] * 50 + [0.0] * 50, [1.0] * 95 + [0.0] * 5, "0.6", 0),  # 45 points are allowed
        ([0.0, 1.0] * 10, [1.0, 0.0] * 10, "0.03", 3),
        ([1.0] * 95 + [None] * 5, [1.0] * 100, "0.03", 3),  # the missing ones could turn it
        ([1.0] * 95 + [None] * 5, [1.0] * 100, "0.15", 0),  # they cannot
        ([0.0] * 95 + [None] * 5, [1.0] * 100, "0.03", 1),
        ([None] * 20, [1.0] * 20, "0.03", 3),
    ],
)
def test_gate_when_asked_then_the_interval_alone_decides(
    tmp_path: Path, new: list[float | None], old: list[float | None], by: str, status: int
) -> None:
    path = store_with(tmp_path / "try.lab", {"new": new, "old": old})
    command = ("lab", "gate", path, "--arm", "new", "--not-worse-than", "old", "--by", by)
    said = command_here(*command)
    assert said.status == status, said
    assert "old by more than" in said.out
    verdict = {0: "not worse", 1: "worse", 3: "cannot tell"}[status]
    assert command_here(*command, "--json").data["verdict"] == verdict


def test_gate_when_something_does_not_fit_then_is_refused(tmp_path: Path) -> None:
    path = store_with(tmp_path / "try.lab", {"new": [1.0], "old": [1.0]})
    for wrong in (("--arm", "nobody"), ("--by", "-0.1"), ("--by", "3"), ("--judge", "nobody")):
        given = {"--arm": "new", "--not-worse-than": "old", **dict([wrong])}
        command = [part for each in given.items() for part in each]
        assert command_here("lab", "gate", path, *command).status == 2, wrong
