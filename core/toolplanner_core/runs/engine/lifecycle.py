"""How a run begins and ends: its row, its first event, its status and last event.

The first event holds all that is needed to repeat the run. A stop becomes an event instead of an
exception, and the status comes from what the strategy's coroutine came to:

    answered, gave_up, over_budget    the strategy came back; evidence and verdicts of an answer say
                                      whether it is shown as solved (`domain/outcome.py`)
    not_measured                      it came back without an answer, and the endpoint of a model
                                      failed, or the day's budget was used up
    served                            an agent outside asked for its calls, and has left
    cancelled                         a person stopped it or gave up; all open nodes are closed
    broken                            a mistake in the strategy, a fork that cannot follow its tape,
                                      a workspace that could not be read or written

A run is stopped by its cancel event or by cancelling the task that waits for it (Ctrl+C); either
way its end must reach the disk.
"""

import asyncio
import dataclasses
import logging
import traceback
from collections.abc import Coroutine, Iterable
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import toolplanner_core
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import RunId
from toolplanner_core.domain.outcome import AnswerVerdict, EvidenceLevel, RunOutcome, status_of
from toolplanner_core.domain.plan import Answer, Status
from toolplanner_core.errors import Cancelled
from toolplanner_core.jobs.process_identity import this_process
from toolplanner_core.llm.model import OFFLINE_LABEL, parse_model_spec
from toolplanner_core.prompts.question import Role
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.runs.engine.run_parts import RunJob, RunParts
from toolplanner_core.runs.events.event import Event
from toolplanner_core.runs.events.fork import ForkOrigin
from toolplanner_core.runs.events.run import RunStarted
from toolplanner_core.runs.judging.evidence import AnswerEvidence, RunEvidence
from toolplanner_core.runs.log.redaction import Redactor
from toolplanner_core.runs.log.tape import Diverged, Tape
from toolplanner_core.runs.stages.budget import Budget
from toolplanner_core.runs.stages.harness import HarnessFaults, no_answer_words
from toolplanner_core.strategies.interface.scope import ModelGaveUp
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.connections import fault_words, workspace_fault
from toolplanner_core.workspace.runs import TRIAL, NewRun, create_run
from toolplanner_core.workspace.settings import get_setting


def create_row(job: RunJob, parts: RunParts, started_us: int, redactor: Redactor) -> RunId:
    """Enter the run in the list, without secrets, and wait until it is stored. Blocks."""
    spec = job.spec
    return create_run(
        job.workspace,
        NewRun(
            query=redactor.text(spec.query),
            strategy=spec.strategy,
            model=spec.model,
            provider=parts.outside.provider_name,
            options={
                "options": dict(spec.options),
                "provider_options": redactor.value(dict(spec.provider_options)),
                "roles": dict(spec.roles),
                "limits": dataclasses.asdict(spec.limits),
                "seed": spec.seed,
                "faults": list(spec.faults),
                **_given(spec),
                **({TRIAL: job.trial} if job.trial else {}),
            },
            status=Status.RUNNING,
            started_us=started_us,
            app_version=toolplanner_core.__version__,
            process=this_process(),
            parent_run=spec.fork.parent if spec.fork else None,
            fork_seq=spec.fork.seq if spec.fork else None,
        ),
    )


def first_event(workspace: Workspace, spec: RunSpec, parts: RunParts) -> Event:
    """The first own event of a run: of one that starts afresh, or of a fork."""
    known: dict[str, Any] = {
        "model": spec.model,
        "model_label": parts.outside.model.label,
        "provider": parts.outside.provider_name,
        "options": _options(spec, parts),
        "limits": dataclasses.asdict(spec.limits),
        "app_version": toolplanner_core.__version__,
    }
    fork = spec.fork
    if fork is not None:
        return ForkOrigin(
            parent_run=fork.parent,
            fork_seq=fork.seq,
            at=fork.at,
            reason=fork.reason,
            changes=fork.changes,
            **known,
        )
    return RunStarted(
        query=spec.query,
        strategy=spec.strategy,
        strategy_version=parts.strategy.version,
        seed=spec.seed,
        toolkits_version=int(get_setting(workspace, "toolkits_version", 0)),
        sampling=_sampling(spec),
        **known,
    )


_SAMPLING = ("temperature", "top_p", "seed", "reply_tokens", "reasoning_effort")


def _sampling(spec: RunSpec) -> dict[str, dict[str, str]]:
    """What was chosen of how replies are drawn, by role."""
    named = {Role.ACTING: spec.model, **spec.roles}
    chosen = {
        str(role): {n: v for n, v in parse_model_spec(text).values.items() if n in _SAMPLING}
        for role, text in named.items()
    }
    return {role: values for role, values in chosen.items() if values}


def _options(spec: RunSpec, parts: RunParts) -> dict[str, Any]:
    return {
        "strategy": dataclasses.asdict(parts.options),
        "provider": dict(spec.provider_options),
        "roles": dict(spec.roles),
        "faults": list(spec.faults),
        "prompts": dict(parts.prompts),
        **_given(spec),
    }


def _given(spec: RunSpec) -> dict[str, list[str]]:
    """What was given with the task, if anything was."""
    return {"candidates": list(spec.candidates)} if spec.candidates else {}


_log = logging.getLogger(__name__)
STOPPED = "The run was stopped"


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """The end of a run.

    Attributes:
        status: what it is shown as.
        verdicts: what the strategy's own judge said of the answer.
        claimed: what the strategy said, where nothing shows it.
    """

    status: Status
    outcome: RunOutcome = RunOutcome.GAVE_UP
    answer: str = ""
    reason: str = ""
    evidence: AnswerEvidence = field(default_factory=AnswerEvidence)
    verdicts: tuple[AnswerVerdict, ...] = ()
    claimed: Status | None = None


_OUTCOMES = {
    Status.OVER_BUDGET: RunOutcome.OVER_BUDGET,
    Status.NOT_MEASURED: RunOutcome.NOT_MEASURED,
    Status.CANCELLED: RunOutcome.CANCELLED,
    Status.ERROR: RunOutcome.BROKEN,
}


def is_by_rules(labels: Iterable[str]) -> bool:
    """Whether models with these labels are rules, all of them: what they take for met, is met."""
    return all(label == OFFLINE_LABEL for label in labels)


def end_of(
    solving: "asyncio.Future[Answer]",
    budget: Budget,
    harness: HarnessFaults,
    evidence: RunEvidence,
    *,
    by_rules: bool,
) -> End:
    """The end that a finished (or stopped, or broken) strategy means; it is solved only with
    complete evidence or a verdict.

    Args:
        by_rules: the offline planner answered all questions.
    """
    end = _end_of(solving, budget, evidence, by_rules=by_rules)
    if end.status is Status.UNSOLVED and end.outcome is RunOutcome.GAVE_UP and harness.first:
        end = replace(end, status=Status.NOT_MEASURED, reason=harness.first)
    return replace(end, outcome=_OUTCOMES.get(end.status, end.outcome))


def _end_of(
    solving: "asyncio.Future[Answer]", budget: Budget, evidence: RunEvidence, *, by_rules: bool
) -> End:
    if solving.cancelled():
        return End(status=Status.CANCELLED, reason=STOPPED)
    error = solving.exception()
    match error:
        case None:
            return _end_with(solving.result(), budget, evidence, by_rules=by_rules)
        case Cancelled():
            return End(status=Status.CANCELLED, reason=error.what if error.where else STOPPED)
        case ModelGaveUp(error=ErrorClass.OVER_BUDGET):
            return End(status=Status.OVER_BUDGET, reason=error.message)
        case ModelGaveUp():
            reason = no_answer_words(error.error, error.message, error.todo)
            return End(status=Status.UNSOLVED, reason=reason)
        case Diverged():
            return End(status=Status.ERROR, reason=f"It left its tape. {error}")
        case _ if (fault := workspace_fault(error)) is not None:
            _log.error("The run ends: %s", fault)
            return End(status=Status.ERROR, reason=fault_words(fault))
        case _:
            # Where, but not what it said: messages of exceptions can hold secrets.
            _log.error("The strategy broke:\n%s", "".join(traceback.format_tb(error.__traceback__)))
    return End(status=Status.ERROR, reason=f"{type(error).__name__}: {error}")


def _end_with(answer: Answer, budget: Budget, evidence: RunEvidence, *, by_rules: bool) -> End:
    if answer.is_served:
        outcome = RunOutcome.SERVED if answer.solved else RunOutcome.NOTHING_SERVED
        return End(
            status=status_of(outcome, EvidenceLevel.NONE, ()),
            outcome=outcome,
            answer=answer.text,
            reason=answer.reason,
        )
    verdicts = evidence.verdicts(answer.text)
    if answer.solved:
        found = evidence.assess(answer, by_rules=by_rules)
        return End(
            status=status_of(RunOutcome.ANSWERED, found.level, verdicts),
            outcome=RunOutcome.ANSWERED,
            answer=answer.text,
            reason=found.reason,
            evidence=found,
            verdicts=verdicts,
            claimed=Status.SOLVED,
        )
    ended = End(status=Status.UNSOLVED, answer=answer.text, reason=answer.reason, verdicts=verdicts)
    if budget.refused:
        return replace(ended, status=Status.OVER_BUDGET, reason=budget.refused)
    return ended


T = TypeVar("T")


async def until_done(
    solving: "asyncio.Future[Answer]", cancel: asyncio.Event | None, tape: Tape
) -> None:
    """Wait for the strategy; a stop (by the event or of the calling task) is passed on to it."""
    stop = asyncio.ensure_future(cancel.wait()) if cancel is not None else None
    waits: set[asyncio.Future[Any]] = {solving} if stop is None else {solving, stop}
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    except asyncio.CancelledError:
        _forgive_cancellation()
    if stop is not None:
        stop.cancel()
    if not solving.done():
        tape.drop()  # what is closed now was not closed in the parent
        solving.cancel()
        await despite_cancellation(_settled(solving))


async def despite_cancellation(work: Coroutine[Any, Any, T]) -> T:
    """Finish `work` whatever happens to the calling task."""
    future = asyncio.ensure_future(work)
    while not future.done():
        try:
            await asyncio.wait({future})
        except asyncio.CancelledError:
            _forgive_cancellation()
    return future.result()


async def _settled(future: "asyncio.Future[Any]") -> None:
    await asyncio.wait({future})


def _forgive_cancellation() -> None:
    # The stop has been turned into an event of the run, whose summary is the result.
    task = asyncio.current_task()
    if task is not None:
        task.uncancel()
