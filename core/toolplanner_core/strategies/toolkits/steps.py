"""One step of a plan: try the APIs of its toolkit, best first, until one does it.

A failed attempt makes the next one necessary (*fallback*, caused by that failure); the plan does
not change. When none is left the toolkit is *exhausted* and the caller replans. Source:
Tool-Planner (arXiv 2406.03807), algorithm 1, inner loop.
"""

from dataclasses import dataclass, replace
from typing import Any, Literal

from toolplanner_core.domain.candidates import ScoredApi
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.domain.plan import Step
from toolplanner_core.prompts.render import FailureCard, StepResult
from toolplanner_core.strategies.scope import OpenNode, RunScope
from toolplanner_core.strategies.toolkits.attempts import Failed, Known, try_api
from toolplanner_core.strategies.toolkits.choosing import Next, choose_next
from toolplanner_core.strategies.toolkits.kinds import STEP

MAX_MEMBERS = 9
"""APIs tried in one toolkit at most, whatever its size: about a toolkit's size at the paper's best
k (Source: arXiv 2406.03807, 1,800 toolkits for 16,464 APIs)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StepOutcome:
    """How a step ended.

    Attributes:
        result: set when it was done.
        failures: its failed attempts in order, also when it was done in the end.
        exhausted: event that says no API could do it; a replan's cause. 0 if not exhausted.
        ends_run: it ended because nothing more can be asked or spent.
        node: its node, when it was done: a strategy may come back to it.
    """

    step: Step
    result: StepResult | None = None
    failures: tuple[FailureCard, ...] = ()
    exhausted: int = 0
    ends_run: bool = False
    node: OpenNode | None = None


async def do_step(
    run: RunScope,
    step: Step,
    known: Known,
    *,
    max_members: int | None = None,
    member_order: Literal["similarity", "random"] = "similarity",
) -> StepOutcome:
    """Open the step's node and try the members of its toolkit.

    Args:
        max_members: APIs to try at most; None = all, but never more than `MAX_MEMBERS`.
    """
    assert step.toolkit is not None, "a step without a toolkit is not done by one"
    async with run.node(STEP, step.number, step.goal, data=step_data(run, step)) as node:
        members = await _ordered_members(run, step, step.toolkit, member_order)
        members = members[: min(max_members or MAX_MEMBERS, MAX_MEMBERS)]
        here: list[FailureCard] = []
        following = (
            Next(members.pop(0)) if members else await choose_next(run, step.toolkit, None, ())
        )
        cause: int | None = None
        while following.api is not None:
            told = replace(known, failures=(*known.failures, *here))
            api = following.api.api
            outcome = await try_api(run, step, api, told, number=len(here) + 1, cause=cause)
            if not isinstance(outcome, Failed):
                return StepOutcome(step=step, result=outcome, failures=tuple(here), node=node)
            here.append(outcome.card)
            if outcome.ends_run:
                node.end(NodeState.FAILED, outcome.card.message, error=outcome.card.error)
                return StepOutcome(step=step, failures=tuple(here), ends_run=True)
            cause = outcome.seq
            members = [item for item in members if item.api.id != outcome.api]
            following = await choose_next(run, step.toolkit, outcome.seq, members)
            members = [item for item in members if item is not following.api]
        node.end(NodeState.FAILED, _exhausted_words(len(here)), error=ErrorClass.CLUSTER_INCOMPLETE)
        return StepOutcome(step=step, failures=tuple(here), exhausted=following.exhausted)


def step_data(run: RunScope, step: Step) -> dict[str, Any]:
    """What the tree knows of a step, in its plan and in its own node."""
    toolkit = {}
    if step.toolkit is not None:
        toolkit = {"toolkit": step.toolkit, "toolkit_name": run.toolkits.name_of(step.toolkit)}
    said = {"number": step.number, "goal": step.goal, **toolkit}
    return {**said, "needs": list(step.needs), "api": step.api}


def _exhausted_words(tried: int) -> str:
    if tried == 0:
        return "the toolkit is empty"
    return f"toolkit exhausted, {'1 API' if tried == 1 else f'{tried} APIs'} failed"


async def _ordered_members(
    run: RunScope, step: Step, toolkit: ToolkitId, order: Literal["similarity", "random"]
) -> list[ScoredApi]:
    members = await run.toolkits.members(toolkit, near=step.goal)
    if order == "random":
        run.random.shuffle(members)
    named = [item for item in members if item.api.id == step.api]
    if step.api is not None and not named:
        await run.note("The plan names an API that its toolkit does not hold; it is passed over.")
    # A model may name the API itself if the query does: it is tried first.
    return named + [item for item in members if item.api.id != step.api]
