"""What a strategy works with: scope and gate over a log; one way for runs, forks, replays."""

from toolplanner_core.domain.plan import Task
from toolplanner_core.runs.catalogue import Catalogue
from toolplanner_core.runs.clock import Clock
from toolplanner_core.runs.debugging.debugger import Debugger
from toolplanner_core.runs.debugging.faults import FaultPlan
from toolplanner_core.runs.events.node import NodeTold
from toolplanner_core.runs.frame import Places
from toolplanner_core.runs.gate import Gate, Outside
from toolplanner_core.runs.log import RunLog
from toolplanner_core.runs.lookups import ApiOf
from toolplanner_core.runs.memories import RunMemories
from toolplanner_core.runs.scope import RunScopeImpl
from toolplanner_core.runs.spec import ForkEdit
from toolplanner_core.runs.stages.budget import Budget
from toolplanner_core.runs.stages.deciding import Deciding
from toolplanner_core.runs.stages.tools import Tools


class Machinery:
    """Made for one run, on its event loop.

    Args:
        catalogue: None in a replay: all look-ups stand on the tape.
        outside: None in a replay: there is nothing behind the gate.
        edit: what a person changed at the first call or question after a fork point.
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
    ) -> None:
        self.log, self.budget, self.memories = log, budget, memories
        tools = Tools(
            log=log,
            clock=clock,
            budget=budget,
            places=Places(seed, lambda path, data: log.append(NodeTold(data=data), path=path)),
            api_of=api_of,
            deciding=Deciding(log, clock, debugger),
        )
        self.gate = Gate(tools, outside, edit=edit, faults=faults)
        self.scope = RunScopeImpl(
            Task(query=query), tools, gate=self.gate, catalogue=catalogue, memories=memories
        )
