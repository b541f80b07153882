"""Served: an agent outside drives the run, call by call; its session is a run like every other.

Each request of the agent is a node: a search that was answered, or a call with its tries. Whatever
it calls passes the gate, so that log, health, faults, breakpoints, approvals and comparisons hold
for foreign agents, too. Where a service fails and something else of its toolkit can be called with
every value that was given, that is tried in its place; else it is only offered, and nothing is
called. The reply is handed out when all that led to it is on disk.

Source: design/gateway.md sections 3, 4 and 11.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from toolplanner_core.domain.api import Api, Risk
from toolplanner_core.domain.failure import OF_SERVICE, ErrorClass, reports_not_found
from toolplanner_core.domain.ids import ApiId, NodePath, ToolkitId
from toolplanner_core.domain.nodes import NodeKind, NodeState, ShownField
from toolplanner_core.domain.observation import NOT_SENT, Effect, Observation
from toolplanner_core.domain.plan import Answer, Task
from toolplanner_core.domain.stop_points import Alternative
from toolplanner_core.prompts.fill_arguments import FillArguments
from toolplanner_core.strategies.interface.scope import ModelGaveUp, RunScope
from toolplanner_core.strategies.interface.strategy import Solve, StrategyPlugin
from toolplanner_core.strategies.techniques.argument_carrying import (
    CarriedArguments,
    carry_arguments,
)
from toolplanner_core.strategies.techniques.same_question import is_same_operation
from toolplanner_core.strategies.toolkits.plan_nodes import ATTEMPT, EXHAUSTED, FALLBACK
from toolplanner_core.words.formatting import counted, one_line

REQUEST = NodeKind(
    id="request",
    word="request",
    icon="robot-outline",
    is_numbered=True,
    on_map=True,
    identity=("api",),
    compared=("api",),
    shown=(ShownField("answered", "Answered by"),),
)
LOOKUP = NodeKind(
    id="lookup",
    word="search",
    icon="magnify",
    identity=("need",),
    shown=(ShownField("need", "Need"), ShownField("found", "Found")),
)
MOST_FALLBACKS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedLookup:
    """A search of the agent that was answered: what it wanted, and names of what it was shown."""

    need: str
    found: tuple[str, ...]


class Fallback(StrEnum):
    """What happens where a service fails."""

    AUTO = "auto"
    """Another API is called if it can be asked for exactly the same; else it is offered."""
    ASK = "ask"
    """Others are offered."""
    NEVER = "never"


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedApi:
    """An API that was not called, and what could be given to it.

    Attributes:
        is_same: whether it says that it answers what the first one was asked.
    """

    api: Api
    carried: CarriedArguments
    is_same: bool

    @property
    def left_open(self) -> tuple[bool, int]:
        """What speaks against it, for ordering: less of it first."""
        return not self.is_same, len(self.carried.lost) + len(self.carried.missing)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedReply:
    """What came of a call.

    Attributes:
        seen: of the API that answered, or of the first one that failed.
        answered_by: the API that answered.
        failed: those that were tried before, with what they said.
        offered: those that may do it, and were not called: all others of the toolkit.
    """

    seen: Observation
    answered_by: Api
    failed: tuple[tuple[Api, Observation], ...] = ()
    offered: tuple[OfferedApi, ...] = ()


@dataclass(slots=True, kw_only=True, eq=False)
class ServedCall:
    """A call that an agent asks for.

    Attributes:
        toolkit: that of the API; its other members may stand in.
        need: what the agent wants, where a model fills in the arguments; "" = they are given.
        others: APIs for which they are filled in where that cannot be done for the first one.
        is_served: whether an API may be called by this agent, now.
        reply: gets what came of it; cancelling it stops the call.
        doing: for the agent, while it waits: what goes on.
    """

    api: Api
    arguments: Mapping[str, Any]
    toolkit: ToolkitId
    toolkit_name: str
    is_served: Callable[[ApiId], bool]
    fallback: Fallback
    need: str = ""
    others: tuple[Api, ...] = ()
    reply: "asyncio.Future[ServedReply]"
    doing: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedOptions:
    """Nothing is chosen: what is served stands in the profile of who serves."""


def solve_requests(requests: AsyncIterator[ServedLookup | ServedCall]) -> Solve:
    """The coroutine that does what is asked for, until nothing more comes. Calls go on at the same
    time, each below a node of its own."""

    async def solve(task: Task, run: RunScope, options: ServedOptions) -> Answer:
        del task, options
        lookups = calls = 0
        ended: list[bool] = []
        async with asyncio.TaskGroup() as going_on:
            async for request in requests:
                if isinstance(request, ServedLookup):
                    lookups += 1
                    await _note_lookup(run, request, lookups)
                    continue
                calls += 1
                work = going_on.create_task(_answer(run, request, calls, ended))
                request.reply.add_done_callback(lambda reply, work=work: _stop(reply, work))
        n_failed = ended.count(False)
        failed = f" ({n_failed} failed)" if n_failed else ""
        searches = counted(lookups, "search", "searches")
        text = f"{counted(calls, 'call')}{failed} and {searches} served"
        return Answer(text=text, solved=any(ended) or not ended, is_served=True)

    return solve


def _stop(reply: "asyncio.Future[ServedReply]", work: "asyncio.Task[None]") -> None:
    """The agent does not wait any longer."""
    if reply.cancelled():
        work.cancel()


def request_path(number: int) -> NodePath:
    """The node of a request, counted from 1."""
    return NodePath(f"{REQUEST.id}.{number}")


async def _note_lookup(run: RunScope, lookup: ServedLookup, number: int) -> None:
    data = {"need": lookup.need, "found": "\n".join(lookup.found)}
    async with run.node(LOOKUP, number, one_line(lookup.need), data=data) as node:
        pass
    run.forget(node)


async def _answer(run: RunScope, request: ServedCall, number: int, ended: list[bool]) -> None:
    """Serve a call, and add to `ended` whether it brought a reply that holds; not of one that was
    stopped."""
    try:
        reply = await _serve(run, request, number)
        ended.append(reply.seen.ok)
        await run.commit()
    except BaseException as error:
        if not request.reply.done():
            if isinstance(error, asyncio.CancelledError):
                request.reply.cancel()
            else:
                request.reply.set_exception(error)
        raise
    if not request.reply.done():
        request.reply.set_result(reply)


async def _serve(run: RunScope, request: ServedCall, number: int) -> ServedReply:
    kit = {"toolkit": request.toolkit, "toolkit_name": request.toolkit_name}
    data = {"api": request.api.id, **kit}
    async with run.node(REQUEST, number, request.api.title, data=data) as node:
        reply, number = await _first_reply(run, request)
        seen, asked = reply.seen, reply.answered_by
        if request.fallback is not Fallback.NEVER and _may_fall_back(asked, seen):
            reply = await _fall_back(run, request, asked, seen, number=number)
        if reply.seen.ok:
            node.end(NodeState.OK, data={"answered": reply.answered_by.title})
        else:
            node.end(NodeState.FAILED, reply.seen.message, error=reply.seen.error)
    run.forget(node)
    return reply


async def _first_reply(run: RunScope, request: ServedCall) -> tuple[ServedReply, int]:
    """What comes of the API that was asked for, and the number of its attempt; of a need, of the
    first one for which a model finds all arguments in it."""
    if not request.need:
        request.doing = f"calls {request.api.title}"
        seen = await _try(run, request.api, request.arguments, 1)
        return ServedReply(seen=seen, answered_by=request.api), 1
    unfilled: list[tuple[Api, Observation]] = []
    for number, api in enumerate((request.api, *request.others), start=1):
        request.doing = f"finds arguments for {api.title} and calls it"
        seen = await _try_for_need(run, api, request.need, number)
        if seen.origin != NOT_SENT or seen.error is ErrorClass.BLOCKED_BY_POLICY:
            return ServedReply(seen=seen, answered_by=api), number
        unfilled.append((api, seen))
    api, seen = unfilled[0]
    return ServedReply(seen=seen, answered_by=api, failed=tuple(unfilled)), len(unfilled)


def _may_fall_back(api: Api, seen: Observation) -> bool:
    """Whether another API may be asked: only what reads, where the service failed, has nothing or
    is gone. What is wrong with the arguments, refused or stopped is wrong everywhere."""
    is_gone = seen.error is ErrorClass.NOT_FOUND and not reports_not_found(
        seen.error, status=None, message=seen.message
    )
    is_of_service = seen.error in OF_SERVICE or seen.error is ErrorClass.EMPTY_RESULT or is_gone
    is_read = api.risk is Risk.READ and seen.effect is Effect.NONE
    return is_of_service and is_read and seen.origin != NOT_SENT and not seen.is_refused_by_person


async def _fall_back(
    run: RunScope, request: ServedCall, asked: Api, first: Observation, *, number: int
) -> ServedReply:
    """Ask the others of the toolkit for exactly the same; offer those that cannot be.

    Args:
        asked: the API that failed, with `first`.
        number: of its attempt.
    """
    near = f"{asked.title} {asked.description}"
    members = [each.api for each in await run.toolkits.members(request.toolkit, near=near)]
    sent = first.arguments if first.arguments is not None else request.arguments
    left: list[Api] = []
    offered: list[OfferedApi] = []
    for api in members:
        if api.id == asked.id or api.risk is not Risk.READ or not request.is_served(api.id):
            continue
        carried = carry_arguments(asked, api, sent)
        may_do = OfferedApi(api=api, carried=carried, is_same=is_same_operation(asked, api))
        if carried.is_complete and may_do.is_same and request.fallback is Fallback.AUTO:
            left.append(api)
        else:
            offered.append(may_do)
    # A stable order: among equals the one that members are ranked by.
    offered.sort(key=lambda each: each.left_open)
    failed = [(asked, first)]
    while left and len(failed) <= MOST_FALLBACKS:
        made = await run.decide(
            FALLBACK,
            [Alternative(id=api.id, title=api.title) for api in left],
            title=f"Fall back to {left[0].title}",
            cause=failed[-1][1].seq,
        )
        if made.chosen is None:
            break
        api = await run.catalogue.api(ApiId(made.chosen.id))
        left = [each for each in left if each.id != api.id]
        carried = carry_arguments(asked, api, sent)
        if not carried.is_complete:  # a person chose it
            offered.insert(0, OfferedApi(api=api, carried=carried, is_same=True))
            continue
        number += 1
        request.doing = f"tries {api.title}, after {counted(len(failed), 'other')} failed"
        seen = await _try(run, api, carried.arguments, number, cause=made.seq)
        if seen.ok:
            return ServedReply(seen=seen, answered_by=api, failed=tuple(failed))
        failed.append((api, seen))
        if not _may_fall_back(api, seen):
            break
    if request.fallback is Fallback.AUTO:
        reply = await _exhausted(run, request, asked, failed, sent=sent, number=number)
        if reply is not None:
            return reply
    return ServedReply(
        seen=first,
        answered_by=asked,
        failed=tuple(failed),
        offered=tuple(offered),
    )


async def _exhausted(
    run: RunScope,
    request: ServedCall,
    asked: Api,
    failed: list[tuple[Api, Observation]],
    *,
    sent: Mapping[str, Any],
    number: int,
) -> ServedReply | None:
    """Say that no API of the toolkit has answered, and ask what a person takes instead, such as the
    same one again, to change its arguments at the call; None where nobody does. What the agent
    gave and another API has no place for is left to the person, and told to the agent.

    Args:
        asked: the API that failed first, with `sent`.
        number: of the last attempt.
    """
    name = request.toolkit_name
    while True:
        made = await run.decide(
            EXHAUSTED,
            (),
            title="No API of the toolkit is left",
            cause=failed[-1][1].seq,
            because=f"no API of {name} has answered",
            data={"toolkit": request.toolkit, "toolkit_name": name},
        )
        if made.chosen is None:
            return None
        api = await run.catalogue.api(ApiId(made.chosen.id))
        given = sent if api.id == asked.id else carry_arguments(asked, api, sent).arguments
        number += 1
        request.doing = f"tries {api.title}, after {counted(len(failed), 'API')} failed"
        seen = await _try(run, api, given, number, cause=made.seq)
        if seen.ok:
            return ServedReply(seen=seen, answered_by=api, failed=tuple(failed))
        failed.append((api, seen))


async def _try(
    run: RunScope,
    api: Api,
    arguments: Mapping[str, Any],
    number: int,
    *,
    cause: int | None = None,
) -> Observation:
    data = {"api": api.id}
    async with run.node(ATTEMPT, number, api.title, data=data, cause=cause) as node:
        seen = await run.call(api, arguments)
        if not seen.ok:
            node.end(NodeState.FAILED, seen.message, error=seen.error)
        return seen


async def _try_for_need(run: RunScope, api: Api, need: str, number: int) -> Observation:
    """Call an API with what a model finds in a need; nothing is sent where it does not find all
    that is required."""
    async with run.node(ATTEMPT, number, api.title, data={"api": api.id}) as node:
        try:
            now = await run.now()
            filled = await run.ask(
                FillArguments(query=need, goal=need, api=api, results=(), failures=(), now=now)
            )
        except ModelGaveUp as gave_up:
            node.end(NodeState.FAILED, gave_up.message, error=gave_up.error)
            return Observation(
                ok=False, error=gave_up.error, message=gave_up.message, origin=NOT_SENT
            )
        if filled.missing:
            message = f"What you need does not say: {', '.join(filled.missing)}"
            node.end(NodeState.FAILED, message, error=ErrorClass.MISSING_PARAMETER)
            error = ErrorClass.MISSING_PARAMETER
            return Observation(ok=False, error=error, message=message, origin=NOT_SENT)
        seen = await run.call(api, filled.values)
        if not seen.ok:
            node.end(NodeState.FAILED, seen.message, error=seen.error)
        return seen


async def _nobody() -> AsyncIterator[ServedLookup | ServedCall]:
    """No request comes."""
    for request in ():
        yield request


PLUGIN = StrategyPlugin(
    id="served",
    title="Served",
    description="Does what an agent outside asks for, call by call, over the Model Context"
    " Protocol. It plans nothing.",
    options=ServedOptions,
    solve=solve_requests(_nobody()),
    kinds=(REQUEST, LOOKUP, ATTEMPT),
    points=(FALLBACK, EXHAUSTED),
    needs_model=False,
    answers=False,
    example=None,
    is_offered=False,
)
