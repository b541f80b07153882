"""A call of an agent that waits for a person, and who waits for what comes of it."""

import asyncio
from types import SimpleNamespace
from typing import Any

from fixtures.scripted_run import make_api

from toolplanner_core.domain.api import Risk
from toolplanner_core.domain.ids import ROOT, NodePath, ToolkitId
from toolplanner_core.domain.observation import Observation
from toolplanner_core.domain.stop_points import APPROVAL, Choice
from toolplanner_core.runs.debugging.debugger import Debugger
from toolplanner_core.runs.debugging.stops import Stop, StopDecision
from toolplanner_core.runs.log.clock import Clock
from toolplanner_core.runs.log.redaction import Redactor
from toolplanner_core.serving.held_calls import HeldCall
from toolplanner_core.serving.pending_calls import LEAVE_ONCE, PendingCall
from toolplanner_core.strategies.served import Fallback, ServedCall, ServedReply

API = make_api("note_save", risk=Risk.WRITE)
_TURNS = 5
"""Of the loop: more than any of these takes."""
YES = StopDecision(choice=Choice.TAKE, taken=LEAVE_ONCE)


async def settled() -> None:
    """Until all who wait do."""
    for _ in range(_TURNS):
        await asyncio.sleep(0)


class UnwrittenLog:
    """Takes the events of a debugger."""

    def append(self, *_: Any, **__: Any) -> Any:
        return SimpleNamespace(seq=1)


class Desk:
    """A call whose run asks for leave, on the loop that goes on.

    Attributes:
        is_quick: a person says yes before anybody else looks.
    """

    def __init__(self) -> None:
        self.is_quick = True
        self.debugger = Debugger(hold="one", on_change=self._look)
        loop = asyncio.get_running_loop()
        self.reply: asyncio.Future[ServedReply] = loop.create_future()
        request = ServedCall(
            api=API,
            arguments={},
            toolkit=ToolkitId(1),
            toolkit_name="Notes",
            is_served=lambda _: True,
            fallback=Fallback.NEVER,
            reply=self.reply,
        )
        self.call = PendingCall(
            request,
            path="request.1",
            run=loop.create_future(),
            debugger=self.debugger,
            redactor=Redactor(),
            on_end=lambda _: None,
        )

    def _look(self) -> None:
        self.call.look()
        if self.is_quick and self.debugger.held:
            self.debugger.resume(decision=YES, at=self.debugger.held[0])

    async def waiting(self) -> "asyncio.Task[ServedReply | HeldCall]":
        """Somebody who waits for what comes of the call."""
        made = asyncio.ensure_future(self.call.outcome())
        await settled()
        return made

    async def ask_for_leave(self) -> None:
        """The run comes to where it needs a yes, and goes on when it has one."""
        path = NodePath("request.1/attempt.1/call.1")
        stop = Stop(point=APPROVAL, path=path, node=ROOT, title="save", api=API)
        log: Any = UnwrittenLog()
        assert await self.debugger.reach(stop, log, Clock()) == YES


def test_outcome_when_decided_before_who_waits_looked_then_it_waits_for_the_reply() -> None:
    """A person in the window is quicker than the loop comes back to who waits."""

    async def go() -> None:
        desk = Desk()
        waiting = await desk.waiting()
        await desk.ask_for_leave()
        assert desk.call.held is None
        await settled()
        answered = ServedReply(seen=Observation(ok=True, value=1), answered_by=API)
        desk.reply.set_result(answered)
        assert await waiting == answered

    asyncio.run(go())


def test_outcome_when_decided_and_asked_again_then_who_waits_hears_of_the_second() -> None:
    async def go() -> None:
        desk = Desk()
        waiting = await desk.waiting()
        await desk.ask_for_leave()
        desk.is_quick = False
        asking = asyncio.ensure_future(desk.ask_for_leave())
        held = await waiting
        assert isinstance(held, HeldCall)
        assert held == desk.call.held
        desk.debugger.resume(decision=YES, at=desk.debugger.held[0])
        await asking
        desk.call.give_up()

    asyncio.run(go())
