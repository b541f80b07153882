"""Each try of a question: intent to the log, request, reply to the log; again if that may help.

Transient failures of a model are repeated with growing waits. What stands on the tape is taken from
there; a question that was asked there and has no reply is asked again. Caller: `gate.py`, as the
end of the outer stages; the real model is its `source`.
"""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from random import Random

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import NodePath
from toolplanner_core.llm import model as llm
from toolplanner_core.llm.prices import Price
from toolplanner_core.prompts.question import Role
from toolplanner_core.runs.clock import Clock
from toolplanner_core.runs.events.event import Record
from toolplanner_core.runs.events.question import ModelAsked, ModelFailed, ModelReplied
from toolplanner_core.runs.fingerprint import Occurrences, fingerprint
from toolplanner_core.runs.log import RunLog
from toolplanner_core.runs.stages.budget import Budget
from toolplanner_core.runs.stages.stage import Answered, QuestionRequest, QuestionSourceEnd
from toolplanner_core.runs.stages.waiting import wait_before
from toolplanner_core.strategies.scope import ModelGaveUp

MODEL_TRIES = 4


def _stopped() -> llm.ModelFailed:
    return llm.ModelFailed(ErrorClass.CANCELLED, "The run was stopped", is_transient=False)


class QuestionTries:
    """Sends questions to their source with the log around each try.

    Args:
        label_for: name of the model that answers a role.
        price_for: its price, None = unknown.
        random_at: the randomness of a place in the tree, for the jitter.
    """

    def __init__(
        self,
        *,
        log: RunLog,
        clock: Clock,
        budget: Budget,
        label_for: Callable[[Role], str],
        price_for: Callable[[Role], Price | None],
        random_at: Callable[[NodePath], Random],
        source: QuestionSourceEnd,
    ) -> None:
        self._log = log
        self._clock = clock
        self._budget = budget
        self._label_for = label_for
        self._price_for = price_for
        self._random_at = random_at
        self._source = source
        self._occurrences = Occurrences()

    async def __call__(self, request: QuestionRequest) -> Answered:
        """Send a question until there is a reply.

        Raises:
            ModelGaveUp: none came, and asking again will not help.
        """
        for retry in range(MODEL_TRIES):
            asked = self._write_asked(request, retry)
            while self._log.tape.holds(asked):
                taped = self._log.tape.take(request.path, ModelReplied, ModelFailed)
                if taped is not None:
                    break
                if (end := self._log.tape.ends_here(request.path)) is not None:
                    raise end
                asked = self._write_asked(replace(request, cause=asked.seq), retry)
            else:
                taped = None
            outcome = (
                self._from_tape(taped, request.path)
                if taped is not None
                else await self._send(request, asked, retry)
            )
            if isinstance(outcome, Answered):
                return outcome
            request = replace(request, cause=outcome)
        raise AssertionError("the last try has no wait and raises")

    async def _send(self, request: QuestionRequest, asked: Record, retry: int) -> Answered | int:
        """The answer, or the number of a failure after which to try again."""
        began_ns = self._clock.mono_ns()
        try:
            await self._log.commit()
            began_ns = self._clock.mono_ns()
            reply = await self._source(request)
        except asyncio.CancelledError:
            self._write_failed(request, asked, began_ns, _stopped())
            raise
        except llm.ModelFailed as failure:
            wait_s = self._wait_after(failure, retry, request.path)
            failed = self._write_failed(request, asked, began_ns, failure, wait_s=wait_s)
            if wait_s is None:
                raise ModelGaveUp(failure.error, failure.message, seq=failed.seq) from failure
            try:
                await self._clock.wait(wait_s)
            except asyncio.CancelledError:
                self._write_failed(request, failed, began_ns, _stopped())
                raise
            return failed.seq
        return self._write_replied(request, asked, began_ns, reply)

    def _from_tape(self, record: Record, path: NodePath) -> Answered | int:
        """As `_send`, from the tape.

        Raises:
            ModelGaveUp: it did so in the recorded run.
            CancelledError: the recorded run was stopped here.
        """
        event = record.event
        if isinstance(event, ModelReplied):
            usage = llm.Usage(input_tokens=event.input_tokens, output_tokens=event.output_tokens)
            reply = llm.Reply(data=event.data, text=event.text, usage=usage, raw=event.raw)
            return Answered(reply=reply, seq=record.seq)
        assert isinstance(event, ModelFailed)
        head = self._log.tape.peek(path)
        was_stopped = head is not None and isinstance(head.event, ModelFailed)
        if was_stopped:
            self._log.tape.take(path, ModelFailed)
        if was_stopped or event.error == ErrorClass.CANCELLED:
            raise asyncio.CancelledError
        if event.will_retry_after_s is None:
            raise ModelGaveUp(ErrorClass(event.error), event.message, seq=record.seq)
        return record.seq

    def _wait_after(self, failure: llm.ModelFailed, retry: int, path: NodePath) -> float | None:
        is_last = retry + 1 >= MODEL_TRIES
        if not failure.is_transient or is_last or self._budget.take_model_call():
            return None
        return wait_before(retry + 1, self._random_at(path), failure.retry_after_s)

    def _write_asked(self, request: QuestionRequest, retry: int) -> Record:
        question = request.question
        # Blacked out before it is hashed: a hash of a secret is a trace of it.
        messages = self._log.redactor.value(
            [{"role": m.role, "content": m.content} for m in request.messages]
        )
        print_ = fingerprint(question.id, question.version, messages, request.schema)
        return self._log.append(
            ModelAsked(
                question=question.id,
                version=question.version,
                title=question.title,
                model=self._label_for(question.role),
                messages=messages,
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
        usage, price = reply.usage, self._price_for(request.question.role)
        cost = price.cost_of(usage) if price is not None else None
        self._budget.add_usage(usage.input_tokens + usage.output_tokens, cost)
        record = self._log.append(
            ModelReplied(
                text=reply.text,
                data=reply.data,
                input_tokens=usage.input_tokens,
                output_tokens=usage.output_tokens,
                elapsed_ms=(self._clock.mono_ns() - began_ns) / 1e6,
                raw=reply.raw,
                cached_tokens=usage.cached_tokens,
                cost=cost,
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
