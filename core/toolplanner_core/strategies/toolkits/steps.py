"""One step of a plan: try the APIs of its toolkit, best first, until one does it.

A failed attempt makes the next one necessary (*fallback*, caused by that failure); the plan does
not change. When none is left the toolkit is *exhausted* and the caller replans. Source:
Tool-Planner (arXiv 2406.03807), algorithm 1, inner loop.

Which API is tried first, which after a failure, and how many, is said by a policy; a person may
choose instead. Turns of a dialogue can call toolkits instead of APIs: each call is a step with its
fallbacks, and what failed in it stays hidden from the model (Source: Tool-Planner, table 4)."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Literal, NamedTuple

from toolplanner_core.domain.api import Api, Risk
from toolplanner_core.domain.failure import OF_SERVICE, ErrorClass, reports_not_found
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.domain.observation import INJECTED
from toolplanner_core.domain.plan import Step
from toolplanner_core.domain.stop_points import Alternative
from toolplanner_core.domain.toolkit import ScoredApi
from toolplanner_core.prompts.choose_api import ApiChoice, ChooseApi
from toolplanner_core.prompts.conversation import FunctionCall
from toolplanner_core.prompts.functions import Functions
from toolplanner_core.prompts.render import FailureCard, StepResult, as_json, block, cut
from toolplanner_core.strategies.interface.dialogue import Dialogue
from toolplanner_core.strategies.interface.scope import ModelGaveUp, OpenNode, RunScope
from toolplanner_core.strategies.techniques.react_loop import TurnExecutor, TurnOutcome, joined
from toolplanner_core.strategies.toolkits.attempts import EarlierResults, FailedAttempt, try_api
from toolplanner_core.strategies.toolkits.plan_nodes import EXHAUSTED, FALLBACK, REPLAN, STEP
from toolplanner_core.words.formatting import one_line

MAX_MEMBERS = 9
"""APIs tried in one toolkit at most, whatever its size: about a toolkit's size at the paper's best
k (Source: arXiv 2406.03807, 1,800 toolkits for 16,464 APIs)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidatePolicy:
    """How the APIs of a toolkit are tried.

    Attributes:
        max_members: at most so many; None = all.
        order: of the candidates: by similarity to the step and health, or by chance.
        next_api: who chooses after a failure: a model that sees the failures, the order, or chance.
        single: plans are made over single APIs: a step has the one that it names.
    """

    max_members: int | None = MAX_MEMBERS
    order: Literal["similarity", "random"] = "similarity"
    next_api: Literal["model", "rank", "random"] = "rank"
    single: bool = False


async def candidates_for(run: RunScope, step: Step, manner: CandidatePolicy) -> list[ScoredApi]:
    """What may be tried for a step, in the order in which it is tried by rank.

    Members are ranked for the step before the list is cut, so that of a large toolkit those are
    tried that fit. An API that the query names comes first.
    """
    if manner.single and step.api is not None:
        return [ScoredApi(api=await run.catalogue.api(step.api), score=0.0)]
    assert step.toolkit is not None, "a step without a toolkit names its API"
    ranked = await run.toolkits.members(step.toolkit, near=step.goal)
    if step.api is not None and all(item.api.id != step.api for item in ranked):
        await run.note("The plan names an API that its toolkit does not hold; it is passed over.")
    first = [item for item in ranked if item.api.id == step.api]
    named = named_by(run.task.query, [item.api for item in ranked])
    first += [item for item in ranked if item.api in named and item not in first]
    rest = [item for item in ranked if item not in first]
    tried = [*first, *rest][: manner.max_members]
    if manner.order == "random":
        pinned, others = tried[: len(first)], tried[len(first) :]
        run.random.shuffle(others)
        tried = [*pinned, *others]
    return tried


def named_by(query: str, apis: Sequence[Api]) -> list[Api]:
    """Those that a query names as what shall be used: "using the StormGlass Pro API", "the
    getZipCode API", "via SkyView" (Source: Tool-Planner, appendix J: "select the specified API if
    the user has indicated one").

    A name of one common word counts only with the word "API" behind it, or with capitals inside.
    """
    return [api for api in apis if _is_said(api.name, query) or _is_said(api.tool, query)]


def _is_said(name: str, query: str) -> bool:
    said = f" {_plain(query)} "
    plain = re.sub(r" (?:api|service)$", "", _plain(name))
    if len(plain) < 3:
        return False
    words = re.escape(plain)
    is_own = " " in plain or re.search(r"[a-z][A-Z]|[A-Z]{2}|\d", name) is not None
    more = r"(?: \w+)?" if is_own else ""
    if re.search(rf" {words}{more} (?:api|endpoint|service|tool) ", said):
        return True
    by = r" (?:using|use|via|with|through|from|by|ask|query)(?: the)? "
    return is_own and re.search(rf"{by}{words} ", said) is not None and _verbatim(name, query)


def _verbatim(name: str, query: str) -> bool:
    """Whether a name stands in the query as it is written, not as ordinary words: "with gas price"
    does not name the tool "Gas Price"."""
    spoken = re.sub(r"[\s_-]+", " ", query)
    return re.sub(r"[\s_-]+", " ", name) in spoken


def _plain(text: str) -> str:
    return " ".join(re.findall(r"[a-z0-9]+", text.lower()))


class NextCandidate(NamedTuple):
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
    manner: CandidatePolicy,
    failed: int | None,
    failures: Sequence[FailureCard] = (),
    because: str = "",
) -> NextCandidate:
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
            return NextCandidate(await _named(run, made.chosen, offered))
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
        return NextCandidate(await _named(run, made.chosen, candidates))
    return NextCandidate(None, made.seq, len(candidates))


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


@dataclass(frozen=True, slots=True, kw_only=True)
class StepOutcome:
    """How a step ended.

    Attributes:
        result: set when it was done.
        failures: its failed attempts in order, also when it was done in the end.
        exhausted: event that says no API could do it; a replan's cause. 0 if not exhausted.
        whole: the toolkit is exhausted for every step, since all its services failed; else for
            this goal only: with other arguments the same APIs may answer.
        error: what exhausted it, None while it is not.
        ends_run: it ended because nothing more can be asked or spent.
        is_refused: a person did not allow its call, so that no other plan is made to do it.
        node: its node, when it was done: a strategy may come back to it.
    """

    step: Step
    result: StepResult | None = None
    failures: tuple[FailureCard, ...] = ()
    exhausted: int = 0
    error: ErrorClass | None = None
    whole: bool = False
    ends_run: bool = False
    is_refused: bool = False
    node: OpenNode | None = None


async def do_step(
    run: RunScope, step: Step, known: EarlierResults, *, manner: CandidatePolicy | None = None
) -> StepOutcome:
    """Open the step's node and try the members of its toolkit."""
    manner = manner or CandidatePolicy()
    async with run.node(STEP, step.number, step.goal, data=step_data(run, step, manner)) as node:
        members = await candidates_for(run, step, manner)
        named = named_by(run.task.query, [item.api for item in members])
        here: list[FailureCard] = []
        following = (
            NextCandidate(members.pop(0))
            if members
            else await choose_next(run, step, (), manner=manner, failed=None)
        )
        if following.api is not None:
            members = [item for item in members if _can_replace(item.api, following.api.api)]
        cause: int | None = None
        is_refused = False
        aside = set[ApiId]()
        while following.api is not None:
            told = replace(known, failures=(*known.failures, *here))
            api = following.api.api
            outcome = await try_api(run, step, api, told, number=len(here) + 1, cause=cause)
            if not isinstance(outcome, FailedAttempt):
                said = _said(outcome, [each.title for each in named])
                return StepOutcome(step=step, result=said, failures=tuple(here), node=node)
            here.append(outcome.card)
            if outcome.ends_run:
                node.end(NodeState.FAILED, outcome.card.message, error=outcome.card.error)
                return StepOutcome(step=step, failures=tuple(here), ends_run=True)
            cause, is_refused = outcome.seq, outcome.is_refused
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
        error = ErrorClass.BLOCKED_BY_POLICY if is_refused else _exhausted_class(here, manner)
        node.end(NodeState.FAILED, words, error=error)
        return StepOutcome(
            step=step,
            error=error,
            failures=tuple(here),
            exhausted=following.exhausted,
            is_refused=is_refused,
            whole=not following.left and all(card.error in OF_SERVICE for card in here),
        )


def _can_replace(other: Api, first: Api) -> bool:
    """Whether an API may be tried for what another one was to do: what only reads does not do a
    change, and what cannot be read must not be changed or deleted instead."""
    is_same_kind = (other.risk is Risk.READ) == (first.risk is Risk.READ)
    return is_same_kind and other.risk.level <= first.risk.level


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


def step_data(run: RunScope, step: Step, manner: CandidatePolicy | None = None) -> dict[str, Any]:
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


def _exhausted_class(failures: Sequence[FailureCard], manner: CandidatePolicy) -> ErrorClass:
    """What an exhausted toolkit stands for: it lacks an API for the step only where all members
    failed for what they are. A service that is down, or a fault that was put in its place, says
    nothing about what the toolkit holds; a single API is no toolkit."""
    if not manner.single and all(_is_unfit(card) for card in failures):
        return ErrorClass.CLUSTER_INCOMPLETE
    others = [card.error for card in failures if not _is_unfit(card)]
    return (others or [card.error for card in failures] or [ErrorClass.DECISION_FAILURE])[-1]


_UNFIT = frozenset(
    {
        ErrorClass.MISSING_PARAMETER,
        ErrorClass.INVALID_PARAMETER,
        ErrorClass.WRONG_FORMAT,
        ErrorClass.EMPTY_RESULT,
    }
)


def _is_unfit(card: FailureCard) -> bool:
    """Whether an API failed for what it is: its arguments, what it does not have, of no use."""
    if card.origin == INJECTED:
        return False
    if card.error is ErrorClass.WRONG_FORMAT and not card.origin:
        return False  # the model's answer had the wrong form: nothing was called
    is_absent = reports_not_found(card.error, status=None, message=card.message)
    return card.error in _UNFIT or is_absent


def _exhausted_words(tried: int) -> str:
    if tried == 0:
        return "the toolkit is empty"
    # Some of them perhaps were not sent, or brought nothing of use: "failed" is for calls.
    return (
        f"toolkit exhausted, none of {tried:,} APIs could do it"
        if tried > 1
        else ("toolkit exhausted, its one API could not do it")
    )


class ToolkitTurnExecutor(TurnExecutor):
    """Acts through the toolkits among the functions."""

    def __init__(self, run: RunScope, functions: Functions, now: datetime) -> None:
        super().__init__(run, functions)
        self._steps = 0
        self._known = EarlierResults(results=(), failures=(), now=now)

    async def _call(self, call: FunctionCall, talk: Dialogue, before: TurnOutcome) -> TurnOutcome:
        kit = self._functions.kits.get(call.name)
        if kit is None:
            return await super()._call(call, talk, before)
        # Numbered through all turns: arguments of later steps refer to results by these numbers.
        self._steps += 1
        goal = (call.values() or {}).get("goal") or before.said or self._run.task.query
        step = Step(number=self._steps, goal=str(goal), toolkit=kit.id)
        outcome = await do_step(self._run, step, self._known)
        known = self._known
        self._known = replace(known, failures=(*known.failures, *outcome.failures))
        said, done = joined(before.said, kit.name), outcome.result
        if done is None:
            last = outcome.failures[-1] if outcome.failures else None
            why = last.message if last is not None else "it is empty"
            talk.result(call, f"No API of the toolkit could do it: {why}")
            error = outcome.error or (last.error if last else ErrorClass.CLUSTER_INCOMPLETE)
            return TurnOutcome(seq=outcome.exhausted or before.seq, error=error, said=said)
        self._known = replace(self._known, results=(*known.results, done))
        talk.result(call, block("result", f"{done.state}\n{cut(as_json(done.value))}"))
        return TurnOutcome(seq=before.seq, said=said, told=one_line(done.state))
