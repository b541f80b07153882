"""Each try of a request: intent to the log, effect, outcome to the log; again if that may help.

Before a request leaves, its event is on disk (`call.sent` of a call that is not read-only even
survives a power loss), so that after a crash nothing is repeated blindly. Transient failures of a
model are repeated with growing waits; calls only if they are read-only and failed on the way.
Caller: `gate.py`, as the end of the outer stages. The stages behind (faults, tape, real) are its
`source`.
"""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from random import Random

from toolplanner_core.domain.api import Risk
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.observation import Observation, RawResult
from toolplanner_core.llm import model as llm
from toolplanner_core.prompts.question import Role
from toolplanner_core.providers.classify import observe
from toolplanner_core.runs.clock import Clock
from toolplanner_core.runs.events.call import CallFailed, CallReturned, CallSent
from toolplanner_core.runs.events.event import Record
from toolplanner_core.runs.events.question import ModelAsked, ModelFailed, ModelReplied
from toolplanner_core.runs.fingerprint import Occurrences, fingerprint
from toolplanner_core.runs.log import RunLog
from toolplanner_core.runs.stages.budget import Budget
from toolplanner_core.runs.stages.redaction import redact_value
from toolplanner_core.runs.stages.stage import (
    Answered,
    CallRequest,
    CallSourceEnd,
    QuestionRequest,
    QuestionSourceEnd,
)
from toolplanner_core.strategies.scope import ModelGaveUp

MODEL_TRIES = 4
FIRST_WAIT_S = 0.5
MAX_WAIT_S = 30.0
"""A longer Retry-After is cut to this: the budget decides how long a run lasts."""

_REPEATABLE = frozenset({ErrorClass.NETWORK, ErrorClass.TIMEOUT})


def wait_before(retry: int, random: Random, asked_s: float | None = None) -> float:
    """Seconds before try `retry` (1, 2, ...): doubled each time, with jitter of one half.

    Args:
        asked_s: what the endpoint asked for in Retry-After; honoured up to `MAX_WAIT_S`.
    """
    if asked_s is not None:
        return min(MAX_WAIT_S, max(0.0, asked_s))
    return min(MAX_WAIT_S, FIRST_WAIT_S * 2 ** (retry - 1) * (0.5 + random.random()))


def _stopped() -> llm.ModelFailed:
    return llm.ModelFailed(ErrorClass.CANCELLED, "The run was stopped", is_transient=False)


class Tries:
    """Sends requests to their sources with the log around each try.

    Args:
        retries: how often a read-only call is repeated after a network failure or time-out.
        random_at: the randomness of a place in the tree, for the jitter.
    """

    def __init__(
        self,
        *,
        log: RunLog,
        clock: Clock,
        budget: Budget,
        provider: str,
        label_for: Callable[[Role], str],
        random_at: Callable[[NodePath], Random],
        retries: int,
        call_source: CallSourceEnd,
        question_source: QuestionSourceEnd,
    ) -> None:
        self._log = log
        self._clock = clock
        self._budget = budget
        self._provider = provider
        self._label_for = label_for
        self._random_at = random_at
        self._retries = retries
        self._call_source = call_source
        self._question_source = question_source
        self._occurrences = Occurrences()

    async def call(self, request: CallRequest) -> Observation:
        """Send a call until it works or may not be repeated."""
        for retry in range(self._retries + 1):
            observation = await self._try_call(request, retry)
            is_repeatable = request.api.risk is Risk.READ and observation.error in _REPEATABLE
            if not is_repeatable or retry == self._retries or self._budget.take_api_call():
                return observation
            request = replace(request, cause=observation.seq)
            await self._clock.wait(wait_before(retry + 1, self._random_at(request.path)))
        raise AssertionError("the loop always returns")

    async def _try_call(self, request: CallRequest, retry: int) -> Observation:
        shown = redact_value(dict(request.arguments))
        print_ = fingerprint(request.api.id, shown)
        sent = self._log.append(
            CallSent(
                api=request.api.id,
                title=request.api.title,
                arguments=shown,
                bindings={
                    name: {"step": ref.step, "path": list(ref.path)}
                    for name, ref in request.bindings.items()
                },
                provider=self._provider,
                risk=request.api.risk,
                fingerprint=print_,
                occurrence=self._occurrences.next(request.path, print_),
                retry=retry,
            ),
            path=request.path,
            parent=request.parent,
            cause=request.cause,
            barrier=request.api.risk is not Risk.READ,
        )
        began_ns = self._clock.mono_ns()
        try:
            await self._log.commit()
            began_ns = self._clock.mono_ns()
            raw = await self._call_source(request)
        except asyncio.CancelledError:
            raw = RawResult(
                status=None,
                body="",
                failure=ErrorClass.CANCELLED,
                message="the run was stopped before a reply came",
                origin=self._provider,
            )
            self._write_outcome(request, raw, sent, began_ns)
            raise
        return self._write_outcome(request, raw, sent, began_ns)

    def _write_outcome(
        self, request: CallRequest, raw: RawResult, sent: Record, began_ns: int
    ) -> Observation:
        observation = observe(raw, request.api)
        elapsed_ms = (self._clock.mono_ns() - began_ns) / 1e6
        event = (
            CallReturned(
                status=raw.status,
                body=raw.body,
                content_type=raw.content_type,
                headers=raw.headers,
                origin=raw.origin,
                elapsed_ms=elapsed_ms,
            )
            if observation.error is None
            else CallFailed(
                error=observation.error,
                message=observation.message,
                status=raw.status,
                body=raw.body,
                content_type=raw.content_type,
                headers=raw.headers,
                origin=raw.origin,
                elapsed_ms=elapsed_ms,
            )
        )
        record = self._log.append(event, path=request.path, parent=request.parent, cause=sent.seq)
        return replace(observation, seq=record.seq)

    async def question(self, request: QuestionRequest) -> Answered:
        """Send a question until there is a reply.

        Raises:
            ModelGaveUp: none came, and asking again will not help.
        """
        for retry in range(MODEL_TRIES):
            asked = self._write_asked(request, retry)
            began_ns = self._clock.mono_ns()
            try:
                await self._log.commit()
                began_ns = self._clock.mono_ns()
                reply = await self._question_source(request)
            except asyncio.CancelledError:
                self._write_failed(request, asked, began_ns, _stopped())
                raise
            except llm.ModelFailed as failure:
                wait_s = self._wait_after(failure, retry, request.path)
                failed = self._write_failed(request, asked, began_ns, failure, wait_s=wait_s)
                if wait_s is None:
                    raise ModelGaveUp(failure.error, failure.message, seq=failed.seq) from failure
                request = replace(request, cause=failed.seq)
                try:
                    await self._clock.wait(wait_s)
                except asyncio.CancelledError:
                    self._write_failed(request, failed, began_ns, _stopped())
                    raise
            else:
                return self._write_replied(request, asked, began_ns, reply)
        raise AssertionError("the last try has no wait and raises")

    def _wait_after(self, failure: llm.ModelFailed, retry: int, path: NodePath) -> float | None:
        is_last = retry + 1 >= MODEL_TRIES
        if not failure.is_transient or is_last or self._budget.take_model_call():
            return None
        return wait_before(retry + 1, self._random_at(path), failure.retry_after_s)

    def _write_asked(self, request: QuestionRequest, retry: int) -> Record:
        question = request.question
        messages = [{"role": m.role, "content": m.content} for m in request.messages]
        print_ = fingerprint(question.id, question.version, messages, request.schema)
        return self._log.append(
            ModelAsked(
                question=question.id,
                version=question.version,
                title=question.title,
                model=self._label_for(question.role),
                messages=[*messages],
                schema=request.schema,
                temperature=question.temperature,
                fingerprint=print_,
                occurrence=self._occurrences.next(request.path, print_),
                repair=request.repair,
                retry=retry,
            ),
            path=request.path,
            parent=request.parent,
            cause=request.cause,
        )

    def _write_replied(
        self, request: QuestionRequest, asked: Record, began_ns: int, reply: llm.Reply
    ) -> Answered:
        self._budget.add_tokens(reply.usage.input_tokens + reply.usage.output_tokens)
        record = self._log.append(
            ModelReplied(
                text=reply.text,
                data=reply.data,
                input_tokens=reply.usage.input_tokens,
                output_tokens=reply.usage.output_tokens,
                elapsed_ms=(self._clock.mono_ns() - began_ns) / 1e6,
                raw=reply.raw,
            ),
            path=request.path,
            parent=request.parent,
            cause=asked.seq,
        )
        return Answered(reply=reply, seq=record.seq)

    def _write_failed(
        self,
        request: QuestionRequest,
        asked: Record,
        began_ns: int,
        failure: llm.ModelFailed,
        *,
        wait_s: float | None = None,
    ) -> Record:
        return self._log.append(
            ModelFailed(
                error=failure.error,
                message=failure.message,
                elapsed_ms=(self._clock.mono_ns() - began_ns) / 1e6,
                will_retry_after_s=wait_s,
            ),
            path=request.path,
            parent=request.parent,
            cause=asked.seq,
        )
