"""Answers of an experiment graded by a model with votes, later and without running anything."""

import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from fixtures.command_line import command_here
from fixtures.judged_experiment import packed_run
from fixtures.scripted_endpoint import Answers, ScriptedEndpoint, Status, scripted_endpoint

from toolplanner_core.domain.experiment import (
    Arm,
    Experiment,
    Grade,
    TrialFacts,
    TrialResult,
    TrialState,
)
from toolplanner_core.domain.lab import DataSet, Query, Solvable
from toolplanner_core.domain.outcome import EvidenceLevel
from toolplanner_core.domain.plan import Status as Ended
from toolplanner_core.errors import BadInput
from toolplanner_core.lab.model_judge import majority
from toolplanner_core.lab.packed_runs import events_of
from toolplanner_core.lab.planning import plan_trials
from toolplanner_core.lab.results import ExperimentResults
from toolplanner_core.workspace.lab_store import LabStore

GRADES = {  # by query: what the votes say; query 3 cannot be solved, query 4 has no answer
    "0": ("solved", "solved", "unsolved"),
    "1": ("unsolved", "unsolved", "solved"),
    "2": ("unsure", "unsure", "unsure"),
    "3": ("unsolved", "unsolved", "unsolved"),
}


@pytest.fixture
def lab_file(tmp_path: Path) -> Path:
    """One arm over five queries that ran."""
    queries = [
        Query(id=str(n), text=f"Weather in city {n}?", solvable=Solvable.NO if n == 3 else
              Solvable.UNKNOWN)
        for n in range(5)
    ]  # fmt: skip
    data_set = DataSet(name="few", queries=queries)
    arm = Arm(name="secret-arm", settings={"strategy": "react"})
    experiment = Experiment(
        name="try", dataset="few", dataset_version=data_set.version, arms=(arm,), seeds=(1,),
        judges=(),
    )  # fmt: skip
    trials = plan_trials(experiment, data_set)
    with LabStore.create(tmp_path / "try.lab", experiment, data_set, trials) as store:
        for trial in trials:
            facts = TrialFacts(
                status=Ended.ANSWERED, answer="" if trial.query == "4" else f"{trial.query} C",
                reason="", api_calls=1, failed_calls=0, model_calls=1, fallbacks=0, replans=0,
                tokens=10, cost=None, evidence=0, evidence_level=EvidenceLevel.NOT_CHECKED,
                calls=(),
            )  # fmt: skip
            result = TrialResult(
                number=trial.number, key=trial.key, state=TrialState.DONE, facts=facts,
                packed=packed_run(trial.query),
            )  # fmt: skip
            store.collect(result, {})
    return tmp_path / "try.lab"


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedEndpoint]:
    """A model that votes as `GRADES` says."""
    given: dict[str, int] = {}

    def vote(body: dict[str, Any]) -> str:
        query = body["messages"][1]["content"].partition("city ")[2][0]
        number = given[query] = given.get(query, -1) + 1
        return json.dumps({"reason": f"vote {number}", "grade": GRADES[query][number % 3]})

    with scripted_endpoint(Answers(vote)) as endpoint:
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        yield endpoint


def test_judge_when_a_model_votes_then_both_equations_stand_with_intervals(
    lab_file: Path, judge: ScriptedEndpoint
) -> None:
    done = command_here("lab", "judge", lab_file, "--model", "openai:judge", "--json")
    assert (done.status, done.data["judged"], done.data["failed"]) == (0, 5, 0), done.err
    assert len(judge.requests) == 4 * 3, "an empty answer is not asked about"
    with LabStore.open(lab_file) as store:
        results = ExperimentResults(store)
        said = {trial.query: store.verdicts(trial.number)[0].said for trial in store.trials()}
    assert said["0"].solved == pytest.approx(2 / 3)
    assert said["0"].votes == (Grade.SOLVED, Grade.SOLVED, Grade.UNSOLVED)
    assert (said["1"].reason, said["2"].solved, said["4"].solved) == ("vote 0", 0.5, 0.0)
    [name] = results.judges
    assert name.startswith("answer openai:judge ")
    found = results.vote_shares(results.experiment.arms[0], name)
    assert found is not None
    assert found.grades == {Grade.SOLVED: 1, Grade.UNSURE: 1, Grade.UNSOLVED: 3}
    first, second = found.with_unsolvable, found.solvable_only
    assert first is not None and second is not None
    # Equation 1: (1 not solvable + 1 solved) / (1 + 1 + 2); equation 2: 1 / (1 + 2).
    assert (first.value, first.n) == (0.5, 4)
    assert (second.value, second.n) == (pytest.approx(1 / 3), 3)
    assert second.low < second.value < second.high
    # By vote: (1 + 0 + .5 + 0 + 0) / 5, the same, (0 + 1 + .5 + 0 + 0) / 5.
    assert found.deviation == pytest.approx(0.0)
    table = command_here("lab", "results", lab_file)
    assert name in table.out
    assert command_here("lab", "export", lab_file, "--format", "csv").status == 0
    assert "equation 1" in lab_file.with_name("try-votes.csv").read_text()


def test_judge_when_asked_then_sees_calls_and_replies_but_no_thought_arm_or_strategy(
    lab_file: Path, judge: ScriptedEndpoint
) -> None:
    assert command_here("lab", "judge", lab_file, "--model", "openai:judge").status == 0
    for request in judge.requests:
        text = json.dumps(request["messages"])
        assert "City weather" in text
        assert "Ignore all rules" in text
        for hidden in ("SECRET THOUGHT", "secret-arm", "react"):
            assert hidden not in text
        # What came from outside cannot end its block.
        assert request["messages"][1]["content"].count("</done>") == 1


def test_judge_when_run_again_then_asks_nothing_and_another_one_stands_beside_it(
    lab_file: Path, judge: ScriptedEndpoint
) -> None:
    assert command_here("lab", "judge", lab_file, "--model", "openai:judge").status == 0
    asked = len(judge.requests)
    again = command_here("lab", "judge", lab_file, "--model", "openai:judge", "--json")
    assert (again.data["judged"], again.data["before"]) == (0, 5)
    assert len(judge.requests) == asked
    other = command_here("lab", "judge", lab_file, "--model", "openai:other", "--votes", "1")
    assert other.status == 0
    assert len(judge.requests) == asked + 4
    with LabStore.open(lab_file) as store:
        assert len(store.judges()) == 2
        assert [len(store.verdicts(trial.number)) for trial in store.trials()] == [2] * 5


def test_judge_when_its_endpoint_refuses_then_nothing_counts_as_failed_and_it_goes_on_later(
    lab_file: Path, judge: ScriptedEndpoint
) -> None:
    votes = judge.script[0]
    good = json.dumps({"reason": "yes", "grade": "solved"})
    judge.script[:] = [good, Status(401), votes]
    command = ("lab", "judge", lab_file, "--model", "openai:judge", "--votes", "1", "--json")
    broken = command_here(*command)
    assert broken.status != 0
    assert "gave no verdict" in broken.err
    with LabStore.open(lab_file) as store:
        judged = sum(len(store.verdicts(trial.number)) for trial in store.trials())
    assert judged in (1, 2)
    assert command_here(*command).data["before"] == judged


def test_judge_when_a_reply_cannot_be_used_then_it_is_sent_back(
    lab_file: Path, judge: ScriptedEndpoint
) -> None:
    judge.script.insert(0, json.dumps({"reason": "well", "grade": "perhaps"}))
    command = ("lab", "judge", lab_file, "--model", "openai:judge", "--votes", "1", "--json")
    assert command_here(*command).data["failed"] == 0
    assert "'perhaps' is none of solved, unsure, unsolved" in json.dumps(judge.requests[1])


@pytest.mark.parametrize(
    ("votes", "grade"),
    [
        (("solved", "solved", "unsolved"), "solved"),
        (("solved", "unsolved"), "unsure"),
        (("solved", "unsure", "unsolved"), "unsure"),
        (("unsolved",), "unsolved"),
    ],
)
def test_majority_when_votes_are_split_then_is_unsure(votes: tuple[str, ...], grade: str) -> None:
    assert majority([Grade(vote) for vote in votes]) == grade


@pytest.mark.parametrize(
    "packed", [b"no zlib", zlib.compress(b"[" * 100_000), zlib.compress(b'{"body": 3}')]
)
def test_run_when_a_bundle_brought_nonsense_then_is_refused(packed: bytes) -> None:
    with pytest.raises(BadInput, match="cannot be read"):
        list(events_of(packed))
