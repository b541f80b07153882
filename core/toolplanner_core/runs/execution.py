"""One run from its first event to its last: every end is an event.

    beginning.py   its row in the list and its first event
    assembly.py    log, budget, scope and gate; what a fork takes over from its parent
    stopping.py    waiting for the strategy, and stopping it
    ending.py      how it ended

Caller: `engine.py`. Only when the workspace itself cannot be written does the error come out: then
there is no place to write the end, and the run is found as interrupted at the next start.
"""

import asyncio

from toolplanner_core.domain.ids import RunId
from toolplanner_core.runs.assembly import Assembly, assemble
from toolplanner_core.runs.beginning import create_row, first_event
from toolplanner_core.runs.breakpoints import count_hits
from toolplanner_core.runs.clock import Clock
from toolplanner_core.runs.debugger import Debugger
from toolplanner_core.runs.ending import End, end_of
from toolplanner_core.runs.events.decision import Noted
from toolplanner_core.runs.events.run import RunFinished
from toolplanner_core.runs.log import RecordListener
from toolplanner_core.runs.parts import RunParts, close_outside
from toolplanner_core.runs.scope import ROOT
from toolplanner_core.runs.search import index_run
from toolplanner_core.runs.spec import RunSpec, RunSummary
from toolplanner_core.runs.stages.redaction import Redactor, secrets_of
from toolplanner_core.runs.stopping import despite_cancellation, until_done
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.runs import finish_run

_NEVER_REACHED = "The call that was to be changed was never reached."


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
    run = await asyncio.to_thread(create_row, workspace, spec, parts, started_us, redactor)
    assembly = await assemble(
        workspace,
        run,
        spec,
        parts,
        clock=clock,
        redactor=redactor,
        listener=listener,
        debugger=debugger,
    )
    end = await _solve(assembly, workspace, spec, parts, cancel)

    async def finish() -> RunSummary:
        await _close(assembly, parts, end)
        await asyncio.to_thread(_store_end, workspace, run, assembly, end, clock.wall_us())
        if debugger is not None and debugger.hits:
            await asyncio.to_thread(count_hits, workspace, debugger.hits)
        return _summary(run, spec, parts, assembly, end=end, started_us=started_us)

    return await despite_cancellation(finish())


async def _solve(
    assembly: Assembly,
    workspace: Workspace,
    spec: RunSpec,
    parts: RunParts,
    cancel: asyncio.Event | None,
) -> End:
    """Let the strategy work until it has ended or is stopped."""
    log, scope = assembly.log, assembly.scope
    log.append(first_event(workspace, spec, parts), path=ROOT, parent=None)
    solving = asyncio.ensure_future(parts.strategy.solve(scope.task, scope, assembly.options))
    await until_done(solving, cancel, log.tape)
    if assembly.gate.fork_edit.pending is not None:
        log.append(Noted(text=_NEVER_REACHED), path=ROOT, parent=None)
    return end_of(solving, assembly.budget)


async def _close(assembly: Assembly, parts: RunParts, end: End) -> None:
    """Close connections and write the last event, come what may."""
    try:
        await close_outside(parts.outside)
    finally:
        finished = RunFinished(status=end.status, answer=end.answer, reason=end.reason)
        assembly.log.append(finished, path=ROOT, parent=None, barrier=True)
        await assembly.log.close()


def _store_end(
    workspace: Workspace, run: RunId, assembly: Assembly, end: End, ended_us: int
) -> None:
    redactor = assembly.redactor
    finish_run(
        workspace,
        run,
        status=end.status,
        answer=redactor.text(end.answer),
        totals={**assembly.ears.totals.to_json(), "reason": redactor.text(end.reason)},
        ended_us=ended_us,
    )
    index_run(workspace, run)


def _summary(
    run: RunId,
    spec: RunSpec,
    parts: RunParts,
    assembly: Assembly,
    *,
    end: End,
    started_us: int,
) -> RunSummary:
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
        **assembly.ears.totals.for_summary(),
    )
