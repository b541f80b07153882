"""The one gate: whatever a strategy does to the world passes here, in a fixed order.

Two chains of stages (`stages/__init__.py` draws them), one for API calls, one for questions and
turns of dialogues. Strategies, providers and models know nothing of it.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import NodePath, ToolkitId
from toolplanner_core.domain.observation import RawResult
from toolplanner_core.llm.model import EXAMPLE_LABEL, OFFLINE_LABEL, Model, Reply
from toolplanner_core.llm.prices import Price
from toolplanner_core.prompts.question import AnswerInvalid, Question, Role, sent_back
from toolplanner_core.providers.provider import CallLimits, Provider
from toolplanner_core.runs.config.call_routing import ServingProvider, once_per_source
from toolplanner_core.runs.config.spec import ForkEdit
from toolplanner_core.runs.debugging.faults import FaultPlan
from toolplanner_core.runs.events.question import AnswerRejected
from toolplanner_core.runs.stages.arguments import ArgumentStage
from toolplanner_core.runs.stages.budget import BudgetStage
from toolplanner_core.runs.stages.context import StageContext
from toolplanner_core.runs.stages.dispatch import ModelDispatch, ProviderDispatch
from toolplanner_core.runs.stages.fault_injection import FaultInjectionSource
from toolplanner_core.runs.stages.idempotency import IdempotencyStage
from toolplanner_core.runs.stages.person_edits import ForkEditStage
from toolplanner_core.runs.stages.policy import PolicyStage
from toolplanner_core.runs.stages.prompt_texts import PromptStage, Texts
from toolplanner_core.runs.stages.question_retries import QuestionRetries
from toolplanner_core.runs.stages.retries import CallRetries
from toolplanner_core.runs.stages.sample_batch import SampleBatch
from toolplanner_core.runs.stages.samples import SampleStage
from toolplanner_core.runs.stages.stage import (
    CallRequest,
    CallSourceEnd,
    QuestionRequest,
    QuestionSourceEnd,
    compose,
)
from toolplanner_core.runs.stages.stop_points import StopPointStage
from toolplanner_core.runs.stages.tape_playback import TapePlaybackStage
from toolplanner_core.strategies.interface.dialogue import Turn, TurnRequest
from toolplanner_core.strategies.interface.scope import ModelGaveUp

T = TypeVar("T")
TURN_TEMPERATURE = 0.3
"""Of a dialogue that names none (Source: design/strategies.md, section 0)."""


def _nobody_waits(_: Api) -> bool:
    return False


def _in_none(_: Api) -> ToolkitId | None:
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Backends:
    """What lies behind the gate: the models and the provider of one run.

    Attributes:
        models: by role; one that is not named is answered by the acting one (Source: Tool-Planner,
            table 7: planning and acting are two settings).
        prices: of the models, None = unknown.
        provider_name: id of the provider, shown at every call.
        touches_world: whether its calls can have an effect outside.
        retries: how often a read-only call is repeated after a failure on the way.
        routes: who serves instead, by source.
        is_waiting: whether a person has yet to accept how an API is documented now.
        toolkit_of: the toolkit that an API belongs to: those of one can stand in for another.
    """

    models: Mapping[Role, Model]
    provider: Provider
    provider_name: str
    touches_world: bool
    prices: Mapping[Role, Price | None] = field(default_factory=dict[Role, "Price | None"])
    retries: int = 0
    call_limits: CallLimits = field(default_factory=CallLimits)
    routes: Mapping[str, ServingProvider] = field(default_factory=dict[str, ServingProvider])
    is_waiting: Callable[[Api], bool] = _nobody_waits
    toolkit_of: Callable[[Api], ToolkitId | None] = _in_none

    def served_by(self, api: Api) -> ServingProvider:
        """Who executes the calls of an API."""
        return self.routes.get(api.source) or ServingProvider(
            provider=self.provider,
            name=self.provider_name,
            touches_world=self.touches_world,
            retries=self.retries,
        )

    @property
    def providers(self) -> list[Provider]:
        """All, each once."""
        every = (self.provider, *(served.provider for served in self.routes.values()))
        return list({id(provider): provider for provider in every}.values())

    @property
    def model(self) -> Model:
        """The acting one."""
        return self.models[Role.ACTING]

    def model_for(self, role: Role) -> Model:
        """The model of a role."""
        return self.models.get(role, self.model)

    def temperature(self, role: Role, asked: float) -> float:
        """What the model of a role is sent where a question asks for a temperature."""
        own: float | None = getattr(self.model_for(role), "temperature", None)
        return asked if own is None else own

    def reads_tokens(self, role: Role) -> bool:
        """Whether the model of a role takes tokens; what answers by rules does not."""
        return self.model_for(role).label not in (OFFLINE_LABEL, EXAMPLE_LABEL)

    def gives_samples(self, role: Role) -> bool:
        """Whether the model of a role may give several replies to one request."""
        return bool(getattr(self.model_for(role), "gives_samples", False))

    def price_for(self, role: Role) -> Price | None:
        """What the model of a role costs."""
        return self.prices.get(role if role in self.models else Role.ACTING)


class Gate:
    """Sends calls and questions through all stages.

    Attributes:
        call: sends one call; a failure is an observation with its class.

    Args:
        outside: None in a replay: there is neither model nor provider, and nothing to open a
            socket with.
        edit: what a person changed at the first call or question after a fork point.
        faults: what to inject in the place of outcomes.
        prompts: the texts of the workspace.
    """

    def __init__(
        self,
        tools: StageContext,
        outside: Backends | None,
        *,
        edit: ForkEdit | None = None,
        faults: FaultPlan | None = None,
        prompts: Texts = dict,
    ) -> None:
        self._log = tools.log
        self.fork_edit = ForkEditStage(tools, edit)
        price_for = outside.price_for if outside is not None else _no_price
        reads_tokens = outside.reads_tokens if outside is not None else _reads_none
        limit = BudgetStage(tools.budget, tools.harness, tools.log, price_for, reads_tokens)
        served_by = once_per_source(outside.served_by) if outside is not None else _nobody
        call_source, question_source = _sources(outside, tools)
        if outside is not None and faults is not None:
            call_source = compose([_injecting(faults, tools, outside)], call_source)
        if outside is not None:
            question_source = compose(
                [SampleStage(outside.gives_samples).question], question_source
            )
        call_tries = CallRetries(tools, call_source, served_by=served_by)
        question_tries = QuestionRetries(
            tools,
            question_source,
            label_for=lambda role: outside.model_for(role).label if outside else "",
            price_for=price_for,
            temperature_for=lambda role, asked: (
                outside.temperature(role, asked) if outside else asked
            ),
        )
        arguments = ArgumentStage(tools.log)
        policy = PolicyStage(
            tools,
            served_by=served_by,
            is_waiting=outside.is_waiting if outside is not None else _nobody_waits,
        )
        once = IdempotencyStage(
            tools,
            touches_world=lambda api: served_by(api).touches_world,
            toolkit_of=outside.toolkit_of if outside is not None else _in_none,
        )
        stepping = StopPointStage(tools, check_call=lambda request: _misfit(arguments, request))
        send_call = compose([stepping.call, once, policy], call_tries)
        send_question = compose([stepping.question], question_tries)
        taped = TapePlaybackStage(
            tools, after_checks_call=send_call, after_checks_question=send_question
        )
        self.call = compose([self.fork_edit.call, taped.call, arguments, limit.call], send_call)
        self._send_question = compose(
            [
                PromptStage(prompts).question,
                self.fork_edit.question,
                taped.question,
                limit.question,
            ],
            send_question,
        )

    async def turn(self, turn: TurnRequest, *, path: NodePath) -> Turn:
        """Send one turn of a dialogue.

        Raises:
            ModelGaveUp: no reply after all tries.
        """
        temperature = TURN_TEMPERATURE if turn.temperature is None else turn.temperature
        answered = await self._send_question(
            QuestionRequest(
                path=path,
                id=turn.name,
                version=1,
                title=turn.title,
                role=turn.role,
                temperature=temperature,
                question=None,
                messages=turn.messages,
                schema={},
                tools=turn.functions,
                tool_choice=turn.tool_choice,
            )
        )
        reply = answered.reply
        return Turn(
            text=reply.text,
            calls=reply.calls,
            seq=answered.seq,
            sent=answered.messages,
            thinking=reply.thinking,
        )

    async def ask(
        self,
        question: Question[T],
        temperature: float | None = None,
        *,
        path: NodePath,
        batch: SampleBatch | None = None,
    ) -> T:
        """Send one question; an answer that cannot be used goes back with what is wrong with it.

        Args:
            batch: other samples of the question, which may leave with it.

        Raises:
            ModelGaveUp: no usable answer after all tries and repairs.
        """
        request = QuestionRequest(
            path=path,
            id=question.id,
            version=question.version,
            title=question.title,
            role=question.role,
            temperature=question.temperature if temperature is None else temperature,
            question=question,
            messages=tuple(question.messages()),
            schema=question.schema(),
            batch=batch,
        )
        while True:
            answered = await self._send_question(request)
            try:
                if answered.reply.data is None:
                    raise AnswerInvalid(answered.reply.unread)
                return question.parse(answered.reply.data)
            except AnswerInvalid as invalid:
                left = question.max_repairs - request.repair
                rejected = self._log.append(
                    AnswerRejected(where=invalid.where, what=invalid.what, repairs_left=left),
                    path=path,
                    cause=answered.seq,
                )
                seq, n_repairs = rejected.seq, request.repair + 1
                if left <= 0:
                    raise ModelGaveUp(ErrorClass.WRONG_FORMAT, invalid.what, seq=seq) from invalid
                again = sent_back(_shortened(answered.reply.text), invalid)
                messages = (*answered.messages, *again)
                request = replace(request, messages=messages, repair=n_repairs, cause=seq)


_NOTHING = "(an empty reply)"
"""Stands for a reply without text: endpoints refuse a message that says nothing."""


MOST_SENT_BACK = 4_000
"""Characters of an answer that cannot be used; small models have room for little more."""


def _shortened(text: str) -> str:
    """A rejected answer as the model sees it again: its beginning and end, if it is huge."""
    if len(text) <= MOST_SENT_BACK:
        return text or _NOTHING
    half = MOST_SENT_BACK // 2
    left_out = f"\n[{len(text) - 2 * half:,} characters of this answer are left out here]\n"
    return f"{text[:half]}{left_out}{text[-half:]}"


def _misfit(arguments: ArgumentStage, request: CallRequest) -> str:
    """Why a call that a person changed cannot be sent, "" if it can."""
    misfit = arguments.check(request.api, request.arguments)
    return "" if misfit is None else misfit.message


def _injecting(faults: FaultPlan, tools: StageContext, outside: Backends) -> FaultInjectionSource:
    return FaultInjectionSource(
        faults,
        tools,
        timeout_s=outside.call_limits.timeout_s,
        toolkit_of=outside.toolkit_of,
    )


def _sources(
    outside: Backends | None, tools: StageContext
) -> tuple[CallSourceEnd, QuestionSourceEnd]:
    """What stands at the end of the gate: the world, or nothing at all."""
    if outside is None:
        return _no_provider, _no_model
    call = ProviderDispatch(outside.served_by, outside.call_limits, tools)
    return call, ModelDispatch(outside.model_for, tools)


def _no_price(role: Role) -> Price | None:
    del role  # a replay asks nobody
    return None


def _reads_none(role: Role) -> bool:
    del role
    return False


class _Nobody(Provider):
    """Stands where a replay has no provider."""

    async def call(self, api: Api, arguments: Mapping[str, Any], limits: CallLimits) -> RawResult:
        """Never called: the end of the gate says so before."""
        del arguments, limits
        raise AssertionError(f"a replay has no provider, but {api.title} was called")


def _nobody(api: Api) -> ServingProvider:
    del api  # whoever served it stands on the tape
    return ServingProvider(provider=_Nobody(), name="", touches_world=False)


async def _no_provider(request: CallRequest) -> RawResult:
    raise AssertionError(f"a replay has no provider, but {request.path} was not on the tape")


async def _no_model(request: QuestionRequest) -> Reply:
    raise AssertionError(f"a replay has no model, but {request.path} was not on the tape")
