"""One run from its first event to its last: every end is an event.

A fork begins with what it takes over from its parent (`taken_over.py`); how a run can end stands in
`ending.py`. Caller: `engine.py`. Only when the workspace itself cannot be written does the error
come out: then there is no place to write the end, and the run is found as interrupted at the next
start.
"""

import asyncio
import dataclasses
import logging
from collections.abc import Coroutine
from typing import Any, TypeVar

import toolplanner_core
from toolplanner_core.domain.ids import RunId
from toolplanner_core.domain.plan import Answer, Status, Task
from toolplanner_core.runs.breakpoints import count_hits
from toolplanner_core.runs.clock import Clock
from toolplanner_core.runs.debugger import Debugger
from toolplanner_core.runs.ending import end_of
from toolplanner_core.runs.events.decision import Noted
from toolplanner_core.runs.events.event import Event, Record
from toolplanner_core.runs.events.fork import ForkOrigin
from toolplanner_core.runs.events.run import RunFinished, RunStarted
from toolplanner_core.runs.faults import FaultPlan, parse_fault
from toolplanner_core.runs.gate import Gate
from toolplanner_core.runs.log import RecordListener, RunLog
from toolplanner_core.runs.lookups import stored_apis
from toolplanner_core.runs.parts import RunParts, close_outside
from toolplanner_core.runs.process import this_process
from toolplanner_core.runs.scope import ROOT, RunScopeImpl
from toolplanner_core.runs.search import index_run
from toolplanner_core.runs.spec import ForkPoint, RunSpec, RunSummary
from toolplanner_core.runs.stages.budget import Budget
from toolplanner_core.runs.stages.deciding import Deciding
from toolplanner_core.runs.stages.fork_edit import CallEdit
from toolplanner_core.runs.stages.redaction import Redactor, secrets_of
from toolplanner_core.runs.taken_over import TakenOver, take_over
from toolplanner_core.runs.tape import Tape
from toolplanner_core.runs.totals import Totals
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.runs import create_run, finish_run
from toolplanner_core.workspace.settings import get_setting

_log = logging.getLogger(__name__)
T = TypeVar("T")
_NEVER_REACHED = "The call that was to be changed was never reached."


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
    debugger: Debugger | None = None,
) -> RunSummary:
    """Run `spec` with these parts until its end and return its totals; see `engine.run`."""
    clock = clock or Clock()
    started_us = clock.wall_us()
    redactor = Redactor(secrets_of(spec.provider_options))
    run = await asyncio.to_thread(_create, workspace, spec, parts, started_us, redactor)
    ears = _Ears(listener)
    budget = Budget(spec.limits, clock)
    api_of = parts.api_of or stored_apis(workspace)
    taken = await _take_over(workspace, run, spec, parts)
    if taken is not None:
        clock.go_on_from(taken.mono_ns)
        budget.charge(taken.totals)
        ears.hear(list(taken.records))
    log = RunLog(
        workspace,
        run,
        clock=clock,
        first_seq=1 + (spec.fork.seq if spec.fork else 0),
        listener=ears.hear,
        redactor=redactor,
        tape=taken.tape if taken is not None else None,
    )
    scope = RunScopeImpl(
        Task(query=spec.query),
        log=log,
        clock=clock,
        catalogue=parts.catalogue,
        api_of=api_of,
        seed=spec.seed,
    )
    live = debugger.faults if debugger is not None else None
    faults = live or FaultPlan(parse_fault(text) for text in spec.faults)
    if taken is not None:
        faults.take_over(taken.records)
    deciding = Deciding(log, clock, debugger)
    gate = Gate(
        log=log,
        clock=clock,
        budget=budget,
        outside=parts.outside,
        random_at=scope.random_at,
        api_of=api_of,
        edit=_edit_of(spec.fork),
        faults=faults if spec.faults or live is not None else None,
        toolkit_at=scope.toolkit_at,
        deciding=deciding,
    )
    scope.attach(gate, deciding)
    log.append(_beginning(workspace, spec, parts), path=ROOT, parent=None)
    options = taken.options if taken is not None else parts.options
    solving = asyncio.ensure_future(parts.strategy.solve(scope.task, scope, options))
    await _until_done(solving, cancel, log.tape)
    end = end_of(solving, budget)
    if gate.fork_edit.pending is not None:
        log.append(Noted(text=_NEVER_REACHED), path=ROOT, parent=None)

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
        totals = {**ears.totals.to_json(), "reason": redactor.text(end.reason)}
        await asyncio.to_thread(
            finish_run,
            workspace,
            run,
            status=end.status,
            answer=redactor.text(end.answer),
            totals=totals,
            ended_us=clock.wall_us(),
        )
        await asyncio.to_thread(index_run, workspace, run)
        if debugger is not None and debugger.hits:
            await asyncio.to_thread(count_hits, workspace, debugger.hits)
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
            parent_run=spec.fork.parent if spec.fork else None,
            **ears.totals.for_summary(),
        )

    return await _despite_cancellation(finish())


async def _until_done(
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


def _create(
    workspace: Workspace, spec: RunSpec, parts: RunParts, started_us: int, redactor: Redactor
) -> RunId:
    return create_run(
        workspace,
        query=redactor.text(spec.query),
        strategy=spec.strategy,
        model=spec.model,
        provider=parts.outside.provider_name,
        options={
            "options": dict(spec.options),
            "provider_options": redactor.value(dict(spec.provider_options)),
            "planning_model": spec.planning_model,
            "limits": dataclasses.asdict(spec.limits),
            "seed": spec.seed,
            "faults": list(spec.faults),
        },
        status=Status.RUNNING,
        started_us=started_us,
        app_version=toolplanner_core.__version__,
        process=this_process(),
        parent_run=spec.fork.parent if spec.fork else None,
        fork_seq=spec.fork.seq if spec.fork else None,
    )


async def _take_over(
    workspace: Workspace, run: RunId, spec: RunSpec, parts: RunParts
) -> TakenOver | None:
    if spec.fork is None:
        return None
    return await asyncio.to_thread(
        take_over, workspace, run, spec.fork.seq, parts.strategy, parts.options
    )


def _edit_of(fork: ForkPoint | None) -> CallEdit | None:
    if fork is None or (fork.arguments is None and fork.api is None):
        return None
    return CallEdit(at=fork.edit_at, arguments=fork.arguments, api=fork.api)


def _beginning(workspace: Workspace, spec: RunSpec, parts: RunParts) -> Event:
    """The first own event of a run."""
    fork = spec.fork
    if fork is None:
        return _started(workspace, spec, parts)
    return ForkOrigin(
        parent_run=fork.parent,
        fork_seq=fork.seq,
        at=fork.at,
        reason=fork.reason,
        changes=fork.changes,
        model=spec.model,
        model_label=parts.outside.model.label,
        provider=parts.outside.provider_name,
        options=_options(spec, parts),
        limits=dataclasses.asdict(spec.limits),
        app_version=toolplanner_core.__version__,
    )


def _options(spec: RunSpec, parts: RunParts) -> dict[str, Any]:
    return {
        "strategy": dataclasses.asdict(parts.options),
        "provider": dict(spec.provider_options),
        "planning_model": spec.planning_model,
        "faults": list(spec.faults),
    }


def _started(workspace: Workspace, spec: RunSpec, parts: RunParts) -> RunStarted:
    return RunStarted(
        query=spec.query,
        strategy=spec.strategy,
        model=spec.model,
        model_label=parts.outside.model.label,
        provider=parts.outside.provider_name,
        options=_options(spec, parts),
        limits=dataclasses.asdict(spec.limits),
        seed=spec.seed,
        toolkits_version=int(get_setting(workspace, "toolkits_version", 0)),
        app_version=toolplanner_core.__version__,
    )
