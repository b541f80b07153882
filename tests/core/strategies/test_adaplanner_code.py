"""AdaPlanner with plans in code over a scripted endpoint: assertions, refine then resume, anew."""

from typing import Any

from fixtures.scripted_run import ScriptedProvider, bad, ok
from fixtures.spoken_run import Spoken, replay_spoken, speak_run

from toolplanner_core.domain.plan import Status
from toolplanner_core.workspace import Workspace

PLACE = "place = geo_find_for_geo(q='Oslo')\nassert place['id'], 'Error in [Step 1]: no place'\n"
COLD = (
    "warm = meteo_now_for_meteo(q=place['id'])\n"
    "assert warm['celsius'] > 10, f'Error in [Step 2]: too cold: {warm}'\nprint(warm)"
)
MILD = (
    "warm = atlas_find_for_atlas(q=place['id'])\n"
    "assert 'celsius' in warm, 'Error in [Step 2]'\nprint('It is', warm['celsius'], 'degrees.')"
)
REPLIES = {
    "geo_find": ok({"id": "no-03"}), "meteo_now": ok({"celsius": 3}),
    "atlas_find": ok({"celsius": 4}), "sky_daily": bad(500),
}  # fmt: skip


def speak(workspace: Workspace, *programs: str, **options: Any) -> Spoken:
    provider = ScriptedProvider(dict(REPLIES))
    script: list[Any] = [{"program": text} for text in programs]
    spoken = speak_run(workspace, "adaplanner", script, provider=provider, plans="code", **options)
    assert replay_spoken(workspace, spoken.summary).identical
    return spoken


def test_code_plan_when_an_assertion_fails_then_the_revised_one_resumes_where_it_differs(
    workspace: Workspace,
) -> None:
    spoken = speak(workspace, PLACE + COLD, PLACE + MILD)
    assert spoken.calls == [
        ("geo_find", {"q": "Oslo"}), ("meteo_now", {"q": "no-03"}), ("atlas_find", {"q": "no-03"}),
    ]  # fmt: skip
    assert spoken.summary.status is Status.ANSWERED
    assert spoken.summary.answer == "It is 4 degrees."
    asked = spoken.requests[1]["messages"]
    assert "Error in [Step 2]: too cold" in asked[1]["content"]
    assert "their replies are kept" in asked[0]["content"]


def test_code_plan_when_no_try_resumes_any_more_then_all_is_called_again(
    workspace: Workspace,
) -> None:
    spoken = speak(workspace, PLACE + COLD, PLACE + MILD, resume_tries=0)
    assert [name for name, _ in spoken.calls].count("geo_find") == 2
    assert "Begin anew" in spoken.requests[1]["messages"][0]["content"]


def test_code_plan_when_a_call_failed_then_it_is_made_again_and_not_kept(
    workspace: Workspace,
) -> None:
    sky = "warm = sky_daily_for_sky(q=place['id'])\nassert warm\nprint(warm)"
    spoken = speak(workspace, PLACE + sky, PLACE + sky, max_tries=2)
    assert [name for name, _ in spoken.calls] == ["geo_find", "sky_daily", "sky_daily"]
    assert spoken.summary.reason.startswith("None of 2 programs passed its assertions")


def test_code_plan_when_it_has_no_assertion_then_it_is_sent_back(workspace: Workspace) -> None:
    spoken = speak(workspace, "print(geo_find_for_geo(q='Oslo'))", PLACE + MILD)
    assert "no step has an assertion" in spoken.messages(1)[-1][1]
    assert spoken.summary.answer == "It is 4 degrees."


def test_code_plan_when_toolkits_are_wanted_too_then_it_says_that_both_do_not_go(
    workspace: Workspace,
) -> None:
    spoken = speak(workspace, toolkits=True)
    assert (spoken.requests, spoken.summary.status) == ([], Status.UNSOLVED)
    assert "turn toolkits off" in spoken.summary.reason


def test_code_plan_when_a_revised_one_calls_something_else_then_nothing_after_it_is_kept(
    workspace: Workspace,
) -> None:
    other = PLACE.replace("geo_find_for_geo(q='Oslo')", "geo_find_for_geo(q='Bergen')")
    again = f"{other}same = geo_find_for_geo(q='Oslo')\n{MILD}"
    spoken = speak(workspace, PLACE + COLD, again)
    assert [values["q"] for _, values in spoken.calls] == [
        "Oslo", "no-03", "Bergen", "Oslo", "no-03",
    ]  # fmt: skip
