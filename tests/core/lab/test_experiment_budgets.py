"""Experiments with a budget: they end before it is passed, with whole queries, and go on later."""

import threading
from pathlib import Path

import pytest
from fixtures.command_line import command_here
from fixtures.counting_endpoint import TURNS, counting_endpoint
from fixtures.scripted_endpoint import USAGE

from toolplanner_core.domain.experiment import (
    Arm,
    Experiment,
    ExperimentBudget,
    TrialFacts,
    TrialResult,
    TrialState,
)
from toolplanner_core.domain.lab import DataSet, Query
from toolplanner_core.domain.outcome import EvidenceLevel
from toolplanner_core.domain.plan import Status
from toolplanner_core.errors import UserError
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.lab.coordinator import Coordinator, Journals
from toolplanner_core.lab.datasets.jsonl import write_data_set
from toolplanner_core.lab.experiment_file import read_experiment_file, resolve
from toolplanner_core.lab.planning import plan_trials
from toolplanner_core.workspace.lab_store import LabStore

EXPERIMENT = """
workspace = "demo.toolplanner"
dataset = "many.jsonl"
[arm.a]
strategy = "react"
model = "openai:scripted"
provider = "demo"
limits = { max_tokens = 20_000 }
[arm.b]
strategy = "react"
model = "openai:scripted"
provider = "demo"
options = { max_steps = 7 }
limits = { max_tokens = 20_000 }
[budget]
"""


def make_files(demo: Path, budget: str) -> Path:
    queries = [Query(id=str(n), text=f"Weather in city {n}") for n in range(4)]
    write_data_set(DataSet(name="many", queries=queries), demo.with_name("many.jsonl"))
    file = demo.with_name("try.lab.toml")
    file.write_text(EXPERIMENT + budget, encoding="utf-8")
    return file


def test_experiment_when_its_budget_is_used_up_then_whole_queries_ran_and_more_goes_on_with_it(
    demo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert (TURNS, USAGE["total_tokens"]) == (3, 18)  # a trial takes 54
    file = make_files(demo, "tokens = 40_150")
    with counting_endpoint() as (endpoint, counting):
        monkeypatch.setenv("OPENAI_BASE_URL", endpoint.url)
        monkeypatch.setenv("OPENAI_API_KEY", "k")
        ran = command_here("lab", "run", file, "--executor", "inline")
        assert ran.status == 1, ran
        assert "The budget of 40,150 tokens is used up: 216 tokens spent" in ran.out
        assert "may take 40,000 tokens" in ran.out
        assert len(counting.asked) == 4 * TURNS
        with LabStore.open(demo.with_name("try.lab")) as store:
            done = [trial for trial in store.trials() if trial.state is TrialState.DONE]
        assert len({trial.query for trial in done}) == 2
        assert len(done) == 4
        # The same budget lets nothing begin; a larger one goes on where it ended.
        assert command_here("lab", "run", file, "--executor", "inline").status == 1
        assert len(counting.asked) == 4 * TURNS
        file.write_text(EXPERIMENT + "tokens = 41_000", encoding="utf-8")
        assert command_here("lab", "run", file, "--executor", "inline").status == 0
        assert len(counting.asked) == 8 * TURNS
        status = command_here("lab", "status", demo.with_name("try.lab"), "--json")
        assert (status.data["left"], status.data["stopped"]) == (0, "")


@pytest.mark.parametrize(
    ("budget", "words"),
    [
        ("tokens = 100", "100 tokens cannot pay one query"),
        ("dollars = 2", "no limit of dollars"),
        ("dollars = true", "dollars cannot be True"),
        ("tokens = 0", "tokens cannot be 0"),
        ("tokens = 5.5", "tokens cannot be 5.5"),
        ("hours = 3", "'hours' here"),
    ],
)
def test_budget_when_it_cannot_be_kept_then_is_refused_with_what_to_do(
    demo: Path, budget: str, words: str
) -> None:
    with pytest.raises(UserError) as refused:
        resolve(read_experiment_file(make_files(demo, budget)), edit=0)
    assert words in refused.value.sentence


def _experiment(path: Path, *, budget: int, queries: int = 3) -> LabStore:
    data_set = DataSet(name="d", queries=[Query(id=str(n), text="q") for n in range(queries)])
    arm = Arm(name="a", settings={"limits": {"max_tokens": 100}})
    experiment = Experiment(
        name="e", dataset="d", dataset_version=data_set.version, arms=(arm,), seeds=(1,),
        judges=(), budget=ExperimentBudget(tokens=budget),
    )  # fmt: skip
    return LabStore.create(path, experiment, data_set, plan_trials(experiment, data_set))


def _coordinator(store: LabStore) -> Coordinator:
    progress, stopping = Progress(), threading.Event()
    return Coordinator(store, Journals(store.path), progress=progress, stopping=stopping)


def _result(store: LabStore, number: int, state: TrialState, tokens: int) -> TrialResult:
    facts = TrialFacts(
        status=Status.ANSWERED, answer="", reason="", api_calls=1, failed_calls=0, model_calls=1,
        fallbacks=0, replans=0, tokens=tokens, cost=None, evidence=0,
        evidence_level=EvidenceLevel.NOT_CHECKED, calls=(),
    )  # fmt: skip
    key = store.trials()[number - 1].key
    return TrialResult(number=number, key=key, state=state, facts=facts)


def test_lease_when_only_a_running_trial_can_make_room_then_waits_for_it(tmp_path: Path) -> None:
    with _experiment(tmp_path / "e.lab", budget=150) as store:
        desk = _coordinator(store)
        first = desk.lease(0)
        assert first is not None
        leased: list[int] = []

        def work() -> None:
            task = desk.lease(1)
            leased.append(0 if task is None else task.trial.number)

        waiting = threading.Thread(target=work)
        waiting.start()
        desk.collect(_result(store, first.trial.number, TrialState.DONE, 20))
        waiting.join()
        assert leased == [2]
        assert not store.standing().stopped


def test_budget_when_attempts_did_not_count_then_they_are_paid_all_the_same(tmp_path: Path) -> None:
    path = tmp_path / "e.lab"
    with _experiment(path, budget=150, queries=1) as store:
        desk = _coordinator(store)
        assert desk.lease(0) is not None
        desk.collect(_result(store, 1, TrialState.NOT_MEASURED, 40))
        again = desk.lease(0)
        assert again is not None and again.trial.attempt == 2
        desk.collect(_result(store, 1, TrialState.NOT_MEASURED, 40))
        assert desk.lease(0) is None  # 80 were spent, and it may take 100 more
        assert "80 tokens spent" in store.standing().stopped
    with LabStore.open(path) as store:
        assert _coordinator(store).lease(0) is None
        assert store.spent()[1].tokens == 80
