"""One count of failed calls in headline, tree, totals, list of calls and exports; who made each
fail is said, too."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from fixtures.debugged_run import Act, Session
from fixtures.own_strategy import do, own_parts
from fixtures.scripted_run import ScriptedProvider, bad, make_api, ok

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import NodePath, parent_of
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.domain.observation import INJECTED, NOT_SENT, FailureOrigin, RawResult
from toolplanner_core.domain.stop_points import AFTER_CALL, BEFORE_CALL, Choice
from toolplanner_core.llm.offline.answers import compose_answer
from toolplanner_core.prompts.final_answer import FinalAnswer
from toolplanner_core.prompts.render import failure_lines
from toolplanner_core.runs.config.spec import RunSpec, RunSummary
from toolplanner_core.runs.debugging.debugger import Held, StepCommand
from toolplanner_core.runs.debugging.stops import StopDecision
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.runs.export.html import export_html
from toolplanner_core.runs.log.stored_runs import load_tree
from toolplanner_core.runs.presentation.run_list import calls_words, describe_run
from toolplanner_core.runs.presentation.story import run_headline
from toolplanner_core.runs.searching.usage import uses_of
from toolplanner_core.runs.tree.failures import failures_of
from toolplanner_core.runs.tree.node import Node
from toolplanner_core.strategies.interface.scope import RunScope
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.call_statistics import read_attempts

FAIL = StopDecision(choice=Choice.FAIL, error=ErrorClass.TIMEOUT)
ANSWER = StopDecision(choice=Choice.ANSWER, value={"p": 1})
SKIP = StopDecision(choice=Choice.SKIP)
BUSY = RawResult(status=429, body="{}", headers={"Retry-After": "0"}, origin="scripted")
EDIT = StopDecision(choice=Choice.EDIT, arguments={"q": "other"})


def first(point: object, decision: StopDecision) -> Act:
    """Decide so at the first call, go on everywhere else."""

    def act(debugger: Any, held: Held) -> None:
        is_here = held.stop.point is point and held.stop.path.endswith("attempt.1/call.1")
        is_first = is_here and "step.1/" in held.stop.path
        debugger.resume(StepCommand.STEP_INTO, decision=decision if is_first else None)

    return act


def counts(workspace: Workspace, summary: RunSummary) -> dict[str, tuple[int, ...]]:
    """Failed calls and who made them fail, as each place counts them."""
    failures = [f.by for f in failures_of(load_tree(workspace, summary.run).nodes)]
    rows = [row.failed_by for row in read_attempts(workspace, runs=[summary.run])]
    found = {
        "totals": (summary.failed_calls, summary.failed_by_you, summary.failed_by_fault),
        "tree": _split([by for by in failures if by is not None]),
        "calls": _split([by for by in rows if by is not None]),
    }
    n = summary.failed_calls
    story = run_headline(load_tree(workspace, summary.run).nodes)
    assert (f"after {n} failed call" in story) == bool(n), story
    assert f", {n} failed" in calls_words(summary)
    assert f"<dt>Failed calls</dt><dd>{n}" in export_html(workspace, summary.run)
    return found


def _split(blamed: list[FailureOrigin]) -> tuple[int, ...]:
    return len(blamed), blamed.count(FailureOrigin.YOU), blamed.count(FailureOrigin.FAULT)


@pytest.mark.parametrize(
    ("point", "decision", "failing", "count"),
    [
        (BEFORE_CALL, FAIL, (), (1, 1, 0)),
        (AFTER_CALL, FAIL, (), (1, 1, 0)),
        (AFTER_CALL, FAIL, ("kit1_0", "kit1_1"), (2, 1, 0)),
        (AFTER_CALL, ANSWER, ("kit1_0",), (1, 0, 0)),
        (AFTER_CALL, ANSWER, (), (0, 0, 0)),
        (BEFORE_CALL, SKIP, (), (0, 0, 0)),
        (BEFORE_CALL, EDIT, ("kit1_0",), (1, 0, 0)),
    ],
)
def test_failed_calls_when_a_person_decides_then_counted_alike_everywhere(
    workspace: Workspace, point: object, decision: StopDecision, failing: Any, count: Any
) -> None:
    session = Session(workspace, first(point, decision), step=True, failing=failing)
    assert set(counts(workspace, session.summary).values()) == {count}
    is_unsent = (point, decision) == (BEFORE_CALL, FAIL)
    assert session.summary.counts.get("failed unsent", 0) == is_unsent
    assert ("1 failed unsent" in describe_run(session.summary)) == is_unsent


@pytest.mark.parametrize(
    ("replies", "faults", "count"),
    [
        ([BUSY, BUSY, ok(1)], (), (0, 0, 0)),
        ([bad(404), ok(1)], (), (1, 0, 0)),
        ([ok(1)], ("404:all,next=1",), (1, 0, 1)),
        ([ok(1)], ("slow:all,after=0.01",), (0, 0, 0)),
        ([RawResult(failure=ErrorClass.UNAUTHORISED, origin=NOT_SENT)], (), (0, 0, 0)),
    ],
)
def test_failed_calls_when_repeated_injected_or_never_sent_then_counted_alike_everywhere(
    workspace: Workspace, replies: Any, faults: tuple[str, ...], count: Any
) -> None:
    api = make_api("a_1")

    async def work(scope: RunScope) -> str:
        for text in ("x", "y"):
            await scope.call(api, {"q": text})
        return "done"

    spec = RunSpec(query="q", strategy="own", faults=faults)
    given = {"a_1": [*replies, ok(1), ok(1)] if len(replies) > 1 else replies[0]}
    parts = own_parts(work, None, ScriptedProvider(given))
    parts = replace(parts, outside=replace(parts.outside, retries=3))
    done = asyncio.run(run(workspace, spec, parts=parts))
    assert set(counts(workspace, done).values()) == {count}


def test_story_when_a_person_made_a_call_fail_then_says_you_and_never_that_an_api_answered(
    workspace: Workspace,
) -> None:
    session = Session(workspace, first(BEFORE_CALL, FAIL), step=True)
    nodes = load_tree(workspace, session.summary.run).nodes
    assert run_headline(nodes) == (
        "Answered, not checked after 1 failed call (1 by you): you made kit1 · kit1_0 fail"
        " (timeout), kit1 · kit1_1 took over."
    )
    failed = nodes["plan.1/step.1/attempt.1"]
    assert failed.reason == "made to fail by you (timeout)"


def test_story_when_a_person_replaced_a_failure_then_says_what_failed_and_who_answered(
    workspace: Workspace,
) -> None:
    session = Session(workspace, first(AFTER_CALL, ANSWER), step=True, failing=("kit1_0",))
    assert run_headline(load_tree(workspace, session.summary.run).nodes) == (
        "Answered, not checked after 1 failed call:"
        " kit1 · kit1_0 failed (server error 500), you answered in its place."
    )
    assert session.summary.counts["replaced by you"] == 1


def test_answer_when_a_call_was_made_to_fail_then_it_does_not_blame_the_api(
    workspace: Workspace,
) -> None:
    session = Session(workspace, first(BEFORE_CALL, FAIL), step=True)
    last = session.model.asked[-1].question
    assert isinstance(last, FinalAnswer)
    [card] = last.failures
    assert "timeout: " in failure_lines([card]) and "by you" not in failure_lines([card])
    said = compose_answer(replace(last, results=(), unmet=(card.goal,)))["answer"]
    assert f"{card.api_title}: made to fail by you (timeout)" in said
    injected = replace(card, origin=INJECTED)
    said = compose_answer(replace(last, results=(), unmet=(card.goal,), failures=(injected,)))
    assert f"{card.api_title}: an injected fault (timeout)" in said["answer"]


def test_story_when_a_person_changed_the_call_that_failed_then_says_so(
    workspace: Workspace,
) -> None:
    session = Session(workspace, first(BEFORE_CALL, EDIT), step=True, failing=("kit1_0",))
    story = run_headline(load_tree(workspace, session.summary.run).nodes)
    assert "kit1 · kit1_0 failed as you changed it (server error 500)" in story


def test_story_when_much_failed_then_the_first_cause_comes_first(workspace: Workspace) -> None:
    apis = [make_api(f"a_{n}") for n in range(8)]

    async def work(scope: RunScope) -> str:
        for api in apis:
            await scope.call(api, {"q": "x"})
        return "done"

    done = do(workspace, work, provider=ScriptedProvider({f"a_{n}": bad(404) for n in range(8)}))
    story = run_headline(load_tree(workspace, done.run).nodes)
    assert story.count("failed (") == 3
    assert "8 failed calls: a · a_0 failed" in story
    assert "; 5 more; a · a_7 failed" in story


def test_uses_when_calls_never_left_then_the_run_is_not_said_to_have_used_it(
    workspace: Workspace,
) -> None:
    session = Session(workspace, first(BEFORE_CALL, SKIP), step=True)
    skipped, *_, taken = sorted(
        {row.api for row in read_attempts(workspace, runs=[session.summary.run])}
    )
    rows = {row.title: row for row in read_attempts(workspace)}
    assert rows["kit1 · kit1_0"].words.startswith("not sent: ")
    assert uses_of(workspace, [skipped]) == []
    assert [use.words for use in uses_of(workspace, [taken])] == ["1 call, none failed"]


def test_failures_when_a_call_of_a_program_fails_then_its_try_is_no_second_failure() -> None:
    names = ("probed.1", "probe.1", "line.1", "call.1")
    nodes = {
        (path := NodePath("/".join(names[:n]))): Node(
            path=path,
            parent=parent_of(path),
            kind=name.partition(".")[0],
            title=name,
            state=NodeState.FAILED,
            error="not_subscribed" if name == "call.1" else None,
            opened_seq=n,
        )
        for n, name in enumerate(names, 1)
    }
    (failure,) = failures_of(nodes)
    assert failure.call is failure.node is nodes["probed.1/probe.1/line.1/call.1"]


def test_story_when_the_same_call_fails_again_and_again_then_it_is_named_once(
    workspace: Workspace,
) -> None:
    async def work(scope: RunScope) -> str:
        for text in "xyz":
            await scope.call(make_api("a_1"), {"q": text})
        return "done"

    done = do(workspace, work, provider=ScriptedProvider({"a_1": bad(404)}))
    story = run_headline(load_tree(workspace, done.run).nodes)
    assert story.startswith("Answered, not checked after 3 failed calls: a · a_1 failed (")
    assert story.endswith("), 3 times.")
