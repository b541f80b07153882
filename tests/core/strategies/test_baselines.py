"""The baselines of the papers' tables over a scripted endpoint, real HTTP: what each asks, calls
and tells, and that its caps hold."""

from typing import Any

import pytest
from fixtures.scripted_endpoint import Status, Turn
from fixtures.scripted_run import ScriptedProvider, bad, ok
from fixtures.spoken_run import Spoken, replay_spoken, speak_run

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.plan import Status as RunStatus
from toolplanner_core.runs.events.call import CallSent
from toolplanner_core.runs.events.decision import Noted
from toolplanner_core.runs.log.stored_runs import load_tree, read_run
from toolplanner_core.strategies.agents.group_retriever import GROUP_SIZES, Told
from toolplanner_core.workspace import Workspace

GEO, NOW, DAILY = "geo_find_for_geo", "meteo_now_for_meteo", "sky_daily_for_sky"
REPLIES = {"geo_find": ok({"id": "no-03"}), "meteo_now": ok({"celsius": 3}), "sky_daily": bad(404)}


def speak(workspace: Workspace, strategy: str, *script: Any, **options: Any) -> Spoken:
    provider = ScriptedProvider(dict(REPLIES))
    spoken = speak_run(workspace, strategy, list(script), provider=provider, **options)
    assert replay_spoken(workspace, spoken.summary).identical
    return spoken


def code(text: str, thought: str = "I look.") -> dict[str, str]:
    return {"thought": thought, "code": text, "answer": ""}


def said(text: str) -> dict[str, str]:
    return {"thought": "", "code": "", "answer": text}


def step(name: str, *then: str, **arguments: Any) -> dict[str, Any]:
    return {"thought": name, "call": name, "arguments": arguments, "then": list(then)}


def rated(value: str) -> dict[str, str]:
    return {"reason": "", "value": value}


def answer(text: str) -> Turn:
    return Turn("", [("give_answer", {"final_answer": text})])


def test_chain_of_thought_when_calls_are_planned_then_all_are_made_before_anything_is_seen(
    workspace: Workspace,
) -> None:
    calls = [{"call": name, "arguments": {"q": "Oslo"}} for name in (NOW, DAILY, GEO)]
    spoken = speak(
        workspace, "chain-of-thought", {"reasoning": "Ask all.", "calls": calls, "unmet": []},
        {"answer": "It is 3 degrees.", "solved": True, "reason": ""},
    )  # fmt: skip
    assert spoken.summary.model_calls == 2
    assert [name for name, _ in spoken.calls] == ["meteo_now", "sky_daily", "geo_find"]
    assert spoken.tree[0] == "✓ Reason and name the calls | 3 calls"
    assert "meteo · meteo_now" in spoken.messages(1)[0][1]
    assert "not_found" in spoken.messages(1)[0][1], "failures are told, not tried again"


def test_chain_of_thought_when_too_many_calls_are_named_then_they_are_sent_back(
    workspace: Workspace,
) -> None:
    call = {"call": NOW, "arguments": {"q": "Oslo"}}
    plan = {"reasoning": "", "calls": [call, call], "unmet": []}
    spoken = speak(
        workspace, "chain-of-thought", plan, plan | {"calls": [call]},
        {"answer": "3", "solved": True, "reason": ""}, most_calls=1,
    )  # fmt: skip
    assert len(spoken.calls) == 1
    assert "they are 2 calls, at most 1 may be made" in spoken.messages(1)[-1][1]


def test_chain_of_thought_when_nothing_is_called_then_the_answer_is_not_checked(
    workspace: Workspace,
) -> None:
    line = {"reasoning": "I know.", "answer": "3 degrees"}
    spoken = speak(workspace, "chain-of-thought", line, calls="none")
    assert spoken.summary.status is RunStatus.ANSWERED
    assert (spoken.summary.answer, spoken.calls) == ("3 degrees", [])


@pytest.mark.parametrize(("shortlist", "notes"), [(4, 0), (2, 1)])
def test_plain_agent_when_more_apis_exist_than_are_offered_then_the_log_says_so(
    workspace: Workspace, shortlist: int, notes: int
) -> None:
    spoken = speak(workspace, "plain-agent", Turn("", [(NOW, {"q": "Oslo"})]), answer("It is 3."),
                   shortlist=shortlist)  # fmt: skip
    told = [r.event for r in read_run(workspace, spoken.summary.run) if isinstance(r.event, Noted)]
    assert len(told) == notes
    assert all("2 of 4 APIs were searched for" in note.text for note in told)


NONE, ENOUGH = {"apis": []}, {"solvable": True, "reason": ""}


def test_plain_agent_when_it_is_its_own_retriever_then_reads_groups_until_the_pool_is_enough(
    workspace: Workspace,
) -> None:
    """Groups of one API, in the order of the catalogue: meteo, sky, geo, atlas."""
    lacks = {"solvable": False, "reason": "the weather"}
    spoken = speak(
        workspace, "plain-agent", {"apis": [1]}, lacks, NONE, {"apis": [1]}, ENOUGH,
        Turn("", [(NOW, {"q": "Oslo"})]), answer("It is 3."), retriever="groups", group=1,
    )  # fmt: skip
    assert spoken.summary.status is RunStatus.ANSWERED
    asked = [text for n in range(5) for _, text in spoken.messages(n)]
    assert "1. meteo_now" in asked[0]
    assert "1. sky_daily" in asked[2]
    assert "atlas_find" not in "".join(asked), "the last group is not read"
    names = {tool["function"]["name"] for tool in spoken.requests[5]["tools"]}
    assert {"geo_find_for_geo", NOW} <= names
    assert "atlas_find_for_atlas" not in names


@pytest.mark.parametrize(
    ("told", "size", "shown"),
    [("names", 500, "1. "), ("descriptions", 100, ": does "), ("details", 50, '"q"')],
)
def test_plain_agent_when_more_is_told_of_each_api_then_its_groups_are_as_in_table_10(
    workspace: Workspace, told: Told, size: int, shown: str
) -> None:
    spoken = speak(workspace, "plain-agent", NONE, retriever="groups", told=told)
    assert spoken.summary.reason == "No API was chosen in any group"
    assert GROUP_SIZES[told] == size
    ((_, said),) = spoken.messages(0)
    assert shown in said


def test_plain_agent_when_its_calls_are_used_up_then_no_other_is_made(workspace: Workspace) -> None:
    again = Turn("", [(NOW, {"q": "Oslo"})])
    spoken = speak(workspace, "plain-agent", again, again, answer("It is 3."), most_calls=1)
    assert len(spoken.calls) == 1
    assert "No call is left" in spoken.requests[2]["messages"][-1]["content"]


def test_rag_when_a_model_chooses_then_only_these_are_offered_and_it_is_not_asked_again(
    workspace: Workspace,
) -> None:
    spoken = speak(workspace, "rag", {"apis": [3, 1]}, Turn("", [(GEO, {"q": "Oslo"})]),
                   answer("no-03"), kept=1)  # fmt: skip
    assert [tool["function"]["name"] for tool in spoken.requests[1]["tools"]] == [
        GEO, "give_answer", "give_up",
    ]  # fmt: skip
    node = load_tree(workspace, spoken.summary.run).nodes["retrieval.1"]
    assert node.data["chosen"] == "geo · geo_find"
    assert node.data["found"].count("\n") == 3


def test_rag_when_no_choice_can_be_used_then_the_best_are_offered_and_the_node_says_why(
    workspace: Workspace,
) -> None:
    bad_choices = [{"apis": [9]}] * 3
    spoken = speak(workspace, "rag", *bad_choices, Turn("", [(NOW, {"q": "Oslo"})]),
                   answer("It is 3."), kept=2)  # fmt: skip
    assert len(spoken.requests[3]["tools"]) == 2 + 2
    node = load_tree(workspace, spoken.summary.run).nodes["retrieval.1"]
    assert node.reason == "there is no API 9: the best are taken"


def test_codeact_when_pieces_follow_each_other_then_variables_stay_and_no_call_is_sent_twice(
    workspace: Workspace,
) -> None:
    spoken = speak(
        workspace, "codeact", code(f"place = {GEO}(q='Oslo')\nprint(place['id'])"),
        code(f"warm = {NOW}(q=place['id'])\nprint(warm['celsius'])"), said("It is 3 degrees."),
    )  # fmt: skip
    assert spoken.calls == [("geo_find", {"q": "Oslo"}), ("meteo_now", {"q": "no-03"})]
    last = spoken.messages(2)[0][1]
    assert "printed: no-03" in last and "printed: 3" in last
    assert last.count("printed: ") == 2, "each piece is told what it printed itself"
    assert spoken.summary.answer == "It is 3 degrees."


def test_codeact_when_a_piece_raises_then_its_variables_are_gone_and_it_is_told_the_error(
    workspace: Workspace,
) -> None:
    spoken = speak(
        workspace, "codeact", code(f"place = {GEO}(q='Oslo')"),
        code(f"lost = 1\nprint({DAILY}(q='Oslo'))"), code("print(place['id'], lost)"),
        said("no-03"),
    )  # fmt: skip
    assert "sky_daily_for_sky failed (not found)" in spoken.messages(2)[0][1]
    assert "NameError" in spoken.messages(3)[0][1]
    assert [name for name, _ in spoken.calls] == ["geo_find", "sky_daily"]


def test_codeact_when_it_never_answers_then_it_ends_after_its_turns(workspace: Workspace) -> None:
    spoken = speak(workspace, "codeact", *[code("print(1)")] * 3, max_turns=3)
    assert spoken.summary.reason == "No answer within 3 turns"


def test_codeact_when_code_and_answer_come_together_then_it_is_sent_back(
    workspace: Workspace,
) -> None:
    both = code("print(1)") | {"answer": "1"}
    spoken = speak(workspace, "codeact", both, code(f"print({NOW}(q='x'))"), said("It is 3."))
    assert "leave the other empty" in spoken.messages(1)[-1][1]


def test_tot_when_thoughts_are_rated_then_only_the_best_is_called_and_the_others_cost_none(
    workspace: Workspace,
) -> None:
    finish = step("give_answer", final_answer="It is 3 degrees.")
    spoken = speak(
        workspace, "tot", step(GEO, q="Oslo"), step(NOW, q="Oslo"), rated("likely"), rated("sure"),
        finish, finish, rated("sure"), thoughts=2, breadth=1,
    )  # fmt: skip
    nodes = load_tree(workspace, spoken.summary.run).nodes
    thoughts = [nodes[f"thought_level.1/thought_state.{number}"] for number in (1, 2)]
    assert [node.data["score"] for node in thoughts] == [1.0, 20.0]
    assert [name in thoughts[1].title for name, _ in spoken.calls] == [True]
    assert "others are rated higher" in "\n".join(spoken.tree)
    assert spoken.summary.answer == "It is 3 degrees."


def test_tot_when_a_vote_is_held_then_the_one_with_most_votes_stays(workspace: Workspace) -> None:
    finish = step("give_answer", final_answer="It is 3 degrees.")
    votes = [{"reason": "", "best": n} for n in (2, 2, 1)]
    spoken = speak(
        workspace, "tot", step(GEO, q="Oslo"), step(NOW, q="Oslo"), *votes, finish, finish,
        thoughts=2, breadth=1, evaluation="vote", evaluations=3,
    )  # fmt: skip
    assert len(spoken.calls) == 1
    nodes = load_tree(workspace, spoken.summary.run).nodes.values()
    assert sorted(n.data["score"] for n in nodes if n.kind == "thought_state") == [0.0, 1.0, 2.0]


def test_tot_when_its_questions_are_used_up_then_it_says_so(workspace: Workspace) -> None:
    spoken = speak(workspace, "tot", step(NOW, q="Oslo"), rated("likely"), thoughts=1,
                   max_questions=2)  # fmt: skip
    assert spoken.summary.reason == "No answer within 2 questions"


GOOD: dict[str, list[Any]] = {
    "chain-of-thought": [{"reasoning": "", "calls": [{"call": NOW, "arguments": {"q": "Oslo"}}],
                          "unmet": []}, {"answer": "It is 3.", "solved": True, "reason": ""}],
    "plain-agent": [Turn("", [(NOW, {"q": "Oslo"})]), answer("It is 3.")],
    "rag": [{"apis": [1]}, Turn("", [(NOW, {"q": "Oslo"})]), answer("It is 3.")],
    "codeact": [code(f"print({NOW}(q='Oslo'))"), said("It is 3.")],
    "tot": [step(NOW, q="Oslo"), rated("likely"), step("give_answer", final_answer="It is 3."),
            rated("sure")],
}  # fmt: skip
PASSING = [Status(429, "slow down"), Status(500)]


@pytest.mark.parametrize("strategy", GOOD)
def test_baseline_when_the_endpoint_fails_for_a_while_then_it_goes_on_and_each_failure_is_logged(
    workspace: Workspace, strategy: str
) -> None:
    options = {"thoughts": 1} if strategy == "tot" else {}
    first, *rest = GOOD[strategy]
    spoken = speak(workspace, strategy, *PASSING, first, *rest, **options)
    assert spoken.summary.answer == "It is 3."
    assert spoken.calls == [("meteo_now", {"q": "Oslo"})]
    records = read_run(workspace, spoken.summary.run)
    errors = [r.event.error for r in records if r.type == "model.failed"]  # type: ignore[attr-defined]
    assert errors == [ErrorClass.RATE_LIMITED, ErrorClass.SERVER_ERROR]
    assert sum(isinstance(r.event, CallSent) for r in records) == 1
