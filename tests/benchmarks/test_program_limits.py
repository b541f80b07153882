"""How soon programs that would run for ever, or eat all memory, are stopped.

Target: 2 s each, and the loop that runs them never stands still (50 ms), on the clock: a bomb is in
a process of its own (`figures.py`).
"""

import asyncio
import time
from datetime import UTC, datetime
from typing import Any

import pytest
from benchmarks.figures import Figures
from fixtures.escapes import BOMBS

from toolplanner_core.domain.program import HostCall, HostFailure
from toolplanner_core.sandbox.monty import run_program

WITHIN_S = 2.0
PAUSE_S = 0.05
CALLS = 60


async def _stall_s(done: asyncio.Event) -> tuple[float, float]:
    """The longest that the loop did not come round: on the clock, and of its own."""
    longest_s, own_s = 0.0, 0.0
    while not done.is_set():
        began_s, began_own_s = time.perf_counter(), time.thread_time()
        await asyncio.sleep(0.005)
        own_s = max(own_s, time.thread_time() - began_own_s)
        longest_s = max(longest_s, time.perf_counter() - began_s - 0.005)
    return longest_s, own_s


@pytest.mark.slow
def test_bombs_when_they_go_off_then_each_is_stopped_soon(figures: Figures) -> None:
    now = datetime(2026, 3, 1, tzinfo=UTC)

    async def all_of_them() -> tuple[dict[str, float], tuple[float, float]]:
        seconds: dict[str, float] = {}
        done = asyncio.Event()
        watching = asyncio.ensure_future(_stall_s(done))
        for name, text in BOMBS.items():
            calls: list[str] = []

            async def answer(call: HostCall, calls: list[str] = calls) -> Any:
                calls.append(call.name)
                return {} if len(calls) < CALLS else HostFailure(message="enough")

            began_s = time.perf_counter()
            await run_program(text, functions=("search",), answer=answer, now=now, seed="1")
            seconds[name] = time.perf_counter() - began_s
        done.set()
        return seconds, await watching

    with figures.crowd() as crowd:
        seconds, (stall_s, own_s) = asyncio.run(all_of_them())
    slowest = max(seconds, key=lambda name: seconds[name])
    figures.note("longest pause of the loop beside bombs, own", own_s, "s")
    what = f"slowest of {len(seconds)} bombs to be stopped ({slowest})"
    rows = [
        figures.felt(what, seconds[slowest], WITHIN_S, crowd, share=1.0),
        figures.felt("longest pause of the loop beside bombs", stall_s, PAUSE_S, crowd, share=1.0),
    ]
    assert all(rows)
