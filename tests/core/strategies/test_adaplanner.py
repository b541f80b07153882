"""AdaPlanner over a scripted endpoint: plans with checks, values taken in a plan, plans revised."""

from typing import Any

import pytest
from fixtures.scripted_endpoint import Says, Status
from fixtures.scripted_run import ScriptedProvider, bad, ok
from fixtures.spoken_run import Spoken, replay_spoken, speak_run

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.plan import Status as Ended
from toolplanner_core.runs.log.stored_runs import load_tree
from toolplanner_core.workspace import Workspace

GEO, ATLAS = "geo_find_for_geo", "atlas_find_for_atlas"
METEO, SKY = "meteo_now_for_meteo", "sky_daily_for_sky"
DONE = {"answer": "It is 3 degrees.", "solved": True, "reason": ""}
FOUND = {"answer": "Oslo lies at 60 degrees.", "solved": True, "reason": ""}
OPEN = {"answer": "I do not know.", "solved": False, "reason": "no weather"}


def step(
    call: str, goal: str, check: str, /, *, take: dict[str, str] | None = None, **arguments: Any
) -> dict[str, Any]:
    return {"goal": goal, "call": call, "arguments": arguments, "take": take or {}, "check": check}


def plan(*steps: dict[str, Any], unmet: tuple[str, ...] = ()) -> dict[str, Any]:
    return {"steps": list(steps), "unmet": list(unmet)}


def passed(state: str, **values: Any) -> dict[str, Any]:
    return {"state": state, "passed": True, "values": values}


def failed(state: str) -> dict[str, Any]:
    return {"state": state, "passed": False, "values": {}}


PLACE = step(GEO, "find Oslo", "it is in Norway", take={"where": "latitude"}, q="Oslo")
WARM = step(METEO, "ask the weather", "it has degrees", q={"$value": "where"})
WARM_ELSEWHERE = step(SKY, "ask another", "it has degrees", q={"$value": "where"})
REPLIES = {"geo_find": ok({"lat": 60}), "meteo_now": bad(500), "sky_daily": ok({"celsius": 3})}


def asked(spoken: Spoken) -> list[str]:
    """Names of the questions in the order in which they were asked."""
    return [r["response_format"]["json_schema"]["name"] for r in spoken.requests]


def speak(workspace: Workspace, script: list[Any], **options: Any) -> Spoken:
    provider = ScriptedProvider(dict(REPLIES))
    return speak_run(workspace, "adaplanner", script, provider=provider, **options)


@pytest.mark.parametrize("stream", [False, True])
def test_adaplanner_when_a_call_fails_then_goes_on_where_the_revised_plan_differs(
    workspace: Workspace, stream: bool
) -> None:
    script = [
        plan(PLACE, WARM), passed("Oslo lies at 60", where="60"),
        plan(PLACE, WARM_ELSEWHERE), passed("3 degrees"), DONE,
    ]  # fmt: skip
    spoken = speak(workspace, script, stream=stream)
    assert spoken.summary.status is Ended.ANSWERED
    assert spoken.summary.replans == 1
    assert asked(spoken) == [
        "make_checked_plan", "check_result", "revise_checked_plan", "check_result", "final_answer",
    ]  # fmt: skip
    # Where it was found is not asked again, and its value is bound in the revised plan, too.
    assert spoken.calls == [
        ("geo_find", {"q": "Oslo"}), ("meteo_now", {"q": "60"}), ("sky_daily", {"q": "60"}),
    ]  # fmt: skip
    assert spoken.tree == [
        "✓ Make a plan",
        "⟳ Plan 1 · 2 steps | step 2: The API failed on its own side (HTTP 500): broken.",
        "  ✓ find Oslo",
        "    ✓ geo · geo_find",
        "    ✓ it is in Norway",
        "      ✓ Check the result",
        "  ✗ ask the weather | server error 500",
        "    ✗ meteo · meteo_now | server error 500",
        "  ✓ Revise the plan",
        "✓ Plan 2 · 2 steps | because meteo · meteo_now failed: server error 500",
        "  ⊙ find Oslo | result taken over from the plan before",
        "  ✓ ask another",
        "    ✓ sky · sky_daily",
        "    ✓ it has degrees",
        "      ✓ Check the result",
        "✓ Compose the answer",
    ]
    tree = load_tree(workspace, spoken.summary.run)
    assert tree.nodes[NodePath("plan.1/step.1/check.1")].data["values"] == {"where": "60"}
    revised = spoken.messages(2)[0][1]
    assert "Steps that are done: 1. Step that failed: 2." in revised
    assert "server_error" in revised
    assert replay_spoken(workspace, spoken.summary).identical


def test_adaplanner_when_a_check_is_not_passed_then_that_is_the_cause_of_the_next_plan(
    workspace: Workspace,
) -> None:
    other = step(ATLAS, "find Oslo elsewhere", "it is in Norway", take={"at": "latitude"}, q="Oslo")
    script = [
        plan(PLACE, WARM_ELSEWHERE), failed("this Oslo is in Minnesota"),
        plan(other), passed("there", at=60), FOUND,
    ]  # fmt: skip
    spoken = speak(workspace, script)
    assert spoken.summary.status is Ended.ANSWERED
    assert [name for name, _ in spoken.calls] == ["geo_find", "atlas_find"]
    second = next(line for line in spoken.tree if "Plan 2" in line)
    assert second.endswith("failed: this Oslo is in Minnesota")
    assert "this Oslo is in Minnesota" in spoken.messages(2)[0][1]
    assert replay_spoken(workspace, spoken.summary).identical


def test_adaplanner_when_it_never_passes_then_six_tries_of_which_the_last_ones_start_anew(
    workspace: Workspace,
) -> None:
    again = [plan(PLACE, WARM), passed("found", where="60")]
    script = [*again, *[plan(PLACE, WARM)] * 3, *again, *again, OPEN]
    spoken = speak(workspace, script)
    assert spoken.summary.status is Ended.UNSOLVED
    assert spoken.summary.reason == "no weather"
    assert asked(spoken) == [
        "make_checked_plan", "check_result", *["revise_checked_plan"] * 3,
        "make_checked_plan", "check_result", "make_checked_plan", "check_result", "final_answer",
    ]  # fmt: skip
    assert [name for name, _ in spoken.calls].count("geo_find") == 3
    assert [name for name, _ in spoken.calls].count("meteo_now") == 6
    assert "Begin anew" in spoken.requests[5]["messages"][0]["content"]
    assert "ask the weather" in spoken.messages(-1)[0][1]  # an open need
    assert replay_spoken(workspace, spoken.summary).identical


def test_adaplanner_when_toolkits_are_on_then_each_step_falls_back_inside_one(
    workspace: Workspace,
) -> None:
    weather = step("Weather", "ask the weather", "it has degrees", goal="weather in Oslo")
    fill = {"arguments": {"q": "Oslo"}, "missing": []}
    useful = {"useful": True, "state": "3 degrees in Oslo"}
    script = [plan(weather), fill, fill, useful, passed("3 degrees"), DONE]
    spoken = speak(workspace, script, toolkits=True)
    assert spoken.summary.status is Ended.ANSWERED
    assert (spoken.summary.fallbacks, spoken.summary.replans) == (1, 0)
    assert [name for name, _ in spoken.calls] == ["meteo_now", "sky_daily"]
    assert "  ✓ weather in Oslo" in spoken.tree
    assert replay_spoken(workspace, spoken.summary).identical


def test_adaplanner_when_a_toolkit_is_exhausted_then_revises_the_plan(workspace: Workspace) -> None:
    places = step("Places", "find Oslo", "it is in Norway", goal="where is Oslo")
    weather = step("Weather", "ask the weather", "it has degrees", goal="weather in Oslo")
    fill = {"arguments": {"q": "Oslo"}, "missing": []}
    nothing = {"useful": False, "state": "nothing"}
    script = [
        plan(places), fill, nothing, fill, nothing,
        plan(weather), fill, fill, {"useful": True, "state": "3"}, passed("3"), DONE,
    ]  # fmt: skip
    spoken = speak(workspace, script, toolkits=True)
    assert spoken.summary.status is Ended.ANSWERED
    assert spoken.summary.replans == 1
    second = next(line for line in spoken.tree if "Plan 2" in line)
    assert second.endswith("because no API of Places could do the step")


def test_adaplanner_when_answers_are_no_plan_or_no_check_then_asked_to_mend_them(
    workspace: Workspace,
) -> None:
    unknown = plan(step("fly", "go", "there"))
    loose = plan(step(METEO, "ask", "degrees", q={"$value": "where"}))
    twice = plan(PLACE, PLACE)
    script = [
        unknown, loose, plan(PLACE), passed("found"), passed("found", where=60), FOUND,
    ]  # fmt: skip
    spoken = speak(workspace, script)
    assert spoken.summary.status is Ended.ANSWERED
    assert "there is no function 'fly'" in str(spoken.requests[1]["messages"])
    assert "no earlier step takes 'where'" in str(spoken.requests[2]["messages"])
    assert "'where' has no value" in str(spoken.requests[4]["messages"])
    spoken = speak(workspace, [twice] * 3)
    assert spoken.summary.status is Ended.UNSOLVED
    assert "No usable answer from the model" in spoken.summary.reason
    assert "takes a value of this name already" in spoken.summary.reason


def test_question_when_the_reply_is_empty_then_asked_again_as_endpoints_allow(
    workspace: Workspace,
) -> None:
    # `speak_run` fails on a request that a real endpoint would refuse.
    spoken = speak(workspace, [Says(""), plan(PLACE), passed("found", where=60), FOUND])
    assert spoken.summary.status is Ended.ANSWERED
    assert spoken.messages(1)[1] == ("assistant", "(an empty reply)")


def test_adaplanner_when_no_plan_can_be_made_then_the_need_is_open(workspace: Workspace) -> None:
    spoken = speak(workspace, [plan(unmet=("the weather",)), DONE])
    assert spoken.summary.status is Ended.UNSOLVED
    assert spoken.summary.reason == "Left open: the weather"
    assert not spoken.calls
    assert "the weather" in spoken.messages(-1)[0][1]


def test_adaplanner_when_a_result_cannot_be_read_then_the_plan_is_revised(
    workspace: Workspace,
) -> None:
    script = [
        plan(PLACE), *[{"passed": "yes"}] * 3, plan(WARM_ELSEWHERE | {"arguments": {"q": "Oslo"}}),
        passed("3"), DONE,
    ]  # fmt: skip
    spoken = speak(workspace, script)
    assert spoken.summary.status is Ended.ANSWERED
    assert any("it could not be read" in line for line in spoken.tree)


def test_adaplanner_when_the_model_is_gone_then_ends_with_what_there_is(
    workspace: Workspace,
) -> None:
    script = [plan(PLACE, WARM), passed("Oslo lies at 60", where="60"), *[Status(500)] * 8]
    spoken = speak(workspace, script)
    assert spoken.summary.status is Ended.NOT_MEASURED
    assert spoken.summary.answer == "Oslo lies at 60"
    assert replay_spoken(workspace, spoken.summary).identical
