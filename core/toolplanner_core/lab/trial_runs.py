"""Run one trial in a worker's own copy of the workspace, which is its journal.

Whoever is given a trial looks into the journal first: a run of it that has ended is only packed;
one that broke off or was stopped goes on from its last event, so what was answered is not asked
again; else it is run. So a trial may be sent again after any kill. What a worker has done stays in
its file until all results are collected.
"""

import asyncio
import time
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple, Self

from toolplanner_core.cases.case_runs import keys_of
from toolplanner_core.cases.run_facts import gather_facts
from toolplanner_core.curation.edits.history_reading import changes_between
from toolplanner_core.domain.experiment import (
    FINAL_STATES,
    Arm,
    CalledApi,
    Trial,
    TrialFacts,
    TrialResult,
    TrialState,
)
from toolplanner_core.domain.ids import ApiId, EditId, NodePath
from toolplanner_core.domain.outcome import EvidenceLevel
from toolplanner_core.domain.plan import Status
from toolplanner_core.errors import BadInput, UserError
from toolplanner_core.jobs.process_identity import is_alive
from toolplanner_core.jobs.progress import Progress, Report
from toolplanner_core.lab.experiment_file import RANDOM, spec_of
from toolplanner_core.lab.paced_models import paced
from toolplanner_core.runs.catalogue.candidates import add_distractors
from toolplanner_core.runs.catalogue.workspace_catalogue import WorkspaceCatalogue
from toolplanner_core.runs.config.spec import RunSummary
from toolplanner_core.runs.engine.interrupted import mark_interrupted
from toolplanner_core.runs.engine.run_parts import prepare
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.runs.events.call import CallFailed, CallRefused, CallReturned
from toolplanner_core.runs.events.event import Record
from toolplanner_core.runs.events.run import RunFinished
from toolplanner_core.runs.export.jsonl import export_jsonl
from toolplanner_core.runs.log.clock import Clock
from toolplanner_core.runs.log.stored_runs import get_summary, read_run
from toolplanner_core.runs.replay.fork import go_on
from toolplanner_core.runs.tree.tree import RunTree
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import api_names
from toolplanner_core.workspace.edit_history import read_head
from toolplanner_core.workspace.request_quota import UNLIMITED, QuotaLimits
from toolplanner_core.workspace.runs import rows_with_status, runs_of_trials
from toolplanner_core.workspace.what_if import WhatIf

_LOOK_S = 0.1
"""How often a run that goes on asks whether a person stopped it."""
_FORMER_ENDS_S = 10.0
_PACKING = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialTask:
    """A trial with what is needed to run it; it can be sent to another process.

    Attributes:
        candidates: keys of the only APIs that it may see, beside its arm's distractors; () = all.
    """

    trial: Trial
    query: str
    arm: Arm
    quota: QuotaLimits = UNLIMITED
    candidates: tuple[str, ...] = ()


class _State(NamedTuple):
    """The journal with toolkits of one edit, and its catalogue."""

    workspace: Workspace
    catalogue: WorkspaceCatalogue


class TrialRunner:
    """Runs trials in one journal, one after the other. End it with `close` or `with`.

    All trials share one loop with its threads, each of which reads the journal by a connection of
    its own: made anew for each trial they took 12 of 63 ms of the processor.

    Args:
        path: of the journal, a copy of the workspace that is nobody else's.
    """

    def __init__(self, path: Path) -> None:
        self._workspace = Workspace.open(path)
        _wait_for_former(self._workspace)
        mark_interrupted(self._workspace)
        self._begun = {key: row.id for key, row in runs_of_trials(self._workspace).items()}
        self._catalogue = WorkspaceCatalogue(self._workspace)
        self._states: dict[int, _State] = {
            read_head(self._workspace.reader()): _State(self._workspace, self._catalogue)
        }
        self._loop = asyncio.Runner()

    def run(self, task: TrialTask, progress: Progress) -> TrialResult:
        """Run a trial, or finish it, or only pack it. Blocks.

        Raises:
            WorkspaceError: the journal cannot be written.
        """
        trial = task.trial
        try:
            summary = self._loop.run(self._summary(task, progress))
        except UserError as error:
            return TrialResult(
                number=trial.number, key=trial.key, state=TrialState.BROKEN, why=error.sentence
            )
        return pack_run(self._workspace, trial, summary)

    def close(self) -> None:
        """Close the journal. Safe to call twice."""
        self._loop.close()
        self._catalogue.close()
        for state in self._states.values():
            state.workspace.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def _summary(self, task: TrialTask, progress: Progress) -> RunSummary:
        key = task.trial.key
        spec = replace(
            spec_of(task.arm, query=task.query, seed=task.trial.seed),
            candidates=self._candidates(task),
        )
        begun = self._begun.pop(key, None)
        if begun is not None:
            summary = get_summary(self._workspace, begun)
            if summary.status in (Status.INTERRUPTED, Status.CANCELLED):
                spec = go_on(self._workspace, begun)
            elif _state(summary)[0] in FINAL_STATES:
                return summary
        stop = asyncio.Event()
        looking: asyncio.TimerHandle | None = None

        def look() -> None:
            nonlocal looking
            if progress.is_cancelled:
                stop.set()
            looking = asyncio.get_running_loop().call_later(_LOOK_S, look)

        look()
        clock = Clock()
        try:
            workspace, catalogue = await asyncio.to_thread(self._state_of, task.arm.edit)
            found = await asyncio.to_thread(prepare, workspace, spec, catalogue)
            parts = paced(found, workspace.path.parent, task.quota, clock)
            return await run(
                workspace,
                spec,
                parts=parts,
                catalogue=catalogue,
                cancel=stop,
                clock=clock,
                trial=key,
            )
        finally:
            if looking is not None:
                looking.cancel()

    def _state_of(self, edit: int) -> "_State":
        """The journal with the toolkits as they were after an edit. Blocks.

        Raises:
            NotFound: the journal knows no such edit.
            BadInput: texts of APIs were others then, which have no vectors.
        """
        if edit not in self._states:
            with self._workspace.snapshot() as db:
                changes = changes_between(db, read_head(db), EditId(edit))
            then = WhatIf(self._workspace, changes)
            catalogue = WorkspaceCatalogue(then, like=self._catalogue)
            self._states[edit] = _State(then, catalogue)
        return self._states[edit]

    def _candidates(self, task: TrialTask) -> tuple[ApiId, ...]:
        """The only APIs that a trial may see.

        Raises:
            BadInput: one of them is not in the workspace, or there are too few others.
        """
        is_random = task.arm.settings.get("candidates") == RANDOM
        if not task.candidates and not is_random:
            return ()
        ids: dict[str, list[ApiId]] = {}
        for name in api_names(self._workspace):
            ids.setdefault(name.key, []).append(name.id)
        if lost := [key for key in task.candidates if key not in ids]:
            raise BadInput(
                "A candidate of the query is not in the workspace",
                where=f"query {task.trial.query}",
                why=lost[0],
            )
        named = [api for key in task.candidates for api in ids[key]]
        more = int(task.arm.settings["distractors"])
        return add_distractors(self._workspace, named, more, seed=task.trial.seed)


def pack_run(workspace: Workspace, trial: Trial, summary: RunSummary) -> TrialResult:
    """What a run that ended says of its trial, with the run itself. Blocks."""
    records = read_run(workspace, summary.run)
    state, why = _state(summary)
    lines = "".join(export_jsonl(workspace, [summary.run]))
    return TrialResult(
        number=trial.number,
        key=trial.key,
        state=state,
        why=why,
        facts=_facts(workspace, summary, records),
        packed=zlib.compress(lines.encode("utf-8"), _PACKING),
    )


def _wait_for_former(journal: Workspace) -> None:
    """Wait until the worker that had this journal is gone: it ends with its coordinator.

    Raises:
        BadInput: it goes on.
    """
    until_s = time.monotonic() + _FORMER_ENDS_S
    while any(is_alive(row.process) for row in rows_with_status(journal, Status.RUNNING)):
        if time.monotonic() > until_s:
            raise BadInput(
                "A worker of an earlier start still runs a trial",
                where=journal.path.name,
                todo="End that process, then run the experiment again",
            )
        time.sleep(_LOOK_S)


def _state(summary: RunSummary) -> tuple[TrialState, str]:
    """What a run means for its trial, and why."""
    if summary.status is Status.CANCELLED:
        return TrialState.STOPPED, summary.reason
    if summary.status in (Status.ERROR, Status.INTERRUPTED):
        return TrialState.BROKEN, summary.reason
    if summary.status is Status.NOT_MEASURED:
        return TrialState.NOT_MEASURED, summary.reason
    return TrialState.DONE, ""


def _facts(workspace: Workspace, summary: RunSummary, records: Sequence[Record]) -> TrialFacts:
    tree = RunTree()
    tree.apply(records)
    shown = gather_facts(records, tree)
    keys = keys_of(workspace, shown.calls)
    # By place in the tree: which of two parallel calls ends first hangs on the machine.
    ends = (r.path for r in records if isinstance(r.event, CallReturned | CallFailed | CallRefused))
    placed = zip(map(_place, ends), shown.calls, strict=True)
    calls = [call for _, call in sorted(placed, key=lambda each: each[0])]
    evidence = sum(len(r.event.evidence) for r in records if isinstance(r.event, RunFinished))
    return TrialFacts(
        status=summary.status,
        answer=summary.answer,
        reason=summary.reason,
        api_calls=summary.api_calls,
        failed_calls=summary.failed_calls,
        model_calls=summary.model_calls,
        fallbacks=summary.fallbacks,
        replans=summary.replans,
        tokens=summary.tokens,
        cost=summary.cost,
        evidence=evidence,
        evidence_level=EvidenceLevel(summary.checked.get("level", "")),
        calls=tuple(CalledApi(api=keys[c.api], toolkit=c.toolkit, error=c.error) for c in calls),
        called_toolkits=tuple(sorted(shown.called_toolkits)),
        errors=tuple(sorted(shown.errors)),
        exhausted=tuple(sorted(shown.exhausted)),
        loose_causes=tuple(sorted(shown.loose_causes)),
        kept_steps=shown.kept_steps,
        has_parallel_steps=shown.has_parallel_steps,
        has_data_flow=shown.has_data_flow,
        seconds=summary.seconds,
    )


def _place(path: NodePath) -> list[tuple[str, int]]:
    """A path as what sorts step.10 behind step.9."""
    parts = (part.rpartition(".") for part in path.split("/"))
    return [(name, int(number) if number.isdecimal() else 0) for name, _, number in parts]


_runners: dict[Path, TrialRunner] = {}
"""Of this worker process, by journal: opened once."""


def run_in_journal(journal: Path, task: TrialTask, *, report: Report) -> TrialResult:
    """What a worker process does with a trial; it is killed, never asked to stop."""
    del report  # a trial has no stages that anybody would look at
    if journal not in _runners:
        _runners[journal] = TrialRunner(journal)
    return _runners[journal].run(task, Progress())
