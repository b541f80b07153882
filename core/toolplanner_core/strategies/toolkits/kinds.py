"""The kinds of nodes of plans over toolkits: plan, step, attempt."""

from collections.abc import Mapping, Sequence
from typing import Any

from toolplanner_core.domain.nodes import Ahead, NodeKind, NodeState, Shown
from toolplanner_core.strategies.toolkits.points import PLAN_FAILED


def steps_ahead(data: Mapping[str, Any]) -> Sequence[Ahead]:
    """The steps of a plan: those taken over from the plan before, and those still to be done."""
    keeps = int(data.get("keeps", 0))
    also: set[int] = set(data.get("also_kept", ()))
    ahead: list[Ahead] = []
    for position, step in enumerate(data.get("steps", ()), start=1):
        number = int(step.get("number", position))
        is_kept = position <= keeps or number in also
        ahead.append(
            Ahead(
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
    shown=(Shown("found", "Found"),),
)
KINDS = (SEARCH, PLAN, STEP, ATTEMPT)
