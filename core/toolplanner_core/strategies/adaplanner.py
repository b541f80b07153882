"""AdaPlanner: a whole plan first, whose steps carry the check that their result must pass.

Source: Sun et al., arXiv 2305.16653; design/strategies.md section 2. *In-plan*: values are read
from a result by a question and bound to arguments of later steps. *Out-of-plan*: a call that fails
or a check that is not passed gives a revised plan, which goes on at the first step that differs;
after some tries plans begin anew. With toolkits on, a step calls a toolkit, with fallbacks inside
(Source: Tool-Planner, arXiv 2406.03807, table 4).
"""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import NamedTuple

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.domain.plan import Answer, QueryNeed, Task
from toolplanner_core.options.option import option
from toolplanner_core.prompts.adaplanner import (
    MakeCheckedPlan,
    ReviseCheckedPlan,
)
from toolplanner_core.prompts.checked_plan import CheckedPlan
from toolplanner_core.prompts.final_answer import FinalAnswer
from toolplanner_core.prompts.functions import Functions
from toolplanner_core.prompts.render import FailureCard
from toolplanner_core.strategies.checked_steps import CHECK, CheckedSteps, FailedCheck
from toolplanner_core.strategies.scope import ModelGaveUp, RunScope
from toolplanner_core.strategies.strategy import StrategyPlugin
from toolplanner_core.strategies.toolkits.choosing import decide_replan
from toolplanner_core.strategies.toolkits.kinds import ATTEMPT, PLAN, STEP
from toolplanner_core.strategies.toolkits.points import EXHAUSTED, FALLBACK, PLAN_FAILED, REPLAN
from toolplanner_core.strategies.toolkits.steps import step_data
from toolplanner_core.words.wording import counted


@dataclass(frozen=True, slots=True, kw_only=True)
class AdaPlannerOptions:
    """Options of the strategy; the defaults are the paper's where it names one."""

    max_tries: int = option(
        6, "Plans at most, revised ones included.", title="Tries", minimum=1, maximum=30
    )
    resume_tries: int = option(
        3,
        "The first tries after which a revised plan goes on where it differs; later ones start"
        " anew.",
        title="Tries that resume",
        minimum=0,
    )
    max_steps: int = option(8, "Steps of one plan at most.", title="Steps", minimum=1)
    toolkits: bool = option(
        False, "On = toolkits are called instead of APIs, with fallbacks inside each."
    )
    shortlist: int = option(
        20, "APIs (or toolkits) offered at most, best first.", minimum=1, maximum=120
    )


class _Next(NamedTuple):
    """The plan that follows, how many steps it keeps, and why there is one."""

    plan: CheckedPlan
    keeps: int = 0
    cause: int | None = None


async def solve(task: Task, run: RunScope, options: AdaPlannerOptions) -> Answer:
    """Solve a task; the coroutine of the plug-in."""
    if options.toolkits:
        kits = await run.toolkits.shortlist(task.query, options.shortlist)
        functions = Functions.of((), toolkits=[each.toolkit for each in kits])
    else:
        apis = await run.catalogue.search(task.query, options.shortlist)
        functions = Functions.of([each.api for each in apis])
    if not functions.functions:
        return Answer(text="", solved=False, reason="There is nothing that could be called")
    return await _AdaPlanner(run, options, functions, await run.now()).solve()


class _AdaPlanner:
    """The plans of one run."""

    def __init__(
        self, run: RunScope, options: AdaPlannerOptions, functions: Functions, now: datetime
    ) -> None:
        self._run, self._options, self._functions = run, options, functions
        self._steps = CheckedSteps(run, functions, now)
        self._query = run.task.query

    async def solve(self) -> Answer:
        plan = await self._run.ask(self._make(failures=()))
        following: _Next | None = _Next(plan)
        number = 0
        while following is not None:
            number, plan = number + 1, following.plan
            following = await self._do_plan(number, following)
        done = {result.step for result in self._steps.results}
        left = [step.goal for step in plan.steps if step.number not in done]
        if not plan.steps and not plan.unmet:
            left = [self._query]
        return await self._answer((*left, *plan.unmet))

    def _make(self, *, failures: tuple[FailureCard, ...]) -> MakeCheckedPlan:
        return MakeCheckedPlan(
            query=self._query,
            functions=self._functions.functions,
            failures=failures,
            max_steps=self._options.max_steps,
        )

    async def _do_plan(self, number: int, now: _Next) -> _Next | None:
        """Carry out a plan. Returns the one that follows, None when there is nothing more to do."""
        plan = now.plan
        data = {
            "number": number,
            "keeps": now.keeps,
            "steps": [step_data(self._run, self._steps.plain(step)) for step in plan.steps],
        }
        title = f"Plan {number} · {counted(len(plan.steps), 'step')}"
        async with self._run.node(PLAN, number, title, data=data, cause=now.cause) as node:
            for step in plan.steps[now.keeps :]:
                failed = await self._steps.do(step)
                if failed is None:
                    continue
                if self._steps.stopped_by is None and number < self._options.max_tries:
                    following = await self._revised(plan, failed, number)
                    if following is not None:
                        node.end(NodeState.REPLANNED, f"step {failed.step}: {failed.why}")
                        return following
                left = len(plan.steps) - len(self._steps.results)
                why = f"{counted(left, 'step')} could not be done"
                error = self._steps.stopped_by or ErrorClass.DECISION_FAILURE
                node.end(NodeState.FAILED, why, error=error)
                return None
        return None

    async def _revised(self, plan: CheckedPlan, failed: FailedCheck, number: int) -> _Next | None:
        """The plan after plan `number`; None when the model has none, or a person wants none."""
        cause = await decide_replan(self._run, failed.seq, number=number + 1)
        if cause is None:
            return None
        resumes = number <= self._options.resume_tries
        question = make = self._make(failures=self._steps.failures)
        if resumes:
            question = ReviseCheckedPlan(
                query=make.query,
                functions=make.functions,
                failures=make.failures,
                max_steps=make.max_steps,
                plan=plan,
                failed_step=failed.step,
                finished=self._steps.results,
            )
        try:
            new = await self._run.ask(question)
        except ModelGaveUp as gave_up:
            if gave_up.ends_run:
                self._steps.stopped_by = gave_up.error
            await self._run.note(f"No revised plan: {gave_up.message}")
            return None
        done = [result.step for result in self._steps.results]
        keeps = new.kept_from(plan, done) if resumes else 0
        self._steps.keep(keeps)
        return _Next(new, keeps, cause)

    async def _answer(self, unmet: tuple[str, ...]) -> Answer:
        """Compose the answer from the results; without a model's help if it gives up."""
        results = self._steps.results
        question = FinalAnswer(
            query=self._query, results=results, failures=self._steps.failures, unmet=unmet
        )
        try:
            answer = await self._run.ask(question)
        except ModelGaveUp as gave_up:
            said = "\n".join(result.state for result in results)
            why = f"No answer could be composed: {gave_up.message}"
            return Answer(text=said, solved=False, reason=why)
        open_ = [QueryNeed(text=goal) for goal in unmet]
        return replace(answer, needs=(*(result.need for result in results), *open_))


PLUGIN = StrategyPlugin(
    id="adaplanner",
    title="AdaPlanner",
    description="Plans all calls first, each with the check that its result must pass; revises the"
    " plan where a check is not passed. Few questions where all goes as planned.",
    paper="Sun et al., arXiv 2305.16653",
    options=AdaPlannerOptions,
    solve=solve,
    kinds=(PLAN, STEP, ATTEMPT, CHECK),
    points=(FALLBACK, EXHAUSTED, REPLAN, PLAN_FAILED),
)
