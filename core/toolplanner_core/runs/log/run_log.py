"""The log of one run: numbers events, stores them in batches, hands them to a listener.

Events get their number at once and reach the disk at the next batch (50 ms or 100 events); whoever
needs certainty waits in `commit` (intent before effect). Batches go through the workspace's one
writer in order; after a batch that failed none follows, so the stored log never has a gap.
Listeners are called on the engine's thread.
"""

import asyncio
import contextlib
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from toolplanner_core.domain.ids import NodePath, RunId
from toolplanner_core.runs.events.event import Event, Record, record_of
from toolplanner_core.runs.events.fork import ReplayDiverged
from toolplanner_core.runs.log.clock import Clock
from toolplanner_core.runs.log.redaction import Redactor
from toolplanner_core.runs.log.tape import Diverged, Tape
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.blobs import pack, whole_json
from toolplanner_core.workspace.run_log import EventWriter, PackedRow

BATCH_EVENTS = 100
BATCH_S = 0.05

RecordListener = Callable[[list[Record]], None]
"""Gets batches in order, on the engine's thread; must be quick and must not raise."""


class RunLog:
    """Append-only log of one run. Make it on the engine's event loop.

    Args:
        first_seq: number of the first event; a fork goes on after its parent's prefix.
        listener: gets every record, in batches of at most 50 ms.
        redactor: blacks out secrets in each event before it is hashed, stored or shown.
        tape: events that are matched instead of being written (see `tape.py`).
    """

    def __init__(
        self,
        workspace: Workspace,
        run: RunId,
        *,
        clock: Clock,
        first_seq: int = 1,
        listener: RecordListener | None = None,
        redactor: Redactor | None = None,
        tape: Tape | None = None,
    ) -> None:
        self.run = run
        self.tape = tape or Tape()
        self._writer = EventWriter(workspace)
        self._clock = clock
        self._listener = listener
        self.redactor = redactor or Redactor()
        self._loop = asyncio.get_running_loop()
        self._lock = threading.Lock()
        self._next_seq = first_seq
        self._pending: list[PackedRow] = []
        self._heard: list[Record] = []
        self._is_barrier = False
        self._is_timer_set = False
        self._last: Future[None] | None = None

    def append(
        self,
        event: Event,
        *,
        path: NodePath,
        cause: int | None = None,
        barrier: bool = False,
    ) -> Record:
        """Add an event, or find it on the tape; any thread.

        Args:
            barrier: its batch must survive a power loss, not only a killed process.

        Raises:
            Diverged: the tape says something else.
            CancelledError: the recorded run was stopped here.
        """
        event, body, text = self._shown(event)
        try:
            recorded = self.tape.match(event, path=path, cause=cause)
        except Diverged as diverged:
            if not self.tape.end.is_strict:
                found = diverged.divergence
                said = ReplayDiverged(seq=found.seq, what=found.what, diff=found.diff)
                self.append(said, path=path, cause=found.seq or None)
            raise
        if recorded is not None:
            return recorded
        packed = pack(body, text)
        with self._lock:
            wall_us, mono_ns = self._clock.wall_us(), self._clock.mono_ns()
            record = record_of(
                self.run, self._next_seq, event, path, wall_us=wall_us, mono_ns=mono_ns, cause=cause
            )
            self._next_seq += 1
            self._pending.append(record.holding(packed))
            self._is_barrier = self._is_barrier or barrier
            if self._listener is not None:
                self._heard.append(record)
            if len(self._pending) >= BATCH_EVENTS:
                self._submit()
            must_set_timer = not self._is_timer_set
            self._is_timer_set = True
        if must_set_timer:
            self._loop.call_soon_threadsafe(self._loop.call_later, BATCH_S, self._tick)
        return record

    def _shown(self, event: Event) -> "tuple[Event, dict[str, Any], str]":
        """The event without secrets, with its fields and their JSON."""
        body = event.to_body()
        text = whole_json(body)
        if text and not self.redactor.may_hide(text):
            return event, body, text
        shown = self.redactor.event(event)
        if shown is event:
            return event, body, text
        body = shown.to_body()
        return shown, body, whole_json(body)

    async def commit(self) -> None:
        """Wait until all events so far are on disk.

        Raises:
            WorkspaceError: the file cannot be written; nothing after the failing batch is stored.
        """
        with self._lock:
            self._submit()
            last = self._last
        if last is not None:
            await self._settled(last)
            last.result()
        if self._writer.error is not None:
            raise self._writer.error

    async def _settled(self, write: Future[None]) -> None:
        """Wait for a write to end. It goes on when the waiting is cancelled: a batch taken back
        would be a gap. A third of the time of `asyncio.wrap_future` in a shield."""
        loop, waiter = self._loop, self._loop.create_future()

        def wake() -> None:
            if not waiter.done():
                waiter.set_result(None)

        def tell(_: Future[None]) -> None:
            with contextlib.suppress(RuntimeError):  # the loop was closed meanwhile
                loop.call_soon_threadsafe(wake)

        write.add_done_callback(tell)
        await waiter

    async def close(self) -> None:
        """Store and hand out the rest."""
        try:
            await self.commit()
        finally:
            self._hand_out()

    def _tick(self) -> None:
        with self._lock:
            self._is_timer_set = False
            self._submit()
        self._hand_out()

    def _hand_out(self) -> None:
        with self._lock:
            batch, self._heard = self._heard, []
        if batch and self._listener is not None:
            self._listener(batch)

    def _submit(self) -> None:
        """Hand the pending events to the writer; the caller holds the lock."""
        if not self._pending:
            return
        batch, self._pending = self._pending, []
        durable, self._is_barrier = self._is_barrier, False

        self._last = self._writer.submit(batch, durable=durable)
