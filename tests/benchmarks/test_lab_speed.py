"""What an experiment costs beside its runs: a trial, the collector, and a file of 100,000 trials.

Targets (design/lab.md, section 15): 8 ms of the processor for a trial beside its run (A2), 150
trials collected a second (A3); of 100,000 trials the file opens in 1 s, is filtered in 100 ms and
shown as a table in 1 s (A6, with TOOLPLANNER_BENCH=1).
"""

import asyncio
import dataclasses
import os
import time
from pathlib import Path

import pytest
from benchmarks.figures import Figures

from toolplanner_core.domain.experiment import (
    Arm,
    Experiment,
    Trial,
    TrialResult,
    TrialState,
    TrialVerdict,
)
from toolplanner_core.domain.lab import DataSet, Query
from toolplanner_core.lab.experiment_file import make_arm, spec_of
from toolplanner_core.lab.judges.judge import judges
from toolplanner_core.lab.planning import plan_trials
from toolplanner_core.lab.results import ExperimentResults
from toolplanner_core.lab.trial_runs import pack_run
from toolplanner_core.runs.catalogue.workspace_catalogue import WorkspaceCatalogue
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.cases import list_cases
from toolplanner_core.workspace.lab_store import LabStore

MANY = 100_000 if os.environ.get("TOOLPLANNER_BENCH") else 500
COLLECTED = 300


def experiment(queries: list[Query], arms: tuple[Arm, ...]) -> tuple[Experiment, list[Trial]]:
    """Its plan, with one seed."""
    data_set = DataSet(name="asked", queries=queries)
    made = Experiment(
        name="speed",
        dataset=data_set.name,
        dataset_version=data_set.version,
        arms=arms,
        seeds=(0,),
        judges=("evidence",),
    )
    return made, plan_trials(made, data_set)


@pytest.fixture(scope="module")
def ran(
    demo_file: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[TrialResult, float, float]:
    """A packed result, and processor ms of a run and of packing it, as means of all cases."""
    path = tmp_path_factory.mktemp("speed") / "demo.toolplanner"
    path.write_bytes(demo_file.read_bytes())
    arm = make_arm("plan", {"provider": "demo"}, where="speed")
    running_s = packing_s = 0.0
    results: list[TrialResult] = []
    with Workspace.open(path) as workspace:
        catalogue = WorkspaceCatalogue(workspace)
        cases = list_cases(workspace)
        for case in [cases[0], *cases]:
            began_s = time.process_time()
            spec = spec_of(arm, query=case.query, seed=0)
            summary = asyncio.run(run(workspace, spec, catalogue=catalogue))
            ended_s = time.process_time()
            trial = Trial(number=1, key="k", query=case.id, arm="plan", seed=0)
            results.append(pack_run(workspace, trial, summary))
            if len(results) > 1:  # the first loads what all use
                running_s += ended_s - began_s
                packing_s += time.process_time() - ended_s
        catalogue.close()
    assert all(result.state is TrialState.DONE for result in results)
    middle = sorted(results, key=lambda result: len(result.packed))[len(results) // 2]
    return middle, 1000 * running_s / len(cases), 1000 * packing_s / len(cases)


def test_trial_when_collected_then_costs_little_beside_its_run(
    ran: tuple[TrialResult, float, float], tmp_path: Path, figures: Figures
) -> None:
    result, running_ms, packing_ms = ran
    arm = make_arm("plan", {"provider": "demo"}, where="speed")
    queries = [Query(id=str(number), text="q") for number in range(COLLECTED)]
    made, trials = experiment(queries, (arm,))
    judge, by_key = judges.get("evidence"), {trial.number: trial for trial in trials}
    with LabStore.create(tmp_path / "s.lab", made, queries, trials) as store:
        began_s = time.process_time()
        for _ in range(COLLECTED):
            [trial] = store.next_trials()[:1]
            store.lease(0, trial.number)
            mine = dataclasses.replace(result, number=trial.number, key=by_key[trial.number].key)
            assert mine.facts is not None
            said = judge.verdict(queries[0], mine.facts, mine.packed)
            store.collect(mine, {} if said is None else {("evidence", 1): said})
        collecting_ms = 1000 * (time.process_time() - began_s) / COLLECTED
        assert store.standing().left == 0
    figures.note("Lab: a run of the demo (A1)", running_ms, "ms")
    assert figures.ms("Lab: a trial beside its run (A2)", packing_ms + collecting_ms, 8.0)
    assert figures.ms("Lab: collecting a trial (A3: 150/s)", collecting_ms, 1000 / 150)


def test_experiment_when_it_has_many_trials_then_opens_and_is_filtered_at_once(
    ran: tuple[TrialResult, float, float], tmp_path: Path, figures: Figures
) -> None:
    result = ran[0]
    arms = (
        make_arm("plan", {"provider": "demo"}, where="speed"),
        make_arm("one", {"provider": "demo", "options": {"max_in_toolkit": 1}}, where="speed"),
    )
    queries = [Query(id=str(number), text=f"q {number}") for number in range(MANY // 2)]
    made, trials = experiment(queries, arms)
    path = tmp_path / "many.lab"
    with LabStore.create(path, made, queries, trials) as store:
        for trial in trials:
            said = TrialVerdict(solved=float(trial.number % 3 > 0))
            mine = dataclasses.replace(result, number=trial.number, key=trial.key)
            store.collect(mine, {("evidence", 1): said})
    share = MANY / 100_000
    began_s = time.process_time()
    with LabStore.open(path) as store:
        opened_s = time.process_time() - began_s
        results = ExperimentResults(store)
        read_s = time.process_time() - began_s
        table = results.by()
        shown_s = time.process_time() - began_s - read_s
    began_s = time.process_time()
    solved = [each for each in results.trials() if each.verdicts["evidence"] > 0.5]
    filtered_s = time.process_time() - began_s
    assert len(solved) == sum(trial.number % 3 > 0 for trial in trials)
    assert [row.group for row in table] == ["plan", "one"]
    mb = path.stat().st_size / 1e6
    assert figures.hold(f"Lab: file of {MANY:,} trials (A6)", mb, 1_500 * share, "MB")
    figures.note(f"Lab: opening {MANY:,} trials, schema checked (A6)", opened_s, "s")
    figures.note(f"Lab: reading {MANY:,} trials (A6)", read_s, "s")
    assert figures.seconds(f"Lab: the matrix of {MANY:,} trials (A6)", shown_s, 1.0)
    figures.note(f"Lab: filtering {MANY:,} trials (A6)", filtered_s, "s")
