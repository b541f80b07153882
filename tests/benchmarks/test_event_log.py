"""The log of a run: events per second to disk, opening a long run, storage.

Targets: 20,000 events/s batched, and a run of 50,000 events opens in a second, on a machine that
imports PySide6 and pyqtgraph in 0.4 s; asserted of processor time, since test machines are shared.
"""

import asyncio
import time
from typing import Any

from benchmarks.figures import Figures

from toolplanner_core.domain.ids import NodePath, RunId
from toolplanner_core.runs.events.call import CallReturned, CallSent
from toolplanner_core.runs.events.event import Event
from toolplanner_core.runs.events.node import NodeClosed, NodeOpened
from toolplanner_core.runs.events.run import RunFinished, RunStarted
from toolplanner_core.runs.log.clock import Clock
from toolplanner_core.runs.log.run_log import RunLog
from toolplanner_core.runs.log.stored_runs import load_tree
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.runs import NewRun, create_run

EVENTS = 50_000
EVENT_MS = 1000 / 20_000
OPEN_WITHIN_S = 1.0
STEPS = EVENTS // 4


def events() -> list[tuple[Event, NodePath]]:
    """A run of one plan with many steps, each with one call."""
    started = RunStarted(
        query="q", strategy="s", model="m", model_label="m", provider="p", options={}, limits={},
        seed=0, toolkits_version=1, app_version="0",
    )  # fmt: skip
    made: list[tuple[Event, NodePath]] = [(started, NodePath(""))]
    for number in range(1, STEPS + 1):
        step = NodePath(f"step.{number}")
        call = NodePath(f"{step}/call.1")
        data: dict[str, Any] = {"number": number, "goal": "find it", "toolkit_name": "Weather"}
        made += [
            (NodeOpened(kind="step", title="find it", data=data), step),
            (
                CallSent(
                    api="0123456789abcdef", title="MeteoNow · forecast",
                    arguments={"city": f"Zagreb {number}", "days": 3}, bindings={},
                    provider="demo", risk="read", fingerprint="0123456789abcdef", occurrence=1,
                    retry=0,
                ),
                call,
            ),
            (
                CallReturned(
                    status=200, body='{"temperature": 21, "sky": "clear"}' * 5,
                    content_type="application/json", headers={}, origin="demo", elapsed_ms=1.0,
                ),
                call,
            ),
            (NodeClosed(state="ok", reason="", error=None), step),
        ]  # fmt: skip
    finished = RunFinished(status="solved", answer="done", reason="")
    made.append((finished, NodePath("")))
    return made


def test_log_when_fifty_thousand_events_are_written_and_opened_then_within_the_targets(
    workspace: Workspace, record_property: Any, figures: Figures
) -> None:
    run: RunId = create_run(workspace, NewRun(
        query="q", strategy="s", model="m", provider="p", options={}, status="running",
        started_us=0, app_version="0", process="",
    ))  # fmt: skip
    made = events()
    heard: list[int] = []

    async def write() -> tuple[float, float]:
        log = RunLog(workspace, run, clock=Clock(), listener=lambda batch: heard.append(len(batch)))
        began, began_cpu = time.perf_counter(), time.process_time()
        for position, (event, path) in enumerate(made):
            log.append(event, path=path)
            if position % 200 == 0:
                await asyncio.sleep(0)
        await log.close()
        return time.perf_counter() - began, time.process_time() - began_cpu

    wrote_s, wrote_cpu_s = asyncio.run(write())
    began, began_cpu = time.perf_counter(), time.process_time()
    tree = load_tree(workspace, run)
    opened_s, opened_cpu_s = time.perf_counter() - began, time.process_time() - began_cpu
    for name, value in (
        ("events_per_s", round(len(made) / wrote_s)),
        ("events_per_cpu_s", round(len(made) / wrote_cpu_s)),
        ("open_50k_s", round(opened_s, 3)),
        ("open_50k_cpu_s", round(opened_cpu_s, 3)),
    ):
        record_property(name, value)
        print(f"{name}: {value}")
    assert sum(heard) == len(made) == tree.last_seq
    assert len(tree.nodes) == 1 + 2 * STEPS
    event_ms = wrote_cpu_s * 1000 / len(made)
    assert figures.ms("an event into the log, processor time", event_ms, EVENT_MS)
    assert figures.seconds("a run of 50,000 events opened", opened_cpu_s, OPEN_WITHIN_S)
