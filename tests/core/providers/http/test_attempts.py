"""Every request that leaves is an event of the run, and says how long it is waited for the next."""

import asyncio
from typing import Any

import pytest
from fixtures.http_world import HttpWorld, http_api
from fixtures.rough_site import HttpSite, WebAnswer
from fixtures.scripted_run import QuickClock, ScriptedModel, make_parts

from toolplanner_core.domain.api import Risk
from toolplanner_core.domain.operation import Operation
from toolplanner_core.domain.plan import Answer, Task
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.runs.events.call import CallFailed, CallReturned, CallSent
from toolplanner_core.runs.log.stored_runs import read_run
from toolplanner_core.strategies.interface.scope import RunScope
from toolplanner_core.strategies.interface.strategy import StrategyPlugin
from toolplanner_core.strategies.tool_planner import ToolPlannerOptions
from toolplanner_core.workspace import Workspace

OK, BUSY = WebAnswer({"n": 1}), WebAnswer({"message": "busy"}, 503)


def asks_for(wait: str, status: int = 429) -> WebAnswer:
    return WebAnswer({"message": "slow down"}, status, {"Retry-After": wait})


@pytest.mark.parametrize(
    "case",
    [
        (Risk.READ, [OK], []),
        (Risk.READ, [asks_for("3", 503), asks_for("7"), OK], [3.0, 7.0]),
        (Risk.READ, [asks_for("0"), asks_for("1"), asks_for("2"), OK], [0.0, 1.0, None]),
        (Risk.READ, [asks_for("86400"), OK], [None]),
        (Risk.READ, [BUSY, OK], ["by itself"]),
        (Risk.WRITE, [asks_for("1", 503), OK], [None]),
    ],
)
def test_requests_when_a_server_is_busy_then_each_is_an_event_with_its_wait(
    site: HttpSite,
    world: HttpWorld,
    workspace: Workspace,
    case: tuple[Risk, list[WebAnswer], list[Any]],
) -> None:
    risk, answers, waits = case
    site.on("/a", *answers)
    operation = Operation(method="GET", servers=(site.origin,), path="/a")
    api = http_api(operation, risk=risk)

    async def solve(task: Task, scope: RunScope, options: Any) -> Answer:
        seen = await scope.call(api, {})
        return Answer(text=str(seen.ok), solved=seen.ok)

    body = StrategyPlugin(
        id="body", title="", description="", options=ToolPlannerOptions, solve=solve
    )

    clock = QuickClock()

    async def work() -> Any:
        parts = make_parts({}, ScriptedModel(), world.provider(), strategy=body, retries=2)
        return await run(workspace, RunSpec(query="q"), parts=parts, clock=clock)

    summary = asyncio.run(work())
    events = [record.event for record in read_run(workspace, summary.run)]
    sent = [event for event in events if isinstance(event, CallSent)]
    failed = [event for event in events if isinstance(event, CallFailed)]
    returned = [event for event in events if isinstance(event, CallReturned)]
    assert len(sent) == len(site.asked) == len(failed) + len(returned)
    assert [event.retry for event in sent] == list(range(len(sent)))
    said = [event.will_retry_after_s for event in failed]
    assert [wait for wait in said if wait is not None] == clock.waits
    if waits == ["by itself"]:
        assert len(said) == 1
        assert said[0] is not None
        assert said[0] > 0
        assert "again in" in failed[0].describe()
    else:
        assert said == waits
