"""Each try of a call: intent to the log, effect, outcome to the log; again if that may help.

Before a call leaves, its event is on disk (`call.sent` of a call that is not read-only even
survives a power loss), so that after a crash nothing is repeated blindly. Only read-only calls that
failed on the way are repeated. What stands on the tape is taken from there; a call that was sent
there and has no outcome is sent again if it is read-only, else it is in doubt. Caller: `gate.py`,
as the end of the outer stages; the stages behind (faults, real) are its `source`.
"""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from random import Random

from toolplanner_core.domain.api import Risk
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.observation import Observation, RawResult
from toolplanner_core.providers.classify import observe
from toolplanner_core.runs.clock import Clock
from toolplanner_core.runs.events.call import CallFailed, CallReturned, CallSent
from toolplanner_core.runs.events.event import Record
from toolplanner_core.runs.events.fork import CallInDoubt
from toolplanner_core.runs.fingerprint import Occurrences, fingerprint
from toolplanner_core.runs.log import RunLog
from toolplanner_core.runs.stages.budget import Budget
from toolplanner_core.runs.stages.stage import CallRequest, CallSourceEnd
from toolplanner_core.runs.stages.waiting import wait_before

_REPEATABLE = frozenset({ErrorClass.NETWORK, ErrorClass.TIMEOUT})
_IN_DOUBT = "It was sent before, and nobody knows whether it arrived. It is not sent again"


class CallTries:
    """Sends calls to their source with the log around each try.

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
        random_at: Callable[[NodePath], Random],
        retries: int,
        source: CallSourceEnd,
    ) -> None:
        self._log = log
        self._clock = clock
        self._budget = budget
        self._provider = provider
        self._random_at = random_at
        self._retries = retries
        self._source = source
        self._occurrences = Occurrences()

    async def __call__(self, request: CallRequest) -> Observation:
        """Send a call until it works or may not be repeated."""
        retry = 0
        while True:
            observation = await self._try(request, retry)
            if not await self._is_again(request, observation, retry):
                return observation
            retry += 1
            request = replace(request, cause=observation.seq)

    async def _is_again(self, request: CallRequest, observation: Observation, retry: int) -> bool:
        """Whether to repeat a call; waits before it says yes."""
        taped = self._log.tape.peek(request.path)
        if taped is not None:
            return isinstance(taped.event, CallSent)
        is_repeatable = request.api.risk is Risk.READ and observation.error in _REPEATABLE
        if not is_repeatable or retry >= self._retries or self._budget.take_api_call():
            return False
        await self._clock.wait(wait_before(retry + 1, self._random_at(request.path)))
        return True

    async def _try(self, request: CallRequest, retry: int) -> Observation:
        sent = self._write_sent(request, retry)
        while self._log.tape.holds(sent):
            taped = self._log.tape.take(request.path, CallReturned, CallFailed, CallInDoubt)
            if taped is not None:
                return _from_tape(taped, request)
            end = self._log.tape.ends_here(request.path)
            if end is not None:
                raise end
            if request.api.risk is not Risk.READ:
                return self._leave_in_doubt(request, sent)
            sent = self._write_sent(replace(request, cause=sent.seq), retry)
        return await self._send(request, sent)

    async def _send(self, request: CallRequest, sent: Record) -> Observation:
        began_ns = self._clock.mono_ns()
        try:
            await self._log.commit()
            began_ns = self._clock.mono_ns()
            raw = await self._source(request)
        except asyncio.CancelledError:
            raw = RawResult(
                status=None,
                body="",
                failure=ErrorClass.CANCELLED,
                message="the run was stopped before a reply came",
                origin=self._provider,
            )
            write_outcome(self._log, request, raw, sent.seq, self._ms_since(began_ns))
            raise
        return write_outcome(self._log, request, raw, sent.seq, self._ms_since(began_ns))

    def _ms_since(self, began_ns: int) -> float:
        return (self._clock.mono_ns() - began_ns) / 1e6

    def _write_sent(self, request: CallRequest, retry: int) -> Record:
        shown = self._log.redactor.value(dict(request.arguments))
        print_ = fingerprint(request.api.id, shown)
        return self._log.append(
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

    def _leave_in_doubt(self, request: CallRequest, sent: Record) -> Observation:
        record = self._log.append(
            CallInDoubt(title=request.api.title, message=_IN_DOUBT),
            path=request.path,
            parent=request.parent,
            cause=sent.seq,
        )
        return _from_tape(record, request)


def write_outcome(
    log: RunLog, request: CallRequest, raw: RawResult, cause: int, elapsed_ms: float
) -> Observation:
    """Classify a reply and write it down; returns what the strategy sees."""
    observation = observe(raw, request.api)
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
    record = log.append(event, path=request.path, parent=request.parent, cause=cause)
    written = record.event
    # An error text goes on to a model as it was written down: without secrets, here and in replays.
    message = written.message if isinstance(written, CallFailed) else observation.message
    return replace(observation, seq=record.seq, message=message)


def _from_tape(record: Record, request: CallRequest) -> Observation:
    """What the strategy saw when this outcome was written.

    Raises:
        CancelledError: the recorded run was stopped here.
    """
    match record.event:
        case CallReturned() as event:
            raw = RawResult(
                status=event.status,
                body=event.body,
                content_type=event.content_type,
                headers=event.headers,
                origin=event.origin,
            )
            value = observe(raw, request.api).value
            return Observation(ok=True, value=value, origin=event.origin, seq=record.seq)
        case CallFailed(error=ErrorClass.CANCELLED):
            raise asyncio.CancelledError
        case CallFailed() as event:
            return Observation(
                ok=False,
                error=ErrorClass(event.error),
                message=event.message,
                origin=event.origin,
                seq=record.seq,
            )
        case CallInDoubt(message=message):
            return Observation(
                ok=False,
                error=ErrorClass.BLOCKED_BY_POLICY,
                message=message,
                origin="in doubt",
                seq=record.seq,
            )
        case _:
            raise AssertionError(record.event.type)
