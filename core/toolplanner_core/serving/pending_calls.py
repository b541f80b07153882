"""A call of an agent while it goes on: it is answered, or it waits for a person first."""

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from toolplanner_core.domain.stop_points import Choice
from toolplanner_core.errors import NotFound, UserError
from toolplanner_core.runs.config.spec import RunSummary
from toolplanner_core.runs.debugging.debugger import Debugger, Held
from toolplanner_core.runs.debugging.stops import StopDecision
from toolplanner_core.runs.log.redaction import Redactor
from toolplanner_core.serving.held_calls import LEAVE_S, HeldCall, Leave, call_digest, held_call
from toolplanner_core.strategies.served import ServedCall, ServedReply

if TYPE_CHECKING:
    from asyncio import Future

LEAVE_ONCE = "once"
"""The one leave that an agent's client can give; lasting ones are given in the window or by
`toolplanner approvals`."""


class HeldAt(NamedTuple):
    """A call that waits for a person, and the stop of its run at which it does."""

    call: HeldCall
    stop: Held


class PendingCall:
    """One call in the run of its session, on its event loop.

    Attributes:
        request: what was asked for.
        held: while it waits for a person.
        decided_elsewhere: ids under which it waited until somebody decided in the window.

    Args:
        path: the node of the request in the run.
        run: done when the run has ended.
        on_end: called once, when the call has come to its end.
    """

    def __init__(
        self,
        request: ServedCall,
        *,
        path: str,
        run: "Future[RunSummary]",
        debugger: Debugger,
        redactor: Redactor,
        on_end: Callable[["PendingCall"], None],
    ) -> None:
        self.request = request
        self.held: HeldCall | None = None
        self.decided_elsewhere: set[str] = set()
        self._path, self._run, self._debugger = path, run, debugger
        self._redactor = redactor
        self._stop: Held | None = None
        self._holds = asyncio.Event()
        self._decided: asyncio.Future[None] = request.reply.get_loop().create_future()
        self._is_given_up = False
        self._timer: asyncio.TimerHandle | None = None
        request.reply.add_done_callback(lambda _: (self._let_go(), on_end(self)))

    @property
    def words(self) -> str:
        """What goes on, for the agent that waits."""
        if self.held is not None:
            return "waits for a person"
        if any(held.stop.path.startswith(f"{self._path}/") for held in self._debugger.held):
            return "is held: a person looks at it"
        return self.request.doing or "has begun"

    @property
    def held_at(self) -> HeldAt | None:
        """Where it waits, if it does."""
        if self.held is None or self._stop is None:
            return None
        return HeldAt(self.held, self._stop)

    def look(self) -> None:
        """See whether the run has stopped at it, or goes on."""
        mine = (h for h in self._debugger.held if h.stop.path.startswith(f"{self._path}/"))
        stop = next((held for held in mine if held.reason == "approval"), None)
        if stop is self._stop:
            return
        if self.held is not None:
            self.decided_elsewhere.add(self.held.id)
        self._let_go()
        if stop is not None:
            self._stop, self.held = stop, held_call(stop.stop, self._redactor)
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(LEAVE_S, self.give_up)
            self._decided = loop.create_future()
            self._holds.set()

    async def outcome(self) -> ServedReply | HeldCall:
        """What came of it, or that it waits.

        Raises:
            UserError: nobody decided in time, or the run could not go on.
        """
        reply = self.request.reply
        # Whoever decides before this goes on leaves nothing that waits: then for what comes next.
        while not (reply.done() or self._run.done() or self.held is not None):
            holds = asyncio.ensure_future(self._holds.wait())
            try:
                waited = {reply, self._run, holds}
                await asyncio.wait(waited, return_when=asyncio.FIRST_COMPLETED)
            finally:
                holds.cancel()
        if reply.done() and self._is_given_up:
            raise UserError(
                "The call was not made: nobody allowed it in time",
                todo="Call again if it is still wanted, and a person is there",
            )
        if reply.done():
            return reply.result()
        if self.held is not None:
            return self.held
        reply.cancel()
        self._run.result()  # it says why, if it broke
        raise UserError("The run of this session has ended", todo="Call again")

    def decide(self, held: HeldCall, leave: Leave) -> None:
        """Let it go on, or not. What was allowed must be what waits, letter by letter.

        Raises:
            NotFound: it does not wait any more: it was decided, or its time is over.
        """
        stop = self._stop
        if stop is None or self.held is None or self.held.id != held.id:
            raise NotFound("No call waits for that", todo="Call again to ask anew")
        api = stop.stop.api
        if leave is Leave.NONE or api is None:
            self.give_up()
            return
        if call_digest(api, stop.stop.arguments) != held.digest:
            raise NotFound("Another call waits than the one that was decided about")
        is_allowed = leave is Leave.ALLOW
        decision = (
            StopDecision(choice=Choice.TAKE, taken=LEAVE_ONCE)
            if is_allowed
            else StopDecision(choice=Choice.SKIP)
        )
        self._let_go()
        self._debugger.resume(decision=decision, at=stop)

    async def wait_for_decision(self, longest_s: float) -> None:
        """Until somebody has decided about what waits now, or it has ended; not longer."""
        await asyncio.wait({self._decided}, timeout=longest_s)

    def give_up(self) -> None:
        """Nobody waits for it, or nobody decided: what has not been sent is not sent."""
        self._is_given_up = True
        self.request.reply.cancel()

    def _let_go(self) -> None:
        self.held = self._stop = None
        self._holds.clear()
        if not self._decided.done():
            self._decided.set_result(None)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
