"""Heavy work in a process of its own, which can be killed: the parent's half and the child's.

The child reads one request after the other, does it and sends reports, pieces and the result;
arrays travel out of band.
"""

import contextlib
import multiprocessing
import multiprocessing.connection
import os
import pickle
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from multiprocessing.connection import wait as wait_for
from multiprocessing.process import parent_process
from pathlib import Path
from typing import Any, TextIO, TypeVar, cast

from toolplanner_core.errors import ToolPlannerError, WorkerDied
from toolplanner_core.jobs.progress import Progress

if sys.platform == "win32":
    from multiprocessing.connection import PipeConnection as PipeEnd
else:
    from multiprocessing.connection import Connection as PipeEnd

READY, REPORT, PIECE, DONE, FAILED = "ready", "report", "piece", "done", "failed"

_REPORT_EVERY_S = 0.02
_ORPHANED_EXIT_CODE = 75
_BLAS_THREADS = max(1, (os.cpu_count() or 2) // 2)


@dataclass(frozen=True, slots=True)
class Request:
    """What the worker shall do: one call."""

    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    wants_pieces: bool


def send(connection: PipeEnd, message: object) -> None:
    """Send one object; arrays go out of band.

    Raises:
        OSError: the other side is gone.
    """
    buffers: list[pickle.PickleBuffer] = []
    head = pickle.dumps(message, protocol=5, buffer_callback=buffers.append)
    views = [buffer.raw() for buffer in buffers]
    connection.send_bytes(pickle.dumps([view.nbytes for view in views]))
    connection.send_bytes(head)
    for view in views:
        if view.nbytes:
            connection.send_bytes(view)


def receive(connection: PipeEnd) -> Any:
    """Receive one object that `send` sent; its arrays are writable.

    Raises:
        EOFError: the other side closed the pipe.
        OSError: the pipe broke in the middle.
    """
    # Both ends are our own processes on this machine, so unpickling trusts nobody else.
    sizes: list[int] = pickle.loads(connection.recv_bytes())  # noqa: S301
    head = connection.recv_bytes()
    buffers: list[bytearray] = []
    for size in sizes:
        buffer = bytearray(size)
        if size:
            connection.recv_bytes_into(buffer)
        buffers.append(buffer)
    return pickle.loads(head, buffers=buffers)  # noqa: S301


class Reporter:
    """What a worker function gets as `report`: sends at most 50 reports a second and stage ends."""

    def __init__(self, say: Callable[[str, Any], None]) -> None:
        self._say = say
        self._stage = ""
        self._said_s = 0.0

    def __call__(self, stage: str, done: int, total: int | None = None, unit: str = "APIs") -> None:
        """Say where the work stands; as `Progress.report`."""
        now_s = time.monotonic()
        is_edge = stage != self._stage or (total is not None and done >= total)
        if is_edge or now_s - self._said_s >= _REPORT_EVERY_S:
            self._stage, self._said_s = stage, now_s
            self._say(REPORT, (stage, done, total, unit))


def serve(requests: PipeEnd, replies: PipeEnd) -> None:
    """Answer requests until the parent closes the pipe. The target of the spawned process."""
    _prepare_process()
    lock = threading.Lock()

    def say(kind: str, value: Any) -> None:
        with lock:
            send(replies, (kind, value))

    with contextlib.suppress(OSError, EOFError):  # the parent wants nothing more: just end
        say(READY, None)
        while True:
            _answer_one(requests, say)
    # Skip the interpreter's shutdown: native thread pools may hang or crash there, and all answers
    # are out.
    os._exit(0)


def _answer_one(requests: PipeEnd, say: Callable[[str, Any], None]) -> None:
    try:
        request: Request = receive(requests)
        extra: dict[str, Any] = {"report": Reporter(say)}
        if request.wants_pieces:
            extra["emit"] = lambda value: say(PIECE, value)  # pyright: ignore[reportUnknownLambdaType]
        with _half_of_the_cores():
            answer = (DONE, request.function(*request.args, **request.kwargs, **extra))
    except (EOFError, BrokenPipeError):
        raise
    except BaseException as error:  # noqa: BLE001 - whatever it is belongs to whoever waits
        answer = (FAILED, _failure(error))
    try:
        say(*answer)
    except (pickle.PicklingError, TypeError, AttributeError) as error:
        say(FAILED, _failure(error))


def _half_of_the_cores() -> contextlib.AbstractContextManager[object]:
    """Let matrix products use half of the cores.

    OpenBLAS gives each core a part and waits for the last one; when another program holds a core,
    all wait for it, spinning. Measured on 2 busy cores: the SVD of `lsa` 87 s instead of 4 s, the
    neighbours of 16,000 APIs 25 s instead of 8 s. On quiet ones half of the cores cost little.
    """
    from threadpoolctl import threadpool_limits

    return threadpool_limits(limits=_BLAS_THREADS, user_api="blas")


def _prepare_process() -> None:
    # For copies of OpenBLAS that are loaded later (scipy has its own); see _half_of_the_cores.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", str(_BLAS_THREADS))
    # Ctrl+C reaches the whole process group; the parent decides what becomes of the worker.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True, name="parent watch").start()
    if os.name == "posix":
        _unlink_semaphores_at_once()
    # A program without console has no streams, and libraries print; standard output belongs to the
    # command line's one JSON document.
    for name in ("stdout", "stderr"):
        if cast(TextIO | None, getattr(sys, name)) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - for good
    with contextlib.suppress(OSError):
        os.dup2(2, 1)


def _unlink_semaphores_at_once() -> None:
    """Let no named semaphore outlive this process.

    Libraries such as tqdm make some. A killed worker could not remove them, and the parent's
    resource tracker would warn about them on the terminal. Unlinked ones work on for whoever holds
    them, and a worker has no children that would have to find them by name.
    """
    import _multiprocessing  # pyright: ignore[reportMissingImports] - CPython has no stub
    from multiprocessing import resource_tracker

    register = resource_tracker.register

    def register_or_unlink(name: str, kind: str) -> None:
        if kind == "semaphore":
            _multiprocessing.sem_unlink(name)
        else:
            register(name, kind)

    resource_tracker.register = register_or_unlink


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        wait_for([parent.sentinel])
        os._exit(_ORPHANED_EXIT_CODE)


def _failure(error: BaseException) -> tuple[BaseException, str]:
    trace = "".join(traceback.format_exception(error))
    error.__traceback__ = error.__cause__ = error.__context__ = None
    try:
        pickle.loads(pickle.dumps(error))  # noqa: S301
    except Exception:  # noqa: BLE001 - an exception class of a library can fail in any way here
        return RuntimeError(f"{type(error).__name__}: {error}"), trace
    return error, trace


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
            raise _raised_in_child(value, self._what)
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


def _send_request(connection: PipeEnd, request: Request) -> None:
    # On a thread of its own: large arguments fill the pipe until the worker reads, and a worker
    # that never reads must not keep the caller from being cancelled. A broken or closed pipe means
    # the worker has died, which the listening side reports.
    with contextlib.suppress(OSError):
        send(connection, request)


def _raised_in_child(value: tuple[BaseException, str], what: str) -> BaseException:
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
