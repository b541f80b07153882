"""Experiments: planned, run, stored, gone on with and shown, on the demo workspace."""

import dataclasses
import gzip
import json
import sqlite3
import zlib
from contextlib import closing
from pathlib import Path

import pytest
from fixtures.command_line import command_here

from toolplanner_core.domain.cases import Expectation
from toolplanner_core.domain.experiment import TrialFacts, TrialResult, TrialState
from toolplanner_core.domain.lab import DataSet, Query
from toolplanner_core.domain.outcome import EvidenceLevel
from toolplanner_core.domain.plan import Status
from toolplanner_core.errors import BadInput, UserError
from toolplanner_core.lab.datasets.jsonl import write_data_set
from toolplanner_core.lab.experiment_file import read_experiment_file, resolve, spec_of
from toolplanner_core.lab.judges.judge import judges
from toolplanner_core.lab.planning import plan_trials
from toolplanner_core.runs.importing.jsonl import read_jsonl
from toolplanner_core.runs.importing.lines import read_lines
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.cases import list_cases
from toolplanner_core.workspace.catalogue import api_names
from toolplanner_core.workspace.lab_store import LabStore

PLAIN = """
workspace = "demo.toolplanner"
dataset = "few.jsonl"
seeds = [1]
judges = ["evidence", "expected", "gold"]
[arm.plan]
provider = "demo"
[arm.check]
strategy = "health"
provider = "demo"
options = { shortlist = 6 }
"""
FAULTS = """
[factor.faults]
none = []
half = ["500:all,p=0.5"]
"""


def make_files(demo: Path, text: str = PLAIN, *, most: int = 4) -> Path:
    """An experiment over the first cases of the demo, beside it."""
    with Workspace.open(demo) as workspace:
        cases = list_cases(workspace)[:most]
    queries = [Query(id=case.id, text=case.query, expected=case.expected) for case in cases]
    write_data_set(DataSet(name="few", queries=queries), demo.with_name("few.jsonl"))
    file = demo.with_name("try.lab.toml")
    file.write_text(text, encoding="utf-8")
    return file


def facts_of(path: Path) -> dict[str, TrialFacts | None]:
    """What each trial showed, by its key; how long it took is left out."""
    with LabStore.open(path) as store:
        found = {trial.key: store.facts(trial.number) for trial in store.trials()}
    return {
        key: None if facts is None else dataclasses.replace(facts, seconds=0.0)
        for key, facts in found.items()
    }


def test_experiment_when_run_again_then_does_nothing_and_says_so(demo: Path) -> None:
    file = make_files(demo)
    first = command_here("lab", "run", file, "--executor", "inline", "--json")
    assert (first.status, first.data["trials"], first.data["left"]) == (0, 8, 0), first
    assert first.data["states"]["done"] == 8
    before = demo.with_name("try.lab").read_bytes()
    again = command_here("lab", "run", file)
    assert again.status == 0
    assert again.out.startswith("Nothing is left to run")
    assert demo.with_name("try.lab").read_bytes() == before
    assert not demo.with_name("try.lab.work").exists()


def test_results_when_all_ran_then_are_shares_of_the_plan_with_intervals(
    demo: Path, tmp_path: Path
) -> None:
    file = make_files(demo)
    assert command_here("lab", "run", file, "--executor", "inline").status == 0
    rows = command_here("lab", "results", demo.with_name("try.lab"), "--json").data
    by_arm = {(row["group"], row["judge"]): row for row in rows}
    solved = by_arm["plan", "expected"]["share"]["if_missing_fail"]
    assert (solved["value"], solved["n"], solved["high"]) == (1.0, 4, 1.0)
    assert solved["low"] < 0.6
    assert by_arm["check", "expected"]["share"]["if_missing_fail"]["value"] == 0.0
    assert by_arm["plan", "gold"]["share"] is None
    assert by_arm["plan", "gold"]["not_judged"] == 4
    compared = command_here(
        *("lab", "compare", demo.with_name("try.lab"), "plan", "check"),
        *("--judge", "expected", "--json"),
    )
    assert compared.data["paired"]["table"]["only_a"] == 4
    assert compared.data["p_holm"] is None  # a look: the plan did not name it
    with LabStore.open(demo.with_name("try.lab")) as store:
        packed = store.packed(1)
    run_file = tmp_path / "run.jsonl.gz"
    run_file.write_bytes(gzip.compress(zlib.decompress(packed)))
    [read] = read_jsonl(read_lines(run_file))
    assert read.run is not None, read.problem


def test_results_when_trials_are_missing_then_say_so_far_and_both_bounds(demo: Path) -> None:
    file = make_files(demo)
    experiment, data_set = resolve(read_experiment_file(file), edit=0)
    path = demo.with_name("try.lab")
    LabStore.create(path, experiment, data_set, plan_trials(experiment, data_set)).close()
    shown = command_here("lab", "results", path)
    assert "so far 0.0% to 100.0%" in shown.out
    assert "0 of 4" in shown.out
    assert command_here("lab", "status", path, "--json").data["states"]["planned"] == 8


def test_processes_when_compared_with_inline_then_facts_are_equal(demo: Path) -> None:
    file = make_files(demo, PLAIN + FAULTS)
    other = demo.with_name("other.lab.toml")
    other.write_text(file.read_text(encoding="utf-8"), encoding="utf-8")
    assert command_here("lab", "run", file, "--executor", "inline").status == 0
    assert command_here("lab", "run", other, "--workers", "2").status == 0
    inline, spread = facts_of(demo.with_name("try.lab")), facts_of(demo.with_name("other.lab"))
    assert inline == spread
    assert len(inline) == 16
    # The same (query, API) fails in every strategy that calls it.
    with LabStore.open(demo.with_name("try.lab")) as store:
        outcomes: dict[tuple[str, str], dict[str, set[bool]]] = {}
        for trial in store.trials():
            facts = store.facts(trial.number)
            assert facts is not None
            for call in facts.calls:
                # Arguments are checked before faults are injected.
                if trial.arm.endswith("/half") and call.error in ("", "server_error"):
                    is_down = call.error == "server_error"
                    by_arm = outcomes.setdefault((trial.query, call.api), {})
                    by_arm.setdefault(trial.arm, set()).add(is_down)
    shared = {place: found for place, found in outcomes.items() if len(found) == 2}
    assert shared
    for place, found in shared.items():
        assert found["plan/half"] == found["check/half"], place
    assert {down for found in shared.values() for down in found["plan/half"]} == {True, False}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("speed = 3\n" + PLAIN, "'speed' here"),
        (PLAIN + "[plan]\nalpha = 0.1", "plan"),
        (PLAIN + 'colour = "red"', "arm.check"),
        (PLAIN + "[arm.plan.limits]\nmax_calls = 3", "limits"),
        (PLAIN + '[factor.weather]\nsun = "yes"', "factor"),
        (PLAIN.replace("shortlist = 6", "depth = 6"), "depth"),
        (PLAIN.replace('"gold"', '"golden"'), "golden"),
        (PLAIN.replace("[1]", "[1, 1]"), "seeds"),
        (PLAIN.replace("[1]", str([*range(130_000)]).replace(" ", "")), "1,040,000 trials"),
        (PLAIN + '[factor.faults]\nnone = ["5oo:all"]', "5oo"),
        (PLAIN + '[arm.twice]\nprovider = "demo"', "do the same"),
        (PLAIN + '[plan]\ncompare = [["plan", "nobody"]]', "nobody"),
        (PLAIN + '[arm.react]\nstrategy = "react"', "needs a language model"),
        ('dataset = "few.jsonl"', "workspace"),
        ("= 3", "cannot be read"),
    ],
)
def test_experiment_file_when_something_is_wrong_then_is_refused_with_its_place(
    demo: Path, text: str, words: str
) -> None:
    file = make_files(demo, text)
    with pytest.raises(UserError) as refused:
        resolve(read_experiment_file(file), edit=0)
    assert words in refused.value.sentence
    assert command_here("lab", "run", file).status == 2
    assert not demo.with_name("try.lab").exists()


def test_experiment_when_changed_after_it_was_begun_then_is_refused(demo: Path) -> None:
    file = make_files(demo, most=1)
    assert command_here("lab", "run", file, "--executor", "inline").status == 0
    file.write_text(PLAIN.replace("[1]", "[1, 2]"), encoding="utf-8")
    refused = command_here("lab", "run", file)
    assert refused.status == 2
    assert "was changed since it was begun" in refused.err


def test_trial_key_when_something_of_it_changes_then_is_another(demo: Path) -> None:
    file = make_files(demo)

    def keys(edit: int = 0) -> set[str]:
        experiment, data_set = resolve(read_experiment_file(file), edit=edit)
        return {trial.key for trial in plan_trials(experiment, data_set)}

    first = keys()
    assert len(first) == 8
    assert keys() == first
    file.write_text(PLAIN.replace("arm.plan", "arm.renamed"), encoding="utf-8")
    assert keys() == first
    file.write_text(PLAIN.replace("[1]", "[2]"), encoding="utf-8")
    assert first.isdisjoint(keys())
    file.write_text(PLAIN, encoding="utf-8")
    assert first.isdisjoint(keys(edit=1))


@pytest.mark.parametrize(
    ("fault", "made"),
    [
        ("500:all,p=0.3", "500:all,p=0.3,by=api,seed=7"),
        ("500:all,p=0.3,by=call", "500:all,p=0.3,by=call,seed=7"),
        ("500:all,p=0.3,seed=1", "500:all,p=0.3,seed=1,by=api"),
        ("500:all,next=2", "500:all,next=2"),
    ],
)
def test_fault_when_it_has_a_chance_then_hangs_on_the_api_and_the_seed(
    demo: Path, fault: str, made: str
) -> None:
    file = make_files(demo, PLAIN + f'[factor.faults]\nbad = ["{fault}"]')
    experiment, _ = resolve(read_experiment_file(file), edit=0)
    spec = spec_of(experiment.arms[0], query="q", seed=7)
    assert set(spec.faults[0].split(",")) == set(made.split(","))


def test_store_when_a_result_comes_twice_then_counts_once(demo: Path) -> None:
    file = make_files(demo, most=1)
    experiment, data_set = resolve(read_experiment_file(file), edit=0)
    path = demo.with_name("try.lab")
    trials = plan_trials(experiment, data_set)
    with LabStore.create(path, experiment, data_set, trials) as store:
        [first] = store.next_trials()
        leased = store.lease(3, first.number)
        assert (leased.worker, leased.attempt, leased.state) == (3, 1, TrialState.LEASED)
        result = TrialResult(number=1, key=leased.key, state=TrialState.DONE)
        with pytest.raises(BadInput):
            store.collect(dataclasses.replace(result, key="0" * 64))
        assert store.collect(result)
        assert not store.collect(result)
        assert store.standing().duplicates == 1
        assert store.standing().left == len(trials) - 1


def test_store_when_a_stranger_changed_its_tables_then_is_refused(demo: Path) -> None:
    file = make_files(demo, most=1)
    experiment, data_set = resolve(read_experiment_file(file), edit=0)
    path = demo.with_name("try.lab")
    LabStore.create(path, experiment, data_set, plan_trials(experiment, data_set)).close()
    with closing(sqlite3.connect(path)) as db:
        db.execute("CREATE TRIGGER t AFTER UPDATE ON trials BEGIN DELETE FROM trials; END")
        db.commit()
    with pytest.raises(UserError, match="tables of this file"):
        LabStore.open(path)
    with pytest.raises(UserError, match="no experiment"):
        LabStore.open(demo)


@pytest.mark.parametrize(
    ("level", "status", "answer", "evidence", "expected"),
    [
        ("complete", "solved", "It is 42.16 km.", 1.0, 1.0),
        ("against", "unsolved", "It is 12 km.", 0.0, 0.0),
        ("not_shown", "answered", "It is 42.16 km.", 0.0, 1.0),
        ("not_checked", "answered", "It is 42.16 km.", None, 1.0),
        ("not_checked", "answered", "Es sind 12 km.", None, 0.0),
        ("not_checked", "solved", "It is 12 km.", None, 0.0),
        ("", "over_budget", "", 0.0, 0.0),
    ],
)
def test_judges_when_an_answer_is_not_checked_then_evidence_does_not_say_and_expectations_do(
    level: str, status: str, answer: str, evidence: float | None, expected: float
) -> None:
    facts = TrialFacts(
        status=Status(status), answer=answer, reason="", api_calls=1, failed_calls=0,
        model_calls=1, fallbacks=0, replans=0, tokens=0, cost=None, evidence=0,
        evidence_level=EvidenceLevel(level), calls=(),
    )  # fmt: skip
    wants = Expectation(status="solved", answer_contains=("42.16",))
    query = Query(id="1", text="Convert 26.2 miles.", expected=wants)
    said = judges.get("evidence").judge(query, facts)
    assert (None if said is None else said.solved) == evidence
    verdict = judges.get("expected").judge(query, facts)
    assert verdict is not None and verdict.solved == expected


def test_results_when_a_judge_cannot_say_then_no_trial_counts_as_solved_or_failed(
    demo: Path,
) -> None:
    file = make_files(demo, PLAIN.replace('"evidence", "expected", "gold"', '"evidence"'), most=1)
    experiment, data_set = resolve(read_experiment_file(file), edit=0)
    path, trials = demo.with_name("try.lab"), plan_trials(experiment, data_set)
    with LabStore.create(path, experiment, data_set, trials) as store:
        for trial in trials:
            store.collect(
                TrialResult(number=trial.number, key=trial.key, state=TrialState.DONE), {}
            )
    shown = command_here("lab", "results", file)
    assert shown.status == 0, shown.err
    assert "0.0% to 100.0%" in shown.out
    assert "so far" not in shown.out
    assert "1 not checked" in shown.out


CANDIDATES = """
workspace = "demo.toolplanner"
dataset = "few.jsonl"
seeds = [1]
judges = ["gold"]
[arm.whole]
[arm.gold]
candidates = "gold"
[arm.mixed]
candidates = "gold"
distractors = 5
[arm.random]
candidates = "random"
distractors = 6
"""


def test_arms_when_they_give_candidates_then_their_trials_see_these_alone(demo: Path) -> None:
    with Workspace.open(demo) as workspace:
        case = list_cases(workspace)[0]
        apis = {name.key: name.id for name in api_names(workspace)}
    gold = sorted(apis)[:2]
    queries = [Query(id=case.id, text=case.query, gold=(frozenset(gold),))]
    write_data_set(DataSet(name="few", queries=queries), demo.with_name("few.jsonl"))
    file = demo.with_name("try.lab.toml")
    file.write_text(CANDIDATES, encoding="utf-8")
    ran = command_here("lab", "run", file, "--executor", "inline", "--json")
    assert (ran.status, ran.data["trials"], ran.data["left"]) == (0, 4, 0), ran
    seen: dict[str, list[str]] = {}
    with LabStore.open(demo.with_name("try.lab")) as store:
        for trial in store.trials():
            [line] = [
                json.loads(text)
                for text in zlib.decompress(store.packed(trial.number)).decode().splitlines()
                if '"run.started"' in text
            ]
            seen[trial.arm] = line["body"]["options"].get("candidates", [])
        hashes = {arm.name: arm.settings for arm in store.experiment().arms}
    assert seen["whole"] == []
    assert seen["gold"] in ([apis[key] for key in gold], [apis[key] for key in reversed(gold)])
    assert len(seen["mixed"]) == 7
    assert set(seen["gold"]) < set(seen["mixed"])
    assert len(seen["random"]) == 6
    assert "candidates" not in hashes["whole"], "what is as usual leaves the identity as it was"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('candidates = "best"', "Candidates cannot be 'best'"),
        ('candidates = "random"', "There cannot be 0 distractors here"),
        ("distractors = 3", "There cannot be 3 distractors here"),
        ('candidates = "gold"', "Candidates are missing for 4 queries of 4"),
    ],
)
def test_arm_when_its_candidates_do_not_fit_then_refused_with_the_place(
    demo: Path, text: str, said: str
) -> None:
    file = make_files(demo, PLAIN.replace("[arm.check]", f"{text}\n[arm.check]"))
    with pytest.raises(BadInput, match=said):
        resolve(read_experiment_file(file), edit=0)


@pytest.mark.parametrize(
    ("strategy", "said", "held"),
    [
        ("tptu", "", True),
        ("tptu", "options = { leave_own_out = false }", False),
        ("react", "", None),
    ],
)
def test_arm_when_it_is_shown_demonstrations_then_none_of_the_tested_query_unless_it_says_so(
    demo: Path, strategy: str, said: str, *, held: bool | None
) -> None:
    arm = f'[arm.shown]\nstrategy = "{strategy}"\nmodel = "openai:none"\n{said}\n'
    file = make_files(demo, PLAIN + arm)
    experiment, _ = resolve(read_experiment_file(file), edit=0)
    [settings] = [each.settings for each in experiment.arms if each.name == "shown"]
    assert settings["options"].get("leave_own_out") is held
