"""Start runs: awaited on an event loop of the caller, or on a thread of their own.

`run` is for the command line and scripts. `EngineThread` is for the window: an own thread with an
own event loop, so that nothing a run does (planning, searching, waiting) blocks the screen. Both
run any number of runs at once; the workspace's one writer keeps their logs apart and in order.
"""

import asyncio
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import TypedDict, Unpack

from toolplanner_core.domain.ids import RunId
from toolplanner_core.runs.catalogue.workspace_catalogue import WorkspaceCatalogue
from toolplanner_core.runs.config.spec import RunSpec, RunSummary
from toolplanner_core.runs.debugging.debugger import Debugger
from toolplanner_core.runs.engine.execution import execute
from toolplanner_core.runs.engine.interrupted import mark_interrupted
from toolplanner_core.runs.engine.run_parts import RunJob, RunParts, prepare
from toolplanner_core.runs.events.event import Record
from toolplanner_core.runs.judging.oracle import Oracle
from toolplanner_core.runs.log.clock import Clock
from toolplanner_core.runs.log.run_log import RecordListener
from toolplanner_core.runs.stages.live_replies import LiveReplyListener
from toolplanner_core.workspace import Workspace

__all__ = ["EngineThread", "RunHandle", "execute", "mark_interrupted", "prepare", "run"]

Guest = Callable[[WorkspaceCatalogue, asyncio.Event], Coroutine[object, object, None]]
"""What goes on beside the runs of an engine: gets its catalogue, and an event that is set when it
shall end."""
OnEnd = Callable[[RunSummary | None, BaseException | None], None]
"""Gets the summary, or None and the error when the run could not begin or be written."""


class RunOptions(TypedDict, total=False):
    """Who is with a run; see `RunJob`."""

    parts: RunParts | None
    catalogue: WorkspaceCatalogue | None
    listener: RecordListener | None
    cancel: asyncio.Event | None
    clock: Clock | None
    debugger: Debugger | None
    oracle: Oracle | None
    on_speech: LiveReplyListener | None
    trial: str


async def run(workspace: Workspace, spec: RunSpec, **company: Unpack[RunOptions]) -> RunSummary:
    """Run a query to its end. A failed, stopped or broken run is a result, not an exception.

    Args:
        company: as the attributes of `RunJob`.

    Raises:
        UserError: the spec names something that is not there, or the workspace cannot be written.
    """
    return await execute(RunJob(workspace=workspace, spec=spec, **company))


class RunHandle:
    """A run on an `EngineThread`; any thread may use it.

    Attributes:
        run_id: number of the run, None until its first events have come.
        clock: the run's own, to be read while it goes on.
        stop_event: set when the run shall stop; of the engine's loop.
    """

    def __init__(
        self, loop: asyncio.AbstractEventLoop, on_records: RecordListener | None = None
    ) -> None:
        self._loop, self._on_records = loop, on_records
        self.stop_event = asyncio.Event()
        self.run_id: RunId | None = None
        self.clock = Clock()
        self.done: Future[RunSummary] = Future()

    def hear(self, records: list[Record]) -> None:
        """Events of the run have come; on the engine's thread."""
        self.run_id = records[0].run
        if self._on_records is not None:
            self._on_records(records)

    def cancel(self) -> None:
        """Ask the run to stop; its end is an event like every other."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self.stop_event.set)

    def result(self, timeout_s: float | None = None) -> RunSummary:
        """Wait for the end. Never on the GUI thread.

        Raises:
            TimeoutError: it goes on.
            UserError: it could not begin or be written.
        """
        return self.done.result(timeout_s)


class GuestHandle:
    """What an `EngineThread` hosts; any thread may use it.

    Attributes:
        done: has its end, or why it broke.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self.ending = asyncio.Event()
        self.done: Future[None] = Future()

    def end(self) -> None:
        """Ask it to end."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self.ending.set)


class EngineThread:
    """A thread with an event loop on which runs happen. End it with `close` or `with`."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._catalogue = WorkspaceCatalogue(workspace)
        self._loop = asyncio.new_event_loop()
        self._running: set[RunHandle] = set()
        self._guests: set[GuestHandle] = set()
        self._lock = threading.Lock()
        self._is_closed = False
        self._thread = threading.Thread(
            target=self._serve, name=f"runs of {workspace.path.name}", daemon=True
        )
        self._thread.start()

    def start(
        self,
        spec: RunSpec,
        on_records: RecordListener | None = None,
        on_end: OnEnd | None = None,
        *,
        parts: RunParts | None = None,
        debugger: Debugger | None = None,
        on_speech: LiveReplyListener | None = None,
    ) -> RunHandle:
        """Start a run and return at once; any thread.

        Args:
            on_records: gets batches of records, on the engine's thread.
            on_end: called once after the last batch, on the engine's thread.
            on_speech: see `RunJob`.

        Raises:
            RuntimeError: the engine is closed.
        """
        handle = RunHandle(self._loop, on_records)
        job = RunJob(
            workspace=self._workspace,
            spec=spec,
            parts=parts,
            catalogue=self._catalogue,
            listener=handle.hear,
            cancel=handle.stop_event,
            clock=handle.clock,
            debugger=debugger,
            on_speech=on_speech,
        )
        with self._lock:
            if self._is_closed:
                raise RuntimeError("the engine is closed")
            self._running.add(handle)

        async def go() -> None:
            summary: RunSummary | None = None
            error: BaseException | None = None
            try:
                summary = await execute(job)
            except BaseException as caught:  # noqa: BLE001 - it belongs to whoever started the run
                error = caught
            with self._lock:
                self._running.discard(handle)
            if on_end is not None:
                on_end(summary, error)
            if summary is not None:
                handle.done.set_result(summary)
            elif error is not None:
                handle.done.set_exception(error)

        asyncio.run_coroutine_threadsafe(go(), self._loop)
        return handle

    def host(self, guest: Guest) -> GuestHandle:
        """Have something go on beside the runs until it ends, or the engine does; any thread.

        Raises:
            RuntimeError: the engine is closed.
        """
        handle = GuestHandle(self._loop)
        with self._lock:
            if self._is_closed:
                raise RuntimeError("the engine is closed")
            self._guests.add(handle)

        async def go() -> None:
            try:
                await guest(self._catalogue, handle.ending)
            except BaseException as error:  # noqa: BLE001 - it belongs to whoever began it
                handle.done.set_exception(error)
            else:
                handle.done.set_result(None)
            finally:
                with self._lock:
                    self._guests.discard(handle)

        asyncio.run_coroutine_threadsafe(go(), self._loop)
        return handle

    def close(self) -> None:
        """Stop all runs and guests, wait until their ends are written, end the thread. Safe to call
        twice."""
        with self._lock:
            self._is_closed = True
            running, guests = list(self._running), list(self._guests)
        for guest in guests:
            guest.end()
        for guest in guests:
            guest.done.exception()
        for handle in running:
            handle.cancel()
        for handle in running:
            handle.done.exception()
        if self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._catalogue.close()

    def __enter__(self) -> "EngineThread":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            self._loop.run_until_complete(self._loop.shutdown_default_executor())
            self._loop.close()
