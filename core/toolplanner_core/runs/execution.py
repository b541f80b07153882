"""One run from its first event to its last: every end is an event.

solved, unsolved, over_budget     the strategy came back
cancelled                         a person stopped it; all open nodes are closed as cancelled
error                             a mistake in the strategy; its message is the reason

Caller: `engine.py`. Only when the workspace itself cannot be written does the error come out: then
there is no place to write the end, and the run is found as interrupted at the next start.
"""

import asyncio
import dataclasses
import logging
from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any, TypeVar

import toolplanner_core
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import RunId
from toolplanner_core.domain.plan import Answer, Status, Task
from toolplanner_core.errors import Cancelled, WorkspaceError
from toolplanner_core.runs.clock import Clock
from toolplanner_core.runs.events.event import Record
from toolplanner_core.runs.events.run import RunFinished, RunStarted
from toolplanner_core.runs.gate import Gate
from toolplanner_core.runs.log import RecordListener, RunLog
from toolplanner_core.runs.parts import RunParts, close_outside
from toolplanner_core.runs.process import this_process
from toolplanner_core.runs.scope import ROOT, RunScopeImpl
from toolplanner_core.runs.search import index_run
from toolplanner_core.runs.spec import RunSpec, RunSummary
from toolplanner_core.runs.stages.budget import Budget
from toolplanner_core.runs.stages.redaction import redact
from toolplanner_core.runs.totals import Totals
from toolplanner_core.strategies.scope import ModelGaveUp
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.runs import create_run, finish_run
from toolplanner_core.workspace.settings import get_setting

_log = logging.getLogger(__name__)
T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class _End:
    status: Status
    answer: str = ""
    reason: str = ""


class _Ears:
    """Counts totals and passes records on; a listener that breaks is dropped, not the run."""

    def __init__(self, listener: RecordListener | None) -> None:
        self.totals = Totals()
        self._listener = listener

    def hear(self, records: list[Record]) -> None:
        """Take a batch."""
        self.totals.apply(records)
        if self._listener is None:
            return
        try:
            self._listener(records)
        except Exception:  # noqa: BLE001 - a screen that breaks must not end the run
            _log.exception("A listener of run %s broke and is not called again", records[0].run)
            self._listener = None


async def execute(
    workspace: Workspace,
    spec: RunSpec,
    parts: RunParts,
    *,
    listener: RecordListener | None = None,
    cancel: asyncio.Event | None = None,
    clock: Clock | None = None,
) -> RunSummary:
    """Run `spec` with these parts until its end and return its totals; see `engine.run`."""
    clock = clock or Clock()
    started_us = clock.wall_us()
    run = await asyncio.to_thread(_create, workspace, spec, parts, started_us)
    ears = _Ears(listener)
    log = RunLog(workspace, run, clock=clock, listener=ears.hear, redact=redact)
    budget = Budget(spec.limits, clock)
    scope = RunScopeImpl(
        Task(query=spec.query), log=log, clock=clock, catalogue=parts.catalogue, seed=spec.seed
    )
    scope.attach(
        Gate(log=log, clock=clock, budget=budget, outside=parts.outside, random_at=scope.random_at)
    )
    log.append(_started(workspace, spec, parts), path=ROOT, parent=None)
    solving = asyncio.ensure_future(parts.strategy.solve(scope.task, scope, parts.options))
    await _until_done(solving, cancel)
    end = _end_of(solving, budget)

    async def finish() -> RunSummary:
        try:
            await close_outside(parts.outside)
        finally:
            log.append(
                RunFinished(status=end.status, answer=end.answer, reason=end.reason),
                path=ROOT,
                parent=None,
                barrier=True,
            )
            await log.close()
        totals = {**ears.totals.to_json(), "reason": end.reason}
        await asyncio.to_thread(
            finish_run,
            workspace,
            run,
            status=end.status,
            answer=end.answer,
            totals=totals,
            ended_us=clock.wall_us(),
        )
        await asyncio.to_thread(index_run, workspace, run)
        return RunSummary(
            run=run,
            query=spec.query,
            strategy=spec.strategy,
            model=spec.model,
            provider=parts.outside.provider_name,
            status=end.status,
            answer=end.answer,
            reason=end.reason,
            started_us=started_us,
            **ears.totals.for_summary(),
        )

    return await _despite_cancellation(finish())


async def _until_done(solving: "asyncio.Future[Answer]", cancel: asyncio.Event | None) -> None:
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
        solving.cancel()
        await _despite_cancellation(_settled(solving))


async def _settled(future: "asyncio.Future[Any]") -> None:
    await asyncio.wait({future})


async def _despite_cancellation(work: Coroutine[Any, Any, T]) -> T:
    """Finish `work` whatever happens to the calling task: the end of a run must reach the disk."""
    future = asyncio.ensure_future(work)
    while not future.done():
        try:
            await asyncio.wait({future})
        except asyncio.CancelledError:
            _forgive_cancellation()
    return future.result()


def _forgive_cancellation() -> None:
    # The stop has been turned into an event of the run, whose summary is the result.
    task = asyncio.current_task()
    if task is not None:
        task.uncancel()


def _end_of(solving: "asyncio.Future[Answer]", budget: Budget) -> _End:
    if solving.cancelled():
        return _End(status=Status.CANCELLED, reason="The run was stopped")
    error = solving.exception()
    match error:
        case None:
            return _end_with(solving.result(), budget)
        case Cancelled():
            return _End(status=Status.CANCELLED, reason="The run was stopped")
        case ModelGaveUp(error=ErrorClass.OVER_BUDGET):
            return _End(status=Status.OVER_BUDGET, reason=error.message)
        case ModelGaveUp():
            return _End(
                status=Status.UNSOLVED, reason=f"No usable answer from the model: {error.message}"
            )
        case WorkspaceError():
            _log.error("The run ends because the workspace cannot be written: %s", error)
        case _:
            _log.error("The strategy broke", exc_info=error)
    return _End(status=Status.ERROR, reason=f"{type(error).__name__}: {error}")


def _end_with(answer: Answer, budget: Budget) -> _End:
    if answer.solved:
        return _End(status=Status.SOLVED, answer=answer.text, reason=answer.reason)
    if budget.refused:
        return _End(status=Status.OVER_BUDGET, answer=answer.text, reason=budget.refused)
    return _End(status=Status.UNSOLVED, answer=answer.text, reason=answer.reason)


def _create(workspace: Workspace, spec: RunSpec, parts: RunParts, started_us: int) -> RunId:
    return create_run(
        workspace,
        query=spec.query,
        strategy=spec.strategy,
        model=spec.model,
        provider=parts.outside.provider_name,
        options={
            "options": dict(spec.options),
            "provider_options": dict(spec.provider_options),
            "planning_model": spec.planning_model,
            "limits": dataclasses.asdict(spec.limits),
            "seed": spec.seed,
        },
        status=Status.RUNNING,
        started_us=started_us,
        app_version=toolplanner_core.__version__,
        process=this_process(),
    )


def _started(workspace: Workspace, spec: RunSpec, parts: RunParts) -> RunStarted:
    return RunStarted(
        query=spec.query,
        strategy=spec.strategy,
        model=spec.model,
        model_label=parts.outside.model.label,
        provider=parts.outside.provider_name,
        options={
            "strategy": dataclasses.asdict(parts.options),
            "provider": dict(spec.provider_options),
            "planning_model": spec.planning_model,
        },
        limits=dataclasses.asdict(spec.limits),
        seed=spec.seed,
        toolkits_version=int(get_setting(workspace, "toolkits_version", 0)),
        app_version=toolplanner_core.__version__,
    )
