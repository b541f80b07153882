"""How long an asyncio loop is held by its callbacks, for benchmarks."""

import asyncio
import gc
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager

import pytest


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
