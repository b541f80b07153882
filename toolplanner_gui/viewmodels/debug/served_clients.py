"""The clients of a gateway as the window sees them, with what each asked for, line by line."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from heapq import nlargest
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from toolplanner_core.domain.ids import NodePath, RunId
from toolplanner_core.domain.nodes import NodeState

if TYPE_CHECKING:
    from toolplanner_core.runs.debugging.debugger import Debugger, Held
    from toolplanner_core.runs.events.event import Record
    from toolplanner_core.runs.tree.tree import RunTree
    from toolplanner_core.serving.pending_calls import HeldAt
    from toolplanner_core.serving.served_lines import ServedLine

MOST_LINES = 200
"""Shown, the newest ones; all of them stand in the runs."""
MOST_LEFT = 20
"""Clients that have left and are still shown, the last ones."""


class WaitingCall(NamedTuple):
    """A call of an agent that waits for a person.

    Attributes:
        shown: the resolved call, as `HeldCall.shown`.
        decide: gives leave once, or refuses. Quick.
        stop: where its run is held, to be stepped through; None where another process serves it.
    """

    id: str
    client: str
    shown: str
    decide: Callable[[bool], None]
    stop: "Held | None" = None


@dataclass(slots=True, kw_only=True, eq=False)
class ServedClient:
    """One client, or one run of it that another process serves.

    Attributes:
        since_s: seconds since 1970.
        left_s: the same of when it left, None while it is here.
        is_here: whether the gateway of this window serves it.
        run, tree: of what it asks for now; None until it calls something.
        calls: of all of its runs.
        last_error: what went wrong last, "" for nothing.
        searches: those that no run tells of yet.
        held: its calls that wait for a person.
        debugger: of its run, where this window serves it.
    """

    name: str
    since_s: float
    is_here: bool
    left_s: float | None = None
    run: RunId | None = None
    tree: "RunTree | None" = None
    calls: int = 0
    last_error: str = ""
    searches: "list[ServedLine]" = field(default_factory=lambda: [])
    held: "tuple[HeldAt, ...]" = ()
    debugger: "Debugger | None" = None
    _lines: "dict[object, ServedLine]" = field(default_factory=lambda: {})
    _began_s: float = 0.0

    def follow(
        self, tree: "RunTree", changed: Iterable[NodePath], records: "Sequence[Record]"
    ) -> None:
        """Its run has gone on: `changed` are the nodes of `tree` that `records` made others."""
        from toolplanner_core.serving.served_lines import requests_of, served_line

        run = records[0].run
        if run != self.run:
            self.run, self.searches = run, []
            self._began_s = (records[0].wall_us - records[0].mono_ns / 1e3) / 1e6
        self.tree = tree
        for node in requests_of(tree, changed):
            key = (run, node.path)
            line = served_line(run, node, tree, client=self.name, began_s=self._began_s)
            self.calls += key not in self._lines and not line.is_search
            self._lines[key] = line
            if line.state is NodeState.FAILED:
                self.last_error = f"{line.what}: {line.note}"

    def leave(self, *, now_s: float) -> None:
        """It has gone: what it asked for last is all that is kept of it."""
        self.left_s, self.held, self.debugger, self.tree = now_s, (), None, None
        for key in list(self._lines)[:-MOST_LINES]:
            del self._lines[key]

    @property
    def asked_s(self) -> float:
        """When it asked for something last, seconds since 1970."""
        return max((line.began_s for line in self.newest[:1]), default=self.since_s)

    @property
    def newest(self) -> "list[ServedLine]":
        """What it asked for last, the newest first."""
        return [*reversed(self.searches), *islice(reversed(self._lines.values()), MOST_LINES)]


def newest_lines(clients: Iterable[ServedClient]) -> "list[ServedLine]":
    """What all clients asked for last, the newest first."""
    lines = (line for client in clients for line in client.newest)
    return nlargest(MOST_LINES, lines, key=lambda line: line.began_s)
