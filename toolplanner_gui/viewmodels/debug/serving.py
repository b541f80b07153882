"""The gateway of the window: starts and stops it, knows its clients, and what waits for a person.

It serves in the thread of the run engine, so that nothing an agent asks for holds up the screen. A
session is a run: it is heard live here, and read from the file where another process serves it.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Collection
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal

from toolplanner_core.domain.ids import RunId, ToolkitId
from toolplanner_core.domain.plan import Status
from toolplanner_core.errors import NotFound
from toolplanner_core.serving.tickets import Ticket, decide_ticket, waiting_tickets
from toolplanner_gui.bridge.gui_thread import GuiThreadCalls
from toolplanner_gui.bridge.tasks import Tasks
from toolplanner_gui.viewmodels.debug.debug_session import DebugSession
from toolplanner_gui.viewmodels.debug.run_view import RunView
from toolplanner_gui.viewmodels.debug.served_clients import (
    MOST_LEFT,
    ServedClient,
    WaitingCall,
)

if TYPE_CHECKING:
    from toolplanner_core.runs.config.spec import RunSpec, RunSummary
    from toolplanner_core.runs.debugging.debugger import Debugger
    from toolplanner_core.runs.engine.runner import GuestHandle
    from toolplanner_core.runs.events.event import Record
    from toolplanner_core.runs.log.clock import Clock
    from toolplanner_core.serving.gateway import ListSize, ServedAt
    from toolplanner_core.serving.pending_calls import HeldAt
    from toolplanner_core.serving.profile import ServingProfile
    from toolplanner_core.serving.served_lines import ServedLine
    from toolplanner_core.serving.session_watcher import WatchedSession
    from toolplanner_core.strategies.served import ServedLookup
    from toolplanner_core.workspace import Workspace

_LOOK_EVERY_MS = 1000
_MOST_RECORDS = 2000
"""Of a run that another process serves, read at one look."""


class Serving(QObject):
    """The gateway of one open workspace. GUI thread.

    Attributes:
        at: where it answers; None while it does not.
        clients: those that this window serves, and the runs that others serve.
        gone: those that have left, the last one first; a few.
        kept: the profile of the workspace: which toolkits are served; None until it was read.
    """

    changed = Signal()
    """It was started or ended, or has other clients."""
    lines_changed = Signal()
    """Something was asked for, or answered."""
    waiting_changed = Signal()
    """Other calls wait for a person."""

    def __init__(
        self,
        run_view: RunView,
        debug: DebugSession,
        *,
        tasks: Tasks,
        calls: GuiThreadCalls,
        report: Callable[[BaseException], None],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._run_view, self._debug = run_view, debug
        self._tasks, self._calls, self._report = tasks, calls, report
        self._handle: GuestHandle | None = None
        self.is_starting = False
        self.at: ServedAt | None = None
        self.clients: list[ServedClient] = []
        self.gone: deque[ServedClient] = deque(maxlen=MOST_LEFT)
        self.kept: ServingProfile | None = None
        self._elsewhere: dict[RunId, ServedClient] = {}
        self._served_here: set[RunId] = set()
        """Their rows in the list of runs may still be those of before they began here, or ended."""
        self._tickets: tuple[Ticket, ...] = ()
        self.waiting: tuple[WaitingCall, ...] = ()
        self._timer = QTimer(self, interval=_LOOK_EVERY_MS)
        self._timer.timeout.connect(self.look)
        self._timer.start()
        self._tasks.spawn(self._read_kept(), owner=self)

    @property
    def is_on(self) -> bool:
        """Whether it serves, or is about to."""
        return self.is_starting or self.at is not None

    @property
    def words(self) -> str:
        """For the status bar; "" where nobody is served and nothing waits."""
        from toolplanner_core.words.formatting import counted

        here = sum(client.is_here for client in self.clients)
        said = f"serving {counted(here, 'client')}" if self.at is not None else ""
        waits = f"{counted(len(self.waiting), 'call')} of agents to decide" if self.waiting else ""
        return " · ".join(filter(None, (said, waits)))

    def forget_gone(self) -> None:
        """Show nothing more of clients that have left; their runs stay."""
        self.gone.clear()
        self.changed.emit()

    def start(self, profile: ServingProfile, *, port: int) -> None:
        """Serve at a port of this machine, 0 = any that is free; nothing if it serves already."""
        if not self.is_on:
            self.is_starting = True
            self.changed.emit()
            self._tasks.spawn(self._start(profile, port), owner=self)

    def stop(self) -> None:
        """End it: the runs of all clients end, and calls that wait are not made."""
        if self._handle is not None:
            self._handle.end()

    def is_served(self, toolkits: Collection[ToolkitId]) -> bool:
        """Whether agents get all of these toolkits where this workspace is served."""
        kept = self.kept
        if kept is None:
            return True
        is_chosen = kept.toolkits is None or kept.toolkits.issuperset(toolkits)
        return is_chosen and kept.without.isdisjoint(toolkits)

    def choose_toolkits(self, toolkits: Collection[ToolkitId], *, is_served: bool) -> None:
        """Serve toolkits, or do not, from the next call on."""

        async def flow() -> None:
            from toolplanner_core.serving.profiles import serve_toolkits

            workspace = self._run_view.workspace
            self.kept = await self._tasks.in_thread(
                lambda: serve_toolkits(workspace, toolkits, is_served=is_served)
            )
            self.changed.emit()

        self._tasks.spawn(flow(), owner=self)

    async def size_of(self, profile: ServingProfile) -> ListSize:
        """What its list would cost the context of a model, without serving anything."""
        from toolplanner_core.serving.gateway import size_of_list

        workspace = self._run_view.workspace
        return await self._tasks.in_thread(lambda: size_of_list(workspace, profile))

    async def _read_kept(self) -> None:
        from toolplanner_core.serving.profile import DEFAULT_PROFILE
        from toolplanner_core.serving.profiles import read_profile

        workspace = self._run_view.workspace
        self.kept = await self._tasks.in_thread(lambda: read_profile(workspace, DEFAULT_PROFILE))
        self.changed.emit()

    def look(self) -> None:
        """See what other processes serve of this workspace, and which of their calls wait."""
        if not self._tasks.runs_for(self):
            self._tasks.spawn(self._look(), owner=self)

    async def _start(self, profile: ServingProfile, port: int) -> None:
        from toolplanner_core.serving.gateway import serve_workspace

        engine = await self._tasks.in_thread(self._run_view.engine.get)
        if self._run_view.engine.is_released:
            return
        watcher = _Watcher(self, self._debug, self._calls)
        handle = engine.host(
            lambda search, ending: serve_workspace(
                self._run_view.workspace,
                profile,
                search,
                port=port,
                started=lambda at: self._calls.post(lambda: self._on_started(at)),
                ending=ending,
                watcher=watcher,
            )
        )
        self._handle = handle
        handle.done.add_done_callback(
            lambda done: self._calls.post(lambda: self._on_ended(done.exception()))
        )

    def _on_started(self, at: ServedAt) -> None:
        self.at, self.is_starting = at, False
        self.changed.emit()

    def _on_ended(self, error: BaseException | None) -> None:
        self._handle, self.at, self.is_starting = None, None, False
        for client in [each for each in self.clients if each.is_here]:
            self._let_go(client)
        self._show_waiting()
        self.changed.emit()
        if error is not None:
            self._report(error)

    async def _look(self) -> None:
        workspace, others = self._run_view.workspace, self._others()
        known = {
            run: 0 if client is None or client.tree is None else client.tree.last_seq
            for run in others
            for client in (self._elsewhere.get(run),)
        }

        def read() -> tuple[list[Ticket], dict[RunId, list[Record]]]:
            mine = str(workspace.path)
            tickets = [ticket for ticket in waiting_tickets() if ticket.workspace == mine]
            return tickets, {run: _read_on(workspace, run, after) for run, after in known.items()}

        tickets, found = await self._tasks.in_thread(read)
        for run, records in found.items():
            if run not in self._served_here:
                self._follow_elsewhere(others[run], records)
        self._forget_ended(set(found))
        if tuple(tickets) != self._tickets:
            self._tickets = tuple(tickets)
            self._show_waiting()

    def _others(self) -> dict[RunId, RunSummary]:
        """The runs that another process serves now."""
        return {
            summary.run: summary
            for summary in self._run_view.summaries
            if summary.strategy == "served"
            and summary.status is Status.RUNNING
            and summary.run not in self._served_here
        }

    def _follow_elsewhere(self, summary: RunSummary, records: list[Record]) -> None:
        from toolplanner_core.runs.tree.tree import RunTree
        from toolplanner_core.serving.served_lines import client_of_query

        client = self._elsewhere.get(summary.run)
        if client is None:
            client = self._elsewhere[summary.run] = ServedClient(
                name=client_of_query(summary.query),
                since_s=summary.started_us / 1e6,
                is_here=False,
                tree=RunTree(),
            )
            self.clients.append(client)
            self.changed.emit()
        if records and client.tree is not None:
            client.follow(client.tree, client.tree.apply(records), records)
            self.lines_changed.emit()

    def _forget_ended(self, going: set[RunId]) -> None:
        over = [run for run in self._elsewhere if run not in going]
        for run in over:
            self._let_go(self._elsewhere.pop(run))
        if over:
            self.changed.emit()

    def _let_go(self, client: ServedClient) -> None:
        self.clients.remove(client)
        client.leave(now_s=time.time())
        if client.newest:
            self.gone.appendleft(client)

    def _show_waiting(self) -> None:
        """Bring together what waits here and, by tickets, in other processes."""
        own = [
            WaitingCall(
                at.call.id,
                client.name,
                at.call.shown,
                partial(self._decide_here, at),
                stop=at.stop,
            )
            for client in self.clients
            for at in client.held
        ]
        known = {each.id for each in own}
        others = [
            WaitingCall(
                ticket.id, ticket.client, ticket.shown, partial(self._decide_elsewhere, ticket)
            )
            for ticket in self._tickets
            if ticket.id not in known
        ]
        self.waiting = (*own, *others)
        self.waiting_changed.emit()

    def _decide_here(self, at: HeldAt, is_allowed: bool) -> None:
        from toolplanner_core.domain.stop_points import Choice
        from toolplanner_core.runs.debugging.stops import StopDecision
        from toolplanner_core.serving.pending_calls import LEAVE_ONCE

        decision = (
            StopDecision(choice=Choice.TAKE, taken=LEAVE_ONCE)
            if is_allowed
            else StopDecision(choice=Choice.SKIP)
        )
        self._debug.decide_at(at.stop, decision)

    def _decide_elsewhere(self, ticket: Ticket, is_allowed: bool) -> None:
        async def flow() -> None:
            await self._tasks.in_thread(lambda: decide_ticket(ticket, allows=is_allowed))

        self._tasks.spawn(flow(), owner=self)
        self._tickets = tuple(each for each in self._tickets if each is not ticket)
        self._show_waiting()

    # What the watcher hears, on this thread.

    def joined(self, client: ServedClient) -> None:
        """A client asks for something for the first time."""
        self.clients.append(client)
        self.changed.emit()

    def left(self, client: ServedClient) -> None:
        """A client has left."""
        if client in self.clients:
            self._let_go(client)
            self.changed.emit()

    def looked_up(self, client: ServedClient, line: ServedLine) -> None:
        """A search was answered before the first call."""
        client.searches.append(line)
        self.lines_changed.emit()

    def heard(self, client: ServedClient, clock: Clock, records: list[Record]) -> None:
        """The run of a client has gone on."""
        run = records[-1].run
        self._run_view.hear_served(clock, records)
        tree = self._run_view.served_tree(run)
        is_new = client.run != run
        if is_new:
            self._is_served_here(run)
        if tree is None:
            return
        client.follow(tree, [record.path for record in records], records)
        if client.debugger is not None:
            self._debug.heard_served(client.debugger, run, records)
        self.lines_changed.emit()
        if is_new:
            self.changed.emit()

    def _is_served_here(self, run: RunId) -> None:
        """A run that may have been seen in the list before this window heard of it."""
        self._served_here.add(run)
        if (seen := self._elsewhere.pop(run, None)) is not None:
            self.clients.remove(seen)

    def holds_changed(self, client: ServedClient, held: tuple[HeldAt, ...]) -> None:
        """Other calls of a client are held, or wait for a person."""
        client.held = held
        self._debug.adopted_changed()
        self._show_waiting()

    def ended(self, client: ServedClient) -> None:
        """The run of a client has ended."""
        client.held = ()
        if client.debugger is not None:
            self._debug.dismiss(client.debugger)
            client.debugger = None
        if client.run is not None:
            self._run_view.end_served(client.run)
        self._show_waiting()

    def began(self, client: ServedClient, debugger: Debugger) -> None:
        """A run of a client begins."""
        client.debugger = debugger
        self._debug.adopt(debugger)


def _read_on(workspace: Workspace, run: RunId, after: int) -> list[Record]:
    from toolplanner_core.runs.log.stored_runs import read_typed

    try:
        return read_typed(workspace, run, after=after, limit=_MOST_RECORDS)
    except NotFound:
        return []  # deleted elsewhere; the list of runs, read anew, says so


class _Watcher:
    """Hears the sessions of the gateway on its thread, and passes on to the window's."""

    def __init__(self, serving: Serving, debug: DebugSession, calls: GuiThreadCalls) -> None:
        self._serving, self._debug, self._calls = serving, debug, calls
        self._clients: dict[WatchedSession, ServedClient] = {}

    def joined(self, session: WatchedSession) -> None:
        """As `SessionWatcher`; so are the others."""
        client = ServedClient(name=session.client, since_s=time.time(), is_here=True)
        self._clients[session] = client
        self._calls.post(lambda: self._serving.joined(client))

    def looked_up(self, session: WatchedSession, lookup: ServedLookup) -> None:
        from toolplanner_core.serving.served_lines import line_of_lookup

        client = self._clients[session]
        line = line_of_lookup(lookup, client=client.name, now_s=time.time())
        self._calls.post(lambda: self._serving.looked_up(client, line))

    def debugger_for(
        self, session: WatchedSession, spec: RunSpec, on_change: Callable[[], None]
    ) -> Debugger:
        made = self._debug.debugger_of_agent(spec, on_change)
        client = self._clients[session]
        self._calls.post(lambda: self._serving.began(client, made))
        return made

    def heard(self, session: WatchedSession, clock: Clock, records: list[Record]) -> None:
        client = self._clients[session]
        self._calls.post(lambda: self._serving.heard(client, clock, records))

    def holds_changed(self, session: WatchedSession) -> None:
        client, held = self._clients[session], session.held
        self._calls.post(lambda: self._serving.holds_changed(client, held))

    def ended(self, session: WatchedSession) -> None:
        client = self._clients[session]
        self._calls.post(lambda: self._serving.ended(client))

    def left(self, session: WatchedSession) -> None:
        client = self._clients.pop(session)
        self._calls.post(lambda: self._serving.left(client))
