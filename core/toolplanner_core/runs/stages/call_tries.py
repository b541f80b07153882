"""Each try of a call: what is written of it, and which calls may be repeated.

Before a call leaves, its event is on disk (`call.sent` of a call that is not read-only even
survives a power loss), so that after a crash nothing is repeated blindly. Only read-only calls that
failed on the way, or met a busy server, are repeated; what is not, and was sent on the tape without
an outcome, is in doubt.
"""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from email.utils import parsedate_to_datetime
from functools import partial
from typing import Any

from toolplanner_core.domain.api import Api, Risk
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.observation import Effect, Observation, RawResult
from toolplanner_core.providers.classify import effect_of, observe
from toolplanner_core.runs.events.call import CallFailed, CallInDoubt, CallReturned, CallSent
from toolplanner_core.runs.events.event import Record
from toolplanner_core.runs.log import RunLog
from toolplanner_core.runs.serving import Served
from toolplanner_core.runs.stages.stage import CallRequest, CallSourceEnd
from toolplanner_core.runs.stages.tools import Tools
from toolplanner_core.runs.stages.tries import MAX_WAIT_S, Again, Tried, Tries, canonical, print_of
from toolplanner_core.sources.risk import changes_something

_REPEATABLE = frozenset({ErrorClass.NETWORK, ErrorClass.TIMEOUT})
_BUSY = frozenset({429, 502, 503, 504})
"""A server, or what stands before it, that may have time in a moment (RFC 9110, 15.6)."""
_REPLY = ("status", "body", "content_type", "headers", "origin", "pictures")
_UNKNOWN = (
    "It was sent, and nobody knows whether it was done: it is not sent again by itself."
    " Look at the service."
)
_IN_DOUBT = "It was sent before, and nobody knows whether it arrived. It is not sent again"


class CallTries(Tries[CallRequest, RawResult, Observation]):
    """Sends calls.

    Args:
        served_by: who executes them, and how often one that only reads is repeated.
    """

    outcomes = (CallReturned, CallFailed, CallInDoubt)

    def __init__(
        self, tools: Tools, source: CallSourceEnd, *, served_by: Callable[[Api], Served]
    ) -> None:
        super().__init__(tools, source)
        self._served_by = served_by

    def _write_sent(self, request: CallRequest, retry: int) -> Record:
        shown: Any = dict(request.arguments)
        text = canonical(request.api.id, shown)
        if self._log.redactor.may_hide(text):
            shown = self._log.redactor.value(shown)
            text = canonical(request.api.id, shown)
        print_ = print_of(text)
        event = CallSent(
            api=request.api.id,
            title=request.api.title,
            arguments=shown,
            bindings={
                name: {"step": ref.step, "path": list(ref.path)}
                for name, ref in request.bindings.items()
            },
            provider=self._served_by(request.api).name,
            risk=request.api.risk,
            fingerprint=print_,
            occurrence=self._occurrences.next(request.path, print_),
            retry=retry,
        )
        is_barrier = request.api.risk is not Risk.READ
        return self._append(request, event, request.cause, barrier=is_barrier)

    def _write_outcome(
        self, request: CallRequest, tried: Tried, found: RawResult
    ) -> Observation | Again:
        seen = observe(found, request.api)
        wait_s = self._wait_for_again(request, tried, found, seen)
        observation = write_outcome(
            self._log,
            request,
            found,
            tried.sent.seq,
            tried.elapsed_ms,
            seen=seen,
            wait_s=wait_s,
            is_change=self._is_change(request.api),
        )
        return observation if wait_s is None else Again(observation.seq, wait_s)

    def _is_change(self, api: Api) -> bool:
        return self._served_by(api).touches_world and changes_something(api)

    def _wait_for_again(
        self, request: CallRequest, tried: Tried, found: RawResult, seen: Observation
    ) -> float | None:
        """Seconds until the call is repeated; None if it is not."""
        if not (found.status in _BUSY or seen.error in _REPEATABLE):
            return None
        asked_s = _asked_wait_s(found, self._clock.wall_us() / 1e6)
        if (
            request.api.risk is not Risk.READ
            or (asked_s is not None and asked_s > MAX_WAIT_S)
            or tried.retry >= self._served_by(request.api).retries
            or self._budget.take_api_call()
        ):
            return None
        return self._wait_before(tried.retry + 1, request.path, asked_s)

    def _write_stopped(self, request: CallRequest, cause: int, elapsed_ms: float) -> None:
        raw = RawResult(
            failure=ErrorClass.CANCELLED,
            message="the run was stopped before a reply came",
            origin=self._served_by(request.api).name,
        )
        is_change = self._is_change(request.api)
        write_outcome(self._log, request, raw, cause, elapsed_ms, is_change=is_change)

    def _leave_in_doubt(self, request: CallRequest, sent: Record) -> Observation | None:
        if request.api.risk is Risk.READ:
            return None
        event = CallInDoubt(title=request.api.title, message=_IN_DOUBT)
        return seen_in(self._append(request, event, sent.seq), request)

    def _from_tape(self, record: Record, request: CallRequest) -> Observation | Again:
        observation = seen_in(record, request)
        head = self._log.tape.peek(request.path)
        is_again = head is not None and isinstance(head.event, CallSent)
        return Again(observation.seq) if is_again else observation


def _asked_wait_s(raw: RawResult, now_s: float) -> float | None:
    """Seconds that a server asks to wait; RFC 9110, 10.2.3: a number, or a date."""
    text = raw.headers.get("Retry-After") or raw.headers.get("retry-after")
    if not text:
        return None
    try:
        return float(text) if text.isdigit() else parsedate_to_datetime(text).timestamp() - now_s
    except (ValueError, OverflowError):
        return None


def write_outcome(
    log: RunLog,
    request: CallRequest,
    raw: RawResult,
    cause: int,
    elapsed_ms: float,
    *,
    seen: Observation | None = None,
    wait_s: float | None = None,
    is_change: bool = False,
) -> Observation:
    """Classify a reply and write it down; returns what the strategy sees.

    Args:
        seen: what was made of the reply, where that was done before.
        wait_s: until the next try; None = this was the last.
        is_change: the call may have changed something outside.
    """
    observation = observe(raw, request.api) if seen is None else seen
    if is_change:
        observation = replace(observation, effect=effect_of(raw, observation))
    if observation.effect is Effect.UNKNOWN:
        observation = replace(observation, message=f"{observation.message} {_UNKNOWN}")
    reply: dict[str, Any] = {name: getattr(raw, name) for name in _REPLY}
    reply |= {"elapsed_ms": elapsed_ms, "effect": observation.effect}
    event = (
        CallReturned(**reply)
        if observation.error is None
        else CallFailed(
            error=observation.error,
            message=observation.message,
            will_retry_after_s=wait_s,
            **reply,
        )
    )
    record = log.append(event, path=request.path, cause=cause)
    written = record.event
    # An error text goes on to a model as it was written down: without secrets, here and in replays.
    message = written.message if isinstance(written, CallFailed) else observation.message
    return replace(
        observation,
        seq=record.seq,
        message=message,
        api=request.api,
        arguments=request.arguments,
    )


def seen_in(record: Record, request: CallRequest) -> Observation:
    """What the strategy saw when this outcome was written.

    Raises:
        CancelledError: the recorded run was stopped here.
    """
    failed = partial(Observation, ok=False, seq=record.seq)
    match record.event:
        case CallReturned() as event:
            raw = RawResult(**{name: getattr(event, name) for name in _REPLY})
            value = observe(raw, request.api).value
            effect = Effect(event.effect)
            found = Observation(
                ok=True, value=value, origin=event.origin, seq=record.seq, effect=effect
            )
        case CallFailed(error=ErrorClass.CANCELLED):
            raise asyncio.CancelledError
        case CallFailed() as event:
            error, message, origin = ErrorClass(event.error), event.message, event.origin
            effect = Effect(event.effect)
            found = failed(error=error, message=message, origin=origin, effect=effect)
        case CallInDoubt(message=message):
            error = ErrorClass.BLOCKED_BY_POLICY
            origin, effect = "in doubt", Effect.UNKNOWN
            found = failed(error=error, message=message, origin=origin, effect=effect)
        case _:
            raise AssertionError(record.event.type)
    return _as_sent(found, request)


def _as_sent(observation: Observation, request: CallRequest) -> Observation:
    return replace(observation, api=request.api, arguments=request.arguments)
