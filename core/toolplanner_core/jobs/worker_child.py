"""The child's half of a worker: read a request, do it, send the answer.

Runs in the spawned process only. Messages are (kind, value) pairs, pickled with protocol 5; the
buffers of arrays follow as raw bytes, so they are neither copied into the pickle nor read-only on
arrival.
"""

import contextlib
import os
import pickle
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.connection import wait as wait_for
from multiprocessing.process import parent_process
from pathlib import Path
from typing import Any, TextIO, cast

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


def send(connection: Connection, message: object) -> None:
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


def receive(connection: Connection) -> Any:
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


def serve(requests: Connection, replies: Connection) -> None:
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


def _answer_one(requests: Connection, say: Callable[[str, Any], None]) -> None:
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
