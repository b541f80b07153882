"""How long an asyncio loop is held by its callbacks, for benchmarks."""

import asyncio
import gc
import os
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

_THREADS = Path("/proc/self/task")


class LoopTurns:
    """Every callback that a loop of this thread runs.

    Attributes:
        longest_s: processor seconds of this thread in its longest callback. What other programs and
            threads hold the processor for is not in it.
        callbacks: how many there were.
    """

    def __init__(self) -> None:
        self.longest_s = 0.0
        self.callbacks = 0


@contextmanager
def watched_turns() -> Generator[LoopTurns]:
    """Watch all callbacks of loops that run in this thread while the body lasts.

    Nothing of the benchmark's own may compute in such a loop: it would be measured. What earlier
    tests left in memory is kept from the garbage collector, which would look through it.
    """
    turns, thread, run = LoopTurns(), threading.get_ident(), asyncio.Handle._run

    def timed(handle: asyncio.Handle) -> None:
        began_s = time.thread_time()
        run(handle)
        if threading.get_ident() == thread:
            turns.longest_s = max(turns.longest_s, time.thread_time() - began_s)
            turns.callbacks += 1

    gc.collect()
    gc.freeze()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(asyncio.Handle, "_run", timed)
        yield turns
    gc.unfreeze()


def waited_s() -> float:
    """How long threads of this process could have computed and other programs did, all together.

    0.0 where the system does not say it: all but Linux.
    """
    waited_ns = 0
    for thread in _THREADS.glob("*/schedstat"):
        try:
            waited_ns += int(thread.read_text().split()[1])
        except (OSError, IndexError):
            continue  # it has ended
    return waited_ns / 1e9


class ThreadWaits:
    """How long the thread that makes it could have computed while others did; cheap to ask often.

    It waits for nobody where the system does not say it: all but Linux.
    """

    def __init__(self) -> None:
        try:
            self._file = os.open("/proc/thread-self/schedstat", os.O_RDONLY)
        except OSError:
            self._file = -1

    def s(self) -> float:
        """Since the thread began."""
        return 0.0 if self._file < 0 else int(os.pread(self._file, 100, 0).split()[1]) / 1e9

    def close(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


async def longest_stall_s(done: asyncio.Event, *, look_s: float = 0.005) -> float:
    """The longest that the loop did not come round until something is done, be it that it computed,
    waited or was kept from the processor by threads of its own process; other programs apart."""
    longest_s, waiting_s = 0.0, waited_s()
    while not done.is_set():
        began_s, before_s = time.perf_counter(), waiting_s
        await asyncio.sleep(look_s)
        took_s, waiting_s = time.perf_counter() - began_s - look_s, waited_s()
        longest_s = max(longest_s, took_s - max(0.0, waiting_s - before_s))
    return longest_s


def compute() -> float:
    """Use the processor, to see that it is measured; how long, of this thread."""
    began_s = time.thread_time()
    sum(range(10_000_000))
    return time.thread_time() - began_s
