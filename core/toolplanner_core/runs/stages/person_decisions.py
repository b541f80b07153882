"""Ask at a stop point what a person wants: from the tape, or of the debugger if there is one.

Every decision is an event with actor "person" that keeps both versions, so a replay and a fork do
the same without asking.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from toolplanner_core.errors import Cancelled
from toolplanner_core.runs.debugging.debugger import Debugger
from toolplanner_core.runs.debugging.stops import (
    Choice,
    Stop,
    StopDecision,
    accept_any,
    decision_from_json,
)
from toolplanner_core.runs.events.fork import PersonDecided
from toolplanner_core.runs.log.clock import Clock
from toolplanner_core.runs.log.run_log import RunLog
from toolplanner_core.words.formatting import storable


class TakenDecision(NamedTuple):
    """A decision and the number of its event."""

    decision: StopDecision
    seq: int


class PersonDecisions:
    """The stop points of one run."""

    def __init__(self, log: RunLog, clock: Clock, debugger: Debugger | None) -> None:
        self._log = log
        self._clock = clock
        self._debugger = debugger

    @property
    def is_attached(self) -> bool:
        """Whether a stop can be of any use: a debugger or a tape is there."""
        return self._debugger is not None or self._log.tape.end.seq > 0

    async def at(
        self,
        stop: Stop,
        *,
        before: Mapping[str, Any] | None = None,
        check: Callable[[StopDecision], str] = accept_any,
        after: int = 0,
    ) -> TakenDecision | None:
        """Hold at a stop if there is a reason to; None = go on as it is.

        Args:
            before: what would happen without a decision, kept beside it.
            check: why a decision cannot be taken, "" if it can.
            after: the event that is stopped at, if there is one already. What stands on the tape
                was seen before: nobody is asked again.

        Raises:
            Cancelled: the person gave up.
        """
        taped = self._log.tape.take_decision(stop.path, stop.point.id)
        if taped is not None:
            decision = decision_from_json(taped.event.choice, taped.event.after)
            return _unless_given_up(TakenDecision(decision, taped.seq), stop)
        tape = self._log.tape
        is_taped = tape.end.seq >= after if after else not tape.is_live(stop.path)
        if self._debugger is None or is_taped or tape.end.is_strict:
            return None
        decision = await self._debugger.reach(stop, self._log, self._clock, check)
        if decision is None:
            return None
        decision = decision_from_json(decision.choice, storable(decision.to_json()))
        record = self._log.append(
            PersonDecided(
                stop=stop.point.id,
                choice=decision.choice,
                title=stop.title,
                before=dict(before or {}),
                after=decision.to_json(),
            ),
            path=stop.path,
            cause=stop.cause,
            barrier=True,
        )
        return _unless_given_up(TakenDecision(decision, record.seq), stop)


def _unless_given_up(taken: TakenDecision, stop: Stop) -> TakenDecision:
    if taken.decision.choice is Choice.GIVE_UP:
        raise Cancelled("A person gave up", where=stop.path or "the run")
    return taken
