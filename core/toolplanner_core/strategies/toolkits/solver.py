"""How Tool-Planner solves a task: waves of steps, fallbacks inside toolkits, plans revised.

Apart from the plug-in, which says what it is and is loaded wherever strategies are named. Called by
`tool_planner.py`. Source: design/strategies.md section 1.

`outline` makes the first plan alone: what each of its steps would begin with, without a call."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import partial
from typing import Protocol

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.domain.plan import Answer, Plan, QueryNeed, Step, Task
from toolplanner_core.prompts.final_answer import FinalAnswer
from toolplanner_core.prompts.render import (
    OBSERVATION_LIMIT,
    FailureCard,
    StepResult,
)
from toolplanner_core.strategies.interface.scope import ModelGaveUp, OpenNode, RunScope
from toolplanner_core.strategies.interface.strategy import OutlinedStep
from toolplanner_core.strategies.toolkits.attempts import EarlierResults
from toolplanner_core.strategies.toolkits.options import ToolPlannerOptions
from toolplanner_core.strategies.toolkits.plan_nodes import PLAN
from toolplanner_core.strategies.toolkits.planning import (
    CarryOver,
    PlannerLimits,
    PlannerOffers,
    Planning,
    carry_over,
    dropped_goals,
    next_wave,
)
from toolplanner_core.strategies.toolkits.steps import (
    CandidatePolicy,
    StepOutcome,
    candidates_for,
    decide_replan,
    do_step,
    step_data,
)
from toolplanner_core.words.formatting import counted


class ToolkitPlanOptions(Protocol):
    """What the options of such a strategy say."""

    @property
    def shortlist(self) -> int:
        """Toolkits offered at most."""
        ...

    @property
    def manner(self) -> CandidatePolicy:
        """How the APIs of a toolkit are tried."""
        ...

    @property
    def limits(self) -> PlannerLimits:
        """What the planner may do."""
        ...


async def outline(task: Task, run: RunScope, options: ToolkitPlanOptions) -> list[OutlinedStep]:
    """Of each step of the first plan its toolkit, and the APIs that would be tried in turn."""
    manner = options.manner
    offering = PlannerOffers(run, options.shortlist, single=manner.single)
    plan = await Planning(run, task.query, offering, options.limits).first()
    found: list[OutlinedStep] = []
    for step in plan.steps:
        tried = await candidates_for(run, step, manner)
        toolkit = "" if manner.single else offering.name_of(step.toolkit)
        first = tried[0].api.title if tried else ""
        found.append(OutlinedStep(toolkit, first, tuple(each.api.id for each in tried)))
    return found


@dataclass(frozen=True, slots=True, kw_only=True)
class _Revision:
    """A new plan, what it takes over, and the decision that led to it."""

    plan: Plan
    carried: CarryOver = field(default_factory=CarryOver)
    cause: int | None = None


class ToolkitSolver:
    """What is known while a task is solved."""

    def __init__(
        self, task: Task, run: RunScope, options: ToolPlannerOptions, now: datetime
    ) -> None:
        self._task, self._run, self._options, self._now = task, run, options, now
        self._results: dict[int, StepResult] = {}
        self._set_aside: list[StepResult] = []
        self._failures: list[FailureCard] = []
        self._unmet: list[str] = []
        self._manner = options.manner
        self._offering = PlannerOffers(run, options.shortlist, single=self._manner.single)
        self._planning = Planning(run, task.query, self._offering, options.limits)
        self._stopped_by: ErrorClass | None = None
        self._exhausted_by: ErrorClass | None = None

    async def solve(self) -> Answer:
        plan = await self._planning.first()
        self._unmet.extend(plan.unmet)
        if not plan.steps and not plan.unmet:
            self._unmet.append(self._task.query)
        revision: _Revision | None = _Revision(plan=plan)
        number = 0
        while revision is not None:
            number += 1
            revision = await self._do_plan(number, revision)
        return await self._answer()

    async def _do_plan(self, number: int, revision: _Revision) -> _Revision | None:
        """Work through a plan. Returns its revision, or None when there is nothing more to do."""
        plan, carried = revision.plan, revision.carried
        data = {
            "number": number,
            "keeps": carried.keeps,
            "also_kept": list(carried.also_kept),
            "steps": [step_data(self._run, step, self._manner) for step in plan.steps],
        }
        title = f"Plan {number} · {counted(len(plan.steps), 'step')}"
        async with self._run.node(PLAN, number, title, data=data, cause=revision.cause) as node:
            # A step of the old plan that was changed may still name a toolkit that is used up.
            failed = {
                step.number
                for step in plan.steps
                if self._planning.is_used_up(step) and step.number not in self._results
            }
            while self._stopped_by is None and (
                wave := next_wave(plan, self._results, failed, parallel=self._options.parallel)
            ):
                exhausted = await self._do_wave(wave)
                failed.update(outcome.step.number for outcome in exhausted)
                can_revise = self._stopped_by is None and number <= self._options.max_replans
                unserved = [outcome for outcome in exhausted if not outcome.is_refused]
                if unserved and can_revise:
                    revised = await self._revise(plan, unserved[0], number + 1)
                    if revised is not None:
                        node.end(NodeState.REPLANNED, self._replan_words(unserved[0]))
                        return revised
            self._close(plan, node)
        return None

    def _close(self, plan: Plan, node: OpenNode) -> None:
        """Say how a plan ends that is not revised any more."""
        left = [step for step in plan.steps if step.number not in self._results]
        self._unmet.extend(step.goal for step in left)
        if left:
            error = self._stopped_by or self._exhausted_by or ErrorClass.DECISION_FAILURE
            reason = f"{counted(len(left), 'step')} could not be done"
            node.end(NodeState.FAILED, reason, error=error)

    async def _do_wave(self, wave: Sequence[Step]) -> list[StepOutcome]:
        """Do steps at the same time; all end, whatever happens to one of them.

        Returns:
            The outcomes of those whose toolkit is exhausted.
        """
        # All see what was known before the wave, so that the order of their ends changes nothing.
        known = EarlierResults(
            results=self._finished,
            failures=tuple(self._failures),
            now=self._now,
            limit=self._options.observation_limit,
        )
        do = partial(do_step, self._run, manner=self._manner)
        branches = [partial(do, step, known) for step in wave]
        exhausted: list[StepOutcome] = []
        broken: Exception | None = None
        for outcome in await self._run.gather(*branches):
            if isinstance(outcome, Exception):
                broken = broken or outcome
                continue
            self._failures.extend(outcome.failures)
            if outcome.result is not None:
                self._results[outcome.step.number] = outcome.result
            if outcome.ends_run:
                self._stopped_by = outcome.failures[-1].error
            if outcome.exhausted:
                exhausted.append(outcome)
                self._exhausted_by = outcome.error
        self._planning.use_up(exhausted)
        if broken is not None:
            raise broken
        return exhausted

    @property
    def _finished(self) -> tuple[StepResult, ...]:
        return tuple(self._results[number] for number in sorted(self._results))

    async def _revise(self, plan: Plan, failed: StepOutcome, number: int) -> _Revision | None:
        """Ask for plan `number`; None when the model has none, or a person wants none."""
        cause = await decide_replan(self._run, failed.exhausted, number=number)
        if cause is None:
            return None
        finished = self._finished
        try:
            new = await self._planning.revised(plan, failed, finished, self._failures)
        except ModelGaveUp as gave_up:
            if gave_up.ends_run:
                self._stopped_by = gave_up.error
            await self._run.note(f"No revised plan: {gave_up.message}")
            return None
        carried = carry_over(plan, new, self._results)
        self._unmet.extend(dropped_goals(plan, new, self._results))
        self._unmet.extend(new.unmet)
        kept = set(carried.old_numbers.values())
        # What a new plan does not repeat is no step any more, but still a fact for the answer.
        self._set_aside.extend(result for result in finished if result.step not in kept)
        self._results = {
            number: replace(self._results[old], step=number)
            for number, old in carried.old_numbers.items()
        }
        return _Revision(plan=new, carried=carried, cause=cause)

    def _replan_words(self, failed: StepOutcome) -> str:
        name = self._offering.name_of(failed.step.toolkit)
        who = name if self._manner.single else f"no API of {name}"
        could = "could not" if self._manner.single else "could"
        return f"{who} {could} do step {failed.step.number}"

    async def _answer(self) -> Answer:
        """Compose the answer from what there is; without a model's help if it gives up."""
        results = (*self._set_aside, *self._finished)
        unmet = tuple(dict.fromkeys(self._unmet))
        try:
            answer = await self._run.ask(
                FinalAnswer(
                    query=self._task.query,
                    results=results,
                    failures=tuple(self._failures),
                    unmet=unmet,
                    now=self._now,
                    limit=self._options.observation_limit,
                )
            )
            open_ = [QueryNeed(text=goal) for goal in unmet]
            return replace(answer, needs=(*(result.need for result in results), *open_))
        except ModelGaveUp as gave_up:
            return Answer(
                text="\n".join(_in_words(result) for result in results),
                solved=False,
                reason=f"No answer could be composed: {gave_up.message}",
            )


def _in_words(result: StepResult) -> str:
    if result.state:
        return result.state
    value = json.dumps(result.value, ensure_ascii=False, default=str)
    return f"{result.goal}: {value[:OBSERVATION_LIMIT]}"
