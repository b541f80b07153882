"""Nodes of plans over toolkits (plan, step, attempt), and the stop points in them: a fallback, an
exhausted toolkit, a replan, a plan that is given up."""

from collections.abc import Mapping, Sequence
from typing import Any

from toolplanner_core.domain.nodes import AnnouncedChild, NodeKind, NodeState, ShownField
from toolplanner_core.domain.stop_points import Choice, StopPoint

FALLBACK = StopPoint(
    id="before_fallback",
    kind="fallback",
    word="Before a fallback:",
    event="a fallback is about to be chosen",
    allowed=frozenset({Choice.TAKE, Choice.SKIP, Choice.GIVE_UP}),
    take="Fall back",
    take_hint="Choose the API that is tried next.",
    skip="Do without",
    skip_hint="The toolkit is given up; the run makes another plan if it may.",
    takes_any_api=True,
    chosen_word="Fallback chosen",
    counted="fallbacks",
    cause_kind="attempt",
    cause_state="fell_back",
)
EXHAUSTED = StopPoint(
    id="toolkit_exhausted",
    kind="fallback",
    word="Toolkit exhausted:",
    event="a toolkit is exhausted",
    allowed=frozenset({Choice.TAKE, Choice.GIVE_UP}),
    take="Try another API",
    take_hint="Choose any other API for this step.",
    takes_any_api=True,
    is_stepped=False,
    failure="exhausted",
    chosen_word="Toolkit exhausted",
    counted="fallbacks",
    cause_kind="attempt",
    cause_state="fell_back",
)
REPLAN = StopPoint(
    id="before_replan",
    kind="replan",
    word="Before a new plan:",
    event="a new plan is about to be made",
    allowed=frozenset({Choice.SKIP, Choice.GIVE_UP}),
    skip="Make no new plan",
    skip_hint="What is left of this plan is still done; then the run answers with what it has.",
    chosen_word="Replan decided",
)
PLAN_FAILED = StopPoint(
    id="plan_failed",
    kind="plan",
    word="The plan has failed:",
    event="the plan is given up",
    is_stepped=False,
    failure="fatal",
)
POINTS = (FALLBACK, EXHAUSTED, REPLAN, PLAN_FAILED)


def steps_ahead(data: Mapping[str, Any]) -> Sequence[AnnouncedChild]:
    """The steps of a plan: those taken over from the plan before, and those still to be done."""
    keeps = int(data.get("keeps", 0))
    also: set[int] = set(data.get("also_kept", ()))
    ahead: list[AnnouncedChild] = []
    for position, step in enumerate(data.get("steps", ()), start=1):
        number = int(step.get("number", position))
        is_kept = position <= keeps or number in also
        ahead.append(
            AnnouncedChild(
                kind=STEP.id,
                number=number,
                title=str(step.get("goal", "")),
                state=NodeState.KEPT if is_kept else NodeState.WAITING,
                reason="result taken over from the plan before" if is_kept else "",
                data=step,
            )
        )
    return ahead


PLAN = NodeKind(
    id="plan",
    word="plan",
    icon="source-branch",
    is_route=True,
    counted="replans",
    counted_from=2,
    failed_at=PLAN_FAILED,
    ahead=steps_ahead,
)
STEP = NodeKind(
    id="step",
    word="step",
    is_numbered=True,
    on_map=True,
    identity=("toolkit_name", "api"),
    compared=("goal", "toolkit_name"),
)
ATTEMPT = NodeKind(id="attempt", word="attempt", icon="check", is_try=True, identity=("api",))
SEARCH = NodeKind(
    id="search",
    word="search",
    icon="magnify",
    shown=(ShownField("found", "Found"),),
)
KINDS = (SEARCH, PLAN, STEP, ATTEMPT)
