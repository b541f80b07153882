"""Put the machinery of one run together: log, budget, scope, gate, faults, and who listens.

Everything here holds for one run and is made on its event loop. Caller: `execution.py`.
"""

import asyncio
import logging
from dataclasses import dataclass
from typing import Any

from toolplanner_core.domain.ids import RunId
from toolplanner_core.domain.plan import Task
from toolplanner_core.runs.clock import Clock
from toolplanner_core.runs.debugger import Debugger
from toolplanner_core.runs.events.event import Record
from toolplanner_core.runs.faults import FaultPlan, parse_fault
from toolplanner_core.runs.gate import Gate
from toolplanner_core.runs.log import RecordListener, RunLog
from toolplanner_core.runs.lookups import stored_apis
from toolplanner_core.runs.parts import RunParts
from toolplanner_core.runs.scope import RunScopeImpl
from toolplanner_core.runs.spec import ForkPoint, RunSpec
from toolplanner_core.runs.stages.budget import Budget
from toolplanner_core.runs.stages.deciding import Deciding
from toolplanner_core.runs.stages.fork_edit import CallEdit
from toolplanner_core.runs.stages.redaction import Redactor
from toolplanner_core.runs.taken_over import TakenOver, take_over
from toolplanner_core.runs.totals import Totals
from toolplanner_core.workspace import Workspace

_log = logging.getLogger(__name__)


class Ears:
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Assembly:
    """The machinery of a run.

    Attributes:
        options: what the strategy gets as its options.
    """

    log: RunLog
    budget: Budget
    scope: RunScopeImpl
    gate: Gate
    ears: Ears
    redactor: Redactor
    options: Any


async def assemble(
    workspace: Workspace,
    run: RunId,
    spec: RunSpec,
    parts: RunParts,
    *,
    clock: Clock,
    redactor: Redactor,
    listener: RecordListener | None,
    debugger: Debugger | None,
) -> Assembly:
    """Make the machinery of a run that stands in the list; a fork's with its parent's prefix."""
    ears = Ears(listener)
    budget = Budget(spec.limits, clock)
    faults = _fault_plan(spec, debugger)
    taken = await _take_over(workspace, run, spec, parts)
    if taken is not None:
        clock.go_on_from(taken.mono_ns)
        budget.charge(taken.totals)
        ears.hear(list(taken.records))
        if faults is not None:
            faults.take_over(taken.records)
    log = RunLog(
        workspace,
        run,
        clock=clock,
        first_seq=1 + (spec.fork.seq if spec.fork else 0),
        listener=ears.hear,
        redactor=redactor,
        tape=taken.tape if taken is not None else None,
    )
    api_of = parts.api_of or stored_apis(workspace)
    scope = RunScopeImpl(
        Task(query=spec.query),
        log=log,
        clock=clock,
        catalogue=parts.catalogue,
        api_of=api_of,
        seed=spec.seed,
    )
    deciding = Deciding(log, clock, debugger)
    gate = Gate(
        log=log,
        clock=clock,
        budget=budget,
        outside=parts.outside,
        random_at=scope.random_at,
        api_of=api_of,
        edit=_edit_of(spec.fork),
        faults=faults,
        toolkit_at=scope.toolkit_at,
        deciding=deciding,
    )
    scope.attach(gate, deciding)
    return Assembly(
        log=log,
        budget=budget,
        scope=scope,
        gate=gate,
        ears=ears,
        redactor=redactor,
        options=taken.options if taken is not None else parts.options,
    )


def _fault_plan(spec: RunSpec, debugger: Debugger | None) -> FaultPlan | None:
    """The debugger's plan, which can be changed while the run goes on, or that of the spec."""
    if debugger is not None and debugger.faults is not None:
        return debugger.faults
    return FaultPlan(parse_fault(text) for text in spec.faults) if spec.faults else None


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
