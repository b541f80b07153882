"""Faults: twelve kinds, each with its class and state; which calls they strike."""

import asyncio
from typing import Any

import pytest
from fixtures.own_strategy import own_strategy
from fixtures.scripted_run import (
    QuickClock,
    ScriptedModel,
    ScriptedProvider,
    api_finder,
    make_api,
    make_parts,
)

from toolplanner_core.domain.ids import NodePath, ToolkitId
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.domain.plan import Status
from toolplanner_core.errors import BadInput
from toolplanner_core.runs.config.spec import Limits, RunSpec
from toolplanner_core.runs.debugging.breakpoints import parse_breakpoint
from toolplanner_core.runs.debugging.debugger import Debugger
from toolplanner_core.runs.debugging.faults import FaultPlan, FaultTarget, parse_fault
from toolplanner_core.runs.debugging.saved_rules import (
    RuleKind,
    SavedRule,
    queue_rules,
    saved_rules,
)
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.runs.events.call import CallFailed, CallReturned
from toolplanner_core.runs.events.debug import FaultInjected
from toolplanner_core.runs.log.stored_runs import load_tree, read_run
from toolplanner_core.runs.presentation.debug_words import describe_faults
from toolplanner_core.runs.replay.fork import ForkChanges, fork
from toolplanner_core.runs.replay.replay import replay
from toolplanner_core.strategies.interface.scope import RunScope
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.call_statistics import call_figures
from toolplanner_core.workspace.settings import set_setting
from toolplanner_core.workspace.step_outcomes import step_outcomes

KITS = {"Fuel prices": [make_api(f"fuel_{i}") for i in range(3)], "Maps": [make_api("map_1")]}
PLAN: list[Any] = [("price", 1, [])]
CALL = NodePath("plan.1/step.1/attempt.1/call.1")


def run_with(workspace: Workspace, *faults: str, plan: Any = PLAN) -> Any:
    provider = ScriptedProvider()
    parts = make_parts(KITS, ScriptedModel(plans=[plan]), provider)
    spec = RunSpec(query="q", faults=faults)
    summary = asyncio.run(run(workspace, spec, parts=parts, clock=QuickClock()))
    return summary, read_run(workspace, summary.run), provider


@pytest.mark.parametrize(
    ("kind", "error"),
    [
        ("timeout", "timeout"),
        ("slow", None),
        ("401", "unauthorised"),
        ("403", "unauthorised"),
        ("404", "not_found"),
        ("429", "rate_limited"),
        ("500", "server_error"),
        ("reset", "network"),
        ("malformed", "bad_payload"),
        ("schema", "bad_payload"),
        ("empty", "empty_result"),
        ("poisoned", None),
    ],
)
def test_fault_of_each_kind_when_injected_then_class_state_and_origin_fit(
    workspace: Workspace, kind: str, error: str | None
) -> None:
    summary, records, provider = run_with(workspace, f"{kind}:all,next=1")
    outcome = next(r.event for r in records if isinstance(r.event, CallReturned | CallFailed))
    injected = [r.event for r in records if isinstance(r.event, FaultInjected)]
    assert [event.kind for event in injected] == [kind]
    tree = load_tree(workspace, summary.run)
    call, attempt = tree.nodes[CALL], tree.nodes[NodePath("plan.1/step.1/attempt.1")]
    if error is None:
        assert isinstance(outcome, CallReturned)
        assert (call.state, attempt.state) == (NodeState.OK, NodeState.OK)
        assert len(provider.calls) == (1 if kind == "slow" else 0)
    else:
        assert isinstance(outcome, CallFailed)
        assert outcome.error == error
        assert (call.state, attempt.state) == (NodeState.FAILED, NodeState.FELL_BACK)
        assert len(provider.calls) == 1, "the next API of the toolkit did it"
    if kind != "slow":
        assert outcome.origin == "injected fault"
    if kind == "429":
        assert outcome.headers["Retry-After"] == "2"
    # A model that believes what a fault made up has solved nothing.
    assert summary.status is (Status.UNSOLVED if kind == "poisoned" else Status.ANSWERED)
    assert replay(workspace, summary.run, api_of=api_finder(KITS)).divergence is None


def test_slow_when_longer_than_the_limit_then_a_time_out(workspace: Workspace) -> None:
    _, records, _ = run_with(workspace, "slow:api=fuel_0,after=60")
    failed = [r.event for r in records if isinstance(r.event, CallFailed)]
    assert [event.error for event in failed] == ["timeout"]


def test_rules_when_matched_then_strike_their_calls_only(workspace: Workspace) -> None:
    _, _, provider = run_with(workspace, '500:toolkit="fuel P*",next=2')
    assert [name for name, _ in provider.calls] == ["fuel_2"]
    _, _, provider = run_with(workspace, "500:api=FUEL_0")
    assert [name for name, _ in provider.calls] == ["fuel_1"]
    _, _, provider = run_with(workspace, "500:all,every=2", plan=[("a", 1, []), ("b", 2, [1])])
    assert [name for name, _ in provider.calls] == ["fuel_0"]
    always, _, _ = run_with(workspace, "500:all,p=1")
    never, _, _ = run_with(workspace, "500:all,p=0")
    assert (always.status, never.failed_calls) == (Status.UNSOLVED, 0)


def test_probability_when_seeded_then_the_same_calls_fail_again() -> None:
    rule = parse_fault("429:all,p=0.3,seed=7")
    paths = [NodePath(f"step.{i}") for i in range(2000)]
    struck = [rule.strikes(1, path) for path in paths]
    assert struck == [parse_fault("429:all,p=0.3,seed=7").strikes(1, path) for path in paths]
    assert 500 < sum(struck) < 700
    assert struck != [parse_fault("429:all,p=0.3,seed=8").strikes(1, path) for path in paths]


def failed_apis(workspace: Workspace, query: str, *faults: str, strategy: str) -> set[str]:
    """The APIs whose calls were made to fail in a run that tries all it can."""

    async def call_all(run: RunScope) -> str:
        for api in reversed(MANY["Fuel prices"]):
            await run.call(api, {"q": query})
        return ""

    own = own_strategy(call_all) if strategy == "all" else None
    model = ScriptedModel(plans=[[("price", 1, [])]])
    parts = make_parts(MANY, model, ScriptedProvider(), strategy=own)
    spec = RunSpec(query=query, faults=faults, limits=Limits(max_api_calls=None))
    summary = asyncio.run(run(workspace, spec, parts=parts, clock=QuickClock()))
    records = [record.event for record in read_run(workspace, summary.run)]
    return {event.title for event in records if isinstance(event, FaultInjected)}


MANY = {"Fuel prices": [make_api(f"fuel_{i}") for i in range(40)]}


def test_chance_when_drawn_by_api_then_the_same_are_down_in_every_strategy_and_rates_are_nested(
    workspace: Workspace,
) -> None:
    down = {
        p: failed_apis(workspace, "q", f"500:all,p={p},by=api", strategy="all")
        for p in (0.1, 0.3, 0.5)
    }
    assert down[0.1] < down[0.3] < down[0.5] < {api.title for api in MANY["Fuel prices"]}
    # Another strategy tries fewer of them, in another order, at other places of its tree.
    fallbacks = failed_apis(workspace, "q", "500:all,p=0.5,by=api", strategy="tool-planner")
    assert fallbacks <= down[0.5]
    first_up = next(a.title for a in MANY["Fuel prices"] if a.title not in down[0.5])
    tried = [api.title for api in MANY["Fuel prices"]]
    assert fallbacks == set(tried[: tried.index(first_up)])
    assert failed_apis(workspace, "other", "500:all,p=0.3,by=api", strategy="all") != down[0.3]


def test_chance_when_drawn_by_toolkit_then_all_its_apis_are_down_or_none_and_rates_are_nested() -> (
    None
):
    apis = MANY["Fuel prices"]
    kit_of = {api.id: ToolkitId(n % 8) for n, api in enumerate(apis[:32])}

    def down(p: float, query: str = "q") -> set[str]:
        plan = FaultPlan([parse_fault(f"500:all,p={p},by=toolkit")], query=query)
        return {
            api.id
            for api in apis
            if plan.fault_for(api, "", CALL, {}, toolkit_of=lambda one: kit_of.get(one.id))
        }

    kits = [{api for api, kit in kit_of.items() if kit == n} for n in range(8)]
    assert all(not kit & down(0.5) or kit <= down(0.5) for kit in kits)
    assert 0 < sum(kit <= down(0.5) for kit in kits) < 8
    assert down(0.1) <= down(0.3) <= down(0.5)
    assert down(0.5) != down(0.5, "other")
    # Those in no toolkit are down each for itself.
    assert 0 < len(down(0.5) - kit_of.keys()) < 8


def test_chance_when_drawn_by_call_then_it_hangs_on_arguments_and_their_number() -> None:
    def struck(query: str) -> list[bool]:
        plan = FaultPlan([parse_fault("500:all,p=0.5,by=call")], query=query)
        return [
            plan.fault_for(api, "", NodePath(f"step.{n}"), {"n": n // 2}) is not None
            for n in range(20)
            for api in MANY["Fuel prices"][:5]
        ]

    assert struck("q") == struck("q") != struck("other")
    assert 30 < sum(struck("q")) < 70


@pytest.mark.parametrize(
    "text",
    ["500:all,by=api", "500:all,p=0.5,by=strategy", "bang:all", "500", "500:", "500:api=",
     "500:all,next=0", "500:all,p=2", "500:all,what=1", "500:all,next=x", "500:api=a,toolkit=b",
     "500:all,,", "slow:all,after=-1"],
)  # fmt: skip
def test_rule_when_it_cannot_be_read_then_says_so(text: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse_fault(text)
    assert caught.value.todo


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("bang:all", "There is no fault 'bang'"),
        ("500:PumpWatch", "'PumpWatch' is neither a target (all, api=NAME, toolkit=NAME) nor an"),
        ("500:all,next=two", "next=two is not a number of calls, from 1 on"),
        ("500:all,p=nan", "p=nan is not a chance from 0 to 1"),
        ("slow:all,after=inf", "after=inf is not seconds from 0 to a day"),
    ],
)
def test_rule_when_it_cannot_be_read_then_the_part_is_named_and_an_example_given(
    text: str, what: str
) -> None:
    [said] = describe_faults(text)
    assert what in said
    with pytest.raises(BadInput, match="500:api=NAME"):
        parse_fault(text)


def test_plan_when_saved_then_read_back_and_nothing_is_changed_by_a_wrong_rule(
    workspace: Workspace,
) -> None:
    kept = [SavedRule(text="500:all"), SavedRule(text="slow:api=x", is_on=False)]
    queue_rules(workspace, RuleKind.FAULT, kept).result()
    with pytest.raises(BadInput):
        queue_rules(workspace, RuleKind.FAULT, [SavedRule(text="nonsense")])
    assert saved_rules(workspace, RuleKind.FAULT) == kept
    set_setting(workspace, "fault_plan", {"500:all": True, "slow:api=x": False})
    assert saved_rules(workspace, RuleKind.FAULT) == kept, "as older programs kept them"


def test_health_and_reviewed_toolkits_when_faults_were_injected_then_nothing_is_blamed(
    workspace: Workspace,
) -> None:
    summary, _, _ = run_with(workspace, "500:all")
    assert summary.failed_calls
    assert "injected server error 500" in load_tree(workspace, summary.run).nodes[CALL].reason
    assert call_figures(workspace) == {}
    assert step_outcomes(workspace) == []


def test_fork_when_faults_were_used_up_then_they_stay_so_and_can_be_taken_away(
    workspace: Workspace,
) -> None:
    summary, _, _ = run_with(workspace, "500:all,next=1")
    spec = fork(workspace, summary.run, NodePath("plan.1/step.1/attempt.2"))
    assert spec.faults == ("500:all,next=1",)
    parts = make_parts(KITS, ScriptedModel(), ScriptedProvider())
    child = asyncio.run(run(workspace, spec, parts=parts))
    assert child.failed_calls == 1
    changes = ForkChanges(faults=("404:api=fuel_1",))
    spec = fork(workspace, summary.run, NodePath("plan.1/step.1/attempt.2"), changes)
    child = asyncio.run(run(workspace, spec, parts=parts))
    assert child.failed_calls == 2


def test_faults_when_changed_in_a_held_run_then_act_from_the_next_call_on(
    workspace: Workspace,
) -> None:
    faults = FaultPlan()
    rule = parse_fault(f"500:{FaultTarget(api='fuel_0').text},next=1")
    seen: list[str] = []

    def act() -> None:
        if debugger.held:
            seen.append(debugger.held[0].stop.title)
            faults.set_rules([rule] if len(seen) == 1 else [])
            debugger.resume()

    debugger = Debugger([parse_breakpoint("at=before_call")], on_change=act, faults=faults)
    parts = make_parts(KITS, ScriptedModel(plans=[PLAN]), ScriptedProvider())
    summary = asyncio.run(
        run(workspace, RunSpec(query="q"), parts=parts, clock=QuickClock(), debugger=debugger)
    )
    events = [r.event for r in read_run(workspace, summary.run)]
    assert [e.rule for e in events if isinstance(e, FaultInjected)] == [rule.text]
    assert (summary.status, summary.fallbacks, len(seen)) == (Status.ANSWERED, 1, 2)
    assert replay(workspace, summary.run, api_of=api_finder(KITS)).divergence is None


@pytest.mark.parametrize("name", ["a, b", 'say "x"', "x*y", "[z]", "what?"])
def test_target_when_written_then_fits_its_own_name_and_no_pattern(name: str) -> None:
    rule = parse_fault(f"500:{FaultTarget(api=name).text}")
    assert rule.is_about(make_api(name), "")
    assert not rule.is_about(make_api("other"), "")
    assert parse_fault(f"500:{FaultTarget(toolkit=name).text}").is_about(make_api("x"), name)
    assert FaultTarget().text == "all"


def test_fault_for_once_when_a_run_has_used_it_up_then_later_runs_know_nothing_of_it(
    workspace: Workspace,
) -> None:
    always, once, unused = "500:api=map_1", "500:api=fuel_0,once", "404:api=map_1,once"
    rules = [SavedRule(text=text) for text in (always, once, unused)]
    queue_rules(workspace, RuleKind.FAULT, rules).result()
    _, records, _ = run_with(workspace, always, once, unused)
    assert [r.event.rule for r in records if isinstance(r.event, FaultInjected)] == [once]
    assert [rule.text for rule in saved_rules(workspace, RuleKind.FAULT)] == [always, unused]
