"""AdaPlanner: a whole plan first, whose steps carry the check that their result must pass.

Source: Sun et al., arXiv 2305.16653; design/strategies.md section 2. *In-plan*: values are read
from a result by a question and bound to arguments of later steps. *Out-of-plan*: a call that fails
or a check that is not passed gives a revised plan, which goes on at the first step that differs;
after some tries plans begin anew. With toolkits on, a step calls a toolkit, with fallbacks inside
(Source: Tool-Planner, arXiv 2406.03807, table 4)."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal, NamedTuple

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.nodes import NodeKind, NodeState, ShownField
from toolplanner_core.domain.plan import Answer, QueryNeed, ResultRef, Step, Task
from toolplanner_core.options.option import option
from toolplanner_core.options.published import PaperSetting, PaperSource, PublishedSettings
from toolplanner_core.prompts.adaplanner import (
    Checked,
    CheckedPlan,
    CheckedStep,
    CheckResult,
    MakeCheckedPlan,
    ReviseCheckedPlan,
)
from toolplanner_core.prompts.conversation import FunctionCall
from toolplanner_core.prompts.fill_arguments import Arguments
from toolplanner_core.prompts.final_answer import FinalAnswer
from toolplanner_core.prompts.functions import Functions, InvalidCall, WantedCall
from toolplanner_core.prompts.render import FailureCard, StepResult
from toolplanner_core.strategies.interface.scope import ModelGaveUp, OpenNode, RunScope
from toolplanner_core.strategies.interface.strategy import StrategyPlugin
from toolplanner_core.strategies.techniques.code_plans import (
    SOLUTION,
    CodePlanLimits,
    solve_by_code,
)
from toolplanner_core.strategies.techniques.program_calls import PROGRAM_LINE
from toolplanner_core.strategies.toolkits.attempts import EarlierResults, resolve_arguments
from toolplanner_core.strategies.toolkits.plan_nodes import (
    ATTEMPT,
    EXHAUSTED,
    FALLBACK,
    PLAN,
    PLAN_FAILED,
    REPLAN,
    STEP,
)
from toolplanner_core.strategies.toolkits.steps import decide_replan, do_step, step_data
from toolplanner_core.words.formatting import counted

CHECK = NodeKind(
    id="check",
    word="check",
    icon="check-decagram-outline",
    shown=(ShownField("demands", "Demands"), ShownField("values", "Values taken")),
)


class FailedCheck(NamedTuple):
    """A step that did not do what it should; `seq` is the cause of a revised plan."""

    step: int
    seq: int
    why: str


class CheckedSteps:
    """Does steps; knows results, and the values taken from them, by the numbers of their steps.

    Attributes:
        stopped_by: why nothing more can be done.
    """

    def __init__(self, run: RunScope, functions: Functions, now: datetime) -> None:
        self._run, self._functions, self._now = run, functions, now
        self._results: dict[int, StepResult] = {}
        self._values: dict[int, dict[str, Any]] = {}
        self._failures: list[FailureCard] = []
        self.stopped_by: ErrorClass | None = None

    @property
    def results(self) -> tuple[StepResult, ...]:
        """Of the steps that are done, in order."""
        return tuple(self._results[number] for number in sorted(self._results))

    @property
    def failures(self) -> tuple[FailureCard, ...]:
        """Of all plans so far."""
        return tuple(self._failures)

    def keep(self, steps: int) -> None:
        """Forget what was done beyond the first steps."""
        self._results = {n: result for n, result in self._results.items() if n <= steps}
        self._values = {n: values for n, values in self._values.items() if n <= steps}

    def plain(self, step: CheckedStep) -> Step:
        """A step as the tree knows steps."""
        kit = self._functions.kits.get(step.function)
        if kit is not None:
            goal = str(step.values.get("goal") or step.goal)
            return Step(number=step.number, goal=goal, toolkit=kit.id, needs=step.needs)
        wanted = self._read(step, {})
        api = None if isinstance(wanted, InvalidCall) else wanted.api.id
        return Step(number=step.number, goal=step.goal, needs=step.needs, api=api)

    def _read(self, step: CheckedStep, arguments: Mapping[str, Any]) -> WantedCall | InvalidCall:
        """The call of a step with these arguments, under the API's own names."""
        text = json.dumps(arguments, ensure_ascii=False, default=str)
        return self._functions.read(FunctionCall("", step.function, text))

    def _bindings(self, step: CheckedStep) -> dict[str, ResultRef]:
        """Which arguments of a step are values of earlier ones, under the API's own names."""
        named = self._read(step, {name: name for name in step.refs})
        if isinstance(named, InvalidCall):
            return {}
        return {real: step.refs[offered] for real, offered in named.arguments.items()}

    async def do(self, step: CheckedStep) -> FailedCheck | None:
        """Make the call of a step, then its check."""
        plain = self.plain(step)
        if plain.toolkit is not None:
            return await self._do_over_toolkit(step, plain)
        data = step_data(self._run, plain)
        async with self._run.node(STEP, step.number, step.goal, data=data) as node:
            made = await self._call(step, node)
            return made if isinstance(made, FailedCheck) else await self._check(step, made, node)

    async def _do_over_toolkit(self, step: CheckedStep, plain: Step) -> FailedCheck | None:
        known = EarlierResults(results=self.results, failures=self.failures, now=self._now)
        outcome = await do_step(self._run, plain, known)
        self._failures.extend(outcome.failures)
        if outcome.result is not None and outcome.node is not None:
            async with self._run.again(outcome.node) as node:
                return await self._check(step, outcome.result, node)
        last = outcome.failures[-1] if outcome.failures else None
        if outcome.ends_run and last is not None:
            self.stopped_by = last.error
        why = last.message if last is not None else "the toolkit is empty"
        return FailedCheck(step.number, outcome.exhausted, why)

    async def _call(self, step: CheckedStep, node: OpenNode) -> StepResult | FailedCheck:
        """Call the API of a step with the arguments that stand in the plan."""
        given = resolve_arguments(Arguments(values=step.values, refs=step.refs), self._values)
        wanted = self._read(step, given)
        if isinstance(wanted, InvalidCall):
            node.end(NodeState.FAILED, wanted.what, error=ErrorClass.WRONG_FORMAT)
            return FailedCheck(step.number, node.seq, wanted.what)
        observation = await self._run.call(
            wanted.api, wanted.arguments, bindings=self._bindings(step)
        )
        api = observation.api or wanted.api
        result = StepResult(
            step=step.number,
            goal=step.goal,
            toolkit=None,
            api_title=api.title,
            arguments=observation.arguments or wanted.arguments,
            value=observation.value,
            seq=observation.seq,
        )
        if observation.error is None:
            return result
        if observation.error is ErrorClass.OVER_BUDGET:
            self.stopped_by = observation.error
        node.end(NodeState.FAILED, error=observation.error)
        self._note_failure(result, observation.error, observation.message)
        return FailedCheck(step.number, observation.seq, observation.message)

    async def _check(
        self, step: CheckedStep, result: StepResult, of_step: OpenNode
    ) -> FailedCheck | None:
        """Check a result and take its values."""
        question = CheckResult(
            query=self._run.task.query,
            goal=step.goal,
            check=step.check,
            take=step.take,
            value=result.value,
        )
        async with self._run.node(CHECK, 1, step.check, data={"demands": step.check}) as node:
            error = ErrorClass.EMPTY_RESULT
            try:
                checked = await self._run.ask(question)
            except ModelGaveUp as gave_up:
                if gave_up.ends_run:
                    raise
                error = gave_up.error
                checked = Checked(passed=False, state=f"it could not be read: {gave_up.message}")
            if checked.passed:
                node.end(NodeState.OK, data={"values": dict(checked.values)})
                self._results[step.number] = replace(result, state=checked.state)
                self._values[step.number] = dict(checked.values)
                return None
            why = checked.state or f"not so: {step.check}"
            node.end(NodeState.FAILED, why, error=error)
        of_step.end(NodeState.FAILED, "its check is not passed", error=error)
        self._note_failure(result, error, why)
        return FailedCheck(step.number, node.seq, why)

    def _note_failure(self, result: StepResult, error: ErrorClass, message: str) -> None:
        card = FailureCard(
            step=result.step,
            goal=result.goal,
            toolkit=result.toolkit,
            api_title=result.api_title,
            arguments=result.arguments,
            error=error,
            message=message,
        )
        self._failures.append(card)


@dataclass(frozen=True, slots=True, kw_only=True)
class AdaPlannerOptions:
    """Options of the strategy; the defaults are the paper's where it names one."""

    plans: Literal["steps", "code"] = option(
        "steps",
        "How a plan is written.",
        choices={
            "steps": "calls as data, each with a check that a model judges",
            "code": "a Python program with an assertion for each step, over single APIs",
        },
    )
    most_calls: int = option(60, "Calls of one program at most, for plans in code.", minimum=1)
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
    if options.plans == "code":
        return await _solve_by_code(task, run, options)
    if options.toolkits:
        kits = await run.toolkits.shortlist(task.query, options.shortlist)
        functions = Functions.of((), toolkits=[each.toolkit for each in kits])
    else:
        apis = await run.catalogue.search(task.query, options.shortlist)
        functions = Functions.of([each.api for each in apis])
    if not functions.functions:
        return Answer(text="", solved=False, reason="There is nothing that could be called")
    return await _AdaPlanner(run, options, functions, await run.now()).solve()


async def _solve_by_code(task: Task, run: RunScope, options: AdaPlannerOptions) -> Answer:
    if options.toolkits:
        why = "Plans in code call single APIs: turn toolkits off, or write plans as steps"
        return Answer(text="", solved=False, reason=why)
    found = [each.api for each in await run.catalogue.search(task.query, options.shortlist)]
    if not found:
        return Answer(text="", solved=False, reason="There is nothing that could be called")
    limits = CodePlanLimits(
        tries=options.max_tries, resume_tries=options.resume_tries, calls=options.most_calls
    )
    return await solve_by_code(run, found, limits)


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
    kinds=(PLAN, STEP, ATTEMPT, CHECK, SOLUTION, PROGRAM_LINE),
    points=(FALLBACK, EXHAUSTED, REPLAN, PLAN_FAILED),
    published=PublishedSettings(
        settings=(
            PaperSetting(
                option="plans",
                says="solution functions with assertions",
                value="code",
                source=PaperSource.CODE,
                why="a model judges replies of any form",
            ),
            PaperSetting(
                option="most_calls",
                says="no limit",
                value=60,
                source=PaperSource.NOBODY,
                why="a cap of ours, where the paper gives none",
            ),
            PaperSetting(option="max_tries", says="6", value=6, source=PaperSource.CODE),
            PaperSetting(
                option="resume_tries", says="the first 3 resume", value=3, source=PaperSource.CODE
            ),
            PaperSetting(
                option="max_steps",
                says="not given",
                value=8,
                source=PaperSource.NOBODY,
                why="a cap of ours, where the paper gives none",
            ),
            PaperSetting(option="toolkits", says="none", value=False, source=PaperSource.NOBODY),
            PaperSetting(
                option="shortlist",
                says="all actions of the environment",
                value=20,
                source=PaperSource.NOBODY,
                why="not the paper's: its benchmark gives candidates",
            ),
        ),
        differences=(
            "The APIs offered are searched for, unless candidates are given with the task, as the"
            " paper's benchmark gives them.",
            "By default plans are data, each step with a check that a model judges, asked for at"
            " temperature 0.3; the preset writes code at 0, as the released code does.",
            "Programs in code take values by code alone; the paper's ask a model while they run.",
            "A revised program goes on at the first call that differs; the paper's names the step"
            " from which it goes on.",
            "Skills of solved tasks are not remembered.",
        ),
    ),
)
