"""Steps of AdaPlanner's plans: make the call, check its result, take the values.

A step calls an API with the arguments of the plan, or a toolkit, with fallbacks inside.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any, NamedTuple

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.nodes import NodeKind, NodeState, Shown
from toolplanner_core.domain.plan import ResultRef, Step
from toolplanner_core.prompts.adaplanner import Checked, CheckResult
from toolplanner_core.prompts.checked_plan import CheckedStep
from toolplanner_core.prompts.conversation import FunctionCall
from toolplanner_core.prompts.fill_arguments import Arguments
from toolplanner_core.prompts.functions import Functions, Misnamed, WantedCall
from toolplanner_core.prompts.render import FailureCard, StepResult
from toolplanner_core.strategies.scope import ModelGaveUp, OpenNode, RunScope
from toolplanner_core.strategies.toolkits.attempts import Known
from toolplanner_core.strategies.toolkits.bindings import resolve_arguments
from toolplanner_core.strategies.toolkits.kinds import STEP
from toolplanner_core.strategies.toolkits.steps import do_step, step_data

CHECK = NodeKind(
    id="check",
    word="check",
    icon="check-decagram-outline",
    shown=(Shown("demands", "Demands"), Shown("values", "Values taken")),
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
        api = None if isinstance(wanted, Misnamed) else wanted.api.id
        return Step(number=step.number, goal=step.goal, needs=step.needs, api=api)

    def _read(self, step: CheckedStep, arguments: Mapping[str, Any]) -> WantedCall | Misnamed:
        """The call of a step with these arguments, under the API's own names."""
        text = json.dumps(arguments, ensure_ascii=False, default=str)
        return self._functions.read(FunctionCall("", step.function, text))

    def _bindings(self, step: CheckedStep) -> dict[str, ResultRef]:
        """Which arguments of a step are values of earlier ones, under the API's own names."""
        named = self._read(step, {name: name for name in step.refs})
        if isinstance(named, Misnamed):
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
        known = Known(results=self.results, failures=self.failures, now=self._now)
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
        if isinstance(wanted, Misnamed):
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
