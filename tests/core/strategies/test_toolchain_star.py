"""ToolChain* over a scripted endpoint: costs, the frontier, equal proposals, remembered plans."""

import json
from typing import Any

import pytest
from fixtures.scripted_endpoint import Answers, Says, Status
from fixtures.scripted_run import ScriptedProvider, bad, ok
from fixtures.spoken_run import KITS, Spoken, replay_spoken, speak_run

from toolplanner_core.domain.ids import NodePath, RunId
from toolplanner_core.domain.plan import Status as Ended
from toolplanner_core.domain.stop_points import Choice
from toolplanner_core.runs.debugging.breakpoints import parse_breakpoint
from toolplanner_core.runs.debugging.debugger import Debugger, StepCommand
from toolplanner_core.runs.debugging.stops import StopDecision
from toolplanner_core.runs.events.decision import Decided
from toolplanner_core.runs.log.stored_runs import load_tree, read_run
from toolplanner_core.runs.replay.fork import fork
from toolplanner_core.strategies.toolchain_star import MEMORY, future_cost, step_cost
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.memories import decide_memory, read_memory, write_memories

GEO, METEO, SKY = "geo_find_for_geo", "meteo_now_for_meteo", "sky_daily_for_sky"
IDS = {api.name: api.id for kit in KITS.values() for api in kit}


def step(call: str, *then: str, q: str = "Oslo") -> dict[str, Any]:
    return {"thought": "", "call": call, "arguments": {"q": q}, "then": list(then)}


def answer(text: str = "It is 3 degrees.") -> dict[str, Any]:
    return step("give_answer") | {"arguments": {"final_answer": text, "no_call_needed": True}}


def up() -> dict[str, Any]:
    return step("give_up") | {"arguments": {"reason": "a dead end"}}


def speak(workspace: Workspace, script: list[Any], **options: Any) -> Spoken:
    replies = {"meteo_now": bad(500), "sky_daily": ok({"celsius": 3}), "geo_find": ok({"lat": 60})}
    provider = ScriptedProvider(replies)
    return speak_run(
        workspace, "toolchain-star", script, provider=provider, **{"samples": 2, **options}
    )


def steps_of(spoken: Spoken) -> list[str]:
    """The tree without the questions."""
    return [line for line in spoken.tree if "Propose" not in line]


def data_of(workspace: Workspace, spoken: Spoken, path: str) -> Any:
    return load_tree(workspace, spoken.summary.run).nodes[NodePath(path)].data


def by_way(body: dict[str, Any]) -> Any:
    """A model that goes to the sky after it looked for the place, then answers."""
    said = body["messages"][-1]["content"].partition("<so_far>")[2]
    if SKY in said:
        return Says(json.dumps(answer()))
    return Says(json.dumps(step(SKY) if GEO in said else step(GEO, SKY)))


def test_costs_when_computed_then_as_published() -> None:
    """Source: arXiv 2310.13227, section 3.3: g by longest common subsequence and frequency, h by
    relative position and imagined length."""
    assert step_cost(["a"], [], 0.6, 0.5) == pytest.approx(0.4**0.5)
    assert step_cost(["a"], [], 1.0, 0.5) == 0
    # Common subsequence a, c of 2 over the shorter length 2; of the other plan 1 of 2.
    assert step_cost(["a", "c"], [["a", "b", "c"], ["c", "d"]], 0.5, 0.5) == 0
    assert step_cost(["a", "c"], [["c", "d"]], 0.5, 0.5) == pytest.approx(0.5)
    # Mean of the places 1/3 and 2/2, and one step of four done.
    plans = [["a", "b", "c"], ["b", "a"]]
    by_half = {api: future_cost(api, plans, done=1, imagined=4, beta=0.5) for api in ("a", "x")}
    assert by_half["a"] == pytest.approx(((1 - (1 / 3 + 1) / 2) * (1 - 1 / 4)) ** 0.5)
    assert by_half["x"] == pytest.approx(0.75**0.5)
    assert future_cost("x", [], done=3, imagined=1, beta=0.5) == 0


def test_costs_when_one_side_has_the_whole_weight_then_the_other_does_not_count() -> None:
    assert step_cost(["a", "c"], [["c", "d"]], 0.2, 1.0) == pytest.approx(0.5), "memory alone"
    assert step_cost(["a", "c"], [["c", "d"]], 0.2, 0.0) == pytest.approx(0.8), "samples alone"
    plans = [["a", "b"]]
    assert future_cost("a", plans, done=1, imagined=4, beta=1.0) == pytest.approx(0.5)
    assert future_cost("a", plans, done=1, imagined=4, beta=0.0) == pytest.approx(0.75)


def test_toolchain_when_alpha_and_beta_are_chosen_then_costs_are_by_them(
    workspace: Workspace,
) -> None:
    plan = {"plans": [[IDS["sky_daily"], IDS["geo_find"]]]}
    decide_memory(workspace, MEMORY, plan)
    spoken = speak(workspace, [Answers(by_way)], alpha=1.0, beta=0.0)
    first = data_of(workspace, spoken, "candidate.1")
    assert first["g"] == pytest.approx(0.0), "geo_find stands in the plan"
    assert first["h"] == pytest.approx(0.5), "one step of two is done"


def test_toolchain_when_samples_agree_then_goes_on_there_and_answers(workspace: Workspace) -> None:
    script = [
        step(GEO, METEO, SKY), step(GEO, METEO, SKY),
        step(SKY), step(SKY), answer("It is 3 degrees."), answer("3 degrees."),
    ]  # fmt: skip
    spoken = speak(workspace, script)
    assert spoken.summary.status is Ended.ANSWERED
    assert spoken.summary.counts == {"expansions": 3}
    assert [name for name, _ in spoken.calls] == ["geo_find", "sky_daily"]
    *steps, answered = steps_of(spoken)
    assert steps == [
        '✓ geo · geo_find {"q": "Oslo"}',
        "  ✓ geo · geo_find",
        '  ✓ sky · sky_daily {"q": "Oslo"}',
        "    ✓ sky · sky_daily",
    ]
    # Samples are asked at the same time: either of the two may come first.
    words = answered.removeprefix("    ✓ Gives the answer | ")
    assert words in ("It is 3 degrees.", "3 degrees.")
    assert len(spoken.requests) == 2 * 3
    first = data_of(workspace, spoken, "candidate.1")
    assert first["share"] == 1.0
    assert first["g"] == 0.0
    assert first["h"] == pytest.approx((2 / 3) ** 0.5)
    assert first["f"] == first["g"] + first["h"]
    assert "called geo_find_for_geo" in spoken.messages(2)[0][1]
    assert '"lat": 60' in spoken.messages(2)[0][1]
    assert replay_spoken(workspace, spoken.summary).identical


def test_toolchain_when_a_call_fails_then_the_cheaper_candidate_of_the_frontier_is_next(
    workspace: Workspace,
) -> None:
    def model(body: dict[str, Any]) -> Any:
        said = body["messages"][-1]["content"].partition("<so_far>")[2]
        if SKY in said:
            return Says(json.dumps(answer()))
        return Says(json.dumps(step(SKY) if METEO in said else next(begin)))

    begin = iter([step(METEO), step(METEO), step(SKY)])
    spoken = speak(workspace, [Answers(model)], samples=3)
    assert spoken.summary.status is Ended.ANSWERED
    # What most samples propose goes first; it fails, costs a whole step, and the other one is next.
    assert [name for name, _ in spoken.calls] == ["meteo_now", "sky_daily"]
    assert data_of(workspace, spoken, "candidate.1")["g"] == 1.0
    assert steps_of(spoken) == [
        '✗ meteo · meteo_now {"q": "Oslo"} | server error 500',
        "  ✗ meteo · meteo_now | server error 500",
        '  ⊘ sky · sky_daily {"q": "Oslo"} | its candidate never went back to it',
        '✓ sky · sky_daily {"q": "Oslo"}',
        "  ✓ sky · sky_daily",
        "  ✓ Gives the answer | It is 3 degrees.",
    ]
    chosen = [r.event for r in read_run(workspace, spoken.summary.run)]
    fronts = [e.alternatives for e in chosen if isinstance(e, Decided)]
    assert [len(front) for front in fronts] == [2, 2, 2]
    assert all(set(each["parts"]) == {"g", "h"} for front in fronts for each in front)
    for front in fronts:
        scores = [each["score"] for each in front]
        assert scores == sorted(scores, reverse=True)
    assert replay_spoken(workspace, spoken.summary).identical


def test_toolchain_when_a_way_gives_up_then_pruned_and_when_nothing_is_left_unsolved(
    workspace: Workspace,
) -> None:
    spoken = speak(workspace, [step(GEO), step(GEO), up(), up()])
    assert spoken.summary.status is Ended.UNSOLVED
    assert spoken.summary.reason == ("No candidate is left; the last one: it gave up: a dead end")
    assert steps_of(spoken)[0] == '✂ geo · geo_find {"q": "Oslo"} | it gave up: a dead end'
    spoken = speak(workspace, [up(), up()])
    assert spoken.summary.reason == "it gave up: a dead end"
    assert not spoken.calls


def test_toolchain_when_it_never_ends_then_stops_after_its_expansions(workspace: Workspace) -> None:
    endless = Answers(lambda body: Says(json.dumps(step(GEO, SKY))))
    spoken = speak(workspace, [endless])
    assert spoken.summary.status is Ended.UNSOLVED
    assert spoken.summary.reason == "No answer within 30 expansions"
    assert len(spoken.calls) == 30
    assert len(spoken.requests) == 2 * 31
    assert replay_spoken(workspace, spoken.summary).identical


def test_toolchain_when_some_samples_are_unusable_then_the_others_count(
    workspace: Workspace,
) -> None:
    script = [{"call": "fly"}] * 2 + [answer()]
    spoken = speak(workspace, [Answers(lambda body: Says(json.dumps(script[0])))], samples=1)
    assert spoken.summary.status is Ended.UNSOLVED
    assert "no usable proposal" in spoken.summary.reason
    assert len(spoken.requests) == 2  # one repair, not more
    said = iter([Status(400, "no"), Says(json.dumps(answer())), Says(json.dumps(answer()))])
    spoken = speak(workspace, [Answers(lambda body: next(said))], samples=3)
    assert spoken.summary.status is Ended.ANSWERED
    assert data_of(workspace, spoken, "candidate.1")["share"] == 1.0


def test_toolchain_when_a_run_was_solved_then_its_plan_makes_what_resembles_it_cheap(
    workspace: Workspace,
) -> None:
    first = speak(workspace, [Answers(by_way)])
    assert first.summary.status is Ended.ANSWERED
    assert read_memory(workspace, MEMORY).value == {"plans": [[IDS["geo_find"], IDS["sky_daily"]]]}
    # The model is of two minds now; what was solved before goes first.
    said = iter([step(METEO, SKY), step(GEO, SKY)])

    def torn(body: dict[str, Any]) -> Any:
        begins = "so_far" not in body["messages"][-1]["content"]
        return Says(json.dumps(next(said))) if begins else by_way(body)

    second = speak(workspace, [Answers(torn)])
    assert [name for name, _ in second.calls] == ["geo_find", "sky_daily"]
    chosen = next(
        n.data
        for n in load_tree(workspace, second.summary.run).nodes.values()
        if n.data.get("api") == IDS["geo_find"] and n.kind == "candidate"
    )
    assert chosen["g"] == 0.0
    assert read_memory(workspace, MEMORY).version == 1  # the same plan is kept once
    # A replay sees what was remembered then, whatever was learned since.
    write_memories(workspace, RunId(second.summary.run), [(MEMORY, {"plans": [["x"]]})])
    assert replay_spoken(workspace, second.summary).identical
    third = speak(workspace, [Answers(by_way)], remember=False)
    assert data_of(workspace, third, "candidate.1")["g"] == 0.0
    assert third.summary.status is Ended.ANSWERED


def test_toolchain_when_a_person_wrote_nonsense_into_the_memory_then_it_is_passed_over(
    workspace: Workspace,
) -> None:
    done = speak(workspace, [Answers(by_way)], remember=False)
    write_memories(workspace, RunId(done.summary.run), [(MEMORY, {"plans": [3, None, [[1]]]})])
    assert speak(workspace, [Answers(by_way)]).summary.status is Ended.ANSWERED


def test_toolchain_when_forked_anywhere_then_the_prefix_is_not_done_again(
    workspace: Workspace,
) -> None:
    spoken = speak(workspace, [Answers(by_way)])
    for path in list(load_tree(workspace, spoken.summary.run).nodes)[1:]:
        spec = fork(workspace, spoken.summary.run, path)
        forked = speak(workspace, [Answers(by_way)], spec=spec)
        assert forked.summary.status is Ended.ANSWERED, path
        assert len(forked.requests) <= 5 + path.startswith("propose"), path
        assert replay_spoken(workspace, forked.summary).identical, path


def test_toolchain_when_a_person_follows_another_candidate_then_so_it_is(
    workspace: Workspace,
) -> None:
    def act() -> None:
        for held in debugger.held[:1]:
            if held.released not in seen:
                seen.add(held.released)
                taken = held.stop.alternatives[-1].id
                decision = StopDecision(choice=Choice.TAKE, taken=taken)
                debugger.resume(StepCommand.CONTINUE, decision=decision)

    seen: set[Any] = set()
    debugger = Debugger([parse_breakpoint("at=before_expansion,hits=1")], on_change=act)
    said = iter([step(METEO), step(METEO), step(GEO, SKY)])

    def model(body: dict[str, Any]) -> Any:
        begins = "so_far" not in body["messages"][-1]["content"]
        return Says(json.dumps(next(said))) if begins else by_way(body)

    spoken = speak(workspace, [Answers(model)], samples=3, company={"debugger": debugger})
    assert spoken.summary.status is Ended.ANSWERED
    assert [name for name, _ in spoken.calls] == ["geo_find", "sky_daily"]
    assert replay_spoken(workspace, spoken.summary).identical


def test_toolchain_when_a_call_was_refused_then_it_is_no_candidate_below_it(
    workspace: Workspace,
) -> None:
    wrong = {"thought": "", "call": GEO, "arguments": {"town": "Oslo"}, "then": []}

    def stubborn(body: dict[str, Any]) -> Any:
        said = body["messages"][-1]["content"].partition("<so_far>")[2]
        if SKY in said:
            return Says(json.dumps(answer()))
        return Says(json.dumps(wrong))

    spoken = speak(workspace, [Answers(stubborn)], max_expansions=12)
    assert spoken.summary.status is Ended.UNSOLVED
    assert len([line for line in steps_of(spoken) if '{"town": "Oslo"}' in line]) == 1
    assert "only what was refused on this way was proposed again" in spoken.summary.reason
    assert len(spoken.requests) <= 8, "two samples at the start and two after the refusal"
    assert replay_spoken(workspace, spoken.summary).identical
