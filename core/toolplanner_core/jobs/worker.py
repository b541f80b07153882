"""Heavy work in a process of its own, which can be killed.

Embedding, clustering and layouts hold the GIL or crash inside native code; from a thread they make
the window stutter and cannot be stopped. `run_in_worker` runs one top-level function in a *spawned*
process, forwards its progress and hands back its result; a `Worker` answers several.

The child's half of the conversation is `jobs/worker_child.py`. Nothing of the parent is inherited
but the arguments, so it works the same under Qt, in a frozen program (its entry point calls
`multiprocessing.freeze_support()` first) and under pytest.
"""

import contextlib
import multiprocessing
import multiprocessing.connection
import signal
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection
from typing import Any, TypeVar, cast

from toolplanner_core.errors import ToolPlannerError, WorkerDied
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.jobs.worker_child import (
    DONE,
    FAILED,
    PIECE,
    REPORT,
    Request,
    receive,
    send,
    serve,
)

T = TypeVar("T")

_POLL_S = 0.05
"""How often a cancel is looked for while the worker is silent; it is killed within two of these."""
_SENDER_ENDS_S = 5.0
"""How long the rest of a request may hold up the end, should anybody else hold the pipe."""


def run_in_worker(
    function: Callable[..., T],
    /,
    *args: Any,
    progress: Progress,
    what: str,
    on_piece: Callable[[Any], None] | None = None,
    **kwargs: Any,
) -> T:
    """Run `function(*args, **kwargs, report=...)` in a spawned process and return its result.

    Blocks; call it from a thread that may wait. Arrays travel out of band (pickle protocol 5) and
    arrive writable.

    Args:
        function: importable by name (top level of a module). It gets the keyword `report`, called
            as `report(stage, done, total, unit)` like `Progress.report`, and may call it as often
            as it likes.
        progress: gets the worker's reports on the calling thread; cancelling it kills the worker
            within 200 ms.
        what: the work in lower case, for messages: "layout" gives "The layout worker was killed".
        on_piece: when given, `function` also gets the keyword `emit`, and each `emit(value)` calls
            `on_piece(value)` here, in order. So results that are already there survive a cancel.

    Raises:
        Cancelled: `progress.cancel` was called.
        WorkerDied: the process ended without an answer.
        ToolPlannerError: whatever the function raised; other exceptions come through as well, with
            the worker's traceback as a note.
    """
    with contextlib.closing(Worker(what)) as worker:
        return worker.call(function, *args, progress=progress, on_piece=on_piece, **kwargs)


class Worker:
    """A spawned process that answers one call after the other, until `close`.

    For what is loaded once and asked often, such as a torch model: the functions it calls keep
    their state in their own modules. One thread at a time; a call that fails by cancelling or by
    the worker's death ends the worker.

    Args:
        what: the work in lower case, for messages.
    """

    def __init__(self, what: str) -> None:
        self._what = what
        self._is_ready = False
        self._sender: threading.Thread | None = None
        context = multiprocessing.get_context("spawn")
        requests_out, self._requests = context.Pipe(duplex=False)
        self._replies, replies_in = context.Pipe(duplex=False)
        self._process = context.Process(
            target=serve,
            args=(requests_out, replies_in),
            name=f"ToolPlanner {what} worker",
            daemon=True,
        )
        try:
            self._process.start()
        finally:
            # Our copies of the worker's ends would keep the pipes open after its death.
            requests_out.close()
            replies_in.close()

    def call(
        self,
        function: Callable[..., T],
        /,
        *args: Any,
        progress: Progress,
        on_piece: Callable[[Any], None] | None = None,
        **kwargs: Any,
    ) -> T:
        """As `run_in_worker`, in this worker."""
        request = Request(function, args, kwargs, wants_pieces=on_piece is not None)
        self._sender = threading.Thread(
            target=_send_request,
            args=(self._requests, request),
            daemon=True,
            name=f"to {self._what} worker",
        )
        self._sender.start()
        try:
            kind, value = self._listen(progress, on_piece)
        except BaseException:
            # Cancelled or interrupted: nothing the worker could still do is wanted.
            self.close()
            raise
        if kind == FAILED:
            raise _failure(value, self._what)
        return cast(T, value)

    def close(self) -> None:
        """Kill the process. Safe to call twice."""
        with contextlib.suppress(ValueError):  # closed already
            self._process.kill()
            self._process.join()
            self._process.close()
        if self._sender is not None:
            # Its pipe is broken now. A connection that is closed while it writes has no file under
            # it any more, and says so with a TypeError.
            self._sender.join(_SENDER_ENDS_S)
        self._requests.close()
        self._replies.close()

    def _listen(
        self, progress: Progress, on_piece: Callable[[Any], None] | None
    ) -> tuple[str, Any]:
        while True:
            progress.check()
            if not multiprocessing.connection.wait(
                [self._replies, self._process.sentinel], timeout=_POLL_S
            ):
                continue
            # The last words of a worker that has ended are still in the pipe, and an end of file
            # here can come shortly before its sentinel.
            try:
                kind, value = receive(self._replies)
            except (EOFError, OSError) as error:
                self._process.join(timeout=5.0)
                raise _died(self._process.exitcode, self._what, self._is_ready) from error
            self._is_ready = True
            if kind == REPORT:
                progress.report(*value)
            elif kind == PIECE and on_piece is not None:
                on_piece(value)
            elif kind in (DONE, FAILED):
                return kind, value


def _send_request(connection: Connection, request: Request) -> None:
    # On a thread of its own: large arguments fill the pipe until the worker reads, and a worker
    # that never reads must not keep the caller from being cancelled. A broken or closed pipe means
    # the worker has died, which the listening side reports.
    with contextlib.suppress(OSError):
        send(connection, request)


def _failure(value: tuple[BaseException, str], what: str) -> BaseException:
    error, trace = value
    if isinstance(error, MemoryError):
        return WorkerDied(f"The {what} worker ran out of memory", todo=_MEMORY_TODO)
    if not isinstance(error, ToolPlannerError):
        error.add_note(f"In the {what} worker:\n{trace}")
    return error


_MEMORY_TODO = "Close other programs or work on fewer APIs, then try again"


def _died(exit_code: int | None, what: str, is_ready: bool) -> WorkerDied:
    if exit_code is not None and exit_code < 0:
        number = -exit_code
        if number == signal.SIGTERM or number == getattr(signal, "SIGKILL", 9):
            return WorkerDied(
                f"The {what} worker was killed (signal {number})",
                why="It may have run out of memory",
                todo=_MEMORY_TODO,
            )
        return WorkerDied(
            f"The {what} worker crashed (signal {number})",
            why="A native library failed",
            todo="Try again; if it happens each time, report it with the data that leads to it",
        )
    if not is_ready:
        return WorkerDied(
            f"The {what} worker could not start (exit code {exit_code})",
            why="Its first lines on the error output say what was missing",
            todo="A script that uses the library needs: if __name__ == '__main__'",
        )
    return WorkerDied(
        f"The {what} worker ended without an answer (exit code {exit_code})",
        why="It may have run out of memory",
        todo=_MEMORY_TODO,
    )
