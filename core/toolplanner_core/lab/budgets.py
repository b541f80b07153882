"""The budget of an experiment: what all its trials may take together.

A trial begins only where what was spent, and what those that run may still take, leaves room for
its own limit. So the sum is passed by no more than a run passes its limit: by what a prompt is
longer than was guessed. Queries are begun whole: room is set aside for all arms and seeds of one
before its first trial, so that what is there when the budget is used up is paired.

Called by the coordinator, which may go on later with a larger budget.
"""

import dataclasses
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from toolplanner_core.domain.experiment import (
    FINAL_STATES,
    Arm,
    Experiment,
    ExperimentBudget,
    Trial,
    TrialState,
)
from toolplanner_core.errors import BadInput
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace.lab_store import MOST_ATTEMPTS, SpentTrial

_LIMIT_OF = {
    "dollars": "max_cost",
    "tokens": "max_tokens",
    "model_calls": "max_model_calls",
    "api_calls": "max_api_calls",
}
"""The limit of a run, by the unit of the budget."""
_AMOUNT_OF = {
    "dollars": "cost", "tokens": "tokens", "model_calls": "model_calls", "api_calls": "api_calls",
}  # fmt: skip
"""What facts call it."""


class BudgetKeeper:
    """What is left of a budget; one thread at a time.

    Args:
        trials: all of the plan; spent: what they took so far.
    """

    def __init__(
        self, experiment: Experiment, trials: Sequence[Trial], spent: Mapping[int, SpentTrial]
    ) -> None:
        self._budget = _set(experiment.budget)
        self._limits = {arm.name: _limits(arm, self._budget) for arm in experiment.arms}
        self._left: dict[str, dict[int, Trial]] = {}
        self._spent = dict.fromkeys(self._budget, 0.0)
        self._reserved = dict.fromkeys(self._budget, 0.0)
        self._begun: set[str] = set()
        if not self._budget:
            return
        for trial in trials:
            if not _is_over(trial):
                self._left.setdefault(trial.query, {})[trial.number] = trial
            if trial.state is not TrialState.PLANNED:
                self._begun.add(trial.query)
            self._count(trial, spent.get(trial.number))
        for query in self._begun:
            self._reserve(query)

    def has_room(self, trial: Trial) -> bool:
        """Whether a trial may begin; room for its whole query is set aside then."""
        query = trial.query
        if query in self._begun and trial.state is not TrialState.NOT_MEASURED:
            return True
        if self.refusal(trial):
            return False
        if query in self._begun:
            return True
        self._begun.add(query)
        self._reserve(query)
        return True

    def settle(self, trial: Trial, took: SpentTrial | None) -> None:
        """Count what a trial took this time; `trial.state` is how it ended."""
        if not self._budget:
            return
        self._count(trial, took)
        if _is_over(trial) and self._left.get(trial.query, {}).pop(trial.number, None) is not None:
            for unit, limit in self._limits[trial.arm].items():
                self._reserved[unit] -= limit

    def refusal(self, trial: Trial) -> str:
        """Why a trial may not begin, for people; "" where it may."""
        need = self._need(trial.query)
        if trial.query in self._begun:  # its room is set aside, unless what failed took it
            need = dict.fromkeys(need, 0.0)
        for unit, most in self._budget.items():
            if self._spent[unit] + self._reserved[unit] + need[unit] > most:
                spent = _words(unit, self._spent[unit])
                next_one = _words(unit, need[unit] or self._limits[trial.arm][unit])
                return (
                    f"The budget of {_words(unit, most)} is used up: {spent} spent, and what comes"
                    f" next may take {next_one}"
                )
        return ""

    def _count(self, trial: Trial, took: SpentTrial | None) -> None:
        limits = self._limits[trial.arm]
        for unit in self._budget:
            if took is not None:
                amount = getattr(took, _AMOUNT_OF[unit])
                # What nobody knows, or was lost with a worker, counts as all that it could be.
                self._spent[unit] += limits[unit] if amount is None else amount
            elif trial.state is TrialState.BROKEN and trial.attempt > MOST_ATTEMPTS:
                self._spent[unit] += limits[unit]

    def _reserve(self, query: str) -> None:
        for unit, need in self._need(query).items():
            self._reserved[unit] += need

    def _need(self, query: str) -> dict[str, float]:
        found = dict.fromkeys(self._budget, 0.0)
        for trial in self._left.get(query, {}).values():
            for unit, limit in self._limits[trial.arm].items():
                found[unit] += limit
        return found


def read_budget(
    table: Mapping[str, Any], arms: Iterable[Arm], seeds: int, where: str
) -> ExperimentBudget:
    """The budget that an experiment's file names.

    Raises:
        BadInput: it is none, cannot be kept, or cannot pay one query.
    """
    known = [field.name for field in dataclasses.fields(ExperimentBudget)]
    if unknown := next((key for key in table if key not in known), None):
        raise BadInput(
            f"There is no {unknown!r} here", where=where, todo=f"Known are: {', '.join(known)}"
        )
    for unit, most in table.items():
        kinds = (int, float) if unit == "dollars" else (int,)
        if type(most) not in kinds or not 0 < most < math.inf:
            raise BadInput(f"{unit} cannot be {most!r}", where=where, todo="Give a number above 0")
    budget = ExperimentBudget(**table)
    for unit, most in _set(budget).items():
        need = sum(_limits(arm, {unit: most}, where)[unit] for arm in arms) * seeds
        if need > most:
            raise BadInput(
                f"{_words(unit, most)} cannot pay one query",
                where=where,
                why=f"All its trials together may take {_words(unit, need)}",
                todo=f"Raise the budget, or lower {_LIMIT_OF[unit]} in the limits of the arms",
            )
    return budget


def _is_over(trial: Trial) -> bool:
    """Whether it will not be run again."""
    is_not_measured = trial.state is TrialState.NOT_MEASURED
    return trial.state in FINAL_STATES or (is_not_measured and trial.attempt >= MOST_ATTEMPTS)


def _set(budget: ExperimentBudget) -> dict[str, float]:
    return {unit: most for unit, most in dataclasses.asdict(budget).items() if most is not None}


def _limits(arm: Arm, budget: Mapping[str, float], where: str = "") -> dict[str, float]:
    found: dict[str, float] = {}
    for unit in budget:
        limit = arm.settings["limits"][_LIMIT_OF[unit]]
        if limit is None:
            raise BadInput(
                f"The budget cannot be kept: trials of the arm {arm.name} have no limit of {unit}",
                where=where,
                todo=f"Add limits = {{ {_LIMIT_OF[unit]} = NUMBER }} to the arm",
            )
        found[unit] = float(limit)
    return found


def _words(unit: str, amount: float) -> str:
    if unit == "dollars":
        return f"${amount:,.4g}"
    return counted(int(amount), unit.removesuffix("s").replace("_", " ").replace("api", "API"))
