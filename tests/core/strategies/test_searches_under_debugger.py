"""Strategies that talk, under the debugger: stepped, broken into, faulted, forked, compared.

Nothing of that was written for them; what they declare must be enough.
"""

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from fixtures.scripted_endpoint import Answers, Says, Turn
from fixtures.scripted_run import ScriptedModel, ScriptedProvider, bad, make_parts, ok
from fixtures.spoken_run import KITS, Spoken, replay_spoken, speak_run

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.domain.plan import NOT_REFUTED, Status
from toolplanner_core.domain.stop_points import Choice
from toolplanner_core.runs.compare.diff import diff_runs
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.runs.debugging.breakpoints import parse_breakpoint
from toolplanner_core.runs.debugging.debugger import Debugger, Held, StepCommand
from toolplanner_core.runs.debugging.stops import StopDecision
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.runs.log.stored_runs import load_tree
from toolplanner_core.runs.replay.fork import fork
from toolplanner_core.workspace import Workspace

METEO = ("meteo_now_for_meteo", {"q": "Oslo"})
SKY = ("sky_daily_for_sky", {"q": "Oslo"})
GEO = ("geo_find_for_geo", {"q": "Oslo"})
ANSWER = ("give_answer", {"final_answer": "3 degrees", "no_call_needed": True})
UP = ("give_up_and_restart", {"reason": "a dead end"})
FIRST = {"better": "first", "reason": ""}
REFLECTION = {"diagnosis": "I guessed.", "plan": "Call sky_daily."}
REACT = [Turn("a", [GEO]), Turn("b", [METEO]), Turn("c", [SKY]), Turn("d", [ANSWER])]
SEARCH = [
    Turn("a", [GEO]), Turn("b", [METEO]), Turn("c", [UP]), Turn("d", [SKY]), Turn("e", [ANSWER]),
]  # fmt: skip
TRIALS = [
    Turn("a", [GEO]), Turn("b", [ANSWER]), {"reason": "no figure", "solved": False},
    REFLECTION,
    Turn("c", [SKY]), Turn("d", [ANSWER]), {"reason": "", "solved": True},
]  # fmt: skip
PASSED = {"state": "good", "passed": True, "values": {}}


def plan(*calls: str) -> dict[str, Any]:
    steps = [
        {"goal": call, "call": call, "arguments": {"q": "Oslo"}, "take": {}, "check": "good"}
        for call in calls
    ]
    return {"steps": steps, "unmet": []}


PLANNED = [
    plan("geo_find_for_geo", "meteo_now_for_meteo"), PASSED,
    plan("geo_find_for_geo", "sky_daily_for_sky"), PASSED,
    {"answer": "3 degrees", "solved": True, "reason": ""},
]  # fmt: skip
RANKED = [Turn("a", [GEO]), Turn("b", [SKY]), FIRST, FIRST, Turn("c", [ANSWER]), Turn("d", [UP])]
ALL = pytest.mark.parametrize(
    ("strategy", "script", "options"),
    [
        pytest.param("react", REACT, {}, id="react"),
        pytest.param("dfsdt", SEARCH, {}, id="dfsdt"),
        pytest.param("dfsdt", RANKED, {"rank": True}, id="ranked"),
        pytest.param("adaplanner", PLANNED, {}, id="adaplanner"),
        pytest.param("reflexion", TRIALS, {}, id="reflexion"),
    ],
)


def end_it(body: dict[str, Any]) -> Any:
    """Any question or turn is answered in the way that ends the run."""
    ending = {
        "judge_answer": {"reason": "", "solved": True},
        "reflect": REFLECTION,
        "make_checked_plan": plan("sky_daily_for_sky"),
        "revise_checked_plan": plan("sky_daily_for_sky"),
        "check_result": PASSED,
        "final_answer": {"answer": "3 degrees", "solved": True, "reason": ""},
    }
    if "tools" in body:
        return Turn("", [ANSWER])
    return Says(json.dumps(ending.get(body["response_format"]["json_schema"]["name"], FIRST)))


def provider() -> ScriptedProvider:
    return ScriptedProvider({"meteo_now": bad(500), "sky_daily": ok({"celsius": 3})})


class Person:
    """Somebody at a debugger who acts at every stop; `stops` are points and places."""

    def __init__(
        self, act: Callable[[Held], StopDecision | None], *breakpoints: str, step: bool = False
    ) -> None:
        self.stops: list[tuple[str, str]] = []
        self.debugger = Debugger(
            [parse_breakpoint(text) for text in breakpoints], step=step, on_change=self._changed
        )
        self._act = act
        self._step = step
        self._seen: set[Any] = set()

    def _changed(self) -> None:
        for held in self.debugger.held[:1]:
            if held.released not in self._seen:
                self._seen.add(held.released)
                self.stops.append((held.stop.point.id, held.stop.path))
                action = StepCommand.STEP_INTO if self._step else StepCommand.CONTINUE
                self.debugger.resume(action, decision=self._act(held))

    @property
    def company(self) -> dict[str, Any]:
        return {"debugger": self.debugger}


def speak(workspace: Workspace, strategy: str, script: list[Any], **options: Any) -> Spoken:
    return speak_run(workspace, strategy, script, provider=provider(), **options)


@ALL
def test_search_when_stepped_into_then_stops_everywhere_and_does_nothing_twice(
    workspace: Workspace, strategy: str, script: list[Any], options: dict[str, Any]
) -> None:
    person = Person(lambda held: None, step=True)
    spoken = speak(workspace, strategy, script, company=person.company, **options)
    assert spoken.summary.status in NOT_REFUTED
    points = [point for point, _ in person.stops]
    assert points.count("before_question") == points.count("after_question") == len(script)
    assert points.count("before_call") == points.count("after_call") == len(spoken.calls)
    if strategy == "dfsdt":
        assert points[-1] == "before_answer"
        assert ("before_branch" in points) == ("rank" in options)
    assert replay_spoken(workspace, spoken.summary).identical


def test_search_when_broken_into_before_going_back_then_a_person_says_where(
    workspace: Workspace,
) -> None:
    def elsewhere(held: Held) -> StopDecision:
        titles = [each.title for each in held.stop.alternatives]
        assert titles == ["a → geo · geo_find", "b → meteo · meteo_now", "the query"]
        return StopDecision(choice=Choice.TAKE, taken=held.stop.alternatives[2].id)

    person = Person(elsewhere, "at=before_backtrack")
    spoken = speak(workspace, "dfsdt", SEARCH, company=person.company)
    assert spoken.summary.status in NOT_REFUTED
    assert [line.split(" → ")[0] for line in spoken.tree if "→" in line] == [
        "✂ a", "  ✂ b", "    ✂ c", "✓ d", "  ✓ e",
    ]  # fmt: skip
    assert person.stops == [("before_backtrack", "branch.1/branch.1/branch.1")]
    assert replay_spoken(workspace, spoken.summary).identical


def test_search_when_a_person_drops_the_answer_then_searches_on(workspace: Workspace) -> None:
    person = Person(
        lambda held: StopDecision(choice=Choice.SKIP) if len(person.stops) == 1 else None,
        "at=before_answer",
    )
    script = [Turn("a", [ANSWER]), Turn("b", [SKY]), Turn("c", [ANSWER])]
    spoken = speak(workspace, "dfsdt", script, company=person.company)
    assert spoken.summary.status in NOT_REFUTED
    assert spoken.tree[0] == "✂ a → Gives the answer | a person wanted another answer"
    assert person.stops == [("before_answer", "branch.1"), ("before_answer", "branch.2/branch.1")]
    assert replay_spoken(workspace, spoken.summary).identical


def test_search_when_a_person_follows_another_branch_first_then_so_it_is(
    workspace: Workspace,
) -> None:
    def other(held: Held) -> StopDecision:
        return StopDecision(choice=Choice.TAKE, taken=held.stop.alternatives[-1].id)

    person = Person(other, "at=before_branch,hits=1")
    spoken = speak(workspace, "dfsdt", RANKED, company=person.company, rank=True)
    assert spoken.summary.status in NOT_REFUTED
    tree = load_tree(workspace, spoken.summary.run)
    assert tree.nodes[NodePath("branch.2")].children[-1] == "branch.2/branch.2"
    assert replay_spoken(workspace, spoken.summary).identical


def test_search_when_a_person_ends_it_then_unsolved(workspace: Workspace) -> None:
    person = Person(lambda held: StopDecision(choice=Choice.SKIP), "kind=backtrack")
    spoken = speak(workspace, "dfsdt", SEARCH, company=person.company)
    assert spoken.summary.status is Status.UNSOLVED
    assert spoken.summary.reason == "A person ended the search"
    assert replay_spoken(workspace, spoken.summary).identical


@ALL
def test_search_when_faults_strike_then_told_to_the_model_and_replayed(
    workspace: Workspace, strategy: str, script: list[Any], options: dict[str, Any]
) -> None:
    if script is PLANNED:  # another plan follows, with other questions
        script = [*PLANNED[:1], Answers(end_it)]
    spec = RunSpec(query="How warm?", strategy=strategy, faults=("429:api=geo_find",))
    spoken = speak(workspace, strategy, script, spec=spec, **options)
    assert spoken.summary.status in NOT_REFUTED
    assert [name for name, _ in spoken.calls][:1] != ["geo_find"]
    told = [text for request in spoken.requests for text in [str(request["messages"])]]
    assert any("rate limited)" in text or "rate_limited" in text for text in told)
    assert replay_spoken(workspace, spoken.summary).identical


@ALL
def test_search_when_forked_at_every_node_then_nothing_of_the_prefix_is_done_again(
    workspace: Workspace, strategy: str, script: list[Any], options: dict[str, Any]
) -> None:
    spoken = speak(workspace, strategy, script, **options)
    nodes = load_tree(workspace, spoken.summary.run).nodes
    for path in [path for path in nodes if path and nodes[path].state is not NodeState.KEPT]:
        spec = fork(workspace, spoken.summary.run, path)
        forked = speak(workspace, strategy, [Answers(end_it)], spec=spec, **options)
        assert forked.summary.status in NOT_REFUTED, path
        prefix = forked.summary.model_calls - len(forked.requests)
        assert 0 <= prefix < len(script), path
        asked = [str(request["messages"]) for request in forked.requests]
        assert asked[:1] == [str(r["messages"]) for r in spoken.requests[prefix : prefix + 1]]
        assert forked.summary.api_calls >= len(forked.calls)
        assert replay_spoken(workspace, forked.summary).identical, path


@ALL
def test_search_when_compared_with_a_run_of_tool_planner_then_told_apart(
    workspace: Workspace, strategy: str, script: list[Any], options: dict[str, Any]
) -> None:
    spoken = speak(workspace, strategy, script, **options)
    parts = make_parts(KITS, ScriptedModel(plans=[[("one", 1, [])]]), provider())
    planned = asyncio.run(run(workspace, RunSpec(query="How warm?"), parts=parts))
    diff = diff_runs(workspace, spoken.summary.run, planned.run)
    assert {each.name for each in diff.totals} >= {"api_calls", "model_calls"}
    ours = load_tree(workspace, spoken.summary.run).nodes
    assert {node.left for node in diff.nodes if node.left is not None} == set(ours)
    assert diff.first is not None
