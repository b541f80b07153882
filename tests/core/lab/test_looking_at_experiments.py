"""What the window shows of an experiment: matrix, pairs, costs, failures, curves, trials."""

from collections import Counter
from pathlib import Path

import pytest
from fixtures.judged_experiment import judged_experiment

from toolplanner_core.domain.experiment import (
    CalledApi,
    Grade,
    TrialFacts,
    TrialResult,
    TrialState,
    TrialVerdict,
)
from toolplanner_core.domain.outcome import EvidenceLevel
from toolplanner_core.domain.plan import Status
from toolplanner_core.lab.looking.costs import cost_table, read_costs
from toolplanner_core.lab.looking.experiments import list_experiments
from toolplanner_core.lab.looking.failures import causes_by_number, read_failures
from toolplanner_core.lab.looking.judging import read_judges
from toolplanner_core.lab.looking.matrix import JUDGE, matrix_table, read_matrix, usual_axes
from toolplanner_core.lab.looking.pairs import pair_lines, read_pair
from toolplanner_core.lab.looking.reading import ExperimentReading, TrialOutcome, outcome_of
from toolplanner_core.lab.looking.trials import TrialFilter, filter_trials, read_details
from toolplanner_core.workspace.lab_store import LabStore

PERSON, OTHER = "person Ada", "person Bo"
NUMBER = 24


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory):
    """24 queries, two arms: `b` solves the first twelve, `a` all; Bo grades all as unsolved."""
    answers = ["x"] * NUMBER
    path = judged_experiment(
        tmp_path_factory.mktemp("lab") / "try.lab", {"b": answers, "a": answers}, baseline="b"
    )
    with LabStore.open(path) as opened:
        for trial in opened.trials():
            is_solved = trial.arm == "a" or int(trial.query) < NUMBER / 2
            grade = Grade.SOLVED if is_solved else Grade.UNSOLVED
            said = TrialVerdict(solved=float(is_solved), reason="seen", votes=(grade,))
            opened.judge(trial.number, PERSON, 1, said)
            if trial.arm == "b":
                never = TrialVerdict(solved=0.0, votes=(Grade.UNSOLVED,))
                opened.judge(trial.number, OTHER, 1, never)
        yield opened


@pytest.fixture(scope="module")
def reading(store: LabStore) -> ExperimentReading:
    return ExperimentReading.of(store)


def test_matrix_when_an_arm_is_better_then_says_so_only_where_the_interval_leaves_nought(
    reading: ExperimentReading,
) -> None:
    results = reading.results
    assert usual_axes(results.experiment) == ("arm", JUDGE)
    matrix = read_matrix(results, rows_by="arm", columns_by=JUDGE, judge="")
    assert (matrix.rows, matrix.columns) == (("b", "a"), (PERSON, OTHER))
    base, other = matrix.cells["b", PERSON], matrix.cells["a", PERSON]
    assert base.is_baseline
    assert base.difference is None
    assert other.is_better is True
    assert other.difference.value == pytest.approx(0.5)
    assert other.result.share.if_missing_fail.value == 1.0
    # Bo judged no trial of `a`: nothing is coloured, and what is missing stays in the plan.
    assert matrix.cells["a", OTHER].is_better is None
    assert matrix.cells["a", OTHER].result.share.missing == NUMBER
    assert len(matrix_table(matrix).rows) == 4


def test_pair_when_only_one_arm_solves_then_lists_those_queries(reading: ExperimentReading) -> None:
    pair = read_pair(reading, "a", "b", PERSON)
    assert pair.found.table == (NUMBER / 2, NUMBER / 2, 0, 0)
    assert {each.query for each in pair.discordant} == {
        f"Query {n}?" for n in range(NUMBER // 2, NUMBER)
    }
    assert all((each.a_solved, each.b_solved) == (1.0, 0.0) for each in pair.discordant)
    first, second = pair_lines(pair)
    assert first.startswith("a minus b: +50.0 points [")
    assert second.startswith("a is better (a look that the plan did not name")


def test_costs_when_an_arm_solves_more_for_as_much_then_the_other_is_not_best(
    reading: ExperimentReading,
) -> None:
    costs = {c.arm: c for c in read_costs(reading.results, amount="tokens", judge=PERSON)}
    assert (costs["a"].is_best, costs["b"].is_best) == (True, False)
    assert costs["a"].amount.value == 10.0
    unknown = read_costs(reading.results, amount="cost", judge=PERSON)
    assert [each.amount for each in unknown] == [None, None]
    assert cost_table(unknown, amount="cost").columns[2] == "US dollars a trial"


def test_trials_when_filtered_then_by_words_arm_outcome_and_numbers(
    reading: ExperimentReading,
) -> None:
    def found(wanted: TrialFilter) -> set[tuple[str, str]]:
        return {
            (each.trial.arm, each.trial.query) for each in filter_trials(reading, wanted, PERSON)
        }

    assert len(found(TrialFilter())) == 2 * NUMBER
    assert found(TrialFilter(words="23? QUERY")) == {("a", "23"), ("b", "23")}
    assert found(TrialFilter(arms=["a"], words="query 23?")) == {("a", "23")}
    unsolved = found(TrialFilter(outcome=TrialOutcome.UNSOLVED))
    assert unsolved == {("b", str(n)) for n in range(NUMBER // 2, NUMBER)}
    assert len(found(TrialFilter(numbers=(1, 2)))) == 2


def test_judges_when_two_differ_then_their_trials_are_named(
    reading: ExperimentReading, store: LabStore
) -> None:
    [pair] = read_judges(reading, store).pairs
    assert (pair.one, pair.other) == (PERSON, OTHER)
    assert len(pair.differing) == NUMBER / 2
    assert pair.agreement.value == 0.5
    trials = {t.trial.number: t for t in reading.results.trials()}
    assert {outcome_of(trials[n], OTHER) for n in pair.differing} == {TrialOutcome.UNSOLVED}


def test_details_when_a_trial_ran_then_hold_its_answer_and_verdicts(store: LabStore) -> None:
    details = read_details(store, 1)
    assert details.facts.answer == "x"
    assert PERSON in {each.judge for each in details.verdicts}
    assert details.why == ""


def test_failures_when_runs_had_errors_then_the_last_one_is_the_cause(tmp_path: Path) -> None:
    from dataclasses import replace

    path = judged_experiment(tmp_path / "try.lab", {"a": ["x"]})
    with LabStore.open(path) as store:
        experiment, [trial] = store.experiment(), store.trials()
        queries = store.query_rows()
    from toolplanner_core.lab.datasets.jsonl import query_of_row

    wide = [replace(query_of_row(queries[0]), id=str(n)) for n in range(4)]
    trials = [replace(trial, number=n + 1, key=f"{n}", query=str(n), state=TrialState.PLANNED)
              for n in range(4)]  # fmt: skip
    errors = [("timeout", "not_found"), (), ("timeout",)]
    with LabStore.create(tmp_path / "wide.lab", experiment, wide, trials) as store:
        for each, classes in zip(trials, errors, strict=False):
            facts = TrialFacts(
                status=Status.ANSWERED, answer="", reason="", api_calls=1, failed_calls=0,
                model_calls=0, fallbacks=0, replans=0, tokens=0, cost=None, evidence=0,
                evidence_level=EvidenceLevel.NOT_CHECKED, errors=tuple(sorted(classes)),
                calls=tuple(CalledApi(api="k", toolkit="t", error=e) for e in (*classes, "")),
            )  # fmt: skip
            store.collect(
                TrialResult(number=each.number, key=each.key, state=TrialState.DONE, facts=facts),
                {("evidence", 1): TrialVerdict(solved=0.0)},
            )
        store.collect(TrialResult(number=4, key="3", state=TrialState.BROKEN, why="It fell."), {})
        [arm] = read_failures(ExperimentReading.of(store), "evidence")
    assert arm.causes == Counter({"not found": 1, "no error": 1, "timeout": 1, "broken": 1})
    assert causes_by_number([arm]) == ["broken", "no error", "not found", "timeout"]
    assert (arm.planned, arm.share("timeout").value) == (4, 0.25)


def test_list_when_a_file_is_no_experiment_then_is_listed_with_the_reason(tmp_path: Path) -> None:
    judged_experiment(tmp_path / "good.lab", {"a": ["x"]})
    (tmp_path / "bad.lab").write_text("no experiment")
    (tmp_path / "new.lab.toml").write_text("")
    found = {each.name: each for each in list_experiments(tmp_path)}
    assert {name: each.word for name, each in found.items()} == {
        "bad": "cannot be read", "good": "finished", "new": "not started",
    }  # fmt: skip
    assert found["bad"].problem
    assert found["good"].done == 1


def test_figures_when_made_then_no_log_of_a_run_is_read(
    store: LabStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a figure reads the log of a run")

    monkeypatch.setattr(LabStore, "packed", refuse)
    reading = ExperimentReading.of(store)
    results = reading.results
    assert read_matrix(results, rows_by="arm", columns_by="arm", judge=PERSON).cells
    assert read_costs(results, amount="seconds", judge=PERSON)
    assert read_pair(reading, "a", "b", PERSON).discordant
    assert [each.planned for each in read_failures(reading, PERSON)] == [NUMBER, NUMBER]
    assert filter_trials(reading, TrialFilter(cause="no error"), PERSON)
    assert read_judges(reading, store).pairs
