"""Put the machinery of a live run together: log, budget, faults, who listens, what a fork takes
over.

Everything here holds for one run and is made on its event loop.
"""

import asyncio
import logging
from collections.abc import Collection
from dataclasses import dataclass
from functools import partial
from typing import Any

from toolplanner_core.domain.ids import ApiId, RunId
from toolplanner_core.domain.plan import Task
from toolplanner_core.llm.day_budget import DayBudget
from toolplanner_core.runs.catalogue.recorded_catalogue import ApiOf, stored_apis
from toolplanner_core.runs.catalogue.workspace_catalogue import Catalogue
from toolplanner_core.runs.config.spec import ForkEdit, RunSpec
from toolplanner_core.runs.debugging.debugger import Debugger
from toolplanner_core.runs.debugging.faults import FaultPlan, parse_fault
from toolplanner_core.runs.engine.fork_prefix import load_fork_prefix
from toolplanner_core.runs.engine.gate import Backends, Gate
from toolplanner_core.runs.engine.run_memories import RunMemories
from toolplanner_core.runs.engine.run_parts import RunJob, RunParts
from toolplanner_core.runs.engine.scope import RunScopeImpl
from toolplanner_core.runs.events.event import Record
from toolplanner_core.runs.events.node import NodeUpdated
from toolplanner_core.runs.judging.oracle import Oracle
from toolplanner_core.runs.log.clock import Clock
from toolplanner_core.runs.log.redaction import Redactor
from toolplanner_core.runs.log.run_log import RecordListener, RunLog
from toolplanner_core.runs.stages.budget import Budget
from toolplanner_core.runs.stages.context import StageContext
from toolplanner_core.runs.stages.harness import HarnessFaults
from toolplanner_core.runs.stages.live_replies import LiveReplies, LiveReplyListener
from toolplanner_core.runs.stages.node_frames import NodeFrames
from toolplanner_core.runs.stages.person_decisions import PersonDecisions
from toolplanner_core.runs.stages.prompt_texts import Texts
from toolplanner_core.runs.tree.totals import Totals
from toolplanner_core.workspace.memories import read_memory


class RunServices:
    """Made for one run, on its event loop.

    Args:
        catalogue: None in a replay: all look-ups stand on the tape.
        outside: None in a replay: there is nothing behind the gate.
        edit: what a person changed at the first call or question after a fork point.
        prompts: the texts of the workspace.
        candidates: the only APIs that there are; () = all.
    """

    def __init__(
        self,
        *,
        query: str,
        seed: int,
        log: RunLog,
        clock: Clock,
        budget: Budget,
        catalogue: Catalogue | None,
        api_of: ApiOf,
        memories: RunMemories,
        outside: Backends | None,
        debugger: Debugger | None = None,
        edit: ForkEdit | None = None,
        faults: FaultPlan | None = None,
        oracle: Oracle | None = None,
        prompts: Texts = dict,
        on_speech: LiveReplyListener | None = None,
        candidates: Collection[ApiId] = (),
    ) -> None:
        self.log, self.budget, self.memories = log, budget, memories
        self.harness = HarnessFaults()
        tools = StageContext(
            query=query,
            log=log,
            clock=clock,
            budget=budget,
            harness=self.harness,
            places=NodeFrames(
                seed, lambda path, data: log.append(NodeUpdated(data=data), path=path)
            ),
            api_of=api_of,
            deciding=PersonDecisions(log, clock, debugger),
            live=LiveReplies(on_speech, log.redactor),
        )
        self.gate = Gate(tools, outside, edit=edit, faults=faults, prompts=prompts)
        self.scope = RunScopeImpl(
            Task(query=query),
            tools,
            gate=self.gate,
            catalogue=catalogue,
            memories=memories,
            candidates=candidates,
            oracle=oracle,
            prompts=prompts,
        )


_log = logging.getLogger(__name__)


class LogListener:
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
    """A live run, ready to begin.

    Attributes:
        options: what the strategy gets as its options.
        faults: what is injected, and how often it was.
    """

    machinery: RunServices
    ears: LogListener
    redactor: Redactor
    options: Any
    faults: FaultPlan | None


async def assemble(
    job: RunJob, run: RunId, parts: RunParts, *, clock: Clock, redactor: Redactor
) -> Assembly:
    """Make the machinery of a run that stands in the list; a fork's with its parent's prefix."""
    workspace, spec = job.workspace, job.spec
    clock.world = parts.outside.provider.now
    ears = LogListener(job.listener)
    budget = Budget(spec.limits, clock, day=await asyncio.to_thread(DayBudget))
    faults = _fault_plan(spec, job.debugger)
    tape, options, prompts = None, parts.options, partial(dict, parts.prompts)
    if spec.fork is not None:
        taken = await asyncio.to_thread(
            load_fork_prefix,
            workspace,
            run,
            spec.fork.seq,
            parts.strategy,
            options=parts.options,
            prompts=parts.prompts,
        )
        clock.go_on_from(taken.mono_ns)
        budget.charge(taken.totals)
        ears.hear(list(taken.records))
        if faults is not None:
            faults.take_over(taken.records)
        tape, options, prompts = taken.tape, taken.options, taken.prompts
    log = RunLog(
        workspace,
        run,
        clock=clock,
        first_seq=1 + (spec.fork.seq if spec.fork else 0),
        listener=ears.hear,
        redactor=redactor,
        tape=tape,
    )
    machinery = RunServices(
        query=spec.query,
        seed=spec.seed,
        log=log,
        clock=clock,
        budget=budget,
        catalogue=parts.catalogue,
        api_of=parts.api_of or stored_apis(workspace),
        memories=RunMemories(partial(read_memory, workspace)),
        outside=parts.outside,
        debugger=job.debugger,
        edit=spec.fork.edit if spec.fork else None,
        faults=faults,
        oracle=job.oracle,
        prompts=prompts,
        on_speech=job.on_speech,
        candidates=spec.candidates,
    )
    return Assembly(
        machinery=machinery, ears=ears, redactor=redactor, options=options, faults=faults
    )


def _fault_plan(spec: RunSpec, debugger: Debugger | None) -> FaultPlan | None:
    """The debugger's plan, which can be changed while the run goes on, or that of the spec."""
    if debugger is not None and debugger.faults is not None:
        return debugger.faults
    if not spec.faults:
        return None
    return FaultPlan((parse_fault(text) for text in spec.faults), query=spec.query)
