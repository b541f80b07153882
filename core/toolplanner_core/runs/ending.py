"""How a run ends: a stop becomes an event of it instead of an exception, and its status comes from
what the strategy's coroutine came to.

solved, unsolved, over_budget     the strategy came back
cancelled                         a person stopped it or gave up; all open nodes are closed
error                             a mistake in the strategy, a fork that cannot follow its tape, a
                                  workspace that could not be read or written

A run is stopped by its cancel event or by cancelling the task that waits for it (Ctrl+C); either
way its end must reach the disk.
"""

import asyncio
import logging
import traceback
from collections.abc import Coroutine
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.plan import Answer, Status
from toolplanner_core.errors import Cancelled
from toolplanner_core.llm.openai_failures import WHAT_TO_DO
from toolplanner_core.runs.evidence import MetNeed, RunEvidence
from toolplanner_core.runs.stages.budget import Budget
from toolplanner_core.runs.tape.tape import Diverged, Tape
from toolplanner_core.runs.wording import failure_words
from toolplanner_core.strategies.scope import ModelGaveUp
from toolplanner_core.workspace.faults import fault_words, workspace_fault

_log = logging.getLogger(__name__)
STOPPED = "The run was stopped"


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """The end of a run.

    Attributes:
        evidence: which need was met by which result.
        claimed: what the strategy said, where nothing shows it.
    """

    status: Status
    answer: str = ""
    reason: str = ""
    evidence: tuple[MetNeed, ...] = ()
    claimed: Status | None = None


def end_of(solving: "asyncio.Future[Answer]", budget: Budget, evidence: RunEvidence) -> End:
    """The end that a finished (or stopped, or broken) strategy means; it is solved only with
    evidence."""
    if solving.cancelled():
        return End(status=Status.CANCELLED, reason=STOPPED)
    error = solving.exception()
    match error:
        case None:
            return _end_with(solving.result(), budget, evidence)
        case Cancelled():
            return End(status=Status.CANCELLED, reason=error.what if error.where else STOPPED)
        case ModelGaveUp(error=ErrorClass.OVER_BUDGET):
            return End(status=Status.OVER_BUDGET, reason=error.message)
        case ModelGaveUp():
            words, todo = failure_words(error.error), WHAT_TO_DO.get(error.error, "")
            said = f"No usable answer from the model ({words}): {error.message.rstrip('.')}"
            reason = f"{said}. {todo}" if todo else said
            return End(status=Status.UNSOLVED, reason=reason)
        case Diverged():
            return End(status=Status.ERROR, reason=f"It left its tape. {error}")
        case _ if (fault := workspace_fault(error)) is not None:
            _log.error("The run ends: %s", fault)
            return End(status=Status.ERROR, reason=fault_words(fault))
        case _:
            # Where, but not what it said: messages of exceptions can hold secrets.
            _log.error("The strategy broke:\n%s", "".join(traceback.format_tb(error.__traceback__)))
    return End(status=Status.ERROR, reason=f"{type(error).__name__}: {error}")


def _end_with(answer: Answer, budget: Budget, evidence: RunEvidence) -> End:
    if answer.solved:
        doubt, end = evidence.doubt(answer), End(status=Status.SOLVED, answer=answer.text)
        if doubt:
            return replace(end, status=Status.UNSOLVED, reason=doubt, claimed=end.status)
        reason = answer.reason or evidence.remark(answer)
        return replace(end, reason=reason, evidence=evidence.shown(answer))
    if budget.refused:
        return End(status=Status.OVER_BUDGET, answer=answer.text, reason=budget.refused)
    return End(status=Status.UNSOLVED, answer=answer.text, reason=answer.reason)


T = TypeVar("T")


async def until_done(
    solving: "asyncio.Future[Answer]", cancel: asyncio.Event | None, tape: Tape
) -> None:
    """Wait for the strategy; a stop (by the event or of the calling task) is passed on to it."""
    stop = asyncio.ensure_future(cancel.wait()) if cancel is not None else None
    waits: set[asyncio.Future[Any]] = {solving} if stop is None else {solving, stop}
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    except asyncio.CancelledError:
        _forgive_cancellation()
    if stop is not None:
        stop.cancel()
    if not solving.done():
        tape.drop()  # what is closed now was not closed in the parent
        solving.cancel()
        await despite_cancellation(_settled(solving))


async def despite_cancellation(work: Coroutine[Any, Any, T]) -> T:
    """Finish `work` whatever happens to the calling task."""
    future = asyncio.ensure_future(work)
    while not future.done():
        try:
            await asyncio.wait({future})
        except asyncio.CancelledError:
            _forgive_cancellation()
    return future.result()


async def _settled(future: "asyncio.Future[Any]") -> None:
    await asyncio.wait({future})


def _forgive_cancellation() -> None:
    # The stop has been turned into an event of the run, whose summary is the result.
    task = asyncio.current_task()
    if task is not None:
        task.uncancel()
