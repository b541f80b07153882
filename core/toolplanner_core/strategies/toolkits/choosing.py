"""The choices of plans over toolkits, each of which a person may make instead."""

from collections.abc import Sequence
from typing import NamedTuple

from toolplanner_core.domain.candidates import ScoredApi
from toolplanner_core.domain.ids import ApiId, ToolkitId
from toolplanner_core.domain.stop_points import Alternative
from toolplanner_core.strategies.scope import RunScope
from toolplanner_core.strategies.toolkits.points import EXHAUSTED, FALLBACK, REPLAN


class Next(NamedTuple):
    """What is tried after a failure.

    Attributes:
        api: None = the toolkit is exhausted, and `exhausted` is the event that says so: a replan's
            cause.
    """

    api: ScoredApi | None
    exhausted: int = 0


async def choose_next(
    run: RunScope, toolkit: ToolkitId, failed: int | None, candidates: Sequence[ScoredApi]
) -> Next:
    """Take the next API of a toolkit: the first candidate, unless a person chooses another.

    Args:
        failed: event of the failure that makes it necessary; None when nothing was tried.
    """
    if candidates:
        title = f"Fall back to {candidates[0].api.title}"
        offered = [_alternative(each) for each in candidates]
        made = await run.decide(FALLBACK, offered, title=title, cause=failed)
        if made.chosen is not None:
            return Next(await _named(run, made.chosen, candidates))
    name = run.toolkits.name_of(toolkit)
    made = await run.decide(
        EXHAUSTED,
        (),
        title="No API of the toolkit is left",
        cause=failed,
        because=f"no API of {name} could do the step",
        data={"toolkit": toolkit, "toolkit_name": name},
    )
    if made.chosen is not None:
        return Next(await _named(run, made.chosen, candidates))
    return Next(None, made.seq)


async def decide_replan(run: RunScope, exhausted: int, *, number: int) -> int | None:
    """Whether plan `number` is made; its cause, or None when a person wants no new plan."""
    title = f"Make plan {number}"
    made = await run.decide(
        REPLAN, [Alternative(id="replan", title=title)], title=title, cause=exhausted
    )
    return None if made.chosen is None else made.seq


def _alternative(candidate: ScoredApi) -> Alternative:
    api = candidate.api
    return Alternative(id=api.id, title=api.title, score=candidate.score, parts=candidate.parts)


async def _named(run: RunScope, chosen: Alternative, candidates: Sequence[ScoredApi]) -> ScoredApi:
    for each in candidates:
        if each.api.id == chosen.id:
            return each
    return ScoredApi(api=await run.catalogue.api(ApiId(chosen.id)), score=0.0)
