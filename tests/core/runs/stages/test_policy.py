"""Leave for calls that may change something: asked, remembered, refused, replayed."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from fixtures.own_strategy import again, own_strategy
from fixtures.scripted_run import ScriptedModel, ScriptedProvider, make_api, make_parts

from toolplanner_core.approvals import (
    add_approval,
    approval_for,
    approvals_path,
    load_approvals,
    remove_approval_at,
)
from toolplanner_core.domain.api import Api, Risk
from toolplanner_core.domain.approval import Approval, ApprovalScope, literal_pattern
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.stop_points import Choice
from toolplanner_core.errors import BadInput, NotFound
from toolplanner_core.runs.config.spec import RunSpec, RunSummary
from toolplanner_core.runs.debugging.debugger import Debugger
from toolplanner_core.runs.debugging.stops import Stop, StopDecision
from toolplanner_core.runs.engine.runner import EngineThread, run
from toolplanner_core.runs.log.stored_runs import read_run
from toolplanner_core.runs.replay.fork import fork
from toolplanner_core.strategies.interface.scope import RunScope
from toolplanner_core.workspace import Workspace

WRITE, DELETE = make_api("a_1", risk=Risk.WRITE), make_api("a_2", risk=Risk.DESTRUCTIVE)
KITS = {"One": [WRITE, DELETE]}


@pytest.fixture(autouse=True)
def own_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLPLANNER_SETTINGS", str(tmp_path / "person" / "settings.json"))


async def write_twice(scope: RunScope) -> str:
    """Two calls that write; says what became of them."""
    seen = [await scope.call(WRITE, {"q": text}) for text in ("x", "y")]
    return " ".join("sent" if each.ok else str(each.error) for each in seen)


class Person:
    """Sits at the debugger and answers each stop with the next decision."""

    def __init__(self, *decisions: StopDecision | None) -> None:
        self.decisions = list(decisions)
        self.stops: list[Stop] = []
        self.refused: list[str] = []
        self.debugger = Debugger(on_change=self._on_change)

    def _on_change(self) -> None:
        while (held := self.debugger.held) and self.decisions:
            self.stops.append(held[0].stop)
            try:
                self.debugger.resume(decision=self.decisions.pop(0))
            except BadInput as error:
                self.refused.append(error.what)
            else:
                return


def allow(scope: str) -> StopDecision:
    return StopDecision(choice=Choice.TAKE, taken=scope)


def parts_of(provider: ScriptedProvider, work: Any = write_twice) -> Any:
    strategy = own_strategy(work)
    return make_parts(KITS, ScriptedModel(), provider, strategy=strategy, touches_world=True)


def do(
    workspace: Workspace, provider: ScriptedProvider, person: Person | None = None
) -> RunSummary:
    parts, spec = parts_of(provider), RunSpec(query="q", strategy="own")
    if person is None:
        return asyncio.run(run(workspace, spec, parts=parts))
    with EngineThread(workspace) as engine:
        return engine.start(spec, parts=parts, debugger=person.debugger).result(60)


def events(workspace: Workspace, done: RunSummary) -> list[str]:
    return [record.event.type for record in read_run(workspace, done.run)]


def test_call_when_nobody_is_there_then_refused_and_nothing_is_sent(workspace: Workspace) -> None:
    provider = ScriptedProvider()
    assert do(workspace, provider).answer == "blocked_by_policy blocked_by_policy"
    assert provider.calls == []


@pytest.mark.parametrize(
    ("decisions", "answer", "n_stops", "rules"),
    [
        ([allow("once"), StopDecision(choice=Choice.SKIP)], "sent blocked_by_policy", 2, 0),
        ([allow("api")], "sent sent", 1, 1),
        ([allow("tool")], "sent sent", 1, 1),
        ([allow("these arguments"), allow("once")], "sent sent", 2, 1),
    ],
)
def test_call_when_a_person_is_asked_then_their_word_counts_and_is_replayed(
    workspace: Workspace,
    decisions: list[StopDecision],
    answer: str,
    n_stops: int,
    rules: int,
) -> None:
    provider, person = ScriptedProvider(), Person(*decisions)
    done = do(workspace, provider, person)
    assert done.answer == answer
    assert [stop.point.id for stop in person.stops] == ["approval"] * n_stops
    assert len(provider.calls) == answer.count("sent") == done.api_calls
    assert len(load_approvals()) == rules
    report = again(workspace, done, write_twice)
    assert (report.identical, report.divergence) == (True, None)
    assert events(workspace, done).count("call.allowed") == 2 - n_stops
    spec = fork(workspace, done.run, NodePath("call.2"))
    with EngineThread(workspace) as engine:
        later = Person(allow("once"))
        forked = engine.start(spec, parts=parts_of(provider), debugger=later.debugger).result(60)
    assert forked.answer == "sent sent"
    assert len(later.stops) == (0 if rules and n_stops == 1 else 1)  # of the first nobody asks


def test_call_when_refused_and_wanted_again_then_nobody_is_asked_a_second_time(
    workspace: Workspace,
) -> None:
    async def same_twice(scope: RunScope) -> str:
        seen = [await scope.call(WRITE, {"q": "x"}) for _ in range(2)]
        return " | ".join(each.message for each in seen)

    provider, person = ScriptedProvider(), Person(StopDecision(choice=Choice.SKIP))
    with EngineThread(workspace) as engine:
        done = engine.start(
            RunSpec(query="q", strategy="own"),
            parts=parts_of(provider, same_twice),
            debugger=person.debugger,
        ).result(60)
    assert "A person refused this very call before" in done.answer
    assert (len(person.stops), provider.calls) == (1, [])
    assert again(workspace, done, same_twice).identical


def test_run_when_continued_without_a_word_then_it_stays_held(workspace: Workspace) -> None:
    provider = ScriptedProvider()
    person = Person(None, allow("nothing"), allow("once"), StopDecision(choice=Choice.GIVE_UP))
    done = do(workspace, provider, person)
    assert person.refused[0] == "This call waits for a yes or a no"
    assert person.refused[1].startswith("Leave can be given for: once")
    assert len(provider.calls) == 1
    assert done.status == "cancelled"


def test_call_when_a_person_changed_it_then_leave_is_for_what_is_sent(
    workspace: Workspace,
) -> None:
    provider = ScriptedProvider()
    edit = StopDecision(choice=Choice.EDIT, api=DELETE.id, arguments={"q": "z"})
    person = Person(edit, StopDecision(choice=Choice.SKIP), StopDecision(choice=Choice.GIVE_UP))
    person.debugger = Debugger(step=True, on_change=person._on_change)
    done = do(workspace, provider, person)
    assert [stop.point.id for stop in person.stops[:2]] == ["before_call", "approval"]
    assert person.stops[1].title == DELETE.title and person.stops[1].arguments == {"q": "z"}
    assert "delete something" in person.stops[1].message
    assert provider.calls == []
    assert again(workspace, done, write_twice).divergence is None


def rule(**what: Any) -> Approval:
    given = {"allows": True, "scope": ApprovalScope.API, "value": WRITE.id, "title": WRITE.title}
    return Approval(**{**given, **what})


@pytest.mark.parametrize(
    ("given", "api", "arguments", "said"),
    [
        (rule(), WRITE, {}, True),
        (rule(), DELETE, {}, None),
        (rule(scope=ApprovalScope.TOOL, value="test/a", up_to=Risk.WRITE), DELETE, {}, None),
        (rule(scope=ApprovalScope.TOOL, value="test/a", up_to=Risk.WRITE), WRITE, {}, True),
        (rule(scope=ApprovalScope.ORIGIN, value=""), WRITE, {}, None),
        (rule(doc_hash="another"), WRITE, {}, None),
        (rule(arguments={"q": "R*"}), WRITE, {"q": "Rex"}, True),
        (rule(arguments={"q": "R*"}), WRITE, {"q": "Bello"}, None),
        (rule(arguments={"q": "R*"}), WRITE, {}, None),
        (rule(arguments={"q": literal_pattern("*")}), WRITE, {"q": "all"}, None),
        (rule(allows=False, up_to=Risk.READ), WRITE, {}, False),
    ],
)
def test_rule_when_a_call_comes_then_it_decides_or_not(
    given: Approval, api: Api, arguments: dict[str, str], said: bool | None
) -> None:
    if given.scope is ApprovalScope.ORIGIN:
        with pytest.raises(BadInput):
            add_approval(given)
        return
    add_approval(given)
    found = approval_for(api, arguments)
    assert (None if found is None else found.allows) is said


def test_rule_when_both_fit_then_the_refusal_counts(workspace: Workspace) -> None:
    add_approval(rule())
    add_approval(rule(allows=False, scope=ApprovalScope.TOOL, value="test/a", title="a"))
    provider, person = ScriptedProvider(), Person()
    done = do(workspace, provider, person)
    assert done.answer == "blocked_by_policy blocked_by_policy" and person.stops == []
    refused = [r.event for r in read_run(workspace, done.run) if r.event.type == "call.refused"]
    assert refused[0].message == "A rule of yours says: refuse: a"
    assert remove_approval_at(2).allows is False
    assert do(workspace, provider).answer == "sent sent"
    with pytest.raises(NotFound):
        remove_approval_at(2)


def test_rules_when_their_file_is_broken_then_nothing_is_allowed_and_nothing_written(
    workspace: Workspace,
) -> None:
    add_approval(rule())
    approvals_path().write_text('[{"allows": "yes"', encoding="utf-8")
    done = do(workspace, ScriptedProvider(), Person())
    assert done.answer == "blocked_by_policy blocked_by_policy"
    refused = [r.event for r in read_run(workspace, done.run) if r.event.type == "call.refused"]
    assert "cannot be read" in refused[0].message
    with pytest.raises(BadInput):
        add_approval(rule())
    assert approvals_path().read_text(encoding="utf-8") == '[{"allows": "yes"'


def test_workspace_when_it_brings_rules_then_they_are_not_heard(workspace: Workspace) -> None:
    text = json.dumps([{"allows": True, "scope": "api", "value": WRITE.id, "title": "x"}])
    (workspace.path.parent / "approvals.json").write_text(text, encoding="utf-8")
    provider = ScriptedProvider()
    do(workspace, provider)
    assert provider.calls == []


def test_outcome_when_refused_then_the_class_says_why(workspace: Workspace) -> None:
    no = StopDecision(choice=Choice.SKIP)
    done = do(workspace, ScriptedProvider(), Person(no, no))
    refused = [r.event for r in read_run(workspace, done.run) if r.event.type == "call.refused"]
    assert refused[0].error == ErrorClass.BLOCKED_BY_POLICY
    assert refused[0].message == "A person refused this call"
