"""Calls that pass ToolPlanner's gate, each on disk before it is sent; and its log of questions."""

import asyncio
import contextlib
import sqlite3
import sys
from collections.abc import Mapping
from pathlib import Path
from time import perf_counter, process_time
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from fixtures.logged_questions import empty_run, log_questions
from fixtures.scripted_run import ScriptedModel, make_api, make_parts, ok
from steps import STEPS, folder, say, stored_mb

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.observation import RawResult
from toolplanner_core.domain.plan import Answer, Task
from toolplanner_core.providers.provider import CallLimits, Provider
from toolplanner_core.runs.config.spec import Limits, RunSpec
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.strategies.interface.scope import RunScope
from toolplanner_core.strategies.interface.strategy import StrategyPlugin
from toolplanner_core.strategies.tool_planner import ToolPlannerOptions
from toolplanner_core.workspace import Workspace

taken: list[tuple[float, float]] = []


class InstantProvider(Provider):
    """Answers at once."""

    async def call(self, api: Api, arguments: Mapping[str, Any], limits: CallLimits) -> RawResult:
        return ok({"temperature": 21})

    async def close(self) -> None:
        pass


async def solve(task: Task, scope: RunScope, options: Any) -> Answer:
    api = make_api("a_1")
    began, began_cpu = perf_counter(), process_time()
    for number in range(STEPS):
        await scope.call(api, {"q": f"question {number}"})
    taken.append((perf_counter() - began, process_time() - began_cpu))
    return Answer(text="", solved=True)


strategy = StrategyPlugin(
    id="calls", title="", description="", options=ToolPlannerOptions, solve=solve
)
path = folder() / "steps.toolplanner"
with Workspace.create(path) as workspace:
    parts = make_parts({}, ScriptedModel(), InstantProvider(), strategy=strategy)
    spec = RunSpec(query="q", limits=Limits(max_api_calls=None))
    summary = asyncio.run(run(workspace, spec, parts=parts))
    assert summary.api_calls == STEPS
before_mb = stored_mb()
with Workspace.open(path) as workspace:
    asyncio.run(log_questions(workspace, empty_run(workspace), STEPS))
with contextlib.closing(sqlite3.connect(path)) as db:
    db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
((clock_s, cpu_s),) = taken
say(**{
    "added a step, ms": clock_s / STEPS * 1000, "the same, ms of the processor":
    cpu_s / STEPS * 1000, "stored, MB": stored_mb() - before_mb,
})  # fmt: skip
