"""What a strategy works with: scope and gate over a log; one way for runs, forks, replays."""

from dataclasses import dataclass

from toolplanner_core.domain.plan import Task
from toolplanner_core.runs.catalogue import Catalogue
from toolplanner_core.runs.choosing import Choosing
from toolplanner_core.runs.clock import Clock
from toolplanner_core.runs.debugging.debugger import Debugger
from toolplanner_core.runs.debugging.faults import FaultPlan
from toolplanner_core.runs.gate import Gate, Outside
from toolplanner_core.runs.log import RunLog
from toolplanner_core.runs.lookups import ApiOf
from toolplanner_core.runs.memories import RunMemories
from toolplanner_core.runs.scope import RunScopeImpl
from toolplanner_core.runs.spec import ForkEdit
from toolplanner_core.runs.stages.budget import Budget
from toolplanner_core.runs.stages.deciding import Deciding


@dataclass(frozen=True, slots=True, kw_only=True)
class Machinery:
    """Made for one run, on its event loop."""

    log: RunLog
    budget: Budget
    scope: RunScopeImpl
    gate: Gate
    memories: RunMemories


def put_together(
    *,
    query: str,
    seed: int,
    log: RunLog,
    clock: Clock,
    budget: Budget,
    catalogue: Catalogue,
    api_of: ApiOf,
    memories: RunMemories,
    outside: Outside | None,
    debugger: Debugger | None = None,
    edit: ForkEdit | None = None,
    faults: FaultPlan | None = None,
) -> Machinery:
    """Connect scope, gate and stop points.

    Args:
        outside: None in a replay: there is nothing behind the gate.
        edit: what a person changed at the first call or question after a fork point.
    """
    scope = RunScopeImpl(
        Task(query=query),
        log=log,
        clock=clock,
        catalogue=catalogue,
        api_of=api_of,
        seed=seed,
        memories=memories,
    )
    deciding = Deciding(log, clock, debugger)
    gate = Gate(
        log=log,
        clock=clock,
        budget=budget,
        outside=outside,
        random_at=scope.random_at,
        api_of=api_of,
        place_of=scope.place_of,
        deciding=deciding,
        edit=edit,
        faults=faults,
    )
    scope.attach(gate, Choosing(deciding, log, api_of=api_of))
    return Machinery(log=log, budget=budget, scope=scope, gate=gate, memories=memories)
