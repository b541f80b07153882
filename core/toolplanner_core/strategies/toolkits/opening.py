"""Open the nodes of plans over toolkits: a plan, its steps, the attempts of a step."""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any

from toolplanner_core.domain.api import Api
from toolplanner_core.domain.plan import Plan, Step
from toolplanner_core.strategies.scope import OpenNode, RunScope
from toolplanner_core.strategies.toolkits.kinds import ATTEMPT, PLAN, STEP

Opening = AbstractAsyncContextManager[OpenNode]


def open_plan(
    run: RunScope,
    number: int,
    plan: Plan,
    *,
    keeps: int = 0,
    also_kept: Sequence[int] = (),
    cause: int | None = None,
) -> Opening:
    """Open the node of plan `number` (1, 2, ...).

    The first `keeps` steps are taken over as done from the plan before, and so are those whose
    numbers are in `also_kept` (finished independent steps behind the common prefix).
    """
    count = len(plan.steps)
    data = {
        "number": number,
        "keeps": keeps,
        "also_kept": list(also_kept),
        "steps": [_step_data(run, step) for step in plan.steps],
    }
    title = f"Plan {number} · {count} step{'' if count == 1 else 's'}"
    return run.node(PLAN, number, title, data=data, cause=cause)


def open_step(run: RunScope, step: Step) -> Opening:
    """Open the node of a step of the open plan; steps may be opened by parallel branches."""
    return run.node(STEP, step.number, step.goal, data=_step_data(run, step))


def open_attempt(run: RunScope, number: int, api: Api, *, cause: int | None = None) -> Opening:
    """Open the node of attempt `number` (1, 2, ...) of the open step."""
    data = {"number": number, "api": api.id, "title": api.title}
    return run.node(ATTEMPT, number, api.title, data=data, cause=cause)


def _step_data(run: RunScope, step: Step) -> dict[str, Any]:
    toolkit = {}
    if step.toolkit is not None:
        toolkit = {"toolkit": step.toolkit, "toolkit_name": run.toolkits.name_of(step.toolkit)}
    return {
        "number": step.number,
        "goal": step.goal,
        **toolkit,
        "needs": list(step.needs),
        "api": step.api,
    }
