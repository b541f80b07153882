"""Costs of ToolChain*: what a way has cost so far (g) and is expected to cost still (h). Pure.

Source: Zhuang et al., arXiv 2310.13227, section 3; design/strategies.md section 2. A plan is the
APIs of a solved run in their order.
"""

from collections.abc import Sequence
from typing import Any, cast

ALPHA = BETA = 0.5
"""How much the memory counts beside the samples, in g and in h."""

ChainPlan = Sequence[str]


def plans_in(remembered: Any) -> list[ChainPlan]:
    """The plans of a memory's value; what a person wrote into it otherwise is passed over."""
    if not isinstance(remembered, dict):
        return []
    listed: Any = cast("dict[str, Any]", remembered).get("plans")
    plans = cast("list[Any]", listed) if isinstance(listed, list) else []
    return [
        [str(api) for api in cast("list[Any]", plan)] for plan in plans if isinstance(plan, list)
    ]


def step_cost(way: ChainPlan, plans: Sequence[ChainPlan], share: float) -> float:
    """What the last step of a way costs.

    Args:
        share: of the samples that propose it.
    """
    known = max((_likeness(way, plan) for plan in plans), default=0.0)
    return (1 - known) ** ALPHA * (1 - share) ** (1 - ALPHA)


def future_cost(api: str, plans: Sequence[ChainPlan], *, done: int, imagined: int) -> float:
    """What is to be expected after a call of `api`.

    Args:
        done: steps on the way up to it.
        imagined: steps of the whole way as the model imagines it.
    """
    places = [
        (place + 1) / len(plan)
        for plan in plans
        for place, other in enumerate(plan)
        if other == api
    ]
    progress = sum(places) / len(places) if places else 0.0
    return (1 - progress) ** BETA * (1 - done / max(done, imagined)) ** (1 - BETA)


def _likeness(way: ChainPlan, plan: ChainPlan) -> float:
    """Longest common subsequence, as a share of the shorter one."""
    shorter = min(len(way), len(plan))
    return _common(way, plan) / shorter if shorter else 0.0


def _common(one: ChainPlan, other: ChainPlan) -> int:
    lengths = [0] * (len(other) + 1)
    for item in one:
        before = 0
        for place, each in enumerate(other, start=1):
            here = lengths[place]
            lengths[place] = before + 1 if item == each else max(here, lengths[place - 1])
            before = here
    return lengths[-1]
