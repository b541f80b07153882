"""`toolplanner serve --http --step|--break`: calls of agents are held, and decided in a terminal.

The commands are those of `toolplanner run --step`, for the call that is shown; the others wait.
"""

import queue
import sys
import threading
from collections.abc import Callable, Sequence

from toolplanner_core.cli.stepping import describe, do_command
from toolplanner_core.cli.terminal import say
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.runs.debugging.breakpoints import Breakpoint
from toolplanner_core.runs.debugging.debugger import Debugger, Held
from toolplanner_core.runs.events.event import Record
from toolplanner_core.runs.log.clock import Clock
from toolplanner_core.serving.session_watcher import WatchedSession
from toolplanner_core.strategies.served import ServedLookup


class SteppedSessions:
    """The runs of all clients under debuggers, with commands from stdin; a `SessionWatcher`."""

    def __init__(self, breakpoints: Sequence[Breakpoint], *, step: bool) -> None:
        self._breakpoints, self._step = breakpoints, step
        self._debuggers: dict[WatchedSession, Debugger] = {}
        self._changes: queue.SimpleQueue[None] = queue.SimpleQueue()
        # It reads from a terminal, which nobody can interrupt: it ends with the process.
        threading.Thread(target=self._talk, name="commands", daemon=True).start()

    def debugger_for(
        self, session: WatchedSession, spec: RunSpec, on_change: Callable[[], None]
    ) -> Debugger:
        """As `SessionWatcher`; so are the others."""
        del spec

        def changed() -> None:
            on_change()
            self._changes.put(None)

        made = Debugger(
            self._breakpoints,
            step=self._step,
            hold="one",
            on_change=changed,
            client=session.client,
        )
        self._debuggers[session] = made
        return made

    def ended(self, session: WatchedSession) -> None:
        self._debuggers.pop(session, None)

    def joined(self, session: WatchedSession) -> None:
        say(f"{session.client} is here")

    def left(self, session: WatchedSession) -> None:
        say(f"{session.client} has left")

    def looked_up(self, session: WatchedSession, lookup: ServedLookup) -> None:
        pass

    def heard(self, session: WatchedSession, clock: Clock, records: list[Record]) -> None:
        pass

    def holds_changed(self, session: WatchedSession) -> None:
        pass

    def _talk(self) -> None:
        shown: Held | None = None
        while True:
            self._changes.get()
            while (first := self._first_held()) is not None:
                session, debugger, held = first
                if held is not shown:
                    say(f"\n{session.client}")
                    for line in describe(held):
                        say(line)
                    shown = held
                sys.stderr.write("(step) ")
                sys.stderr.flush()
                if not (line := sys.stdin.readline()):
                    self._go_on()
                    return
                do_command(line, debugger, held)

    def _first_held(self) -> tuple[WatchedSession, Debugger, Held] | None:
        for session, debugger in list(self._debuggers.items()):
            if debugger.held:
                return session, debugger, debugger.held[0]
        return None

    def _go_on(self) -> None:
        """Nobody gives commands any more: nothing is held from now on."""
        self._breakpoints, self._step = (), False
        for debugger in list(self._debuggers.values()):
            debugger.detach()
