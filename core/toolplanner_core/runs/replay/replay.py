"""Replay a run from its own log: 0 calls, 0 tokens, no network, by construction.

The strategy is started afresh and fed from the tape; there is no model and no provider object, so
nothing could open a socket. Every event it causes must be the recorded one. The first difference
stops the replay and is shown as a diff of the two questions, calls or decisions. Nothing is
written.
"""

import asyncio
import time
from dataclasses import dataclass, replace

from toolplanner_core.domain.ids import NodePath, RunId
from toolplanner_core.domain.plan import Status
from toolplanner_core.errors import BadInput
from toolplanner_core.runs.catalogue.recorded_catalogue import ApiOf, stored_apis
from toolplanner_core.runs.config.spec import Limits, candidates_from, roles_from
from toolplanner_core.runs.engine.assembly import RunServices
from toolplanner_core.runs.engine.fork_prefix import (
    OptionsOfStretch,
    PromptsOfStretch,
    options_by_stretch,
    resolver,
)
from toolplanner_core.runs.engine.lifecycle import End, end_of, is_by_rules
from toolplanner_core.runs.engine.run_memories import RunMemories
from toolplanner_core.runs.events.event import Record
from toolplanner_core.runs.events.run import RunFinished, RunInterrupted, RunStarted
from toolplanner_core.runs.log.clock import Clock
from toolplanner_core.runs.log.prompts_used import changed_prompts, prompts_used
from toolplanner_core.runs.log.run_log import RunLog
from toolplanner_core.runs.log.stored_runs import read_run
from toolplanner_core.runs.log.tape import Divergence, Tape, TapeEnd
from toolplanner_core.runs.stages.budget import Budget
from toolplanner_core.runs.tree.totals import Totals
from toolplanner_core.strategies.interface.strategy import StrategyPlugin, offered_strategy
from toolplanner_core.workspace import Workspace

_STOPPED = frozenset({Status.CANCELLED, Status.INTERRUPTED})


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayReport:
    """What a replay showed.

    Attributes:
        identical: every event came again, and so did the end.
        events: events of the run, the ones beside the strategy (stops, faults) included.
        model_calls, api_calls: fed from the tape; none was made.
        divergence: the first difference.
        changed_prompts: names of those whose text is another one now; the replay took the run's.
    """

    run: RunId
    identical: bool
    status: str
    answer: str
    events: int
    model_calls: int
    api_calls: int
    seconds: float
    divergence: Divergence | None
    changed_prompts: tuple[str, ...] = ()


def replay(
    workspace: Workspace,
    run: RunId,
    *,
    strategy: StrategyPlugin | None = None,
    api_of: ApiOf | None = None,
) -> ReplayReport:
    """Replay a run. Blocks; not on an event loop.

    Args:
        strategy: instead of the run's own: is it still the same after a change?
        api_of: instead of the workspace's APIs.

    Raises:
        NotFound: no such run, or its strategy is not installed.
        BadInput: its log has no beginning: it was not recorded by a strategy of this program; or
            requests from outside drove it.
    """
    return asyncio.run(_replay(workspace, run, strategy, api_of or stored_apis(workspace)))


async def _replay(
    workspace: Workspace, run: RunId, strategy: StrategyPlugin | None, api_of: ApiOf
) -> ReplayReport:
    began_s = time.perf_counter()
    records = read_run(workspace, run)
    started = _beginning(records, run)
    plugin = strategy or offered_strategy(started.strategy)
    recorded = _recorded_end(records)
    tape_texts = resolver(workspace)
    tape = Tape(
        records,
        end=TapeEnd(seq=records[-1].seq, is_strict=True, was_stopped=recorded.status in _STOPPED),
        resolve=tape_texts,
    )
    clock = Clock()
    log = RunLog(workspace, run, clock=clock, tape=tape)
    unlimited = Limits(max_model_calls=None, max_api_calls=None, max_tokens=None, max_seconds=None)
    budget = Budget(unlimited, clock)
    if recorded.status is Status.OVER_BUDGET:
        budget.note_refusal(recorded.reason)
    stretches = options_by_stretch(records, plugin, tape_texts)
    machinery = RunServices(
        query=started.query,
        seed=started.seed,
        log=log,
        clock=clock,
        budget=budget,
        catalogue=None,
        api_of=api_of,
        memories=RunMemories(None),
        outside=None,
        candidates=candidates_from(started.options),
        prompts=PromptsOfStretch(tape, stretches, stretches[-1].prompts),
    )
    scope = machinery.scope
    options = OptionsOfStretch(tape, stretches, stretches[-1].options)
    solving = asyncio.ensure_future(plugin.solve(scope.task, scope, options))
    await asyncio.wait({solving})
    by_rules = is_by_rules([started.model_label, *roles_from(started.options).values()])
    end = end_of(solving, budget, machinery.harness, scope.evidence, by_rules=by_rules)
    divergence = tape.divergence or _difference_at_end(tape, recorded, end)
    if divergence is not None and started.strategy_version != plugin.version:
        changed = f"{plugin.title} has changed since this run was made. {divergence.what}"
        divergence = replace(divergence, what=changed)
    totals = Totals()
    totals.apply(records)
    return ReplayReport(
        run=run,
        identical=divergence is None,
        status=recorded.status,
        answer=recorded.answer,
        events=len(records),
        model_calls=totals.model_calls,
        api_calls=totals.api_calls,
        seconds=time.perf_counter() - began_s,
        divergence=divergence,
        changed_prompts=changed_prompts(workspace, prompts_used(records)),
    )


def _beginning(records: list[Record], run: RunId) -> RunStarted:
    first = records[0].event if records else None
    if not isinstance(first, RunStarted):
        raise BadInput(
            f"Run {run} cannot be replayed",
            why="Its log does not begin with what is needed to run it again",
        )
    return first


def _recorded_end(records: list[Record]) -> End:
    last = records[-1].event
    match last:
        case RunFinished():
            return End(status=Status(last.status), answer=last.answer, reason=last.reason)
        case RunInterrupted():
            return End(status=Status.INTERRUPTED)
        case _:
            raise BadInput(
                "The run has no end yet", todo="Wait until it has ended, or stop it, and try again"
            )


def _difference_at_end(tape: Tape, recorded: End, end: End) -> Divergence | None:
    left = tape.left_over()
    if left is not None:
        if recorded.status in _STOPPED:
            return None  # branches of a stopped run may each have come further than here
        tape.diverge(left, None, left.path)
        return tape.divergence
    if recorded.status in _STOPPED:
        return None
    # Runs of older programs ended as their strategy said.
    if recorded.status in (end.status, end.claimed) and recorded.answer == end.answer:
        return None
    return Divergence(
        path=NodePath(""),
        seq=0,
        what="The run ends in another way than it did",
        diff=f"-{recorded.status}: {recorded.answer}\n+{end.status}: {end.answer} {end.reason}",
    )
