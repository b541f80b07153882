"""Health: call APIs that only read, once each, with the values that their documentation gives.

No model is asked. What comes back is in the log like every call, so that health on the map, in
lists and in the ranking of members follows from it by itself. An API that may change something is
never called, one whose documentation gives no value for a required argument is left out.
"""

import re
from dataclasses import dataclass

from toolplanner_core.domain.api import Api, Risk
from toolplanner_core.domain.examples import first_arguments, has_all_required
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.domain.nodes import NodeKind, NodeState
from toolplanner_core.domain.plan import Answer, Task
from toolplanner_core.options.option import option
from toolplanner_core.strategies.scope import RunScope
from toolplanner_core.strategies.strategy import StrategyPlugin
from toolplanner_core.words.wording import counted

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


@dataclass(frozen=True, slots=True, kw_only=True)
class HealthOptions:
    """Options of the strategy."""

    shortlist: int = option(
        20, "APIs called at most, where the query names none by id.", minimum=1, maximum=500
    )


async def solve(task: Task, run: RunScope, options: HealthOptions) -> Answer:
    """Call the APIs that a query names by id, or those that fit it."""
    words = task.query.replace(",", " ").split()
    if all(_ID.fullmatch(word) for word in words):
        apis = [await run.catalogue.api(ApiId(word)) for word in words]
    else:
        apis = [each.api for each in await run.catalogue.search(task.query, options.shortlist)]
    asked = [api for api in apis if is_checkable(api)]
    if not asked:
        reason = "No API was found" if not apis else "None of them can be called without a person"
        return Answer(text="", solved=False, reason=reason)
    worked = 0
    for number, api in enumerate(asked, start=1):
        async with run.node(CHECKED, number, api.title, data={"api": api.id}) as node:
            seen = await run.call(api, first_arguments(api))
            worked += seen.ok
            said = "" if seen.error is None else seen.error.replace("_", " ")
            node.end(NodeState.OK if seen.ok else NodeState.FAILED, said)
    text = f"{worked} of {counted(len(asked), 'API')} answered."
    if left_out := len(apis) - len(asked):
        others = counted(left_out, "other")
        text += f" {others} may change something, or have no values to call with."
    return Answer(text=text, solved=worked > 0, reason="" if worked else "None of them answered")


def is_checkable(api: Api) -> bool:
    """Whether it only reads, and its documentation says what to call it with."""
    return api.risk is Risk.READ and has_all_required(api, first_arguments(api))


PLUGIN = StrategyPlugin(
    id="health",
    title="Health check",
    description="Calls APIs that only read, once each, with documented values, to see which of them"
    " work. It plans nothing.",
    options=HealthOptions,
    solve=solve,
    kinds=(CHECKED,),
    needs_model=False,
    example=None,
)
