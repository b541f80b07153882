"""How a run ended, from what its strategy's coroutine came to.

solved, unsolved, over_budget     the strategy came back
cancelled                         a person stopped it or gave up; all open nodes are closed
error                             a mistake in the strategy, or a fork that cannot follow its tape
"""

import asyncio
import logging
import traceback
from dataclasses import dataclass

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.plan import Answer, Status
from toolplanner_core.errors import Cancelled, WorkspaceError
from toolplanner_core.runs.stages.budget import Budget
from toolplanner_core.runs.tape.tape import Diverged
from toolplanner_core.runs.wording import failure_words
from toolplanner_core.strategies.scope import ModelGaveUp

_log = logging.getLogger(__name__)
STOPPED = "The run was stopped"


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """The end of a run."""

    status: Status
    answer: str = ""
    reason: str = ""


def end_of(solving: "asyncio.Future[Answer]", budget: Budget) -> End:
    """The end that a finished (or stopped, or broken) strategy means."""
    if solving.cancelled():
        return End(status=Status.CANCELLED, reason=STOPPED)
    error = solving.exception()
    match error:
        case None:
            return _end_with(solving.result(), budget)
        case Cancelled():
            return End(status=Status.CANCELLED, reason=error.what if error.where else STOPPED)
        case ModelGaveUp(error=ErrorClass.OVER_BUDGET):
            return End(status=Status.OVER_BUDGET, reason=error.message)
        case ModelGaveUp():
            words = failure_words(error.error)
            return End(
                status=Status.UNSOLVED,
                reason=f"No usable answer from the model ({words}): {error.message}",
            )
        case Diverged():
            return End(status=Status.ERROR, reason=f"It left its tape. {error}")
        case WorkspaceError():
            _log.error("The run ends because the workspace cannot be written: %s", error)
        case _:
            # Where, but not what it said: messages of exceptions can hold secrets.
            _log.error("The strategy broke:\n%s", "".join(traceback.format_tb(error.__traceback__)))
    return End(status=Status.ERROR, reason=f"{type(error).__name__}: {error}")


def _end_with(answer: Answer, budget: Budget) -> End:
    if answer.solved:
        return End(status=Status.SOLVED, answer=answer.text, reason=answer.reason)
    if budget.refused:
        return End(status=Status.OVER_BUDGET, answer=answer.text, reason=budget.refused)
    return End(status=Status.UNSOLVED, answer=answer.text, reason=answer.reason)
