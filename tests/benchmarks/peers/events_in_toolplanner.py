"""ToolPlanner's log: seen by another connection, and a run of 50,000 events read whole.

Arguments: a folder.
"""

import asyncio
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from events import CALLS, EVENTS, OPENED, say, seconds_until
from fixtures.logged_questions import empty_run

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.runs.events.call import CallReturned
from toolplanner_core.runs.log.clock import Clock
from toolplanner_core.runs.log.run_log import RunLog
from toolplanner_core.runs.log.stored_runs import iter_run
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.run_log import last_seq

PATH = NodePath("call.1")


def returned(number: int) -> CallReturned:
    return CallReturned(
        status=200, body=f'{{"temperature": {number}}}', content_type="application/json",
        headers={}, origin="demo", elapsed_ms=1.0,
    )  # fmt: skip


async def measure(workspace: Workspace, reader: Workspace) -> None:
    run, calls_s = empty_run(workspace), list[float]()
    log = RunLog(workspace, run, clock=Clock())

    def seen() -> int:
        return last_seq(reader, run)

    async def write(events: int) -> int:
        last = 0
        for number in range(events):
            last = log.append(returned(number), path=PATH).seq
            if number % 100 == 0:
                await asyncio.sleep(0)
        return last

    for number in range(CALLS):
        began = time.perf_counter()
        last = log.append(returned(number), path=PATH).seq
        calls_s.append(await asyncio.to_thread(seconds_until, seen, last, began))
    began = time.perf_counter()
    last = await write(EVENTS)
    events_s = await asyncio.to_thread(seconds_until, seen, last, began)
    await write(OPENED - EVENTS - CALLS)
    await log.close()
    began = time.perf_counter()
    read = sum(len(records) for records in iter_run(reader, run))
    assert read == OPENED
    say(calls_s, events_s, time.perf_counter() - began)


path = Path(sys.argv[1]) / "events.toolplanner"
with Workspace.create(path) as made, Workspace.open(path) as other:
    asyncio.run(measure(made, other))
