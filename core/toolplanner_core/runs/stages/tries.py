"""Each try of a request: intent to the log, effect, outcome to the log; again if that may help.

The same for calls and questions. What stands on the tape is taken from there; a request that was
sent there and has no outcome is sent again, or is in doubt. `call_tries.py` and `question_tries.py`
say what is written and what may be repeated. Requests are known again by a hash of canonical JSON
(sorted names, no spaces), whatever order their arguments came in.
"""

import asyncio
import hashlib
import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.plain_data import plain_mapping
from toolplanner_core.runs.events.event import Event, Record
from toolplanner_core.runs.stages.stage import CallRequest, QuestionRequest
from toolplanner_core.runs.stages.tools import Tools

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
class Again:
    """Try again: `cause` is the event of the failure, `wait_s` how long to wait before."""

    cause: int
    wait_s: float | None = None


class Tried(NamedTuple):
    """One try: the event of its intent, how many came before it, how long it took."""

    sent: Record
    retry: int
    elapsed_ms: float


class Tries(ABC, Generic[Q, S, O]):
    """Sends requests to their source with the log around each try.

    Args:
        source: what stands behind: faults, and the real provider or model.
    """

    outcomes: ClassVar[tuple[type[Event], ...]]
    """Events that end a try."""
    failures: ClassVar[tuple[type[Exception], ...]] = ()
    """What a source raises when nothing came back."""

    def __init__(self, tools: Tools, source: Callable[[Q], Awaitable[S]]) -> None:
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
            if not isinstance(outcome, Again):
                return outcome
            retry += 1
            request = replace(request, cause=outcome.cause)

    async def _try(self, request: Q, retry: int) -> O | Again:
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
            tried = Tried(sent, retry, self._ms_since(began_ns))
            outcome = self._write_failure(request, tried, failure)
        else:
            tried = Tried(sent, retry, self._ms_since(began_ns))
            outcome = self._write_outcome(request, tried, found)
        if isinstance(outcome, Again) and outcome.wait_s is not None:
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

    @abstractmethod
    def _write_sent(self, request: Q, retry: int) -> Record:
        """Intent before effect."""

    @abstractmethod
    def _write_outcome(self, request: Q, tried: Tried, found: S) -> O | Again:
        """What came back."""

    def _write_failure(self, request: Q, tried: Tried, failure: Exception) -> O | Again:
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
    def _from_tape(self, record: Record, request: Q) -> O | Again:
        """What the strategy saw when this outcome was written."""
