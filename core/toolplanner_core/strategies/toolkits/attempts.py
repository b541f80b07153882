"""One attempt: fill the arguments of one API, call it, say what the result means.

Every way in which it can fail ends in one failure with a class and the event that shows it.

Values of earlier results are put where arguments refer to them: structurally, never by text.
`ResultRef(step=1, path=("places", 0, "latitude"))` is the value at that place of step 1's result,
with its type. Pure."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, cast

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.demonstration import Demonstration
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.domain.observation import INJECTED, NOT_SENT, SIMULATED, Effect, Observation
from toolplanner_core.domain.plan import ResultRef, Step
from toolplanner_core.prompts.analyse import Analyse, Analysis, NextMove
from toolplanner_core.prompts.fill_arguments import Arguments, FillArguments
from toolplanner_core.prompts.render import OBSERVATION_LIMIT, FailureCard, StepResult, as_json, cut
from toolplanner_core.strategies.interface.scope import ModelGaveUp, OpenNode, RunScope
from toolplanner_core.strategies.toolkits.plan_nodes import ATTEMPT
from toolplanner_core.words.query_values import satisfied_counts, unsent_amounts


class Unresolved(Exception):
    """An argument refers to something that is not there; `message` says what."""

    def __init__(self, message: str) -> None:
        self.message = message
        super().__init__(message)


def resolve_arguments(arguments: Arguments, values: Mapping[int, Any]) -> dict[str, Any]:
    """Literal values, and in the place of references what they refer to.

    Args:
        values: result of each finished step by its number in the plan.

    Raises:
        Unresolved: a reference leads nowhere.
    """
    out = dict(arguments.values)
    for name, ref in arguments.refs.items():
        if ref.step not in values:
            raise Unresolved(f'"{name}" refers to step {ref.step}, which has no result')
        out[name] = look_up(values[ref.step], ref, name)
    return out


def look_up(value: Any, ref: ResultRef, name: str) -> Any:
    """The value at the place a reference names.

    Raises:
        Unresolved: there is no such place.
    """
    for depth, part in enumerate(ref.path):
        try:
            if isinstance(value, Mapping):
                value = cast("Mapping[str, Any]", value)[str(part)]
            elif isinstance(value, Sequence) and not isinstance(value, str):
                value = cast("Sequence[Any]", value)[int(part)]
            else:
                raise KeyError(part)
        except (KeyError, IndexError, ValueError):
            place = "/".join(str(item) for item in ref.path[: depth + 1])
            raise Unresolved(
                f'"{name}" refers to {place} of step {ref.step}, which is not there'
            ) from None
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierResults:
    """What steps are told that begin at the same time: nothing of each other.

    Attributes:
        results: of finished steps, numbered as in the plan of the step.
        failures: of the run so far, shown to the model.
        limit: characters of a result that a model is shown.
        examples: calls of the API that is tried, shown where its arguments are filled.
    """

    results: tuple[StepResult, ...]
    failures: tuple[FailureCard, ...]
    now: datetime
    limit: int = OBSERVATION_LIMIT
    examples: tuple[Demonstration, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FailedAttempt:
    """A failed attempt.

    Attributes:
        seq: the event that shows the failure; the cause of what follows.
        api: the one that was called in the end; a person may have chosen it at a stop.
        ends_run: another attempt would fail in the same way: budget used up, model out of reach.
        ends_step: why no other API of the toolkit would do better, "" if one may.
        is_refused: a person did not allow it, so that nothing else is done in its place.
    """

    card: FailureCard
    api: ApiId
    seq: int
    ends_run: bool = False
    ends_step: str = ""
    is_refused: bool = False


def open_attempt(
    run: RunScope, number: int, api: Api, *, cause: int | None = None
) -> AbstractAsyncContextManager[OpenNode]:
    """Open the node of attempt `number` (1, 2, ...) of the open step."""
    data = {"number": number, "api": api.id, "title": api.title}
    return run.node(ATTEMPT, number, api.title, data=data, cause=cause)


async def try_api(
    run: RunScope,
    step: Step,
    api: Api,
    known: EarlierResults,
    *,
    number: int,
    cause: int | None,
    is_analysed: bool = True,
) -> StepResult | FailedAttempt:
    """Open the attempt's node and make the attempt.

    Args:
        is_analysed: ask what the result says; without this every result serves its step.
    """
    async with open_attempt(run, number, api, cause=cause) as node:
        attempt = _Attempt(run, node, step, api)
        try:
            return await attempt.go(known, is_analysed=is_analysed)
        except ModelGaveUp as gave_up:
            # A model that cannot fill these arguments may fill those of the next API.
            ends_run = gave_up.ends_run
            return attempt.fail(gave_up.error, gave_up.message, seq=gave_up.seq, ends_run=ends_run)


class _Attempt:
    """What one attempt knows while it goes on."""

    def __init__(self, run: RunScope, node: OpenNode, step: Step, api: Api) -> None:
        self._run, self._node, self._step, self._api = run, node, step, api
        self._arguments: dict[str, Any] = {}

    async def go(self, known: EarlierResults, *, is_analysed: bool) -> StepResult | FailedAttempt:
        filled = await self._run.ask(
            FillArguments(
                query=self._run.task.query,
                goal=self._step.goal,
                api=self._api,
                results=known.results,
                failures=known.failures,
                now=known.now,
                limit=known.limit,
                examples=known.examples,
            )
        )
        try:
            values = {result.step: result.value for result in known.results}
            self._arguments = resolve_arguments(filled, values)
        except Unresolved as unresolved:
            error, message = ErrorClass.MISSING_PARAMETER, unresolved.message
            return self.fail(error, message, seq=self._node.seq, origin=NOT_SENT)
        # What the model reports as missing is not among the arguments: the gate refuses the call.
        observation = await self._run.call(self._api, self._arguments, bindings=filled.refs)
        # A person may have changed the call: later questions tell of what was sent.
        asked = self._api.id, self._arguments
        self._api = observation.api or self._api
        self._arguments = dict(observation.arguments or self._arguments)
        is_as_asked = (self._api.id, self._arguments) == asked
        if observation.error is not None:
            return self._failed(observation, observation.error)
        analysis = Analysis(state="")
        if is_analysed:
            analysis = await self._analyse(observation, known, is_changed=not is_as_asked)
        if analysis.useful and is_as_asked and not filled.refs:
            analysis = self._amounts_asked(analysis, observation.value)
        return self._judged(observation, analysis)

    def _failed(self, observation: Observation, error: ErrorClass) -> FailedAttempt:
        failed = self.fail(
            error,
            observation.message,
            seq=observation.seq,
            reason="",  # stands at the call below
            origin=observation.origin,
            ends_run=error is ErrorClass.OVER_BUDGET,
        )
        if observation.is_refused_by_person:
            return replace(failed, ends_step="you refused the call", is_refused=True)
        if observation.effect is not Effect.UNKNOWN:
            return failed
        why = f"{self._api.title} was sent, and nobody knows whether it was done"
        return replace(failed, ends_step=why)

    def _amounts_asked(self, analysis: Analysis, value: Any) -> Analysis:
        """A useful reply, unless amounts of the goal were not asked about: "150 grams of salmon"
        is not met by a list of all foods."""
        listed = satisfied_counts(self._step.goal, [(self._api.title, value)])
        passed_over = unsent_amounts(self._step.goal, as_json(self._arguments), listed=listed)
        if not passed_over:
            return analysis
        state = f"it was not asked about {passed_over[0]}"
        return Analysis(state=state, move=NextMove.OTHER_API)

    def _judged(self, observation: Observation, analysis: Analysis) -> StepResult | FailedAttempt:
        """The result, if it serves the step, or is of a change that is done: another API would do
        that again."""
        if not analysis.useful and observation.effect is Effect.DONE:
            value = observation.value
            told = "nothing more" if value is None else as_json(value)
            analysis = Analysis(state=f"Done by {self._api.title}, which told: {cut(told, 200)}")
        if not analysis.useful:
            said = f": {analysis.state}" if analysis.state else ""
            message = f"the result does not serve the step{said}"
            origin = INJECTED if observation.origin == INJECTED else ""
            failed = self.fail(ErrorClass.EMPTY_RESULT, message, seq=observation.seq, origin=origin)
            is_end = analysis.move is NextMove.NEW_PLAN
            return replace(failed, ends_step=analysis.state) if is_end else failed
        return StepResult(
            step=self._step.number,
            goal=self._step.goal,
            toolkit=self._step.toolkit,
            api_title=self._api.title,
            arguments=self._arguments,
            value=observation.value,
            state=analysis.state,
            seq=observation.seq,
        )

    async def _analyse(
        self, seen: Observation, known: EarlierResults, *, is_changed: bool
    ) -> Analysis:
        """What the result says; a result is not thrown away because nobody can describe it."""
        try:
            return await self._run.ask(
                Analyse(
                    query=self._run.task.query,
                    goal=self._step.goal,
                    api_title=self._api.title,
                    value=seen.value,
                    arguments=self._arguments,
                    api=self._api,
                    earlier=known.results,
                    now=known.now,
                    is_changed=is_changed,
                    is_invented=seen.origin == SIMULATED,
                    limit=known.limit,
                )
            )
        except ModelGaveUp:
            return Analysis(state="")

    def fail(
        self,
        error: ErrorClass,
        message: str,
        *,
        seq: int,
        reason: str | None = None,
        origin: str = "",
        ends_run: bool = False,
    ) -> FailedAttempt:
        """End the attempt's node as failed; `reason` stands in the tree instead of `message`,
        `origin` says who really made the call fail."""
        self._node.end(NodeState.FAILED, message if reason is None else reason, error=error)
        card = FailureCard(
            step=self._step.number,
            goal=self._step.goal,
            toolkit=self._step.toolkit,
            api_title=self._api.title,
            arguments=self._arguments,
            error=error,
            message=message,
            origin=origin,
        )
        return FailedAttempt(card=card, api=self._api.id, seq=seq, ends_run=ends_run)
