"""The first plan alone: what each of its steps would begin with, without a call of an API."""

from typing import Protocol

from toolplanner_core.domain.plan import Task
from toolplanner_core.strategies.scope import RunScope
from toolplanner_core.strategies.strategy import OutlinedStep
from toolplanner_core.strategies.toolkits.manner import Manner, candidates_for
from toolplanner_core.strategies.toolkits.offering import Offering
from toolplanner_core.strategies.toolkits.planning import PlannerLimits, Planning


class PlansOverToolkits(Protocol):
    """What the options of such a strategy say."""

    @property
    def shortlist(self) -> int:
        """Toolkits offered at most."""
        ...

    @property
    def manner(self) -> Manner:
        """How the APIs of a toolkit are tried."""
        ...

    @property
    def limits(self) -> PlannerLimits:
        """What the planner may do."""
        ...


async def outline(task: Task, run: RunScope, options: PlansOverToolkits) -> list[OutlinedStep]:
    """Of each step of the first plan its toolkit, and the API that would be tried first."""
    manner = options.manner
    offering = Offering(run, options.shortlist, single=manner.single)
    plan = await Planning(run, task.query, offering, options.limits).first()
    found: list[OutlinedStep] = []
    for step in plan.steps:
        tried = await candidates_for(run, step, manner)
        toolkit = "" if manner.single else offering.name_of(step.toolkit)
        found.append(OutlinedStep(toolkit, tried[0].api.title if tried else ""))
    return found
