"""Calls that were stopped before anything left are no calls, in totals, health and questions."""

import asyncio
from typing import Any

import pytest
from fixtures.own_strategy import again, do
from fixtures.scripted_run import ScriptedModel, ScriptedProvider, bad, make_api, make_parts, ok

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.observation import NOT_SENT, RawResult
from toolplanner_core.runs.config.spec import Limits, RunSpec
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.runs.log.stored_runs import load_tree
from toolplanner_core.strategies.interface.scope import RunScope
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.call_statistics import call_figures
from toolplanner_core.workspace.step_outcomes import step_outcomes

ONE = make_api("a_1")
UNSENT = RawResult(failure=ErrorClass.UNAUTHORISED, message="no key is saved", origin=NOT_SENT)


@pytest.mark.parametrize(
    ("reply", "calls", "failed"), [(UNSENT, 0, 0), (bad(500), 3, 3), (ok(1), 3, 0)]
)
def test_totals_when_calls_never_left_then_neither_calls_nor_failures(
    workspace: Workspace, reply: RawResult, calls: int, failed: int
) -> None:
    spent: list[int] = []

    async def work(scope: RunScope) -> str:
        for _ in range(3):
            await scope.call(ONE, {"q": "x"})
        spent.append(scope.spent().api_calls)
        return "done"

    done = do(workspace, work, provider=ScriptedProvider({"a_1": reply}))
    assert (done.api_calls, done.failed_calls, spent) == (calls, failed, [calls])
    assert load_tree(workspace, done.run).nodes["call.1"].data["origin"] == reply.origin
    assert again(workspace, done, work).identical
    assert call_figures(workspace) == {}, "these APIs are in no catalogue"


def test_budget_when_calls_never_leave_then_they_end_too(workspace: Workspace) -> None:
    errors: list[Any] = []

    async def work(scope: RunScope) -> str:
        errors.extend([(await scope.call(ONE, {})).error for _ in range(4)])
        return "done"

    spec = RunSpec(query="q", strategy="own", limits=Limits(max_api_calls=3))
    do(workspace, work, provider=ScriptedProvider({"a_1": UNSENT}), spec=spec)
    assert errors == [*[ErrorClass.UNAUTHORISED] * 3, ErrorClass.OVER_BUDGET]


@pytest.mark.parametrize(("reply", "blamed"), [(UNSENT, 0), (bad(500), 1)])
def test_toolkit_when_its_calls_never_left_then_not_blamed(
    workspace: Workspace, reply: RawResult, blamed: int
) -> None:
    model = ScriptedModel(plans=[[("get it", 1, [])]])
    parts = make_parts({"One": [ONE]}, model, ScriptedProvider({"a_1": reply}))
    asyncio.run(run(workspace, RunSpec(query="get it"), parts=parts))
    assert sum(each.is_failed for each in step_outcomes(workspace)) == blamed
