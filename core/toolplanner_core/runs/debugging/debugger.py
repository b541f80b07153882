"""The debugger of one run: holds it at stop points, steps, and takes a person's decisions.

Nothing is executed again after a hold: the coroutine simply waits inside its stop. While all
branches are held, the run's clock stands still, with it budgets and time-outs. Any thread may call
the public methods; the run waits on its own loop.
"""

import asyncio
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.errors import BadInput
from toolplanner_core.runs.debugging.breakpoints import Breakpoint
from toolplanner_core.runs.debugging.faults import FaultPlan
from toolplanner_core.runs.debugging.stops import (
    StepCommand,
    StepTarget,
    Stop,
    StopDecision,
    accept_any,
    target_of,
)
from toolplanner_core.runs.events.debug import DebugResumed, DebugStopped, LogpointHit
from toolplanner_core.runs.log.clock import Clock
from toolplanner_core.runs.log.run_log import RunLog

__all__ = ["Debugger", "Held", "StepCommand"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A branch that is held now.

    Attributes:
        reason: "begin" (it was begun to be stepped through), "step", "pause", "run to here",
            "breakpoint", "approval" or "another branch is held".
        breakpoint: its text, "" without one.
        check: why a decision cannot be taken, "" if it can.
    """

    stop: Stop
    reason: str
    breakpoint: str = ""
    check: Callable[[StopDecision], str] = accept_any
    released: asyncio.Future[StopDecision | None] = field(compare=False, repr=False)


class Debugger:
    """Steers one run; make one per run and pass it to `engine.run` or `EngineThread.start`.

    Args:
        breakpoints: those that are switched on count.
        step: hold at the first stop point.
        hold: whether a stop holds all parallel branches or only its own.
        on_change: called after each hold and release, on the engine's thread; must be quick.
        faults: acts in the run in the place of the faults of its spec, and can be changed while it
            goes on.
        client: name and version of the agent's program that drives the run, for breakpoints.
    """

    def __init__(
        self,
        breakpoints: Sequence[Breakpoint] = (),
        *,
        step: bool = False,
        hold: Literal["all", "one"] = "all",
        on_change: Callable[[], None] | None = None,
        faults: FaultPlan | None = None,
        client: str = "",
    ) -> None:
        self.faults, self.hits = faults, Counter[str]()
        self._client = client
        self._hold: Literal["all", "one"] = hold
        self._breakpoints = tuple(breakpoints)
        self._on_change = on_change
        self._lock = threading.Lock()
        self._held: list[Held] = []
        self._target = StepTarget(action=StepCommand.STEP_INTO if step else StepCommand.CONTINUE)
        self._is_pause_wanted = False
        self._is_detached = False
        self._begins = step

    @property
    def hold(self) -> Literal["all", "one"]:
        """Whether a stop holds all parallel branches or only its own."""
        return self._hold

    def set_hold(self, hold: Literal["all", "one"]) -> None:
        """Hold all branches, or only the one that stops; branches that wait for it go on."""
        with self._lock:
            self._hold = hold
            released = [h for h in self._held if h.reason == _OTHER] if hold == "one" else []
            self._held = [h for h in self._held if hold == "all" or h.reason != _OTHER]
        for item in released:
            _release(item, None)

    @property
    def held(self) -> tuple[Held, ...]:
        """The branches that are held, the one that stopped first first."""
        with self._lock:
            return tuple(self._held)

    def set_breakpoints(self, breakpoints: Sequence[Breakpoint]) -> None:
        """Replace the breakpoints; takes effect at the next stop point."""
        with self._lock:
            self._breakpoints = tuple(breakpoints)

    def pause(self) -> None:
        """Hold the run at its next stop point."""
        with self._lock:
            self._is_pause_wanted = True

    def resume(
        self,
        action: StepCommand = StepCommand.CONTINUE,
        *,
        to: NodePath | None = None,
        decision: StopDecision | None = None,
        at: Held | None = None,
    ) -> None:
        """Let the held run go on.

        Args:
            to: the node to run to, with "run to here".
            decision: what happens instead at one stop; others go on as they are.
            at: that stop, and where steps are counted from; None = the one that was first.

        Raises:
            BadInput: nothing is held, or the decision does not fit the stop; it stays held.
        """
        with self._lock:
            if not any(at is None or item is at for item in self._held):
                raise BadInput("The run is not held", todo="Pause it first")
            chosen = at or self._held[0]
            if decision is not None:
                _check(chosen, decision)
            elif chosen.stop.point.needs_person:
                raise BadInput(
                    "This call waits for a yes or a no",
                    where=chosen.stop.title,
                    todo="Allow or refuse it",
                )
            goes = self._hold == "all"
            released = [h for h in self._held if h is chosen or (goes and not _waits(h))]
            self._held = [h for h in self._held if h not in released]
            self._target = target_of(action, chosen.stop, to)
            self._is_pause_wanted = False
        for item in released:
            _release(item, decision if item is chosen else None)

    def detach(self) -> None:
        """Let go of the run: it goes on without any stop."""
        with self._lock:
            self._is_detached = True
            released, self._held = self._held, []
        for item in released:
            _release(item, None)

    async def reach(
        self,
        stop: Stop,
        log: RunLog,
        clock: Clock,
        check: Callable[[StopDecision], str] = accept_any,
    ) -> StopDecision | None:
        """Hold here if there is a reason to; returns what a person wants instead, if anything."""
        with self._lock:
            hit = None if self._is_detached else self._breakpoint_at(stop, log)
        while (item := self._hold_if_wanted(stop, hit, check)) is not None:
            why, point, title = item.reason, stop.point.id, stop.title
            event = DebugStopped(stop=point, reason=why, breakpoint=item.breakpoint, title=title)
            stopped = log.append(event, path=stop.path, cause=stop.cause)
            decision, held_ns = await self._hold_at(item, clock)
            action = decision.choice if decision else self._target.action
            event = DebugResumed(action=action, held_ms=held_ns / 1e6)
            log.append(event, path=stop.path, cause=stopped.seq)
            if item.reason != _OTHER:
                return decision
            # It was held for another branch: is there a reason of its own now?
        return None

    async def _hold_at(self, item: Held, clock: Clock) -> tuple[StopDecision | None, int]:
        self._changed()
        stands_still = self._hold == "all"
        began_ns = clock.real_ns()
        if stands_still:
            clock.hold()
        try:
            decision = await item.released
        finally:
            if stands_still:
                clock.release()
            with self._lock:
                self._held = [other for other in self._held if other is not item]
        self._changed()
        return decision, clock.real_ns() - began_ns

    def _hold_if_wanted(
        self, stop: Stop, hit: Breakpoint | None, check: Callable[[StopDecision], str]
    ) -> Held | None:
        """Enter the branch as held if there is a reason to; None = go on.

        Both under one lock: a branch that waits for another must not be entered after that one was
        let go, since nobody would let it go again.
        """
        released = asyncio.get_running_loop().create_future()
        with self._lock:
            why = self._reason(stop, hit)
            if why is None:
                return None
            item = Held(stop=stop, reason=why[0], breakpoint=why[1], check=check, released=released)
            self._held.append(item)
        return item

    def _reason(self, stop: Stop, hit: Breakpoint | None) -> tuple[str, str] | None:
        """Why to hold here: a word and a breakpoint's text. The caller holds the lock."""
        if self._is_detached:
            return None
        if self._hold == "all" and self._held and hit is None:
            return _OTHER, ""
        if stop.point.needs_person:
            return "approval", ""
        if hit is not None:
            return "breakpoint", hit.text
        if self._is_pause_wanted and stop.point.is_stepped:
            self._is_pause_wanted = False
            return "pause", ""
        if self._target.is_reached(stop):
            is_run_to = self._target.action is StepCommand.RUN_TO
            why = "run to here" if is_run_to else "begin" if self._begins else "step"
            self._target, self._begins = StepTarget(), False
            return why, ""
        return None

    def _breakpoint_at(self, stop: Stop, log: RunLog) -> Breakpoint | None:
        found: Breakpoint | None = None
        for item in self._breakpoints:
            if not item.fits(stop, client=self._client):
                continue
            self.hits[item.text] += 1
            if self.hits[item.text] < int(item.parts.get("hits", "1")):
                continue
            if item.log:
                hit = LogpointHit(breakpoint=item.text, message=item.message(stop), fields={})
                log.append(hit, path=stop.path, cause=stop.cause)
            else:
                found = found or item
        return found

    def _changed(self) -> None:
        if self._on_change is not None:
            self._on_change()


_OTHER = "another branch is held"


def _waits(held: Held) -> bool:
    """Whether a branch stays held until a person has decided about its own call."""
    return held.stop.point.needs_person and held.reason != _OTHER


def _check(held: Held, decision: StopDecision) -> None:
    if held.reason == _OTHER:
        raise BadInput(
            "This branch only waits for another one",
            where=held.stop.title,
            todo="Decide at the branch that stopped",
        )
    allowed = held.stop.point.allowed
    if decision.choice not in allowed:
        words = ", ".join(sorted(allowed))
        raise BadInput(
            f"{decision.choice.replace('_', ' ')} is not possible here", todo=f"Possible: {words}"
        )
    if misfit := held.check(decision):
        # Of another API that a person chose it is not known here what it is called.
        is_other = held.stop.api is not None and decision.api not in (None, held.stop.api.id)
        raise BadInput(misfit, where="" if is_other else held.stop.title)


def _release(item: Held, decision: StopDecision | None) -> None:
    def release() -> None:
        if not item.released.done():
            item.released.set_result(decision)

    item.released.get_loop().call_soon_threadsafe(release)
