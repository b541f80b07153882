"""Run saved queries and compare what their runs show with what is expected of them.

Cases run one after the other, with progress, until all have run or a person stops it. One catalogue
serves all, so that vectors and embedder are loaded once. Blocks; what is stopped keeps the results
that are there.
"""

import asyncio
import dataclasses
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from toolplanner_core.cases.run_facts import CallFact, RunFacts, gather_facts
from toolplanner_core.domain.cases import Case, Expectation
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.domain.outcome import AnswerVerdict, RunOutcome, VerdictSource
from toolplanner_core.domain.plan import NOT_REFUTED, Judgement, Status
from toolplanner_core.errors import BadInput, NotFound, UserError
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.runs.catalogue.workspace_catalogue import WorkspaceCatalogue
from toolplanner_core.runs.config.spec import (
    Limits,
    RunSpec,
    RunSummary,
    candidates_from,
    roles_from,
)
from toolplanner_core.runs.engine.run_parts import RunParts
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.runs.judging.oracle import Oracle
from toolplanner_core.runs.judging.verdicts import store_verdict
from toolplanner_core.runs.log.run_log import RecordListener
from toolplanner_core.runs.log.stored_runs import get_summary, read_run
from toolplanner_core.runs.presentation.states import RUN_LOOKS
from toolplanner_core.runs.tree.tree import RunTree
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.cases import add_result
from toolplanner_core.workspace.catalogue import get_api
from toolplanner_core.workspace.edit_history import read_head


@dataclass(frozen=True, slots=True, kw_only=True)
class CaseResult:
    """How a case went.

    Attributes:
        case: its id.
        why: what the run does not show as expected, one sentence each; empty when passed.
    """

    case: str
    query: str
    passed: bool
    why: tuple[str, ...]
    summary: RunSummary


async def run_case(
    workspace: Workspace,
    case: Case,
    *,
    parts: RunParts | None = None,
    catalogue: WorkspaceCatalogue | None = None,
    listener: RecordListener | None = None,
    cancel: asyncio.Event | None = None,
) -> CaseResult:
    """Run a case's query, check the run and store what came out; one that is stopped has no
    result.

    Raises:
        BadInput: the case's options are not those of a run.
        UserError: as `engine.run`.
    """
    edit = read_head(workspace.reader())
    summary = await run(
        workspace,
        spec_of(case),
        parts=parts,
        catalogue=catalogue,
        listener=listener,
        cancel=cancel,
        oracle=oracle_of(case.expected),
    )
    summary = await asyncio.to_thread(_with_expectation, workspace, case, summary)
    why = check_run(workspace, summary, case.expected)
    if summary.status is not Status.CANCELLED:
        await asyncio.to_thread(add_result, workspace, case, summary.run, edit=edit, why=why)
    return CaseResult(case=case.id, query=case.query, passed=not why, why=why, summary=summary)


def _with_expectation(workspace: Workspace, case: Case, summary: RunSummary) -> RunSummary:
    """The run with what the case's expectation says of its answer. Blocks."""
    judge = oracle_of(case.expected)
    if judge is None or summary.outcome != RunOutcome.ANSWERED or not summary.answer:
        return summary
    said = judge(summary.answer)
    verdict = AnswerVerdict(
        source=VerdictSource.EXPECTATION,
        solved=said.solved,
        reason=said.reason,
        who=f"case {case.id}",
    )
    store_verdict(workspace, summary.run, verdict)
    stored = get_summary(workspace, summary.run)
    return dataclasses.replace(stored, query=summary.query, answer=summary.answer)


def oracle_of(expected: Expectation) -> Oracle | None:
    """Judges answers by what a case expects them to say; None when it expects nothing of them."""
    if not (expected.answer_contains or expected.answer_any_of):
        return None

    def judge(answer: str) -> Judgement:
        wrong = tuple(_check_answer(answer, expected))
        return Judgement(solved=not wrong, reason="; ".join(wrong))

    return judge


def spec_of(case: Case) -> RunSpec:
    """The run that a case asks for.

    Raises:
        BadInput: an option that a run does not have.
    """
    options: dict[str, Any] = dict(case.options)
    roles = roles_from(options)
    options.pop("planning_model", None)
    if roles:
        options["roles"] = roles
    if "candidates" in options:
        options["candidates"] = candidates_from(options)
    limits = options.pop("limits", {})
    known = {field.name for field in dataclasses.fields(RunSpec)} - {"query"}
    known_limits = {field.name for field in dataclasses.fields(Limits)}
    unknown = [name for name in options if name not in known]
    unknown += [name for name in limits if name not in known_limits]
    if unknown:
        raise BadInput(f"A run has no option {unknown[0]!r}", where=f"case {case.id}")
    return RunSpec(query=case.query, limits=Limits(**limits), **options)


def check_run(workspace: Workspace, summary: RunSummary, expected: Expectation) -> tuple[str, ...]:
    """What a finished run does not show as expected; empty = all is as it must be."""
    records = read_run(workspace, summary.run)
    tree = RunTree()
    tree.apply(records)
    facts = gather_facts(records, tree)
    return check_facts(summary, facts, keys_of(workspace, facts.calls), expected)


def check_facts(
    summary: RunSummary, facts: RunFacts, keys: dict[str, str], expected: Expectation
) -> tuple[str, ...]:
    """The same of a run whose facts were gathered before.

    Args:
        keys: of the APIs that it called, by id.
    """
    return (
        *_check_outcome(summary, expected),
        *_check_counts(summary, expected),
        *_check_toolkits(facts, expected),
        *_check_calls(facts.calls, keys, expected),
        *_check_shape(facts, expected),
    )


def keys_of(workspace: Workspace, calls: Sequence[CallFact]) -> dict[str, str]:
    """The keys of called APIs by id; an API that is gone keeps its id."""
    return {fact.api: _key(workspace, fact.api) for fact in calls}


def _key(workspace: Workspace, api: str) -> str:
    try:
        return get_api(workspace, ApiId(api)).key
    except NotFound:
        return api


def _check_outcome(summary: RunSummary, expected: Expectation) -> Iterator[str]:
    # Who finds the answer right makes of an answered run a solved one.
    fits = NOT_REFUTED if expected.status == Status.ANSWERED else (expected.status,)
    if expected.status and summary.status not in fits:
        unchecked = "nobody has checked it: say what the answer must contain, or expect answered"
        reason = unchecked if summary.status is Status.ANSWERED else summary.reason
        reason = f": {reason}" if reason else ""
        words = {str(status): look.word for status, look in RUN_LOOKS.items()}
        came, wanted = words[summary.status], words.get(expected.status, expected.status)
        yield f"it ended as “{came}”, not as “{wanted}”{reason}"
    yield from _check_answer(summary.answer, expected)
    if expected.reason_given and not summary.reason:
        yield "the run does not say why it is not solved"


def _check_answer(said: str, expected: Expectation) -> Iterator[str]:
    answer = said.casefold()
    for text in expected.answer_contains:
        if text.casefold() not in answer:
            yield f"the answer does not say {text!r}"
    wanted = expected.answer_any_of
    if wanted and not any(text.casefold() in answer for text in wanted):
        yield f"the answer says none of {', '.join(repr(text) for text in wanted)}"


def _check_counts(summary: RunSummary, expected: Expectation) -> Iterator[str]:
    for word, count, low, high in (
        ("fallbacks", summary.fallbacks, expected.min_fallbacks, expected.max_fallbacks),
        ("replans", summary.replans, expected.min_replans, expected.max_replans),
        ("API calls", summary.api_calls, expected.min_api_calls, expected.max_api_calls),
    ):
        if low is not None and count < low:
            yield f"{counted(count, word.removesuffix('s'))}, at least {low} expected"
        if high is not None and count > high:
            yield f"{counted(count, word.removesuffix('s'))}, at most {high} expected"


def _check_toolkits(facts: RunFacts, expected: Expectation) -> Iterator[str]:
    answered = list(dict.fromkeys(fact.toolkit for fact in facts.calls if not fact.error))
    for name in expected.toolkits:
        if name not in answered:
            yield f"no API of {name} answered (answered: {', '.join(answered) or 'none'})"
    wanted = list(expected.toolkits_in_order)
    if wanted and [name for name in answered if name in wanted] != wanted:
        yield f"toolkits answered in the order {' > '.join(answered) or 'none'}"
    for name in expected.avoided_toolkits:
        if name in facts.called_toolkits:
            yield f"an API of {name} was called"
    for name in expected.exhausted_toolkits:
        if name not in facts.exhausted:
            yield f"{name} was not exhausted"


def _check_calls(
    calls: Sequence[CallFact], keys: dict[str, str], expected: Expectation
) -> Iterator[str]:
    failed = {keys[fact.api] for fact in calls if fact.error}
    worked = {keys[fact.api] for fact in calls if not fact.error}
    for key in expected.failed_apis:
        if key not in failed:
            yield f"no call of {key} failed"
    for key in expected.succeeded_apis:
        if key not in worked:
            yield f"no call of {key} was ok"
    wanted = expected.failed_then_ok
    if wanted is not None and _most_failures_before_ok(calls) < wanted:
        yield f"no toolkit shows {wanted} failed calls and then one that is ok"


def _most_failures_before_ok(calls: Sequence[CallFact]) -> int:
    """Most failed calls of one toolkit before one of it that is ok; -1 if none is ok."""
    failures: dict[str, int] = {}
    most = -1
    for fact in calls:
        if fact.error:
            failures[fact.toolkit] = failures.get(fact.toolkit, 0) + 1
        else:
            most = max(most, failures.get(fact.toolkit, 0))
    return most


def _check_shape(facts: RunFacts, expected: Expectation) -> Iterator[str]:
    for error in expected.error_classes:
        if error not in facts.errors:
            yield f"no failure of class {error}"
    if expected.parallel and not facts.has_parallel_steps:
        yield "no two steps ran at the same time"
    if expected.data_flow and not facts.has_data_flow:
        yield "no call took an argument from an earlier result"
    if expected.kept_steps is not None and facts.kept_steps < expected.kept_steps:
        yield f"{counted(facts.kept_steps, 'step')} kept, at least {expected.kept_steps} expected"
    if expected.causes_point_at_failures:
        yield from facts.loose_causes


_LOOK_S = 0.1
"""How often a run that goes on asks whether a person stopped it."""


def run_cases(
    workspace: Workspace,
    cases: Sequence[Case],
    progress: Progress,
    *,
    on_result: Callable[[CaseResult], object] = lambda _result: None,
) -> list[CaseResult | UserError]:
    """Run cases and give what came out, in order; a case that could not begin is its error.

    Raises:
        Cancelled: the run that went on was stopped.
    """
    found: list[CaseResult | UserError] = []
    with closing(WorkspaceCatalogue(workspace)) as catalogue:
        for number, case in enumerate(cases):
            progress.report("Running cases", number, len(cases), unit="cases")
            try:
                result = asyncio.run(_run_one(workspace, case, catalogue, progress))
            except UserError as error:
                found.append(error)
                continue
            found.append(result)
            on_result(result)
    progress.report("Running cases", len(cases), len(cases), unit="cases")
    return found


async def _run_one(
    workspace: Workspace, case: Case, catalogue: WorkspaceCatalogue, progress: Progress
) -> CaseResult:
    stop, loop = asyncio.Event(), asyncio.get_running_loop()

    timer: asyncio.TimerHandle | None = None

    def look() -> None:
        nonlocal timer
        if progress.is_cancelled:
            stop.set()
        timer = loop.call_later(_LOOK_S, look)

    look()
    try:
        result = await run_case(workspace, case, catalogue=catalogue, cancel=stop)
    finally:
        if timer is not None:
            timer.cancel()
    progress.check()
    return result


def describe_series(found: Sequence[CaseResult | UserError]) -> str:
    """How a series went, in a line."""
    not_begun = [each for each in found if isinstance(each, UserError)]
    passed = sum(not isinstance(each, UserError) and each.passed for each in found)
    said = f"{passed:,} of {counted(len(found), 'case')} passed"
    if not_begun:
        said += f"; {len(not_begun):,} could not begin: {not_begun[0].sentence}"
    return said
