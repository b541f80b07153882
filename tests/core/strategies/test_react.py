"""ReAct over a scripted endpoint: the runs of the paper, as trees and as messages."""

import pytest
from fixtures.scripted_endpoint import Turn
from fixtures.scripted_run import ScriptedProvider, bad, ok
from fixtures.spoken_run import replay_spoken, speak_run

from toolplanner_core.domain.plan import Status
from toolplanner_core.workspace import Workspace

LOOK = ("meteo_now_for_meteo", {"q": "Oslo"})
OTHER = ("sky_daily_for_sky", {"q": "Oslo"})
FAILED = "The API failed on its own side"
ANSWER = ("give_answer", {"final_answer": "It is 3 degrees."})


@pytest.mark.parametrize("stream", [False, True])
def test_react_when_a_call_fails_then_thinks_again_with_what_it_was_told(
    workspace: Workspace, stream: bool
) -> None:
    script = [
        Turn("I need the weather.", [LOOK]),
        Turn("Another one.", [OTHER]),
        Turn("", [ANSWER]),
    ]
    provider = ScriptedProvider({"meteo_now": bad(500), "sky_daily": ok({"celsius": 3})})
    spoken = speak_run(workspace, "react", script, provider=provider, stream=stream)
    assert spoken.summary.status is Status.ANSWERED
    assert spoken.summary.answer == "It is 3 degrees."
    assert spoken.tree == [
        "✗ I need the weather. → meteo · meteo_now | server error 500",
        "  ✓ Think and act",
        "  ✗ meteo · meteo_now | server error 500",
        '✓ Another one. → sky · sky_daily | {"celsius": 3} | '
        "because meteo · meteo_now failed: server error 500",
        "  ✓ Think and act",
        "  ✓ sky · sky_daily",
        "✓ Gives the answer | It is 3 degrees.",
        "  ✓ Think and act",
    ]
    assert spoken.messages(2) == [
        ("user", "<query>\nHow warm is it in Oslo?\n</query>"),
        ("assistant", "I need the weather."),
        ("tool", f"The call failed (server error): {FAILED} (HTTP 500): broken."),
        ("assistant", "Another one."),
        ("tool", '<result>\n{"celsius": 3}\n</result>'),
    ]
    names = [tool["function"]["name"] for tool in spoken.requests[0]["tools"]]
    assert names == [
        "meteo_now_for_meteo", "sky_daily_for_sky", "geo_find_for_geo", "atlas_find_for_atlas",
        "give_answer", "give_up",
    ]  # fmt: skip
    assert replay_spoken(workspace, spoken.summary).identical


def test_react_when_toolkits_are_on_then_each_call_is_a_step_with_fallbacks_hidden_from_the_model(
    workspace: Workspace,
) -> None:
    script = [
        Turn("I need the weather.", [("Weather", {"goal": "weather in Oslo"})]),
        {"arguments": {"q": "Oslo"}, "missing": []},
        {"arguments": {"q": "Oslo"}, "missing": []},
        {"useful": True, "state": "3 degrees in Oslo"},
        Turn("", [ANSWER]),
    ]
    provider = ScriptedProvider({"meteo_now": bad(500), "sky_daily": ok({"celsius": 3})})
    spoken = speak_run(workspace, "react", script, provider=provider, toolkits=True)
    assert spoken.summary.status is Status.ANSWERED
    assert spoken.summary.fallbacks == 1
    assert spoken.tree == [
        "✓ I need the weather. → Weather | 3 degrees in Oslo",
        "  ✓ Think and act",
        "  ✓ weather in Oslo",
        "    ↷ meteo · meteo_now | server error 500",
        "      ✓ Fill the arguments",
        "      ✗ meteo · meteo_now | server error 500",
        "    ✓ sky · sky_daily | because meteo · meteo_now failed: server error 500",
        "      ✓ Fill the arguments",
        "      ✓ sky · sky_daily",
        "      ✓ Analyse the result",
        "✓ Gives the answer | It is 3 degrees.",
        "  ✓ Think and act",
    ]
    assert spoken.messages(-1)[-1] == (
        "tool", '<result>\n3 degrees in Oslo\n{"celsius": 3}\n</result>',
    )  # fmt: skip
    assert replay_spoken(workspace, spoken.summary).identical


def test_react_when_every_api_of_a_toolkit_fails_then_told_so_and_gives_up(
    workspace: Workspace,
) -> None:
    up = ("give_up", {"reason": "no weather to be had", "failed_functions": ["Weather"]})
    fill = {"arguments": {}, "missing": []}
    script = [Turn("", [("Weather", {"goal": "warm?"})]), fill, fill, Turn("Enough.", [up])]
    provider = ScriptedProvider({"meteo_now": bad(500), "sky_daily": bad(503)})
    spoken = speak_run(workspace, "react", script, provider=provider, toolkits=True)
    assert spoken.summary.status is Status.UNSOLVED
    assert spoken.summary.reason == "It gave up: no weather to be had"
    assert spoken.messages(-1)[-1][1].endswith(
        "could do it: The API failed on its own side (HTTP 503): broken."
    )
    assert spoken.tree[-2] == (
        "✗ Enough. → Gives up | no weather to be had | because no API of Weather could do the step"
    )


def test_react_when_turns_are_odd_then_each_is_told_what_is_wrong(workspace: Workspace) -> None:
    script = [
        Turn("Let me think."),
        Turn("", [("fly", {}), LOOK, OTHER]),
        Turn("", [("meteo_now_for_meteo", '{"q": ')]),
        Turn("", [("give_answer", {}), LOOK]),
        Turn("", [("give_answer", {})]),
    ]
    spoken = speak_run(workspace, "react", script)
    assert spoken.summary.status is Status.UNSOLVED
    assert spoken.summary.reason.startswith("It gave up: the finish could not be read")
    assert spoken.calls == [("meteo_now", {"q": "Oslo"}), ("sky_daily", {"q": "Oslo"})]
    told = [text for role, text in spoken.messages(-1) if role in ("tool", "user")][1:]
    assert told[0] == "Call one of the functions."
    assert told[1].startswith("There is no function 'fly'. Functions are: meteo_now_for_meteo,")
    assert told[4] == "The arguments of meteo_now_for_meteo are no JSON object"
    assert told[5:] == [
        "give_answer needs 'final_answer', a text that is not empty", "Not called: finish first.",
    ]  # fmt: skip
    assert replay_spoken(workspace, spoken.summary).identical


def test_react_when_it_never_ends_then_stops_after_its_steps(workspace: Workspace) -> None:
    spoken = speak_run(workspace, "react", [Turn("", [LOOK])] * 3, max_steps=3)
    assert spoken.summary.status is Status.UNSOLVED
    assert spoken.summary.reason == "No answer within 3 steps"
