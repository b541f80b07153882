"""Each try of a question: a model that fails on the way is asked again, with growing waits.

What came of a reply that cannot be used was paid for, too: its tokens count, as the endpoint said
them or guessed by what was heard, and the next try gets what is left.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.llm import model as llm
from toolplanner_core.llm.prices import LETTERS_PER_TOKEN, Price
from toolplanner_core.prompts.conversation import FunctionCall
from toolplanner_core.prompts.offered import in_calls, kept_names
from toolplanner_core.prompts.question import Role
from toolplanner_core.prompts.texts import used_prompts
from toolplanner_core.runs.events.event import Record
from toolplanner_core.runs.events.question import ModelAsked, ModelFailed, ModelReplied
from toolplanner_core.runs.stages.context import StageContext
from toolplanner_core.runs.stages.retries import Retries, RetryDelay, TryResult, fingerprint
from toolplanner_core.runs.stages.stage import Answered, QuestionRequest, QuestionSourceEnd
from toolplanner_core.strategies.interface.scope import ModelGaveUp

MODEL_TRIES = 4
_STOPPED = "The run was stopped"


class QuestionRetries(Retries[QuestionRequest, llm.Reply, Answered]):
    """Sends questions and turns of dialogues.

    Args:
        label_for: name of the model that answers a role.
        price_for: its price, None = unknown.
        temperature_for: what it is sent where a question asks for a temperature.
    """

    outcomes = (ModelReplied, ModelFailed)
    failures = (llm.ModelError,)

    def __init__(
        self,
        tools: StageContext,
        source: QuestionSourceEnd,
        *,
        label_for: Callable[[Role], str],
        price_for: Callable[[Role], Price | None],
        temperature_for: Callable[[Role, float], float],
    ) -> None:
        super().__init__(tools, source)
        self._live, self._harness = tools.live, tools.harness
        self._label_for = label_for
        self._price_for = price_for
        self._temperature_for = temperature_for

    def _write_sent(self, request: QuestionRequest, retry: int) -> Record:
        # Blacked out before it is hashed: a hash of a secret is a trace of it.
        messages = self._log.redactor.value([message.to_json() for message in request.messages])
        tools: list[Mapping[str, Any]] = [tool.to_json() for tool in request.tools]
        offered = (tools, request.tool_choice) if tools else ()
        print_ = fingerprint(request.id, request.version, messages, request.schema, *offered)
        event = ModelAsked(
            question=request.id,
            version=request.version,
            title=request.title,
            model=self._label_for(request.role),
            messages=messages,
            schema=request.schema,
            temperature=self._temperature_for(request.role, request.temperature),
            fingerprint=print_,
            occurrence=self._occurrences.next(request.path, print_),
            repair=request.repair,
            retry=retry,
            tools=tools,
            tool_choice=request.tool_choice,
            prompts=used_prompts(request.messages),
        )
        return self._append(request, event, request.cause)

    def _write_outcome(
        self, request: QuestionRequest, tried: TryResult, found: llm.Reply
    ) -> Answered:
        usage = found.usage
        cost = self._budget.add_usage(usage, self._price_for(request.role))
        event = ModelReplied(
            text=found.text,
            data=found.data,
            input_tokens=usage.input_tokens,
            output_tokens=usage.output_tokens,
            elapsed_ms=tried.elapsed_ms,
            raw=found.raw,
            cached_tokens=usage.cached_tokens,
            cost=cost,
            calls=[call.to_json() for call in found.calls],
            thinking=found.thinking,
            not_offered=_not_offered(request, found),
            is_estimate=usage.is_estimate,
        )
        record = self._append(request, event, tried.sent.seq)
        return Answered(reply=found, seq=record.seq, messages=request.messages)

    def _write_failure(
        self, request: QuestionRequest, tried: TryResult, failure: Exception
    ) -> RetryDelay:
        assert isinstance(failure, llm.ModelError)
        event = self._failed(
            request,
            failure.error,
            failure.message,
            elapsed_ms=tried.elapsed_ms,
            usage=failure.usage,
        )
        wait_s = self._wait_after(failure, tried.retry, request, event.tokens)
        event = replace(event, todo=failure.todo, will_retry_after_s=wait_s)
        record = self._append(request, event, tried.sent.seq)
        if wait_s is None:
            self._harness.note(failure.error, failure.message, failure.todo)
            raise ModelGaveUp(
                failure.error, failure.message, seq=record.seq, todo=failure.todo
            ) from failure
        return RetryDelay(record.seq, wait_s, event.tokens)

    def _next_try(self, request: QuestionRequest, delay: RetryDelay) -> QuestionRequest:
        room = request.max_reply_tokens
        left = None if room is None else room - delay.tokens
        return replace(request, cause=delay.cause, max_reply_tokens=left)

    def _wait_after(
        self, failure: llm.ModelError, retry: int, request: QuestionRequest, tokens: int
    ) -> float | None:
        is_last = retry + 1 >= (failure.tries or MODEL_TRIES)
        if not failure.is_transient or is_last:
            return None
        if request.max_reply_tokens is not None and tokens >= request.max_reply_tokens:
            if not request.has_days_rest:
                self._budget.out_of_tokens("nothing is left for another try")
            return None
        if self._budget.over_day(price=self._price_for(request.role)):
            return None
        if self._budget.take_model_call():
            return None
        return self._wait_before(retry + 1, request.path, failure.retry_after_s)

    def _failed(
        self,
        request: QuestionRequest,
        error: str,
        message: str,
        *,
        elapsed_ms: float,
        usage: llm.Usage | None = None,
    ) -> ModelFailed:
        """No usable reply, with what had come of it: that was paid for, too.

        Args:
            usage: what the endpoint said it took; None = guessed by what was heard.
        """
        heard, price = self._live.broken_off(request.path), self._price_for(request.role)
        cost, is_estimate = None if price is None else 0.0, usage is None or usage.is_estimate
        if usage is None and heard.tokens:
            letters = sum(len(message.content) for message in request.messages)
            prompt = -(-letters // LETTERS_PER_TOKEN)
            usage = llm.Usage(input_tokens=prompt, output_tokens=heard.tokens)
        if usage is not None:
            cost = self._budget.add_usage(usage, price)
        elif price is None:
            self._budget.add_unknown()
        return ModelFailed(
            error=error,
            message=message,
            elapsed_ms=elapsed_ms,
            cost=cost,
            text=heard.text,
            tokens=0 if usage is None else usage.tokens,
            is_estimate=is_estimate,
        )

    def _write_stopped(self, request: QuestionRequest, cause: int, elapsed_ms: float) -> None:
        event = self._failed(request, ErrorClass.CANCELLED, _STOPPED, elapsed_ms=elapsed_ms)
        self._append(request, event, cause)

    def _from_tape(self, record: Record, request: QuestionRequest) -> Answered | RetryDelay:
        """As it was.

        Raises:
            ModelGaveUp: it did so in the recorded run.
            CancelledError: the recorded run was stopped here.
        """
        event = record.event
        if isinstance(event, ModelReplied):
            usage = llm.Usage(input_tokens=event.input_tokens, output_tokens=event.output_tokens)
            reply = llm.Reply(
                data=event.data,
                text=event.text,
                usage=usage,
                raw=event.raw,
                calls=tuple(FunctionCall.from_json(call) for call in event.calls),
                thinking=event.thinking,
            )
            return Answered(reply=reply, seq=record.seq, messages=request.messages)
        assert isinstance(event, ModelFailed)
        was_stopped = self._log.tape.take(request.path, ModelFailed) is not None
        if was_stopped or event.error == ErrorClass.CANCELLED:
            raise asyncio.CancelledError
        if event.will_retry_after_s is None:
            error = ErrorClass(event.error)
            if error is ErrorClass.OVER_BUDGET:
                self._budget.note_refusal(event.message)
            self._harness.note(error, event.message, event.todo)
            raise ModelGaveUp(error, event.message, seq=record.seq, todo=event.todo)
        return RetryDelay(record.seq)


def _not_offered(request: QuestionRequest, reply: llm.Reply) -> list[str]:
    """What a model names that was not offered: the one place where hallucination is counted."""
    if request.question is None:
        return kept_names(in_calls(reply.calls, request.tools))
    return kept_names(request.question.not_offered(reply.data))
