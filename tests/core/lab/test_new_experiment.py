"""A new experiment from a few answers, and toolkits as they were after two edits."""

import json
import threading
import tomllib
from pathlib import Path

import pytest

from toolplanner_core.curation.edits.history import do
from toolplanner_core.curation.edits.move import Merge
from toolplanner_core.curation.looking.curated_catalogue import read_catalogue
from toolplanner_core.errors import BadInput
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.lab.coordinator import run_experiment
from toolplanner_core.lab.experiment_file import read_experiment_file, resolve
from toolplanner_core.lab.looking.plan import plan_lines
from toolplanner_core.lab.looking.reading import ExperimentReading
from toolplanner_core.lab.looking.resilience import failure_rate, read_resilience
from toolplanner_core.lab.looking.sweep import read_sweep, sweep_table
from toolplanner_core.lab.looking.trials import run_of_trial
from toolplanner_core.lab.new_experiment import Asked, NewExperiment, plan_new, write_new
from toolplanner_core.lab.results import ExperimentResults
from toolplanner_core.runs.log.stored_runs import get_summary
from toolplanner_core.strategies.interface.strategy import DEFAULT_STRATEGY
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.edit_history import read_head
from toolplanner_core.workspace.lab_store import LabStore


def asked(demo: Path, **choices) -> NewExperiment:
    given = {
        "name": "try", "asked": Asked.STRATEGIES, "workspace": demo, "dataset": None,
        "strategies": [DEFAULT_STRATEGY], "model": "offline", "provider": "demo", **choices,
    }  # fmt: skip
    return NewExperiment(**given)


def run_inline(file: Path) -> None:
    run_experiment(
        read_experiment_file(file), executor="inline", workers=1, progress=Progress(),
        stopping=threading.Event(),
    )  # fmt: skip


def test_merge_when_asked_about_then_each_arm_works_with_the_toolkits_of_its_edit(
    demo: Path,
) -> None:
    with Workspace.open(demo) as workspace:
        before = int(read_head(workspace.reader()))
        kits = read_catalogue(workspace).toolkits
        merged = {kit.name for kit in kits[:8]}
        do(workspace, Merge(toolkits=tuple(k.id for k in kits[:8]), into=kits[0].id, name="All"))
        after = int(read_head(workspace.reader()))
    experiment = asked(demo, asked=Asked.MERGE, before=before, after=after)
    plan = plan_new(experiment)
    assert plan_lines(plan)[0] == f"{plan.trials} trials: {plan.queries} queries x 2 arms x 1 seed"
    assert not experiment.file.exists()
    file = write_new(experiment)
    # A few queries are enough to see it.
    cases = demo.with_name("cases of try.jsonl")
    head, *rows = cases.read_text().splitlines()[:5]
    rain = {"gold": [["Weather/nimbus_weather/will_it_rain"]]}
    rows = [json.dumps(json.loads(row) | rain) for row in rows]
    cases.write_text("\n".join([head, *rows]) + "\n")
    run_inline(file)
    with LabStore.open(experiment.file.with_suffix("")) as store, Workspace.open(demo) as workspace:
        solved, bound = read_sweep(ExperimentResults(store), workspace, "gold")
    assert [point.arm for point in solved.points] == ["after", "before"], "fewest toolkits first"
    assert solved.points[1].toolkits - solved.points[0].toolkits == 7
    assert (bound.is_bound, bound.name) == (True, "on the shortlist of 60")
    assert [point.share.value for point in bound.points if point.share] == [1.0, 1.0]
    assert len(sweep_table([solved, bound]).rows) == 4
    used: dict[str, set[str]] = {"before": set(), "after": set()}
    with LabStore.open(demo.with_name("try.lab")) as store, Workspace.open(demo) as workspace:
        reading = ExperimentReading.of(store)
        for each in reading.results.trials():
            used[each.trial.arm].update(store.facts(each.trial.number).called_toolkits)
        assert {arm.name: arm.edit for arm in reading.results.experiment.arms} == {
            "before": before, "after": after,
        }  # fmt: skip
        trial = next(iter(reading.results.trials()))
        run = run_of_trial(workspace, store, trial)
        assert run_of_trial(workspace, store, trial) == run
        assert get_summary(workspace, run).query == reading.texts[trial.trial.query]
    assert "All" not in used["before"]
    assert not used["after"] & (merged - {"All"})
    assert used["before"] != used["after"]
    with pytest.raises(BadInput, match="There is an experiment called try"):
        write_new(experiment)
    run_inline(file)  # the same file fits what it was begun with


def test_file_when_only_some_arms_name_an_edit_then_refused(demo: Path) -> None:
    file = write_new(asked(demo))
    file.write_text(file.read_text() + '[arm.other]\nstrategy = "tool-planner"\nedit = 0\n')
    with pytest.raises(BadInput, match="Some arms say of which edit"):
        resolve(read_experiment_file(file), edit=1)


def test_resilience_when_asked_about_then_arms_by_failure_rate_make_a_curve(demo: Path) -> None:
    file = write_new(asked(demo, asked=Asked.RESILIENCE, seeds=(1, 2)))
    data = tomllib.loads(file.read_text())
    assert data["baseline"] == f"{DEFAULT_STRATEGY}/no failures"
    experiment, _ = resolve(read_experiment_file(file), edit=0)
    assert [failure_rate(arm) for arm in experiment.arms] == [0.0, 0.1, 0.3, 0.5]
    cases = demo.with_name("cases of try.jsonl")
    cases.write_text("".join(cases.read_text().splitlines(keepends=True)[:3]))
    run_inline(file)
    with LabStore.open(demo.with_name("try.lab")) as store:
        [curve] = read_resilience(ExperimentReading.of(store).results, "expected")
    assert [point.rate for point in curve.points] == [0.0, 0.1, 0.3, 0.5]
    assert curve.points[0].share.value >= curve.points[-1].share.value
    assert 0 <= curve.area <= 1


@pytest.mark.parametrize(
    ("choices", "why"),
    [
        ({"strategies": []}, "Nothing is compared"),
        ({"name": "../x"}, "cannot name an experiment"),
        ({"asked": Asked.MERGE, "before": 1, "after": 1}, "are the same"),
    ],
)
def test_answers_when_they_do_not_fit_then_refused_in_words(
    demo: Path, choices: dict, why: str
) -> None:
    with pytest.raises(BadInput, match=why):
        plan_new(asked(demo, **choices))
    assert not list(demo.parent.glob("*.lab*"))
