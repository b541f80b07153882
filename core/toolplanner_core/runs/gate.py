"""The one gate: whatever a strategy does to the world passes here, in a fixed order.

Two chains of stages (`stages/__init__.py` draws them), one for API calls, one for questions. What
the step debugger adds (breakpoints, faults, tape) goes into the lists below at the marked places;
strategies, providers and models know nothing of it. Caller: `scope.py`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any, TypeVar

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.observation import Observation
from toolplanner_core.domain.plan import ResultRef
from toolplanner_core.llm.model import Model
from toolplanner_core.prompts.question import AnswerInvalid, Message, Question, Role
from toolplanner_core.providers.provider import CallLimits, Provider
from toolplanner_core.runs.clock import Clock
from toolplanner_core.runs.events.question import AnswerRejected
from toolplanner_core.runs.log import RunLog
from toolplanner_core.runs.stages.arguments import ArgumentStage
from toolplanner_core.runs.stages.budget import Budget, BudgetStage
from toolplanner_core.runs.stages.policy import PolicyStage
from toolplanner_core.runs.stages.real import RealCall, RealQuestion
from toolplanner_core.runs.stages.stage import (
    CallRequest,
    CallSource,
    CallStage,
    QuestionRequest,
    QuestionSource,
    QuestionStage,
    compose,
)
from toolplanner_core.runs.stages.tries import Tries
from toolplanner_core.strategies.scope import ModelGaveUp

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Outside:
    """What lies behind the gate: the models and the provider of one run.

    Attributes:
        provider_name: id of the provider, shown at every call.
        touches_world: whether its calls can have an effect outside.
        retries: how often a read-only call is repeated after a network failure or time-out.
    """

    model: Model
    planning_model: Model
    provider: Provider
    provider_name: str
    touches_world: bool
    retries: int = 0
    call_limits: CallLimits = field(default_factory=CallLimits)

    def model_for(self, role: Role) -> Model:
        """Planning and acting are two settings (Source: Tool-Planner, table 7)."""
        return self.planning_model if role is Role.PLANNING else self.model


class Gate:
    """Sends calls and questions through all stages."""

    def __init__(
        self,
        *,
        log: RunLog,
        clock: Clock,
        budget: Budget,
        outside: Outside,
        random_at: Callable[[NodePath], Random],
    ) -> None:
        self._log = log
        limit = BudgetStage(budget, log)
        call_sources: list[CallSource] = []  # later: faults, tape
        question_sources: list[QuestionSource] = []  # later: faults, tape
        tries = Tries(
            log=log,
            clock=clock,
            budget=budget,
            provider=outside.provider_name,
            label_for=lambda role: outside.model_for(role).label,
            random_at=random_at,
            retries=outside.retries,
            call_source=compose(
                call_sources,
                RealCall(outside.provider, outside.provider_name, outside.call_limits, budget),
            ),
            question_source=compose(question_sources, RealQuestion(outside.model_for, budget)),
        )
        call_stages: list[CallStage] = [
            ArgumentStage(log),
            limit.call,
            PolicyStage(log, touches_world=outside.touches_world),
            # later: breakpoints and stepping, which also see the outcome on its way back
        ]
        question_stages: list[QuestionStage] = [
            limit.question,
            # later: breakpoints and stepping
        ]
        self._send_call = compose(call_stages, tries.call)
        self._send_question = compose(question_stages, tries.question)

    async def call(
        self,
        api: Api,
        arguments: Mapping[str, Any],
        bindings: Mapping[str, ResultRef],
        *,
        path: NodePath,
        parent: NodePath,
    ) -> Observation:
        """Send one call; a failure is an observation with its class."""
        return await self._send_call(
            CallRequest(path=path, parent=parent, api=api, arguments=arguments, bindings=bindings)
        )

    async def ask(self, question: Question[T], *, path: NodePath, parent: NodePath) -> T:
        """Send one question; an answer that cannot be used goes back with what is wrong with it.

        Raises:
            ModelGaveUp: no usable answer after all tries and repairs.
        """
        request = QuestionRequest(
            path=path,
            parent=parent,
            question=question,
            messages=tuple(question.messages()),
            schema=question.schema(),
        )
        while True:
            answered = await self._send_question(request)
            try:
                if answered.reply.data is None:
                    raise AnswerInvalid("The reply holds no JSON object")
                return question.parse(answered.reply.data)
            except AnswerInvalid as invalid:
                left = question.max_repairs - request.repair
                rejected = self._log.append(
                    AnswerRejected(where=invalid.where, what=invalid.what, repairs_left=left),
                    path=path,
                    parent=parent,
                    cause=answered.seq,
                )
                if left <= 0:
                    raise ModelGaveUp(
                        ErrorClass.WRONG_FORMAT, invalid.what, seq=rejected.seq
                    ) from invalid
                request = replace(
                    request,
                    messages=(
                        *request.messages,
                        Message("assistant", answered.reply.text),
                        Message("user", _repair_text(invalid)),
                    ),
                    repair=request.repair + 1,
                    cause=rejected.seq,
                )


def _repair_text(invalid: AnswerInvalid) -> str:
    return (
        f"This answer cannot be used. At {invalid.where}: {invalid.what}."
        " Answer again with the whole JSON object, and nothing else."
    )
