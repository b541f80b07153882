"""How soon a running run is held after somebody on another thread wants it.

Target: 200 ms on the clock, and no call is made twice. Quick: 40 pauses; TOOLPLANNER_BENCH=1: 500.
"""

import os
import random
import statistics
import threading
import time
from collections import Counter
from collections.abc import Mapping
from typing import Any

from benchmarks.figures import Figures
from fixtures.scripted_run import ScriptedModel, make_api, make_parts, ok

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.observation import RawResult
from toolplanner_core.domain.plan import Answer, Status, Task
from toolplanner_core.providers.provider import CallLimits, Provider
from toolplanner_core.runs.config.spec import Limits, RunSpec
from toolplanner_core.runs.debugging.debugger import Debugger
from toolplanner_core.runs.engine.runner import EngineThread
from toolplanner_core.strategies.interface.scope import RunScope
from toolplanner_core.strategies.interface.strategy import StrategyPlugin
from toolplanner_core.strategies.tool_planner import ToolPlannerOptions
from toolplanner_core.workspace import Workspace

PAUSES = 500 if os.environ.get("TOOLPLANNER_BENCH") == "1" else 40
WITHIN_S = 0.2
BRANCHES = 3


class CountingProvider(Provider):
    """Answers at once and counts."""

    def __init__(self) -> None:
        self.calls: Counter[str] = Counter()

    async def call(self, api: Api, arguments: Mapping[str, Any], limits: CallLimits) -> RawResult:
        self.calls[str(arguments["q"])] += 1
        return ok({"temperature": 21})

    async def close(self) -> None:
        pass


def test_pause_when_wanted_from_another_thread_then_soon_held_and_nothing_done_twice(
    workspace: Workspace, record_property: Any, figures: Figures
) -> None:
    is_enough = threading.Event()
    is_held = threading.Event()
    api = make_api("a_1")

    async def solve(task: Task, run: RunScope, options: Any) -> Answer:
        async def branch(number: int) -> None:
            count = 0
            while not is_enough.is_set():
                count += 1
                await run.call(api, {"q": f"{number}.{count}"})

        await run.gather(*(lambda number=n: branch(number) for n in range(BRANCHES)))
        return Answer(text="", solved=True)

    strategy = StrategyPlugin(
        id="calls", title="", description="", options=ToolPlannerOptions, solve=solve
    )
    provider = CountingProvider()
    parts = make_parts({}, ScriptedModel(), provider, strategy=strategy)
    debugger = Debugger(on_change=lambda: is_held.set() if debugger.held else None)
    spec = RunSpec(query="q", limits=Limits(max_api_calls=None, max_seconds=None))
    chance = random.Random(3)
    took_s: list[float] = []
    with figures.crowd() as crowd, EngineThread(workspace) as engine:
        handle = engine.start(spec, parts=parts, debugger=debugger)
        for _ in range(PAUSES):
            threading.Event().wait(chance.random() * 0.01)
            is_held.clear()
            began = time.perf_counter()
            debugger.pause()
            assert is_held.wait(60)
            took_s.append(time.perf_counter() - began)
            debugger.resume()
        is_enough.set()
        summary = handle.result(60)
    assert summary.status is Status.ANSWERED
    assert summary.api_calls == provider.calls.total()
    assert set(provider.calls.values()) == {1}, "no call is made twice"
    median_s, worst_s = statistics.median(took_s), max(took_s)
    record_property("pause_ms", round(median_s * 1000, 2))
    rows = [
        figures.felt(f"{PAUSES} pauses, median", median_s, WITHIN_S, crowd),
        figures.felt(f"{PAUSES} pauses, worst", worst_s, WITHIN_S, crowd, share=1.0),
    ]
    assert all(rows)
