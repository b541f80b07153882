"""ToolNet over a scripted endpoint: thought before tools, successors with weights, learning."""

from typing import Any

import pytest
from fixtures.scripted_endpoint import Turn
from fixtures.scripted_run import ScriptedProvider, bad, ok
from fixtures.spoken_run import KITS, Spoken, replay_spoken, speak_run

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.plan import Status
from toolplanner_core.runs.graph.tool_graph import build_graph
from toolplanner_core.runs.graph.trajectories import trajectory_of
from toolplanner_core.runs.log.stored_runs import load_tree
from toolplanner_core.runs.replay.fork import fork
from toolplanner_core.strategies.techniques.tool_graph import DECIDED_MEMORY
from toolplanner_core.strategies.toolnet import GRAPH_STEP
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.memories import decide_memory, memory_versions, read_memory

METEO, SKY = KITS["Weather"]
GEO, ATLAS = KITS["Places"]
ANSWER = ("give_answer", {"final_answer": "It is 3 degrees."})
SCORES = {
    "scores": [
        {"tool": "geo_find_for_geo", "score": 2, "reason": "found Oslo"},
        {"tool": "meteo_now_for_meteo", "score": -3, "reason": "it is broken"},
    ]
}
SCRIPT = [
    Turn("I need the place."),
    Turn("", [("geo_find_for_geo", {"q": "Oslo"})]),
    Turn("Now the weather there."),
    Turn("", [("meteo_now_for_meteo", {"q": "59.9"})]),
    Turn("Broken; another one."),
    Turn("", [("find_tools", {"what": "weather"})]),
    Turn("This will do."),
    Turn("", [("sky_daily_for_sky", {"q": "59.9"})]),
    Turn("All is known."),
    Turn("", [ANSWER]),
    SCORES,
]
PROVIDER = {"meteo_now": bad(500), "sky_daily": ok({"celsius": 3})}


def known(workspace: Workspace) -> None:
    """A graph: the place first, then mostly meteo."""
    build_graph(workspace, [[GEO.id, METEO.id]] * 3 + [[GEO.id, ATLAS.id]])


def go(workspace: Workspace, script: list[Any], *, mixed: int = 0, **options: Any) -> Spoken:
    """The paper's ToolNet: nothing mixed in, unless a test wants it."""
    provider = ScriptedProvider(dict(PROVIDER))
    return speak_run(workspace, "toolnet", script, provider=provider, mixed=mixed, **options)


def offered(spoken: Spoken, request: int) -> list[str]:
    return [tool["function"]["name"] for tool in spoken.requests[request].get("tools", [])]


def test_toolnet_when_it_walks_then_thinks_before_it_sees_the_successors_with_their_weights(
    workspace: Workspace,
) -> None:
    known(workspace)
    spoken = go(workspace, SCRIPT, start=3, beta=0.5, alpha=0.5)
    assert spoken.summary.status is Status.ANSWERED, spoken.summary.reason
    assert spoken.tree == [
        '✓ I need the place. → geo · geo_find | {"name": "geo_find", "arguments": {"q": "Oslo"}}',
        "  ✓ Think",
        "  ✓ Act",
        "  ✓ geo · geo_find",
        "✗ Now the weather there. → meteo · meteo_now | server error 500",
        "  ✓ Think",
        "  ✓ Act",
        "  ✗ meteo · meteo_now | server error 500",
        "✓ Looks for other tools: weather | Found: meteo · meteo_now, sky · sky_daily, geo ·"
        " geo_find. | because meteo · meteo_now failed: server error 500",
        "  ✓ Think",
        "  ✓ Act",
        '✓ This will do. → sky · sky_daily | {"celsius": 3}',
        "  ✓ Think",
        "  ✓ Act",
        "  ✓ sky · sky_daily",
        "✓ All is known. → Gives the answer | It is 3 degrees.",
        "  ✓ Think",
        "  ✓ Act",
        "✓ Score the APIs that were used",
        "  ✓ Score the tools",
    ]
    ends = ["give_answer", "give_up", "find_tools"]
    assert [offered(spoken, number) for number in range(0, 10, 2)] == [[]] * 5
    assert offered(spoken, 3) == [
        "meteo_now_for_meteo", "atlas_find_for_atlas", "geo_find_for_geo", *ends,
    ]  # fmt: skip
    assert spoken.messages(3)[-3:] == [
        ("assistant", "Now the weather there."),
        ("user", "Now call the function that does it."),
        (
            "user",
            "These may come next, with their scores:\n<scores>\nmeteo_now_for_meteo: 50\n"
            "atlas_find_for_atlas: 25\ngeo_find_for_geo: 12\ngive_answer: 12\n</scores>",
        ),
    ]
    assert offered(spoken, 5) == ["meteo_now_for_meteo", *ends]
    assert offered(spoken, 7)[1:3] == ["sky_daily_for_sky", "geo_find_for_geo"], "as found"
    tree = load_tree(workspace, spoken.summary.run)
    steps = [node for node in tree.nodes.values() if node.kind == "graph_step"]
    [weight] = [each for each in GRAPH_STEP.shown if each.key == "weight"]
    weights = [weight.text_of(step.data) for step in steps]
    assert weights == ["33.3", "50", "", "0", ""], "of 100, as they were offered"
    assert replay_spoken(workspace, spoken.summary).identical
    learned = read_memory(workspace, "toolnet")
    assert learned.value["scores"] == {
        GEO.id: [[1, 2, "found Oslo"]], METEO.id: [[1, -3, "it is broken"]],
    }  # fmt: skip
    assert [v.run for v in memory_versions(workspace, "toolnet")] == [spoken.summary.run, None]
    assert trajectory_of(load_tree(workspace, spoken.summary.run)) == [GEO.id, SKY.id]


def test_toolnet_when_the_end_is_what_mostly_came_next_then_it_is_shown_first(
    workspace: Workspace,
) -> None:
    build_graph(workspace, [[GEO.id]] * 3 + [[GEO.id, METEO.id]])
    spoken = go(workspace, [*SCRIPT[:3], Turn("", [ANSWER])], start=3, learn=False)
    assert (
        "\ngive_answer: 54\nmeteo_now_for_meteo: 29\ngeo_find_for_geo: 17\n"
        in (spoken.messages(3)[-1][1])
    ), "3 of 4, 1 of 4 and never, each with a third by scores"


def test_toolnet_when_a_run_was_scored_then_the_next_one_sees_other_weights(
    workspace: Workspace,
) -> None:
    known(workspace)
    go(workspace, SCRIPT, start=3)
    spoken = go(workspace, [*SCRIPT[:3], Turn("", [ANSWER])], start=3, learn=False)
    scores = spoken.messages(3)[-1][1]
    # f(2) = 2, f(-3) = exp(-1.5) = 0.22, f(0) = 1: together 4.22
    assert "meteo_now_for_meteo: 40\n" in scores, "(0.75 + 0.22 / 4.22) / 2"
    assert "atlas_find_for_atlas: 24\ngeo_find_for_geo: 24\n" in scores


def test_toolnet_when_a_person_decided_then_edges_are_cut_and_weights_stay(
    workspace: Workspace,
) -> None:
    known(workspace)
    decide_memory(workspace, DECIDED_MEMORY, {GEO.id: {METEO.id: None, SKY.id: 0.9}})
    spoken = go(workspace, [*SCRIPT[:3], Turn("", [ANSWER])], start=3, learn=False)
    assert offered(spoken, 3)[:3] == [
        "sky_daily_for_sky", "atlas_find_for_atlas", "geo_find_for_geo",
    ]  # fmt: skip
    assert "sky_daily_for_sky: 90\n" in spoken.messages(3)[-1][1]


def test_toolnet_when_nothing_is_known_then_all_is_connected_equally_and_only_what_is_near_offered(
    workspace: Workspace,
) -> None:
    look = Turn("", [("meteo_now_for_meteo", {"q": "Oslo"})])
    script = [Turn("Weather."), look, Turn("Done."), Turn("", [ANSWER])]
    spoken = go(workspace, script, start=2, learn=False)
    assert offered(spoken, 3)[:2] == ["meteo_now_for_meteo", "sky_daily_for_sky"]
    assert "meteo_now_for_meteo: 20\n" in spoken.messages(3)[-1][1], "one of 4 APIs and the end"


def test_toolnet_when_its_history_is_short_then_the_oldest_steps_are_forgotten(
    workspace: Workspace,
) -> None:
    known(workspace)
    spoken = go(workspace, SCRIPT, start=3, history=1)
    assert spoken.summary.status is Status.ANSWERED
    said = [text for role, text in spoken.messages(9) if role == "assistant"]
    assert said == ["This will do.", None, "All is known."]


def test_toolnet_when_it_tries_again_then_knows_why_it_failed_and_learns_from_the_last_trial(
    workspace: Workspace,
) -> None:
    known(workspace)
    script = [
        Turn("Easy."),
        Turn("", [ANSWER]),
        {"reason": "a guess", "solved": False},
        {"diagnosis": "Guessed.", "plan": "Call sky."},
        Turn("Sky then."),
        Turn("", [("sky_daily_for_sky", {"q": "Oslo"})]),
        Turn("Done."),
        Turn("", [ANSWER]),
        {"reason": "", "solved": True},
        {"scores": [{"tool": "sky_daily_for_sky", "score": 3, "reason": "right"}]},
    ]
    spoken = go(workspace, script, start=3, reflexion=True)
    assert spoken.summary.status is Status.SOLVED
    assert "Guessed. Call sky." in spoken.messages(4)[0][1]
    assert [line for line in spoken.tree if "Trial" in line] == [
        "✗ Trial 1 | Wrong by the judge: a guess",
        "✓ Trial 2 | because trial 1 failed: Wrong by the judge: a guess",
    ]
    assert read_memory(workspace, "toolnet").value["scores"][SKY.id] == [[1, 3, "right"]]
    assert replay_spoken(workspace, spoken.summary).identical


def test_toolnet_when_forked_at_a_step_then_the_graph_is_what_its_parent_saw(
    workspace: Workspace,
) -> None:
    known(workspace)
    first = go(workspace, SCRIPT, start=3)
    build_graph(workspace, [[ATLAS.id, SKY.id]])
    path = NodePath("graph_step.2/act.1")
    spec = fork(workspace, first.summary.run, path)
    # Three degrees came from no call of this run.
    found = ("give_answer", {"final_answer": "The place is found."})
    child = go(workspace, [Turn("", [found]), SCORES], spec=spec, start=3)
    assert child.summary.status is Status.ANSWERED, child.summary.reason
    assert offered(child, 0)[:2] == ["meteo_now_for_meteo", "atlas_find_for_atlas"]
    assert replay_spoken(workspace, child.summary).identical


def test_toolnet_when_similar_apis_are_mixed_in_then_they_stand_beside_the_best_successors(
    workspace: Workspace,
) -> None:
    build_graph(workspace, [[GEO.id, METEO.id]])
    script = [
        Turn("I need the place."),
        Turn("", [("geo_find_for_geo", {"q": "Oslo"})]),
        Turn("Now the weather there."),
        Turn("", [("sky_daily_for_sky", {"q": "59.9"})]),
        Turn("All is known."),
        Turn("", [ANSWER]),
        {"scores": []},
    ]
    plain = go(workspace, [*script[:3], Turn("", [ANSWER]), {"scores": []}], start=3)
    assert "sky_daily_for_sky" not in offered(plain, 3)
    mixed = go(workspace, script, start=3, mixed=2)
    assert mixed.summary.status is Status.ANSWERED, mixed.summary.reason
    assert "meteo_now_for_meteo" in offered(mixed, 3)
    assert "sky_daily_for_sky" in offered(mixed, 3)
    assert replay_spoken(workspace, mixed.summary).identical


@pytest.mark.parametrize(
    ("scale", "shown"),
    [
        ("none", None),
        ("1", "meteo_now_for_meteo: 0.5\natlas_find_for_atlas: 0.25\ngeo_find_for_geo: 0.125\n"),
        ("10", "meteo_now_for_meteo: 5\natlas_find_for_atlas: 2.5\ngeo_find_for_geo: 1.25\n"),
        ("1000", "meteo_now_for_meteo: 500\natlas_find_for_atlas: 250\ngeo_find_for_geo: 125\n"),
    ],
)
def test_toolnet_when_weights_are_shown_otherwise_then_words_and_numbers_say_so(
    workspace: Workspace, scale: str, shown: str | None
) -> None:
    """Source: section 4.2.3, table 5: no weight, /100, /10, x10; integers are the default."""
    known(workspace)
    script = [*SCRIPT[:3], Turn("", [ANSWER])]
    spoken = go(workspace, script, start=3, learn=False, weights=scale)
    assert offered(spoken, 3)[:3] == [
        "meteo_now_for_meteo", "atlas_find_for_atlas", "geo_find_for_geo",
    ]  # fmt: skip
    system, last = spoken.requests[3]["messages"][0]["content"], spoken.messages(3)[-1][1]
    if shown is None:
        assert "score" not in system
        assert last == "Now call the function that does it."
    else:
        assert f"with a score from 0 to {scale}:" in system
        assert f"<scores>\n{shown}" in last
    [step] = [n for n in load_tree(workspace, spoken.summary.run).nodes.values() if n.number == 2]
    assert str(step.data["offered"]).startswith("meteo_now_for_meteo 50, "), "as people read it"


def test_toolnet_when_an_earlier_trial_used_other_tools_then_these_are_not_scored(
    workspace: Workspace,
) -> None:
    """The evaluator is shown one walk (Source: section 3.3): it cannot know of what it is not."""
    known(workspace)
    script = [
        Turn("Easy."),
        Turn("", [("meteo_now_for_meteo", {"q": "Oslo"})]),
        Turn("Broken."),
        Turn("", [("give_up", {"reason": "it is down"})]),
        {"diagnosis": "Broken.", "plan": "Call sky."},
        Turn("Sky then."),
        Turn("", [("sky_daily_for_sky", {"q": "Oslo"})]),
        Turn("Done."),
        Turn("", [ANSWER]),
        {"reason": "", "solved": True},
        {"scores": [{"tool": "sky_daily_for_sky", "score": 3, "reason": "right"}]},
    ]
    spoken = go(workspace, script, start=3, reflexion=True)
    asked = str(spoken.requests[-1]["messages"])
    assert "sky_daily_for_sky" in asked
    assert "meteo_now_for_meteo" not in asked
    assert list(read_memory(workspace, "toolnet").value["scores"]) == [SKY.id]
