"""Each try of a call or question: intent to the log, effect, outcome to the log; again if that may
help.

What stands on the tape is taken from there; a request that was sent there and has no outcome is
sent again, or is in doubt. Requests are known again by a hash of canonical JSON (sorted names, no
spaces), whatever order their arguments came in.

Before a call leaves, its event is on disk (`call.sent` of a call that is not read-only even
survives a power loss), so that after a crash nothing is repeated blindly. Only read-only calls that
failed on the way, or met a busy server, are repeated; what is not, and was sent on the tape without
an outcome, is in doubt. Questions to models stand in `question_retries.py`.
"""

import asyncio
import hashlib
import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from email.utils import parsedate_to_datetime
from functools import partial
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from toolplanner_core.domain.api import Api, Risk
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.http_status import is_busy
from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.observation import Effect, Observation, RawResult
from toolplanner_core.domain.plain_data import plain_mapping
from toolplanner_core.providers.classify import effect_of, observe
from toolplanner_core.runs.config.call_routing import ServingProvider
from toolplanner_core.runs.events.call import CallFailed, CallInDoubt, CallReturned, CallSent
from toolplanner_core.runs.events.event import Event, Record
from toolplanner_core.runs.log.run_log import RunLog
from toolplanner_core.runs.stages.context import StageContext
from toolplanner_core.runs.stages.stage import (
    CallRequest,
    CallSourceEnd,
    QuestionRequest,
)
from toolplanner_core.sources.risk import changes_something

_CANONICAL = json.JSONEncoder(
    sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=plain_mapping
)


def canonical(*parts: Any) -> str:
    """JSON values in the one form in which equal ones are the same text."""
    return _CANONICAL.encode(parts)


def fingerprint(*parts: Any) -> str:
    """16 hex digits over JSON values."""
    return print_of(canonical(*parts))


def print_of(text: str) -> str:
    """The fingerprint of values in their canonical form."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


class Occurrences:
    """Counts equal fingerprints on one path: 1, 2, 3 ..."""

    def __init__(self) -> None:
        self._seen: Counter[tuple[NodePath, str]] = Counter()

    def next(self, path: NodePath, print_: str) -> int:
        """How often this fingerprint has now been seen on this path."""
        self._seen[path, print_] += 1
        return self._seen[path, print_]


FIRST_WAIT_S = 0.5
MAX_WAIT_S = 30.0
"""A longer Retry-After is cut to this: the budget decides how long a run lasts."""

Q = TypeVar("Q", CallRequest, QuestionRequest)
S = TypeVar("S")
O = TypeVar("O")  # noqa: E741 - an outcome


@dataclass(frozen=True, slots=True)
class RetryDelay:
    """Try again: `cause` is the event of the failure, `wait_s` how long to wait before, `tokens`
    what the failed try took."""

    cause: int
    wait_s: float | None = None
    tokens: int = 0


class TryResult(NamedTuple):
    """One try: the event of its intent, how many came before it, how long it took."""

    sent: Record
    retry: int
    elapsed_ms: float


class Retries(ABC, Generic[Q, S, O]):
    """Sends requests to their source with the log around each try.

    Args:
        source: what stands behind: faults, and the real provider or model.
    """

    outcomes: ClassVar[tuple[type[Event], ...]]
    """Events that end a try."""
    failures: ClassVar[tuple[type[Exception], ...]] = ()
    """What a source raises when nothing came back."""

    def __init__(self, tools: StageContext, source: Callable[[Q], Awaitable[S]]) -> None:
        self._log = tools.log
        self._clock = tools.clock
        self._budget = tools.budget
        self._random_at = tools.places.random_at
        self._source = source
        self._occurrences = Occurrences()

    async def __call__(self, request: Q) -> O:
        """Send a request until it is answered, or may not be repeated."""
        retry = 0
        while True:
            outcome = await self._try(request, retry)
            if not isinstance(outcome, RetryDelay):
                return outcome
            retry += 1
            request = self._next_try(request, outcome)

    async def _try(self, request: Q, retry: int) -> O | RetryDelay:
        sent = self._write_sent(request, retry)
        while self._log.tape.holds(sent):
            taped = self._log.tape.take(request.path, *self.outcomes)
            if taped is not None:
                return self._from_tape(taped, request)
            if (end := self._log.tape.ends_here(request.path)) is not None:
                raise end
            if (doubtful := self._leave_in_doubt(request, sent)) is not None:
                return doubtful
            sent = self._write_sent(replace(request, cause=sent.seq), retry)
        began_ns = self._clock.mono_ns()
        try:
            await self._log.commit()
            began_ns = self._clock.mono_ns()
            found = await self._source(request)
        except asyncio.CancelledError:
            self._write_stopped(request, sent.seq, self._ms_since(began_ns))
            raise
        except self.failures as failure:
            tried = TryResult(sent, retry, self._ms_since(began_ns))
            outcome = self._write_failure(request, tried, failure)
        else:
            tried = TryResult(sent, retry, self._ms_since(began_ns))
            outcome = self._write_outcome(request, tried, found)
        if isinstance(outcome, RetryDelay) and outcome.wait_s is not None:
            try:
                await self._clock.wait(outcome.wait_s)
            except asyncio.CancelledError:
                if self.failures:  # else its outcome stands there already
                    self._write_stopped(request, outcome.cause, self._ms_since(began_ns))
                raise
        return outcome

    def _ms_since(self, began_ns: int) -> float:
        return (self._clock.mono_ns() - began_ns) / 1e6

    def _wait_before(self, retry: int, path: NodePath, asked_s: float | None = None) -> float:
        """Seconds before try `retry` (1, 2, ...): doubled each time, with jitter of one half, or
        what the endpoint asked for."""
        if asked_s is not None:
            return min(MAX_WAIT_S, max(0.0, asked_s))
        jitter = 0.5 + self._random_at(path).random()
        return min(MAX_WAIT_S, FIRST_WAIT_S * 2 ** (retry - 1) * jitter)

    def _append(self, request: Q, event: Event, cause: int | None, *, barrier: bool = False) -> Any:
        return self._log.append(event, path=request.path, cause=cause, barrier=barrier)

    def _next_try(self, request: Q, delay: RetryDelay) -> Q:
        """The request as it is sent again."""
        return replace(request, cause=delay.cause)

    @abstractmethod
    def _write_sent(self, request: Q, retry: int) -> Record:
        """Intent before effect."""

    @abstractmethod
    def _write_outcome(self, request: Q, tried: TryResult, found: S) -> O | RetryDelay:
        """What came back."""

    def _write_failure(self, request: Q, tried: TryResult, failure: Exception) -> O | RetryDelay:
        """Nothing came back; raises what ends the request."""
        del request, tried
        raise failure

    @abstractmethod
    def _write_stopped(self, request: Q, cause: int, elapsed_ms: float) -> None:
        """The run was stopped before an outcome came, or between two tries."""

    def _leave_in_doubt(self, request: Q, sent: Record) -> O | None:
        """An outcome for what was sent on the tape and must not be sent again; None = it may."""
        del request, sent
        return None

    @abstractmethod
    def _from_tape(self, record: Record, request: Q) -> O | RetryDelay:
        """What the strategy saw when this outcome was written."""


_REPEATABLE = frozenset({ErrorClass.NETWORK, ErrorClass.TIMEOUT})
_REPLY = ("status", "body", "content_type", "headers", "origin", "pictures")
_UNKNOWN = (
    "It was sent, and nobody knows whether it was done: it is not sent again by itself."
    " Look at the service."
)
_IN_DOUBT = "It was sent before, and nobody knows whether it arrived. It is not sent again"


class CallRetries(Retries[CallRequest, RawResult, Observation]):
    """Sends calls.

    Args:
        served_by: who executes them, and how often one that only reads is repeated.
    """

    outcomes = (CallReturned, CallFailed, CallInDoubt)

    def __init__(
        self,
        tools: StageContext,
        source: CallSourceEnd,
        *,
        served_by: Callable[[Api], ServingProvider],
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
        self, request: CallRequest, tried: TryResult, found: RawResult
    ) -> Observation | RetryDelay:
        seen = observe(found, request.api, arguments=request.arguments)
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
        return observation if wait_s is None else RetryDelay(observation.seq, wait_s)

    def _is_change(self, api: Api) -> bool:
        return self._served_by(api).touches_world and changes_something(api)

    def _wait_for_again(
        self, request: CallRequest, tried: TryResult, found: RawResult, seen: Observation
    ) -> float | None:
        """Seconds until the call is repeated; None if it is not."""
        if not (is_busy(found.status) or seen.error in _REPEATABLE):
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

    def _from_tape(self, record: Record, request: CallRequest) -> Observation | RetryDelay:
        observation = seen_in(record, request)
        head = self._log.tape.peek(request.path)
        is_again = head is not None and isinstance(head.event, CallSent)
        return RetryDelay(observation.seq) if is_again else observation


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
    observation = observe(raw, request.api, arguments=request.arguments) if seen is None else seen
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
        pictures=raw.pictures,
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
            value = observe(raw, request.api, arguments=request.arguments).value
            effect = Effect(event.effect)
            found = Observation(
                ok=True,
                value=value,
                origin=event.origin,
                seq=record.seq,
                pictures=event.pictures,
                effect=effect,
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
