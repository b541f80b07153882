"""DFSDT over a scripted endpoint: the searches of the paper, as trees and as messages."""

import json

import pytest
from fixtures.scripted_endpoint import RawBody, Says, Status, Turn
from fixtures.scripted_run import ScriptedProvider, bad, ok
from fixtures.spoken_run import replay_spoken, speak_run

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.plan import Status as Ended
from toolplanner_core.runs.log.stored_runs import load_tree
from toolplanner_core.workspace import Workspace

METEO = ("meteo_now_for_meteo", {"q": "Oslo"})
SKY = ("sky_daily_for_sky", {"q": "Oslo"})
GEO = ("geo_find_for_geo", {"q": "Oslo"})
ANSWER = ("give_answer", {"final_answer": "It is 3 degrees."})
UP = ("give_up_and_restart", {"reason": "a dead end"})
REPLIES = {"meteo_now": bad(500), "sky_daily": ok({"celsius": 3}), "geo_find": ok({"lat": 60})}
QUERY = ("user", "<query>\nHow warm is it in Oslo?\n</query>")


def answers() -> ScriptedProvider:
    return ScriptedProvider(dict(REPLIES))


@pytest.mark.parametrize("stream", [False, True])
def test_search_when_a_branch_gives_up_then_goes_on_at_its_grandparent(
    workspace: Workspace, stream: bool
) -> None:
    script = [
        Turn("Where is Oslo?", [GEO]),
        Turn("The weather there.", [METEO]),
        Turn("No weather.", [UP]),
        Turn("Another service.", [SKY]),
        Turn("", [ANSWER]),
    ]
    spoken = speak_run(workspace, "dfsdt", script, provider=answers(), stream=stream)
    assert spoken.summary.status is Ended.ANSWERED
    assert spoken.summary.answer == "It is 3 degrees."
    assert spoken.summary.counts == {"backtracks": 1}
    assert spoken.tree == [
        '✓ Where is Oslo? → geo · geo_find | {"lat": 60}',
        "  ✓ Think and act",
        "  ✓ geo · geo_find",
        "  ✂ The weather there. → meteo · meteo_now | nothing came of it",
        "    ✓ Think and act",
        "    ✗ meteo · meteo_now | server error 500",
        "    ✂ No weather. → Goes another way | it gave up: a dead end",
        "      ✓ Think and act",
        '  ✓ Another service. → sky · sky_daily | {"celsius": 3} | '
        "because branch 1 was pruned: it gave up: a dead end",
        "    ✓ Think and act",
        "    ✓ sky · sky_daily",
        "    ✓ Gives the answer | It is 3 degrees.",
        "      ✓ Think and act",
    ]
    first = [
        QUERY,
        ("assistant", "Where is Oslo?"),
        ("tool", '<result>\n{"lat": 60}\n</result>'),
    ]
    assert spoken.messages(1) == first
    differ = spoken.messages(3)[-1]
    assert spoken.messages(3) == [*first, differ]
    assert "called: meteo_now_for_meteo" in differ[1]
    assert "The call failed (server error)" in differ[1]
    # What grows below does not see it.
    assert spoken.messages(4) == [
        *first,
        ("assistant", "Another service."),
        ("tool", '<result>\n{"celsius": 3}\n</result>'),
    ]
    assert replay_spoken(workspace, spoken.summary).identical


def test_search_when_too_deep_then_tries_the_sibling_and_then_goes_up(workspace: Workspace) -> None:
    script = [
        Turn("a", [GEO]), Turn("b", [GEO]), Turn("c", [SKY]), Turn("d", [SKY]), Turn("e", [ANSWER]),
    ]  # fmt: skip
    spoken = speak_run(workspace, "dfsdt", script, provider=answers(), depth=2)
    assert spoken.summary.status is Ended.ANSWERED
    assert [line for line in spoken.tree if "→" in line] == [
        "✂ a → geo · geo_find | nothing came of it",
        "  ✂ b → geo · geo_find | 2 thoughts without an answer",
        "  ✂ c → sky · sky_daily | 2 thoughts without an answer | "
        "because branch 1 was pruned: 2 thoughts without an answer",
        '✓ d → sky · sky_daily | {"celsius": 3} | '
        "because branch 2 was pruned: 2 thoughts without an answer",
        "  ✓ e → Gives the answer | It is 3 degrees.",
    ]
    assert len(spoken.requests) == 5


@pytest.mark.parametrize(("said", "turns"), [("a thought", 2), ("", 3)])
def test_search_when_depth_counts_nodes_then_a_thought_an_action_and_its_input_are_one_each(
    workspace: Workspace, said: str, turns: int
) -> None:
    script = [Turn(said, [GEO])] * turns + [Turn("", [ANSWER])]
    spoken = speak_run(
        workspace, "dfsdt", script, provider=answers(), depth=6, depth_counts="nodes"
    )
    cut = [line for line in spoken.tree if "6 nodes without an answer" in line]
    assert cut[0].startswith("  " * (turns - 1) + "✂")


def test_search_when_nothing_is_left_then_unsolved_and_says_why(workspace: Workspace) -> None:
    spoken = speak_run(workspace, "dfsdt", [Turn("", [UP])] * 2, provider=answers())
    assert spoken.summary.status is Ended.UNSOLVED
    assert spoken.summary.reason == "No branch is left; the last one: it gave up: a dead end"
    assert len(spoken.requests) == 2  # the query itself has no parent to go back to
    assert replay_spoken(workspace, spoken.summary).identical


@pytest.mark.parametrize("rank", [False, True])
@pytest.mark.parametrize("body", [b"{}", b"<html>Welcome</html>"])
def test_search_when_the_endpoint_answers_rubbish_then_blames_it_in_run_and_branches(
    workspace: Workspace, body: bytes, rank: bool
) -> None:
    spoken = speak_run(workspace, "dfsdt", [RawBody(body)] * 8, rank=rank)
    assert spoken.summary.status is Ended.UNSOLVED
    assert "No branch is left" in spoken.summary.reason
    assert "no usable reply from the model (bad payload): " in spoken.summary.reason
    pruned = [line for line in spoken.tree if line.startswith("✂")]
    assert all("(bad payload)" in line for line in pruned)
    assert len(pruned) == 2


def test_search_when_its_questions_are_used_up_then_ends(workspace: Workspace) -> None:
    spoken = speak_run(workspace, "dfsdt", [Turn("", [GEO])] * 3, max_questions=3)
    assert spoken.summary.status is Ended.UNSOLVED
    assert spoken.summary.reason == "No answer within 3 questions"


def test_search_when_the_endpoint_refuses_a_branch_then_only_that_is_pruned(
    workspace: Workspace,
) -> None:
    # Also the shorter prompt that is sent after the first refusal.
    too_long = [Status(400, "maximum context length exceeded")] * 2
    script = [Turn("a", [GEO]), Turn("b", [SKY]), *too_long, Turn("c", [ANSWER])]
    spoken = speak_run(workspace, "dfsdt", script, provider=answers())
    assert spoken.summary.status is Ended.ANSWERED
    (refused,) = [line for line in spoken.tree if line.startswith("    ✂")]
    assert "maximum context length" in refused


def test_search_when_the_endpoint_knows_no_functions_then_the_same_in_words(
    workspace: Workspace,
) -> None:
    def says(text: str, name: str, arguments: dict[str, str]) -> Says:
        calls = [{"name": name, "arguments": arguments}]
        return Says(f"```json\n{json.dumps({'say': text, 'calls': calls})}\n```")

    script = [
        Status(400, "tools are not supported"), Status(400, "response_format is not supported"),
        says("a", *GEO), says("b", *METEO), says("c", *UP), says("d", *SKY), says("", *ANSWER),
    ]  # fmt: skip
    spoken = speak_run(workspace, "dfsdt", script, provider=answers())
    assert spoken.summary.status is Ended.ANSWERED
    assert spoken.summary.counts == {"backtracks": 1}
    for request in spoken.requests[2:]:
        roles = [message["role"] for message in request["messages"]]
        assert roles == ["system", *["user", "assistant"] * (len(roles) // 2 - 1), "user"]
    assert "You stood here before" in spoken.messages(5)[-1][1]
    assert "You stood here before" not in str(spoken.messages(6))
    assert replay_spoken(workspace, spoken.summary).identical


def test_search_when_ranked_then_compares_in_both_orders_and_follows_the_best(
    workspace: Workspace,
) -> None:
    script = [
        Turn("a", [METEO]),
        Turn("b", [SKY]),
        {"better": "second", "reason": "it has a figure"},
        {"better": "first", "reason": "it has a figure"},
        Turn("c", [ANSWER]),
        Turn("d", [UP]),
    ]
    spoken = speak_run(workspace, "dfsdt", script, provider=answers(), rank=True)
    assert spoken.summary.status is Ended.ANSWERED
    assert spoken.tree == [
        "⊘ a → meteo · meteo_now | its run never went back to it",
        "  ✓ Think and act",
        "  ✗ meteo · meteo_now | server error 500",
        '✓ b → sky · sky_daily | {"celsius": 3}',
        "  ✓ Think and act",
        "  ✓ sky · sky_daily",
        "  ✓ c → Gives the answer | It is 3 degrees.",
        "    ✓ Think and act",
        "  ✂ d → Goes another way | it gave up: a dead end",
        "    ✓ Think and act",
        "✓ Compare two branches",
        "✓ Compare two branches",
    ]
    tree = load_tree(workspace, spoken.summary.run)
    worse, better = tree.nodes[NodePath("branch.1")], tree.nodes[NodePath("branch.2")]
    assert (worse.data["score"], worse.data["rank"]) == (0.0, 2)
    assert (better.data["score"], better.data["rank"]) == (1.0, 1)
    assert spoken.messages(1)[:1] == [QUERY]
    assert "called: meteo_now_for_meteo" in spoken.messages(1)[1][1]
    asked = [request["messages"][1]["content"] for request in spoken.requests[2:4]]
    assert asked[0].index("meteo_now") < asked[0].index("sky_daily")
    assert asked[1].index("meteo_now") > asked[1].index("sky_daily")
    assert [request["temperature"] for request in spoken.requests[2:4]] == [0, 0]
    assert replay_spoken(workspace, spoken.summary).identical


def test_search_when_ranked_branches_lead_nowhere_then_the_next_best_and_then_up(
    workspace: Workspace,
) -> None:
    first = {"better": "first", "reason": ""}
    script = [
        Turn("a", [GEO]), Turn("b", [SKY]), first, first,
        Turn("c", [UP]), Turn("d", [UP]),
        Turn("e", [ANSWER]), Turn("f", [UP]),
    ]  # fmt: skip
    spoken = speak_run(workspace, "dfsdt", script, provider=answers(), rank=True)
    assert spoken.summary.status is Ended.ANSWERED
    assert [line for line in spoken.tree if "→" in line] == [
        "✂ a → geo · geo_find | nothing came of it",
        "  ✂ c → Goes another way | it gave up: a dead end",
        "  ✂ d → Goes another way | it gave up: a dead end",
        '✓ b → sky · sky_daily | {"celsius": 3}',
        "  ✓ e → Gives the answer | It is 3 degrees.",
        "  ✂ f → Goes another way | it gave up: a dead end",
    ]
    assert replay_spoken(workspace, spoken.summary).identical
