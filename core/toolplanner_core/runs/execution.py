"""One run from its first event to its last: every end is an event.

    parts.py       strategy, models, provider and catalogue that the spec names
    beginning.py   its row in the list and its first event
    assembly.py    log, budget and machinery; what a fork takes over from its parent
    stopping.py    waiting for the strategy, and stopping it
    ending.py      how it ended

What could not be written to the log is missing there, and nothing follows it: the run is
interrupted where its log breaks off, and says why. Only when not even that can be written does the
error come out; the run is then found as interrupted at the next start.
"""

import asyncio
from dataclasses import replace

from toolplanner_core.domain.ids import ROOT, RunId
from toolplanner_core.domain.plan import Status
from toolplanner_core.errors import UserError, WorkspaceError
from toolplanner_core.runs.assembly import Assembly, assemble
from toolplanner_core.runs.beginning import create_row, first_event
from toolplanner_core.runs.catalogue import WorkspaceCatalogue
from toolplanner_core.runs.clock import Clock
from toolplanner_core.runs.debugging.saved_rules import count_hits, drop_faults
from toolplanner_core.runs.ending import End, despite_cancellation, end_of, until_done
from toolplanner_core.runs.events.decision import Noted
from toolplanner_core.runs.events.run import RunFinished
from toolplanner_core.runs.events.shared import MemoryWritten
from toolplanner_core.runs.interrupted import interrupt
from toolplanner_core.runs.judging import judge_run
from toolplanner_core.runs.parts import RunJob, RunParts, close_outside, prepare
from toolplanner_core.runs.reading import get_summary
from toolplanner_core.runs.searching.search import index_run
from toolplanner_core.runs.spec import RunSummary
from toolplanner_core.runs.stages.redaction import Redactor, secrets_of
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.faults import fault_words, workspace_fault
from toolplanner_core.workspace.memories import write_memories
from toolplanner_core.workspace.runs import finish_run, get_run

_NEVER_REACHED = "The call that was to be changed was never reached."
_LEARNS = frozenset({Status.SOLVED, Status.UNSOLVED})
"""Ends after which what was learned is kept: nobody stopped the run, and nothing broke."""


async def execute(job: RunJob) -> RunSummary:
    """Make a run and return its totals. A failed, stopped or broken run is a result, not an
    exception.

    Raises:
        UserError: the spec names something that is not there, or the workspace cannot be written.
    """
    if job.parts is not None:
        return await _judged(job, await _execute(job, job.parts))
    catalogue = job.catalogue or WorkspaceCatalogue(job.workspace)
    try:
        parts = await asyncio.to_thread(prepare, job.workspace, job.spec, catalogue)
        return await _judged(job, await _execute(job, parts))
    finally:
        if job.catalogue is None:
            catalogue.close()


async def _judged(job: RunJob, done: RunSummary) -> RunSummary:
    """The end with what a model says of the answer, or why it says nothing."""
    if not job.spec.judge or done.status not in _LEARNS or not done.answer:
        return done
    try:
        verdict = asyncio.to_thread(judge_run, job.workspace, done.run)
        return replace(done, judged=(await despite_cancellation(verdict)).words)
    except UserError as error:
        return replace(done, judged=f"Not judged: {error.sentence}")


async def _execute(job: RunJob, parts: RunParts) -> RunSummary:
    clock = job.clock or Clock()
    clock.begin()
    started_us = clock.wall_us()
    redactor = Redactor(secrets_of(job.spec.provider_options))
    run = await asyncio.to_thread(create_row, job.workspace, job.spec, parts, started_us, redactor)
    assembly = await assemble(job, run, parts, clock=clock, redactor=redactor)
    end = await _solve(assembly, job, parts)

    async def finish() -> RunSummary:
        try:
            await _close(assembly, job.workspace, run, parts, end)
        except WorkspaceError as fault:
            return await asyncio.to_thread(_broken_off, job.workspace, run, fault)
        await asyncio.to_thread(_store_end, job.workspace, run, assembly, end, clock.wall_us())
        if job.debugger is not None and job.debugger.hits:
            await asyncio.to_thread(count_hits, job.workspace, job.debugger.hits)
        if assembly.faults is not None and assembly.faults.used_up:
            await asyncio.to_thread(drop_faults, job.workspace, assembly.faults.used_up)
        stored = await asyncio.to_thread(get_summary, job.workspace, run)
        # Whoever made the run knows its texts; only what is stored is without secrets.
        return replace(stored, query=job.spec.query, answer=end.answer, reason=end.reason)

    return await despite_cancellation(finish())


async def _solve(assembly: Assembly, job: RunJob, parts: RunParts) -> End:
    """Let the strategy work until it has ended or is stopped."""
    machinery = assembly.machinery
    log, scope = machinery.log, machinery.scope
    log.append(first_event(job.workspace, job.spec, parts), path=ROOT)
    solving = asyncio.ensure_future(parts.strategy.solve(scope.task, scope, assembly.options))
    await until_done(solving, job.cancel, log.tape)
    if machinery.gate.fork_edit.pending is not None:
        log.append(Noted(text=_NEVER_REACHED), path=ROOT)
    return end_of(solving, machinery.budget, scope.evidence)


async def _close(
    assembly: Assembly, workspace: Workspace, run: RunId, parts: RunParts, end: End
) -> None:
    """Close connections, keep what was learned, and write the last event, come what may."""
    log = assembly.machinery.log
    try:
        await close_outside(parts.outside)
        learned = assembly.machinery.memories.written() if end.status in _LEARNS else []
        if learned:
            versions = await asyncio.to_thread(write_memories, workspace, run, learned)
            for name, version in versions:
                log.append(MemoryWritten(name=name, version=version), path=ROOT)
    finally:
        rows = [shown.to_json() for shown in end.evidence]
        finished = RunFinished(
            status=end.status, answer=end.answer, reason=end.reason, evidence=rows
        )
        log.append(finished, path=ROOT, barrier=True)
        await log.close()


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


def _broken_off(workspace: Workspace, run: RunId, fault: WorkspaceError) -> RunSummary:
    """The run whose log could not be written to its end.

    Raises:
        WorkspaceError: this cannot be written, either.
    """
    try:
        interrupt(workspace, get_run(workspace, run), reason=fault_words(fault))
    except Exception as still:
        if workspace_fault(still) is None:
            raise
        raise fault from still
    return get_summary(workspace, run)
