"""Runs whose process died: found when the workspace is opened again, and said so in their logs.

Calls that were sent and of which no reply is stored are *in doubt*: they may have happened. They
are listed, never repeated here.
"""

import time

from toolplanner_core.domain.ids import ROOT, RunId
from toolplanner_core.domain.plan import Status
from toolplanner_core.errors import NotFound
from toolplanner_core.jobs.process_identity import is_alive
from toolplanner_core.llm.prices import price_of
from toolplanner_core.runs.config.spec import roles_from
from toolplanner_core.runs.events.call import CallFailed, CallReturned, CallSent
from toolplanner_core.runs.events.event import Record, record_of
from toolplanner_core.runs.events.question import ModelAsked, ModelFailed, ModelReplied
from toolplanner_core.runs.events.run import RunFinished, RunInterrupted
from toolplanner_core.runs.log.stored_runs import read_run
from toolplanner_core.runs.tree.totals import Totals
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.blobs import pack
from toolplanner_core.workspace.runs import RunRow, finish_run, interrupt_run, rows_with_status


def mark_interrupted(workspace: Workspace) -> list[RunId]:
    """End the log of every run that is stored as running and whose process is gone.

    Blocks for one short write per such run. Runs of living processes (this one, another window)
    are left alone.

    Returns:
        The runs that were interrupted.
    """
    return [
        row.id
        for row in rows_with_status(workspace, Status.RUNNING)
        if not is_alive(row.process) and interrupt(workspace, row)
    ]


def calls_in_doubt(records: list[Record]) -> list[int]:
    """Seqs of the calls that were sent and have no outcome."""
    open_calls: dict[str, int] = {}
    for record in records:
        if isinstance(record.event, CallSent):
            open_calls[record.path] = record.seq
        elif isinstance(record.event, CallReturned | CallFailed):
            open_calls.pop(record.path, None)
    return sorted(open_calls.values())


def interrupt(
    workspace: Workspace, row: RunRow, *, reason: str = "The program ended during the run"
) -> bool:
    """End the log of a run where it breaks off, and its row.

    Returns:
        False where it has ended otherwise.

    Raises:
        WorkspaceError: it cannot be written.
    """
    records = read_run(workspace, row.id)
    totals = Totals()
    totals.apply(records)
    last = records[-1] if records else None
    if last is not None and isinstance(last.event, RunFinished):
        # Its end was stored, and the process died before the list of runs knew.
        finish_run(
            workspace,
            row.id,
            status=last.event.status,
            answer=last.event.answer,
            totals={**totals.to_json(), "reason": last.event.reason},
            ended_us=last.wall_us,
        )
        return False
    in_doubt = calls_in_doubt(records)
    if in_doubt:
        reason = f"{reason.rstrip('.')}; {counted(len(in_doubt), 'call')} may have happened"
    unpriced = [] if _is_free(workspace, row) else _open_questions(records)
    event = RunInterrupted(in_doubt=in_doubt, unpriced=unpriced)
    seq, wall_us, mono_ns = row.fork_seq or 0, row.started_us, 0
    if last is not None:
        seq, wall_us, mono_ns = last.seq, last.wall_us, last.mono_ns
    stored = record_of(row.id, seq + 1, event, ROOT, wall_us=wall_us, mono_ns=mono_ns)
    totals.apply([stored])
    return interrupt_run(
        workspace,
        row.id,
        stored.holding(pack(event.to_body())),
        totals={**totals.to_json(), "reason": reason},
        ended_us=time.time_ns() // 1000,
    )


def _open_questions(records: list[Record]) -> list[int]:
    """Seqs of the questions that were sent and have no reply."""
    asked: dict[str, int] = {}
    for record in records:
        if isinstance(record.event, ModelAsked):
            asked[record.path] = record.seq
        elif isinstance(record.event, ModelReplied | ModelFailed):
            asked.pop(record.path, None)
    return sorted(asked.values())


def _is_free(workspace: Workspace, row: RunRow) -> bool:
    """Whether none of its models ever costs anything."""
    try:
        prices = [price_of(workspace, s) for s in (row.model, *roles_from(row.options).values())]
    except NotFound:
        return False
    return all(price is not None and price.is_free for price in prices)
