"""Health: call APIs that only read, once each, with the values that their documentation gives.

No model is asked. What comes back is in the log like every call, so that health on the map, in
lists and in the ranking of members follows from it by itself. An API that may change something is
never called, one whose documentation gives no value for a required argument is left out.
"""

import re
from dataclasses import dataclass

from toolplanner_core.domain.api import Api, Risk, example_arguments, has_all_required
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.domain.nodes import NodeKind, NodeState
from toolplanner_core.domain.observation import HEALTH_CHECK
from toolplanner_core.domain.plan import Answer, QueryNeed, Task
from toolplanner_core.options.option import option
from toolplanner_core.strategies.interface.scope import RunScope
from toolplanner_core.strategies.interface.strategy import StrategyPlugin
from toolplanner_core.words.formatting import counted
from toolplanner_core.words.query_values import find_query_values

CHECKED = NodeKind(
    id="checked",
    word="API",
    icon="heart-pulse",
    is_unit=False,
    is_numbered=True,
    on_map=True,
    identity=("api",),
    compared=("api",),
)
_ID = re.compile("[0-9a-f]{16}")
_OTHER = "choose another strategy to have the query answered"


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthOptions:
    """Options of the strategy."""

    shortlist: int = option(
        20, "APIs called at most, where the query names none by id.", minimum=1, maximum=500
    )


async def solve(task: Task, run: RunScope, options: HealthOptions) -> Answer:
    """Call the APIs that a query names by id, or those that fit it."""
    words = task.query.replace(",", " ").split()
    is_named = all(_ID.fullmatch(word) for word in words)
    if is_named:
        apis = [await run.catalogue.api(ApiId(word)) for word in words]
    else:
        apis = [each.api for each in await run.catalogue.search(task.query, options.shortlist)]
    asked = [api for api in apis if is_checkable(api)]
    if not asked:
        reason = "No API was found" if not apis else "None of them can be called without a person"
        return Answer(text="", solved=False, reason=reason)
    needs: list[QueryNeed] = []
    for number, api in enumerate(asked, start=1):
        async with run.node(CHECKED, number, api.title, data={"api": api.id}) as node:
            seen = await run.call(api, example_arguments(api))
            if seen.ok:
                needs.append(QueryNeed(text=f"{api.title} answers", met_by=(seen.seq,)))
            said = "" if seen.error is None else seen.error.replace("_", " ")
            node.end(NodeState.OK if seen.ok else NodeState.FAILED, said)
    text = f"{len(needs)} of {counted(len(asked), 'API')} answered, called with documented values."
    if left_out := len(apis) - len(asked):
        others = counted(left_out, "other")
        text += f" {others} may change something, or have no values to call with."
    reason = "" if needs else "None of them answered"
    if values := [f"“{value.text}”" for value in find_query_values(task.query) if not is_named]:
        reason = f"A health check sends documented values, not {', '.join(values)}: {_OTHER}"
    return Answer(
        text=text, solved=not reason, reason=reason, needs=tuple(needs), is_about_apis=True
    )


def is_checkable(api: Api) -> bool:
    """Whether it only reads, and its documentation says what to call it with."""
    return api.risk is Risk.READ and has_all_required(api, example_arguments(api))


PLUGIN = StrategyPlugin(
    id=HEALTH_CHECK,
    title="Health check",
    description="Calls APIs that only read, once each, with documented values, to see which of them"
    " work. It plans nothing.",
    options=HealthOptions,
    solve=solve,
    kinds=(CHECKED,),
    needs_model=False,
    answers=False,
    example=None,
)
