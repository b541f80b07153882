"""One step of a plan: try the APIs of its toolkit, best first, until one does it.

A failed attempt makes the next one necessary (*fallback*, caused by that failure); the plan does
not change. When none is left the toolkit is *exhausted* and the caller replans. Source:
Tool-Planner (arXiv 2406.03807), algorithm 1, inner loop.
"""

from dataclasses import dataclass, replace
from typing import Any

from toolplanner_core.domain.candidates import ScoredApi
from toolplanner_core.domain.failure import OF_SERVICE, ErrorClass
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.domain.plan import Step
from toolplanner_core.prompts.render import FailureCard, StepResult
from toolplanner_core.strategies.scope import OpenNode, RunScope
from toolplanner_core.strategies.toolkits.attempts import Failed, Known, try_api
from toolplanner_core.strategies.toolkits.choosing import Next, choose_next
from toolplanner_core.strategies.toolkits.kinds import STEP
from toolplanner_core.strategies.toolkits.manner import Manner, candidates_for, named_by


@dataclass(frozen=True, slots=True, kw_only=True)
class StepOutcome:
    """How a step ended.

    Attributes:
        result: set when it was done.
        failures: its failed attempts in order, also when it was done in the end.
        exhausted: event that says no API could do it; a replan's cause. 0 if not exhausted.
        whole: the toolkit is exhausted for every step, since all its services failed; else for
            this goal only: with other arguments the same APIs may answer.
        ends_run: it ended because nothing more can be asked or spent.
        node: its node, when it was done: a strategy may come back to it.
    """

    step: Step
    result: StepResult | None = None
    failures: tuple[FailureCard, ...] = ()
    exhausted: int = 0
    whole: bool = False
    ends_run: bool = False
    node: OpenNode | None = None


async def do_step(
    run: RunScope, step: Step, known: Known, *, manner: Manner | None = None
) -> StepOutcome:
    """Open the step's node and try the members of its toolkit."""
    manner = manner or Manner()
    async with run.node(STEP, step.number, step.goal, data=step_data(run, step, manner)) as node:
        members = await candidates_for(run, step, manner)
        named = named_by(run.task.query, [item.api for item in members])
        here: list[FailureCard] = []
        following = (
            Next(members.pop(0))
            if members
            else await choose_next(run, step, (), manner=manner, failed=None)
        )
        if following.api is not None:
            # What cannot be read must not be changed or deleted instead.
            most = following.api.api.risk.level
            members = [item for item in members if item.api.risk.level <= most]
        cause: int | None = None
        aside = set[ApiId]()
        while following.api is not None:
            told = replace(known, failures=(*known.failures, *here))
            api = following.api.api
            outcome = await try_api(run, step, api, told, number=len(here) + 1, cause=cause)
            if not isinstance(outcome, Failed):
                said = _said(outcome, [each.title for each in named])
                return StepOutcome(step=step, result=said, failures=tuple(here), node=node)
            here.append(outcome.card)
            if outcome.ends_run:
                node.end(NodeState.FAILED, outcome.card.message, error=outcome.card.error)
                return StepOutcome(step=step, failures=tuple(here), ends_run=True)
            cause = outcome.seq
            members = _left(members, following.api, outcome.api, aside)
            following = await choose_next(
                run,
                step,
                members,
                manner=manner,
                failed=cause,
                failures=here,
                because=outcome.ends_step,
            )
        words = "the API failed" if manner.single else _exhausted_words(len(here))
        node.end(NodeState.FAILED, words, error=ErrorClass.CLUSTER_INCOMPLETE)
        return StepOutcome(
            step=step,
            failures=tuple(here),
            exhausted=following.exhausted,
            whole=not following.left and all(card.error in OF_SERVICE for card in here),
        )


def _left(
    members: list[ScoredApi], tried: ScoredApi, called: ApiId, aside: set[ApiId]
) -> list[ScoredApi]:
    """What is left after an attempt: one for which a person called another was not tried, and comes
    again as the last, once."""
    left = [item for item in members if item.api.id not in (tried.api.id, called)]
    if called == tried.api.id or tried.api.id in aside:
        return left
    aside.add(tried.api.id)
    return [*left, tried]


def step_data(run: RunScope, step: Step, manner: Manner | None = None) -> dict[str, Any]:
    """What the tree knows of a step, in its plan and in its own node."""
    toolkit = {}
    if step.toolkit is not None and not (manner and manner.single):
        toolkit = {"toolkit": step.toolkit, "toolkit_name": run.toolkits.name_of(step.toolkit)}
    said = {"number": step.number, "goal": step.goal, **toolkit}
    return {**said, "needs": list(step.needs), "api": step.api}


def _said(result: StepResult, named: list[str]) -> StepResult:
    """The result; it says so where another API than the one the query names gave it."""
    if not named or result.api_title in named:
        return result
    said = f"{named[0]}, which the query names, failed; {result.api_title} answered instead."
    return replace(result, state=f"{result.state} ({said})".strip())


def _exhausted_words(tried: int) -> str:
    if tried == 0:
        return "the toolkit is empty"
    # Some of them perhaps were not sent, or brought nothing of use: "failed" is for calls.
    return (
        f"toolkit exhausted, none of {tried:,} APIs could do it"
        if tried > 1
        else ("toolkit exhausted, its one API could not do it")
    )
