"""An experiment: which queries are tried by which arms, what a trial is, and what it showed.

A trial is one run of one query by one arm with one seed. Its key is made of what it is, before it
runs: an equal key is the same trial, which is never run twice.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from toolplanner_core.domain.outcome import EvidenceLevel
from toolplanner_core.domain.plan import Status


class TrialState(StrEnum):
    """How a trial stands."""

    PLANNED = "planned"
    LEASED = "leased"
    DONE = "done"
    BROKEN = "broken"
    NOT_MEASURED = "not measured"
    STOPPED = "stopped"


class Grade(StrEnum):
    """A vote of a model on an answer."""

    SOLVED = "solved"
    UNSURE = "unsure"
    UNSOLVED = "unsolved"


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedAnswer:
    """A vote with its reason."""

    grade: Grade
    reason: str


class Preference(StrEnum):
    """Which of two answers is better, by the place at which it was shown."""

    FIRST = "first"
    SECOND = "second"
    TIE = "tie"


@dataclass(frozen=True, slots=True, kw_only=True)
class PreferredAnswer:
    """What a model says of two answers, with its reason."""

    better: Preference
    reason: str


FINAL_STATES = frozenset({TrialState.DONE, TrialState.BROKEN})
"""States after which a trial is never run again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arm:
    """One way to solve queries that is tried.

    Attributes:
        settings: every field of the run that it asks for, resolved, as JSON data (see
            `lab/experiment_file.py`).
        edit: number of the last edit of the toolkits that it works with.
        strategy_version: of the strategy when the experiment was begun.
    """

    name: str
    settings: Mapping[str, Any]
    edit: int = 0
    strategy_version: int = 1

    @property
    def hash(self) -> str:
        """SHA-256 of what it does; its name is no part of it."""
        return _sha256([dict(self.settings), self.edit])


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentBudget:
    """What all trials of an experiment may take together; None = no limit."""

    dollars: float | None = None
    tokens: int | None = None
    model_calls: int | None = None
    api_calls: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Experiment:
    """What is compared, over which queries.

    Attributes:
        dataset: name of the data set; dataset_version: see `DataSet.version`.
        baseline: name of the arm that others are compared with, "" = none.
        compare: pairs of arms named in advance; all other comparisons are looks.
        order_seed: of the order in which trials run.
        budget: may be raised later; it is no part of what a trial is.
        template: id of the paper's table that it was made from, "" = none.
        label: what a reader must know of it, such as that a scripted model answered.
    """

    name: str
    dataset: str
    dataset_version: str
    arms: tuple[Arm, ...]
    seeds: tuple[int, ...]
    judges: tuple[str, ...]
    baseline: str = ""
    compare: tuple[tuple[str, str], ...] = ()
    least_difference: float | None = None
    order_seed: int = 0
    budget: ExperimentBudget = ExperimentBudget()
    template: str = ""
    label: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One query, one arm, one seed.

    Attributes:
        number: place in the order of the plan, from 1 on.
        worker: number of the worker that it was leased to last, -1 = none yet.
        attempt: how often it was leased.
    """

    number: int
    key: str
    query: str
    arm: str
    seed: int
    state: TrialState = TrialState.PLANNED
    worker: int = -1
    attempt: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class CalledApi:
    """A call of a trial that ended: key of its API, name of its toolkit, error ("" if ok)."""

    api: str
    toolkit: str
    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialFacts:
    """What a trial's run shows, without its log; what judges and tables read.

    Attributes:
        calls: in the order of their places in the tree, whichever of parallel ones was quicker.
        evidence: needs of the query that a result is shown for.
        evidence_level: what the replies say of the answer, see `domain/outcome.py`.
        cost: US dollars, None = unknown.
        called_toolkits, errors, exhausted, loose_causes: as of `cases.run_facts.RunFacts`, sorted.
        seconds: how long it took; the one fact that differs from machine to machine.
    """

    status: Status
    answer: str
    reason: str
    api_calls: int
    failed_calls: int
    model_calls: int
    fallbacks: int
    replans: int
    tokens: int
    cost: float | None
    evidence: int
    evidence_level: EvidenceLevel
    calls: tuple[CalledApi, ...]
    called_toolkits: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    exhausted: tuple[str, ...] = ()
    loose_causes: tuple[str, ...] = ()
    kept_steps: int = 0
    has_parallel_steps: bool = False
    has_data_flow: bool = False
    seconds: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialResult:
    """What came back of a trial.

    Attributes:
        state: done, broken, not measured or stopped.
        why: of one that is not done, for people.
        facts: of its run, None where there was none.
        packed: its run as compressed JSON lines (`runs/export/jsonl.py`), b"" where there was none.
    """

    number: int
    key: str
    state: TrialState
    why: str = ""
    facts: TrialFacts | None = None
    packed: bytes = field(default=b"", repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialVerdict:
    """What a judge says of a trial: 1 solved, 0 unsolved; a model's is the mean of its votes."""

    solved: float
    reason: str = ""
    votes: tuple[Grade, ...] = ()


def trial_key(*, dataset_version: str, query: str, arm: Arm, seed: int) -> str:
    """The identity of a trial, 64 hex digits: equal for equal trials on every machine."""
    return _sha256([dataset_version, query, arm.hash, seed, arm.strategy_version])


def _sha256(data: Any) -> str:
    text = json.dumps(data, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
