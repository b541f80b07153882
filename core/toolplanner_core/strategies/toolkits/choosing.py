"""The choices of plans over toolkits, each of which a person may make instead."""

from collections.abc import Sequence
from typing import NamedTuple

from toolplanner_core.domain.candidates import ScoredApi
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.domain.plan import Step
from toolplanner_core.domain.stop_points import Alternative
from toolplanner_core.prompts.choose_api import ApiChoice, ChooseApi
from toolplanner_core.prompts.render import FailureCard
from toolplanner_core.strategies.scope import ModelGaveUp, RunScope
from toolplanner_core.strategies.toolkits.manner import Manner
from toolplanner_core.strategies.toolkits.points import EXHAUSTED, FALLBACK, REPLAN


class Next(NamedTuple):
    """What is tried after a failure.

    Attributes:
        api: None = the toolkit is exhausted, and `exhausted` is the event that says so: a replan's
            cause.
        left: nobody tried these, a model gave them up.
    """

    api: ScoredApi | None
    exhausted: int = 0
    left: int = 0


async def choose_next(
    run: RunScope,
    step: Step,
    candidates: Sequence[ScoredApi],
    *,
    manner: Manner,
    failed: int | None,
    failures: Sequence[FailureCard] = (),
    because: str = "",
) -> Next:
    """Take the next API of a step's toolkit, or exhaust the toolkit; a person may choose another.

    Args:
        candidates: those that are left, best first.
        failed: event of the failure that makes it necessary; None when nothing was tried.
        failures: of this step; what a model is shown that chooses.
        because: why none of the candidates is to be tried; "" = one may be.
    """
    offered = [] if because else list(candidates)
    if offered and manner.next_api == "random":
        offered.insert(0, offered.pop(run.random.randrange(len(offered))))
    if offered and manner.next_api == "model":
        choice = await _asked(run, step, offered, failures)
        if choice.index is None:
            because, offered = choice.why or "the model gives the toolkit up", []
        else:
            offered.insert(0, offered.pop(choice.index))
    if offered:
        title = f"Fall back to {offered[0].api.title}"
        made = await run.decide(
            FALLBACK, [_alternative(each) for each in offered], title=title, cause=failed
        )
        if made.chosen is not None:
            return Next(await _named(run, made.chosen, offered))
    if manner.single or step.toolkit is None:
        title, data = "The API of the step failed", {"api": step.api}
        why = f"{failures[-1].api_title} could not do the step" if failures else "it has no API"
    else:
        name = run.toolkits.name_of(step.toolkit)
        title, data = "No API of the toolkit is left", {"toolkit": step.toolkit}
        why, data = f"no API of {name} could do the step", {**data, "toolkit_name": name}
    why = f"{why}: {because}" if because else why
    made = await run.decide(EXHAUSTED, (), title=title, cause=failed, because=why, data=data)
    if made.chosen is not None:
        return Next(await _named(run, made.chosen, candidates))
    return Next(None, made.seq, len(candidates))


async def _asked(
    run: RunScope, step: Step, candidates: Sequence[ScoredApi], failures: Sequence[FailureCard]
) -> ApiChoice:
    """What a model chooses; the best by rank where it does not answer."""
    try:
        return await run.ask(
            ChooseApi(
                query=run.task.query,
                goal=step.goal,
                candidates=tuple(item.api for item in candidates),
                failures=tuple(failures),
            )
        )
    except ModelGaveUp:
        return ApiChoice(index=0)


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
