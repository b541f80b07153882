"""What one client asks for, as a run: it begins with the first call, and ends when the client
leaves, was quiet for a while, or has asked for very much; then the next call begins another one.
"""

import asyncio
import contextlib
import dataclasses
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from typing import Any

from toolplanner_core.domain.ids import ApiId, RunId
from toolplanner_core.errors import BadInput, NotFound, UserError
from toolplanner_core.jobs.process_identity import this_process
from toolplanner_core.runs.catalogue.workspace_catalogue import WorkspaceCatalogue
from toolplanner_core.runs.config.spec import Limits, RunSpec, RunSummary
from toolplanner_core.runs.debugging.debugger import Debugger
from toolplanner_core.runs.engine.run_parts import RunParts
from toolplanner_core.runs.engine.runner import prepare, run
from toolplanner_core.runs.events.event import Record
from toolplanner_core.runs.log.clock import Clock
from toolplanner_core.runs.log.redaction import Redactor
from toolplanner_core.serving.catalogue import ServedApi
from toolplanner_core.serving.held_calls import LEAVE_S, HeldCall, Leave, call_digest
from toolplanner_core.serving.pending_calls import HeldAt, PendingCall
from toolplanner_core.serving.profile import ServingProfile
from toolplanner_core.serving.results import LongResults
from toolplanner_core.serving.run_replies import RunReplies
from toolplanner_core.serving.served_lines import query_of
from toolplanner_core.serving.session_watcher import SessionWatcher
from toolplanner_core.serving.tickets import Ticket, decision_of, remove_ticket, write_ticket
from toolplanner_core.strategies.served import (
    Fallback,
    ServedCall,
    ServedLookup,
    request_path,
    solve_requests,
)
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.toolkits import get_toolkit

STRATEGY = "served"
MOST_REQUESTS = 500
"""Calls and searches of one run; a longer one is slow to look at."""
MOST_TICKETS = 20
"""Calls of one client that wait for a person in a terminal."""
_LOOK_S = 0.25
"""Between looks whether a person has decided."""
_LOOKUPS_BEFORE = 50
"""Searches before the first call that its run tells of, the newest ones."""
_NO_MODEL = "offline"
"""Of runs that ask none."""
_NO_LIMITS = Limits(
    max_model_calls=None, max_api_calls=None, max_tokens=None, max_seconds=None, max_cost=None
)


class ServingSession:
    """The calls and searches of one client, on one event loop.

    Attributes:
        client: its name and version, for people.
        results: its long results.
        watcher: who looks at it in a window, and decides there about calls that wait.

    Args:
        clock: seconds that only grow.
    """

    def __init__(
        self,
        workspace: Workspace,
        profile: ServingProfile,
        search: WorkspaceCatalogue,
        *,
        client: str,
        clock: Callable[[], float] = time.monotonic,
        watcher: SessionWatcher | None = None,
    ) -> None:
        self._workspace, self._profile, self._search = workspace, profile, search
        self.client, self.watcher, self._clock = client, watcher, clock
        self._pending: list[PendingCall] = []
        self._tickets: dict[str, _OpenTicket] = {}
        self._numbered = 0
        self._decided_elsewhere: deque[PendingCall] = deque(maxlen=MOST_TICKETS)
        self._lookups: deque[ServedLookup] = deque(maxlen=_LOOKUPS_BEFORE)
        self._run: _LiveRun | None = None
        self._lock = asyncio.Lock()
        self._last_s = clock()
        self.results = LongResults()
        self._redactor = Redactor()

    @property
    def quiet_s(self) -> float:
        """Seconds since anything was asked for; none while a call goes on."""
        return 0.0 if self._pending else self._clock() - self._last_s

    def ask(self) -> None:
        """Its client asks for something, whatever it is: it has not left."""
        self._last_s = self._clock()

    def looked_up(self, need: str, found: list[ServedApi]) -> None:
        """A search was answered; it stands in the run of the calls beside it."""
        self._last_s = self._clock()
        lookup = ServedLookup(need=need, found=tuple(each.name for each in found))
        if self._run is not None and self._run.takes_more:
            self._run.put(lookup)
            return
        self._lookups.append(lookup)
        if self.watcher is not None:
            self.watcher.looked_up(self, lookup)

    async def begin(
        self,
        served: ServedApi,
        arguments: Mapping[str, Any],
        *,
        is_served: Callable[[ApiId], bool],
        fallback: Fallback,
        need: str = "",
        others: Sequence[ServedApi] = (),
    ) -> PendingCall:
        """Begin a call of an API through the gate; what comes of it is on disk when it is said. One
        that waits for a person already, and is asked for again, is the same.

        Args:
            is_served: whether another API may stand in.
            need, others: as of `ServedCall`; the profile has a model then.

        Raises:
            UserError: the run could not begin.
        """
        self._last_s = self._clock()
        digest = call_digest(served.api, arguments)
        for waiting in self._pending:
            if waiting.held is not None and waiting.held.digest == digest:
                return waiting
        async with self._lock:
            live = await self._live_run()
            request = ServedCall(
                api=served.api,
                arguments=arguments,
                toolkit=served.toolkit,
                toolkit_name=get_toolkit(self._workspace, served.toolkit).name,
                is_served=is_served,
                fallback=fallback,
                need=need,
                others=tuple(each.api for each in others),
                reply=asyncio.get_running_loop().create_future(),
            )
            live.put(request)
            call = PendingCall(
                request,
                path=request_path(live.calls),
                run=live.done,
                debugger=live.debugger,
                redactor=self._redactor,
                on_end=self._ended,
            )
            self._pending.append(call)
        return call

    def waiting(self, held: str) -> PendingCall:
        """The call that waits for a person under this id.

        Raises:
            NotFound: none does.
        """
        for call in self._pending:
            if call.held is not None and call.held.id == held:
                return call
        raise NotFound("No call waits for that", todo="Call again to ask anew")

    def decided_elsewhere(self, held: str) -> PendingCall:
        """The call that waited under this id until somebody decided in the window; once.

        Raises:
            NotFound: there is none.
        """
        for call in self._decided_elsewhere:
            if held in call.decided_elsewhere:
                self._decided_elsewhere.remove(call)
                return call
        raise NotFound("No call waits for that", todo="Call again to ask anew")

    @property
    def held(self) -> tuple[HeldAt, ...]:
        """The calls that wait for a person."""
        return tuple(at for call in self._pending if (at := call.held_at) is not None)

    def give_up(self, held: HeldCall) -> None:
        """Nobody waits for a call any more: if it was not allowed yet, it is not made."""
        with contextlib.suppress(NotFound):
            self.waiting(held.id).give_up()

    async def open_ticket(self, held: HeldCall) -> Ticket:
        """Let a person decide in a terminal about a call that waits; the same one at every time.

        Raises:
            NotFound: it does not wait any more.
            BadInput: too many wait, or tickets are not safe on this machine.
        """
        call = self.waiting(held.id)
        if (ticket := self._tickets.get(held.id)) is not None and ticket.ticket is not None:
            return ticket.ticket
        waiting = [each for each in self._tickets.values() if each.call.held is not None]
        if len(waiting) >= MOST_TICKETS:
            raise BadInput("Too many calls wait for a person", todo="Wait for one of them")
        written = Ticket(
            id=held.id,
            workspace=str(self._workspace.path),
            client=self.client,
            shown=held.shown,
            digest=held.digest,
            until_s=time.time() + LEAVE_S,
            process=this_process(),
        )
        await asyncio.to_thread(write_ticket, written)
        ticket = self._tickets[held.id] = _OpenTicket(written, call)
        ticket.watching = asyncio.ensure_future(self._watch(written, call, held))
        return written

    def of_ticket(self, name: str) -> PendingCall:
        """The call of a ticket, until its outcome was told.

        Raises:
            NotFound: this client has no such ticket.
        """
        if (ticket := self._tickets.get(name)) is None:
            raise NotFound("There is no such ticket, or its reply was told", todo="Call again")
        return ticket.call

    def close_ticket(self, name: str) -> None:
        """Its outcome was told."""
        if (ticket := self._tickets.pop(name, None)) is not None and ticket.watching is not None:
            ticket.watching.cancel()
        if ticket is not None and ticket.ticket is not None:
            remove_ticket(ticket.ticket)

    def open_number(self, call: PendingCall) -> str:
        """A ticket for a call that takes long: nobody has to decide, its reply is fetched later.

        Raises:
            BadInput: too many calls go on for which nobody waits.
        """
        for name, each in self._tickets.items():
            if each.call is call and each.ticket is None:
                return name
        numbered = [name for name, each in self._tickets.items() if each.ticket is None]
        if len(numbered) >= MOST_TICKETS:
            raise BadInput("Too many calls go on", todo="Ask for the replies of some of them")
        self._numbered += 1
        name = f"call-{self._numbered}"
        self._tickets[name] = _OpenTicket(None, call)
        return name

    async def _watch(self, ticket: Ticket, call: PendingCall, held: HeldCall) -> None:
        """Wait for the decision of a person, or for the end of the call."""
        try:
            while call.held is not None and call.held.id == held.id:
                allows = await asyncio.to_thread(decision_of, ticket)
                if allows is not None:
                    call.decide(held, Leave.ALLOW if allows else Leave.REFUSE)
                    return
                await asyncio.sleep(_LOOK_S)
        finally:
            remove_ticket(ticket)

    async def close(self) -> RunSummary | None:
        """End its run, if there is one: calls that go on are finished, those that wait for a person
        are not made."""
        for call in [each for each in self._pending if each.held is not None]:
            call.give_up()
        for name in list(self._tickets):
            self.close_ticket(name)
        live, self._run = self._run, None
        summary = None if live is None else await live.close()
        if live is not None and self.watcher is not None:
            self.watcher.ended(self)
        return summary

    def _look_at_holds(self) -> None:
        for call in list(self._pending):
            call.look()
            if call.decided_elsewhere and call not in self._decided_elsewhere:
                self._decided_elsewhere.append(call)
        if self.watcher is not None:
            self.watcher.holds_changed(self)

    def _ended(self, call: PendingCall) -> None:
        self._pending.remove(call)
        self._last_s = self._clock()

    async def _live_run(self) -> "_LiveRun":
        live = self._run
        if live is not None and live.takes_more:
            return live
        await self.close()
        spec = RunSpec(
            query=query_of(self.client, self._profile.name),
            strategy=STRATEGY,
            limits=_NO_LIMITS,
            model=self._profile.model or _NO_MODEL,
            faults=self._profile.faults,
        )
        live = _LiveRun(self._debugger(spec))
        parts = await asyncio.to_thread(prepare, self._workspace, spec, self._search)
        if self._profile.replay is not None:
            parts = await self._answered_by_run(parts, self._profile.replay)
        strategy = dataclasses.replace(parts.strategy, solve=solve_requests(live.requests()))
        parts = dataclasses.replace(parts, strategy=strategy)
        for lookup in self._lookups:
            live.put(lookup)
        self._lookups.clear()
        live.done = asyncio.ensure_future(
            run(
                self._workspace,
                spec,
                parts=parts,
                debugger=live.debugger,
                clock=live.clock,
                listener=lambda records: self._heard(live, records),
            )
        )
        self._run = live
        return live

    def _debugger(self, spec: RunSpec) -> Debugger:
        if self.watcher is None:
            return Debugger(hold="one", on_change=self._look_at_holds)
        return self.watcher.debugger_for(self, spec, self._look_at_holds)

    def _heard(self, live: "_LiveRun", records: list[Record]) -> None:
        if self.watcher is not None:
            self.watcher.heard(self, live.clock, records)

    async def _answered_by_run(self, parts: RunParts, run: RunId) -> RunParts:
        """Nobody but the log of a run serves the calls, each client's from its begin."""
        for provider in parts.outside.providers:
            await provider.close()
        outside = dataclasses.replace(
            parts.outside,
            provider=await asyncio.to_thread(RunReplies, self._workspace, run),
            provider_name=f"run {run}",
            touches_world=False,
            retries=0,
            routes={},
        )
        return dataclasses.replace(parts, outside=outside)


@dataclasses.dataclass(slots=True, eq=False)
class _OpenTicket:
    """A call whose reply is fetched later: the ticket of one that a person decides about, and who
    watches whether they have."""

    ticket: Ticket | None
    call: PendingCall
    watching: "asyncio.Future[None] | None" = None


class _LiveRun:
    """A run while it goes on, and what it is asked for."""

    def __init__(self, debugger: Debugger) -> None:
        self.debugger, self.clock = debugger, Clock()
        self._queue: asyncio.Queue[ServedLookup | ServedCall | None] = asyncio.Queue()
        self.done: asyncio.Future[RunSummary] = asyncio.get_running_loop().create_future()
        self.calls = self.lookups = 0

    @property
    def takes_more(self) -> bool:
        return not self.done.done() and self.calls + self.lookups < MOST_REQUESTS

    def put(self, request: ServedLookup | ServedCall) -> None:
        if isinstance(request, ServedCall):
            self.calls += 1
        else:
            self.lookups += 1
        self._queue.put_nowait(request)

    async def requests(self) -> AsyncIterator[ServedLookup | ServedCall]:
        while (request := await self._queue.get()) is not None:
            yield request

    async def close(self) -> RunSummary | None:
        self._queue.put_nowait(None)
        with contextlib.suppress(UserError):
            return await self.done
        return None
