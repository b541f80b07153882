"""Put the machinery of a live run together: log, budget, faults, who listens, what a fork takes
over.

Everything here holds for one run and is made on its event loop.
"""

import asyncio
import logging
from dataclasses import dataclass
from functools import partial
from typing import Any

from toolplanner_core.domain.ids import RunId
from toolplanner_core.domain.plan import Task
from toolplanner_core.llm.day_budget import DayBook
from toolplanner_core.runs.catalogue import Catalogue
from toolplanner_core.runs.clock import Clock
from toolplanner_core.runs.debugging.debugger import Debugger
from toolplanner_core.runs.debugging.faults import FaultPlan, parse_fault
from toolplanner_core.runs.events.event import Record
from toolplanner_core.runs.events.node import NodeTold
from toolplanner_core.runs.frame import Places
from toolplanner_core.runs.gate import Gate, Outside
from toolplanner_core.runs.live_speech import LiveSpeech, SpeechListener
from toolplanner_core.runs.log import RecordListener, RunLog
from toolplanner_core.runs.lookups import ApiOf, stored_apis
from toolplanner_core.runs.memories import RunMemories
from toolplanner_core.runs.oracle import Oracle
from toolplanner_core.runs.parts import RunJob, RunParts
from toolplanner_core.runs.scope import RunScopeImpl
from toolplanner_core.runs.spec import ForkEdit, RunSpec
from toolplanner_core.runs.stages.budget import Budget
from toolplanner_core.runs.stages.deciding import Deciding
from toolplanner_core.runs.stages.prompt_texts import Texts
from toolplanner_core.runs.stages.redaction import Redactor
from toolplanner_core.runs.stages.tools import Tools
from toolplanner_core.runs.tape.taken_over import take_over
from toolplanner_core.runs.tree.totals import Totals
from toolplanner_core.workspace.memories import read_memory


class Machinery:
    """Made for one run, on its event loop.

    Args:
        catalogue: None in a replay: all look-ups stand on the tape.
        outside: None in a replay: there is nothing behind the gate.
        edit: what a person changed at the first call or question after a fork point.
        prompts: the texts of the workspace.
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
        outside: Outside | None,
        debugger: Debugger | None = None,
        edit: ForkEdit | None = None,
        faults: FaultPlan | None = None,
        oracle: Oracle | None = None,
        prompts: Texts = dict,
        on_speech: SpeechListener | None = None,
    ) -> None:
        self.log, self.budget, self.memories = log, budget, memories
        tools = Tools(
            query=query,
            log=log,
            clock=clock,
            budget=budget,
            places=Places(seed, lambda path, data: log.append(NodeTold(data=data), path=path)),
            api_of=api_of,
            deciding=Deciding(log, clock, debugger),
            live=LiveSpeech(on_speech, log.redactor),
        )
        self.gate = Gate(tools, outside, edit=edit, faults=faults, prompts=prompts)
        self.scope = RunScopeImpl(
            Task(query=query),
            tools,
            gate=self.gate,
            catalogue=catalogue,
            memories=memories,
            oracle=oracle,
        )


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
    """A live run, ready to begin.

    Attributes:
        options: what the strategy gets as its options.
        faults: what is injected, and how often it was.
    """

    machinery: Machinery
    ears: Ears
    redactor: Redactor
    options: Any
    faults: FaultPlan | None


async def assemble(
    job: RunJob, run: RunId, parts: RunParts, *, clock: Clock, redactor: Redactor
) -> Assembly:
    """Make the machinery of a run that stands in the list; a fork's with its parent's prefix."""
    workspace, spec = job.workspace, job.spec
    clock.world = parts.outside.provider.now
    ears = Ears(job.listener)
    budget = Budget(spec.limits, clock, day=await asyncio.to_thread(DayBook))
    faults = _fault_plan(spec, job.debugger)
    tape, options, prompts = None, parts.options, partial(dict, parts.prompts)
    if spec.fork is not None:
        taken = await asyncio.to_thread(
            take_over,
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
    machinery = Machinery(
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
    )
    return Assembly(
        machinery=machinery, ears=ears, redactor=redactor, options=options, faults=faults
    )


def _fault_plan(spec: RunSpec, debugger: Debugger | None) -> FaultPlan | None:
    """The debugger's plan, which can be changed while the run goes on, or that of the spec."""
    if debugger is not None and debugger.faults is not None:
        return debugger.faults
    return FaultPlan(parse_fault(text) for text in spec.faults) if spec.faults else None
