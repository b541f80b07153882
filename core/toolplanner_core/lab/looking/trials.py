"""The trials of an experiment, filtered by words, arm, outcome and cause of failure; and the run of
one of them, taken into a workspace."""

import tempfile
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path

from toolplanner_core.domain.experiment import TrialFacts
from toolplanner_core.domain.ids import RunId
from toolplanner_core.errors import BadInput, NotFound
from toolplanner_core.lab.looking.failures import cause_of
from toolplanner_core.lab.looking.reading import ExperimentReading, TrialOutcome, outcome_of
from toolplanner_core.lab.packed_runs import text_of
from toolplanner_core.runs.importing.reading import import_runs
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.lab_store import GivenVerdict, JudgedTrial, LabStore
from toolplanner_core.workspace.runs import runs_of_trials


@dataclass(frozen=True, slots=True)
class TrialFilter:
    """Which trials are listed; what is empty lets all through.

    Attributes:
        words: each must stand in the query, in any case.
        arms: names; outcome, cause: as of one judge (see `reading.py` and `failures.py`).
        numbers: of trials that are listed one by one.
    """

    words: str = ""
    arms: Collection[str] = ()
    outcome: TrialOutcome | None = None
    cause: str = ""
    numbers: Collection[int] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialDetails:
    """All that is known of a trial without the log of its run.

    Attributes:
        facts: None where it has not run.
        why: why it is not done, "" where it is or has not run.
    """

    facts: TrialFacts | None
    why: str
    verdicts: tuple[GivenVerdict, ...]


def filter_trials(reading: ExperimentReading, wanted: TrialFilter, judge: str) -> list[JudgedTrial]:
    """Those that are let through, in the order of the plan."""
    words = wanted.words.casefold().split()
    queries = {
        query
        for query, text in reading.texts.items()
        if not words or all(word in text.casefold() for word in words)
    }
    arms, numbers = set(wanted.arms), set(wanted.numbers)
    return [
        each
        for each in reading.results.trials()
        if each.trial.query in queries
        and (not arms or each.trial.arm in arms)
        and (not numbers or each.trial.number in numbers)
        and (wanted.outcome is None or outcome_of(each, judge) is wanted.outcome)
        and (not wanted.cause or cause_of(reading, each, judge) == wanted.cause)
    ]


def read_details(store: LabStore, number: int) -> TrialDetails:
    """What is known of a trial. Blocks."""
    return TrialDetails(
        facts=store.facts(number), why=store.why(number), verdicts=tuple(store.verdicts(number))
    )


def run_of_trial(workspace: Workspace, store: LabStore, trial: JudgedTrial) -> RunId:
    """The run of a trial in a workspace: taken in from the experiment's file, unless it is there.
    Blocks.

    Raises:
        NotFound: the trial has no run.
        BadInput: its run cannot be read.
    """
    number, key = trial.trial.number, trial.trial.key
    known = runs_of_trials(workspace).get(key)
    if known is not None:
        return known.id
    packed = store.packed(number)
    if not packed:
        raise NotFound(f"Trial {number} has no run", why=trial.why, todo="Choose another trial")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{store.path.name}, trial {number}.jsonl"
        file.write_text(text_of(packed), encoding="utf-8")
        report = import_runs(workspace, file)
    if not report.runs:
        raise BadInput(f"The run of trial {number} cannot be read", why=report.rejected[0].why)
    return report.runs[0]
