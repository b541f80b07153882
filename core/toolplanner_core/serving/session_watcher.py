"""Who looks at the sessions of a gateway while they go on: the window that serves.

All is called on the loop of the gateway and must be quick.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from toolplanner_core.strategies.served import ServedLookup

if TYPE_CHECKING:
    from toolplanner_core.runs.config.spec import RunSpec
    from toolplanner_core.runs.debugging.debugger import Debugger
    from toolplanner_core.runs.events.event import Record
    from toolplanner_core.runs.log.clock import Clock
    from toolplanner_core.serving.pending_calls import HeldAt


class WatchedSession(Protocol):
    """What a client asks for, as it is looked at; `serving.session` has the real one."""

    @property
    def client(self) -> str:
        """Its name and version, for people."""
        ...

    @property
    def held(self) -> "tuple[HeldAt, ...]":
        """Its calls that wait for a person."""
        ...


class SessionWatcher(Protocol):
    """Hears of sessions, and gives their runs a debugger."""

    def joined(self, session: WatchedSession) -> None:
        """A client asks for something for the first time."""

    def looked_up(self, session: WatchedSession, lookup: ServedLookup) -> None:
        """A search was answered before the first call; the run of that call tells of it again."""

    def debugger_for(
        self, session: WatchedSession, spec: "RunSpec", on_change: Callable[[], None]
    ) -> "Debugger":
        """The debugger of a run that begins; it has to call `on_change` as its own."""
        ...

    def heard(self, session: WatchedSession, clock: "Clock", records: "list[Record]") -> None:
        """Events of its run have come; `clock` is that of the run."""

    def holds_changed(self, session: WatchedSession) -> None:
        """Other calls of its run are held."""

    def ended(self, session: WatchedSession) -> None:
        """Its run has ended; the next call begins another one."""

    def left(self, session: WatchedSession) -> None:
        """The client has left, as far as anybody can tell."""
