"""How soon programs that would run for ever, or eat all memory, are stopped.

Target: 2 s each, and the loop that runs them never stands still (50 ms), on the clock: a bomb is in
a process of its own (`figures.py`). What other programs take is no part of it: a bomb that was slow
beside them is thrown again, and the loop stands still only where it, or a thread of its process,
holds it up.
"""

import asyncio
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from benchmarks.figures import MARGIN, Figures
from benchmarks.loop_turns import compute, longest_stall_s, watched_turns
from fixtures.escapes import BOMBS

from toolplanner_core.domain.program import HostCall, HostFailure
from toolplanner_core.sandbox.monty import run_program

WITHIN_S = 2.0
PAUSE_S = 0.05
CALLS = 60
AGAIN = 12
"""Throws of bombs that were slow, at most: one that is slow by itself stays so."""
HELD_S = 0.2
NOW = datetime(2026, 3, 1, tzinfo=UTC)


def wait() -> float:
    """Wait as what asks the disk or another process does; how long."""
    threading.Event().wait(HELD_S)
    return HELD_S


async def _stopped_after_s(text: str) -> float:
    calls: list[str] = []

    async def answer(call: HostCall) -> Any:
        calls.append(call.name)
        return {} if len(calls) < CALLS else HostFailure(message="enough")

    began_s = time.perf_counter()
    await run_program(text, functions=("search",), answer=answer, now=NOW, seed="1")
    return time.perf_counter() - began_s


async def _all_stopped_after_s() -> tuple[dict[str, float], float]:
    """Of each bomb; and how long the loop stood still at most."""
    done = asyncio.Event()
    watching = asyncio.ensure_future(longest_stall_s(done))
    await asyncio.sleep(0)  # it has begun
    seconds = {name: await _stopped_after_s(text) for name, text in BOMBS.items()}
    done.set()
    return seconds, await watching


@pytest.mark.slow
def test_bombs_when_they_go_off_then_each_is_stopped_soon(figures: Figures) -> None:
    with figures.crowd() as crowd, watched_turns() as turns:
        seconds, stall_s = asyncio.run(_all_stopped_after_s())
    target_s = figures.felt_target_s(WITHIN_S, crowd, share=1.0)
    to_target = {name: each_s / target_s for name, each_s in seconds.items()}
    for _ in range(AGAIN):
        slowest = max(to_target, key=lambda name: to_target[name])
        if to_target[slowest] <= MARGIN:
            break
        with figures.crowd() as crowd:
            again_s = asyncio.run(_stopped_after_s(BOMBS[slowest]))
        target_s = figures.felt_target_s(WITHIN_S, crowd, share=1.0)
        to_target[slowest] = min(to_target[slowest], again_s / target_s)
    slowest = max(to_target, key=lambda name: to_target[name])
    what = f"slowest of {len(to_target)} bombs to be stopped ({slowest}), to its target"
    rows = [
        figures.hold(what, to_target[slowest], 1.0),
        figures.felt("longest pause of the loop beside bombs", stall_s, PAUSE_S, crowd, share=1.0),
        figures.seconds("longest own turn of the loop beside bombs", turns.longest_s, PAUSE_S),
    ]
    assert all(rows)


@pytest.mark.parametrize("how", [compute, wait])
def test_stall_when_the_loop_computes_or_waits_then_it_is_seen(how: Callable[[], float]) -> None:
    async def held_up() -> tuple[float, float]:
        done = asyncio.Event()
        watching = asyncio.ensure_future(longest_stall_s(done))
        await asyncio.sleep(0)
        held_s = how()
        done.set()
        return held_s, await watching

    held_s, stall_s = asyncio.run(held_up())
    assert stall_s > held_s / 2, "less is seen where other programs take the processor meanwhile"
