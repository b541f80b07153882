"""How soon what happened can be seen by somebody else who asks the log.

Targets: a finished call within 100 ms, 5,000 events within 0.5 s (Phoenix: 146 to 190 ms; 5,000
spans 30 s). Judged on the clock, beside what else the machine does (`figures.py`).
"""

import asyncio
import statistics
import threading
import time
from typing import Any

from benchmarks.figures import Figures

from toolplanner_core.domain.ids import NodePath, RunId
from toolplanner_core.runs.events.call import CallReturned
from toolplanner_core.runs.log.clock import Clock
from toolplanner_core.runs.log.run_log import RunLog
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.run_log import last_seq
from toolplanner_core.workspace.runs import NewRun, create_run

CALLS = 15
EVENTS = 5_000
ROUNDS = 5
"""Of the many."""
CALL_S = 0.1
EVENTS_S = 0.5
PATH = NodePath("call.1")


def returned(number: int) -> CallReturned:
    return CallReturned(
        status=200, body=f'{{"temperature": {number}}}', content_type="application/json",
        headers={}, origin="demo", elapsed_ms=1.0,
    )  # fmt: skip


def wait_for(reader: Workspace, run: RunId, seq: int) -> float:
    """Ask the log again and again, on a connection of its own; returns when it was there."""
    pause = threading.Event()
    while last_seq(reader, run) < seq:
        pause.wait(0.003)
    return time.perf_counter()


def test_events_when_written_then_soon_visible_to_others(
    workspace: Workspace, record_property: Any, figures: Figures
) -> None:
    run: RunId = create_run(workspace, NewRun(
        query="q", strategy="s", model="m", provider="p", options={}, status="running",
        started_us=0, app_version="0", process="",
    ))  # fmt: skip

    async def measure() -> tuple[list[float], list[float]]:
        with Workspace.open(workspace.path) as reader:
            log = RunLog(workspace, run, clock=Clock())
            calls_s: list[float] = []
            for number in range(CALLS):
                began = time.perf_counter()
                record = log.append(returned(number), path=PATH)
                seen = await asyncio.to_thread(wait_for, reader, run, record.seq)
                calls_s.append(seen - began)
            many_s: list[float] = []
            for number in range(1, ROUNDS + 1):
                began, last = time.perf_counter(), CALLS + number * EVENTS
                waiting = asyncio.create_task(asyncio.to_thread(wait_for, reader, run, last))
                for place in range(EVENTS):
                    log.append(returned(place), path=PATH)
                    if place % 100 == 0:
                        await asyncio.sleep(0)
                many_s.append(await waiting - began)
            await log.close()
        return calls_s, many_s

    with figures.crowd() as crowd:
        calls_s, many_s = asyncio.run(measure())
    call_s, events_s = statistics.median(calls_s), statistics.median(many_s)
    record_property("call_visible_ms", round(call_s * 1000, 1))
    record_property("events_5000_visible_s", round(events_s, 3))
    rows = [
        figures.felt("a finished call seen by another reader", call_s, CALL_S, crowd),
        figures.felt("5,000 events seen by another reader", events_s, EVENTS_S, crowd),
    ]
    assert all(rows)
