"""Runs whose process died: found when the workspace is opened again, and said so in their logs.

Calls that were sent and of which no reply is stored are *in doubt*: they may have happened. They
are listed, never repeated here.

A run is stored with an identity of its process that no later process can have: a process id alone
is used again after a while; with the time at which the process started (and the machine's boot) it
is not.
"""

import os
import platform
import subprocess
import sys
import time
from functools import cache
from pathlib import Path

from toolplanner_core.domain.ids import ROOT, RunId
from toolplanner_core.domain.plan import Status
from toolplanner_core.errors import NotFound
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


@cache
def this_process() -> str:
    """Identity of the calling process, such as "linux:4711:8223391:5f0c..."."""
    return _identity(os.getpid()) or f"unknown:{os.getpid()}"


def is_alive(identity: str) -> bool:
    """Whether the process with this identity still runs on this machine.

    What cannot be told (another system's identity, no rights to ask) counts as not alive: the file
    was copied here, or its writer is gone.
    """
    parts = identity.split(":")
    if len(parts) < 2 or not parts[1].isdigit():
        return False
    return identity == _identity(int(parts[1]))


def _identity(pid: int) -> str | None:
    """What `this_process` would say in process `pid`, None if there is no such process."""
    if sys.platform == "win32":
        started = _started_windows(pid)
    elif sys.platform == "linux":
        started = _started_linux(pid)
    else:
        started = _started_ps(pid)
    return None if started is None else f"{sys.platform}:{pid}:{started}"


def _started_linux(pid: int) -> str | None:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8", errors="replace")
        boot = Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return None
    # The name in brackets may hold spaces; the state is field 3, the start time field 22.
    fields = stat.rpartition(")")[2].split()
    return None if fields[0] in ("Z", "X") else f"{fields[19]}:{boot}"


def _started_ps(pid: int) -> str | None:
    found = subprocess.run(
        ["/bin/ps", "-o", "lstart=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    started = "-".join(found.stdout.replace(":", ".").split())
    return f"{started}:{platform.node()}" if started else None


def _started_windows(pid: int) -> str | None:
    import ctypes

    kernel = getattr(ctypes, "windll").kernel32  # noqa: B009 - unknown to type checkers elsewhere
    query_limited_information, still_active = 0x1000, 259
    handle = kernel.OpenProcess(query_limited_information, False, pid)
    if not handle:
        return None
    try:
        code = ctypes.c_ulong()
        kernel.GetExitCodeProcess(handle, ctypes.byref(code))
        times = [ctypes.c_ulonglong() for _ in range(4)]
        is_known = kernel.GetProcessTimes(handle, *(ctypes.byref(each) for each in times))
        if not is_known or code.value != still_active:
            return None
        return f"{times[0].value}:{platform.node()}"
    finally:
        kernel.CloseHandle(handle)


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
