"""One run from its first event to its last: every end is an event.

    run_parts.py   strategy, models, provider and catalogue that the spec names
    assembly.py    log, budget and gate; what a fork takes over from its parent
    lifecycle.py   its row in the list and its first event; waiting for it, stopping it, its end

What could not be written to the log is missing there, and nothing follows it: the run is
interrupted where its log breaks off, and says why. Only when not even that can be written does the
error come out; the run is then found as interrupted at the next start.
"""

import asyncio
from dataclasses import replace

from toolplanner_core.domain.ids import ROOT, RunId
from toolplanner_core.domain.outcome import RunOutcome
from toolplanner_core.errors import UserError, WorkspaceError
from toolplanner_core.runs.catalogue.workspace_catalogue import WorkspaceCatalogue
from toolplanner_core.runs.config.spec import RunSummary
from toolplanner_core.runs.debugging.saved_rules import count_hits, drop_faults
from toolplanner_core.runs.engine.assembly import Assembly, assemble
from toolplanner_core.runs.engine.interrupted import interrupt
from toolplanner_core.runs.engine.lifecycle import (
    End,
    create_row,
    despite_cancellation,
    end_of,
    first_event,
    is_by_rules,
    until_done,
)
from toolplanner_core.runs.engine.run_parts import RunJob, RunParts, close_outside, prepare
from toolplanner_core.runs.events.decision import Noted
from toolplanner_core.runs.events.run import RunFinished
from toolplanner_core.runs.events.shared import MemoryWritten
from toolplanner_core.runs.judging.verdicts import judge_run
from toolplanner_core.runs.log.clock import Clock
from toolplanner_core.runs.log.redaction import Redactor, secrets_of
from toolplanner_core.runs.log.stored_runs import get_summary
from toolplanner_core.runs.searching.search import index_run
from toolplanner_core.strategies.interface.strategy import offered_strategy
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.connections import fault_words, workspace_fault
from toolplanner_core.workspace.memories import write_memories
from toolplanner_core.workspace.runs import finish_run, get_run

_NEVER_REACHED = "The call that was to be changed was never reached."
_LEARNS = frozenset({RunOutcome.ANSWERED, RunOutcome.GAVE_UP})
"""Ends after which what was learned is kept: nobody stopped the run, and nothing broke."""


async def execute(job: RunJob) -> RunSummary:
    """Make a run and return its totals. A failed, stopped or broken run is a result, not an
    exception.

    Raises:
        UserError: the spec names something that is not there, or the workspace cannot be written.
    """
    if job.parts is not None:
        return await _judged(job, await _execute(job, job.parts))
    offered_strategy(job.spec.strategy)
    catalogue = job.catalogue or WorkspaceCatalogue(job.workspace)
    try:
        parts = await asyncio.to_thread(prepare, job.workspace, job.spec, catalogue)
        return await _judged(job, await _execute(job, parts))
    finally:
        if job.catalogue is None:
            catalogue.close()


async def _judged(job: RunJob, done: RunSummary) -> RunSummary:
    """The end with what a model says of the answer, or why it says nothing."""
    if not job.spec.judge or done.outcome not in _LEARNS or not done.answer:
        return done
    try:
        await despite_cancellation(asyncio.to_thread(judge_run, job.workspace, done.run))
        stored = await asyncio.to_thread(get_summary, job.workspace, done.run)
        return replace(stored, query=done.query, answer=done.answer, reason=done.reason)
    except UserError as error:
        return replace(done, judged=f"Not judged: {error.sentence}")


async def _execute(job: RunJob, parts: RunParts) -> RunSummary:
    clock = job.clock or Clock()
    clock.begin()
    started_us = clock.wall_us()
    redactor = Redactor(secrets_of(job.spec.provider_options))
    run = await asyncio.to_thread(create_row, job, parts, started_us, redactor)
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
    by_rules = is_by_rules(model.label for model in parts.outside.models.values())
    return end_of(solving, machinery.budget, machinery.harness, scope.evidence, by_rules=by_rules)


async def _close(
    assembly: Assembly, workspace: Workspace, run: RunId, parts: RunParts, end: End
) -> None:
    """Close connections, keep what was learned, and write the last event, come what may."""
    log = assembly.machinery.log
    try:
        await close_outside(parts.outside)
        learned = assembly.machinery.memories.written() if end.outcome in _LEARNS else []
        if learned:
            versions = await asyncio.to_thread(write_memories, workspace, run, learned)
            for name, version in versions:
                log.append(MemoryWritten(name=name, version=version), path=ROOT)
    finally:
        finished = RunFinished(
            status=end.status,
            answer=end.answer,
            reason=end.reason,
            evidence=[met.to_json() for met in end.evidence.met],
            outcome=end.outcome,
            checked=end.evidence.to_json(),
            verdicts=[verdict.to_json() for verdict in end.verdicts],
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
        totals={
            **assembly.ears.totals.to_json(),
            "reason": redactor.text(end.reason),
            "outcome": end.outcome,
            "checked": redactor.value(end.evidence.to_json()),
            "verdicts": [redactor.value(verdict.to_json()) for verdict in end.verdicts],
        },
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
