"""Reflexion over a scripted endpoint: which questions are asked, in which order, with what."""

import asyncio
import json

import pytest
from fixtures.own_strategy import Talker
from fixtures.scripted_endpoint import Status, Turn
from fixtures.scripted_run import ScriptedProvider, bad, make_parts, ok
from fixtures.spoken_run import KITS, replay_spoken, speak_run

from toolplanner_core.cases.case_runs import run_case
from toolplanner_core.cli.run import print_outcome
from toolplanner_core.domain.cases import Case, Expectation
from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.plan import Judgement
from toolplanner_core.domain.plan import Status as Ended
from toolplanner_core.runs.log.stored_runs import load_tree
from toolplanner_core.strategies.interface.strategy import strategies
from toolplanner_core.workspace import Workspace

METEO = ("meteo_now_for_meteo", {"q": "Oslo"})
SKY = ("sky_daily_for_sky", {"q": "Oslo"})
GUESS = ("give_answer", {"final_answer": "It is 30 degrees.", "no_call_needed": True})
ANSWER = ("give_answer", {"final_answer": "It is 3 degrees.", "no_call_needed": True})
UP = ("give_up", {"reason": "no weather"})
WRONG = {"reason": "30 stands nowhere", "solved": False}
RIGHT = {"reason": "3 came back", "solved": True}
QUERY = "<query>\nHow warm is it in Oslo?\n</query>"
REPLIES = {"meteo_now": bad(500), "sky_daily": ok({"celsius": 3})}


def learned(number: int) -> dict[str, str]:
    return {"diagnosis": f"Guessed {number}.", "plan": f"Call sky_daily {number}."}


def asked(request: dict) -> str:
    """What a request is: a turn, or the name of its question."""
    form = request.get("response_format")
    return form["json_schema"]["name"] if form else "turn"


@pytest.mark.parametrize("stream", [False, True])
def test_reflexion_when_the_judge_finds_a_trial_wrong_then_reflects_and_tries_anew(
    workspace: Workspace, stream: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    script = [
        Turn("First.", [METEO]), Turn("So be it.", [GUESS]), WRONG, learned(1),
        Turn("Another.", [SKY]), Turn("", [ANSWER]), RIGHT,
    ]  # fmt: skip
    provider = ScriptedProvider(dict(REPLIES))
    spoken = speak_run(workspace, "reflexion", script, provider=provider, stream=stream)
    assert spoken.summary.status is Ended.SOLVED
    assert spoken.summary.answer == "It is 3 degrees."
    assert spoken.summary.reason == "Right by the judge: 3 came back"
    assert spoken.summary.counts == {"retrials": 1}
    print_outcome(workspace, spoken.summary)
    assert "It is 3 degrees.\nRight by the judge: 3 came back\n" in capsys.readouterr().out
    assert [asked(request) for request in spoken.requests] == [
        "turn", "turn", "judge_answer", "reflect", "turn", "turn", "judge_answer",
    ]  # fmt: skip
    assert spoken.tree == [
        "✗ Trial 1 | Wrong by the judge: 30 stands nowhere",
        "  ✗ First. → meteo · meteo_now | server error 500",
        "    ✓ Think and act",
        "    ✗ meteo · meteo_now | server error 500",
        "  ✓ So be it. → Gives the answer | It is 30 degrees. | "
        "because meteo · meteo_now failed: server error 500",
        "    ✓ Think and act",
        "  ✓ Judge the answer",
        "  ✓ Reflect on the trial",
        "✓ Trial 2 | Right by the judge: 3 came back | "
        "because trial 1 failed: Wrong by the judge: 30 stands nowhere",
        '  ✓ Another. → sky · sky_daily | {"celsius": 3}',
        "    ✓ Think and act",
        "    ✓ sky · sky_daily",
        "  ✓ Gives the answer | It is 3 degrees.",
        "    ✓ Think and act",
        "  ✓ Judge the answer",
    ]
    judged = spoken.messages(2)[0][1]
    assert "called: meteo_now_for_meteo" in judged
    assert "It is 30 degrees." in judged
    assert spoken.requests[2]["temperature"] == 0
    assert "Wrong by the judge: 30 stands nowhere" in spoken.messages(3)[0][1]
    # The second trial begins anew: with what was learned, without what was said.
    [(role, begun)] = spoken.messages(4)
    assert role == "user"
    assert begun.startswith(QUERY)
    assert "- Guessed 1. Call sky_daily 1." in begun
    tree = load_tree(workspace, spoken.summary.run)
    assert tree.nodes[NodePath("trial.1")].data["reflection"] == "Guessed 1. Call sky_daily 1."
    assert replay_spoken(workspace, spoken.summary).identical


def test_reflexion_when_all_trials_fail_then_ends_after_them_without_another_reflection(
    workspace: Workspace,
) -> None:
    script = [
        Turn("", [UP]), learned(1), Turn("", [METEO]), Turn("", [METEO]), learned(2),
        Turn("", [GUESS]), WRONG,
    ]  # fmt: skip
    spoken = speak_run(workspace, "reflexion", script, max_steps=2)
    assert spoken.summary.status is Ended.UNSOLVED
    assert spoken.summary.reason == (
        "No success in 3 trials: Wrong by the judge: 30 stands nowhere"
    )
    assert spoken.summary.answer == "It is 30 degrees."
    assert [line for line in spoken.tree if "Trial" in line][:2] == [
        "✗ Trial 1 | It gave up: no weather",
        "✗ Trial 2 | No answer within 2 steps | because trial 1 failed: It gave up: no weather",
    ]
    assert replay_spoken(workspace, spoken.summary).identical


def test_reflexion_when_there_were_many_trials_then_the_last_three_reflections_go_on(
    workspace: Workspace,
) -> None:
    script = [line for n in range(1, 5) for line in (Turn("", [UP]), learned(n))]
    spoken = speak_run(workspace, "reflexion", [*script, Turn("", [ANSWER]), RIGHT], max_trials=5)
    assert spoken.summary.status is Ended.ANSWERED
    begun = spoken.messages(-2)[0][1]
    assert [f"Guessed {n}." in begun for n in range(1, 5)] == [False, True, True, True]
    # The model that reflects sees them all, so that no plan is made twice.
    assert "Guessed 1." in spoken.messages(7)[0][1]


def test_reflexion_when_nobody_can_judge_or_reflect_then_goes_on_with_what_is_known(
    workspace: Workspace,
) -> None:
    rubbish = [{"solved": "perhaps"}] * 3
    script = [
        Turn("", [GUESS]), *rubbish, *[{"plan": ""}] * 3, Turn("", [ANSWER]), RIGHT,
    ]  # fmt: skip
    spoken = speak_run(workspace, "reflexion", script)
    assert spoken.summary.status is Ended.ANSWERED
    assert "- Wrong by the judge: there is no usable verdict" in spoken.messages(-2)[0][1]
    assert replay_spoken(workspace, spoken.summary).identical


def test_reflexion_when_a_turn_is_refused_then_only_that_trial_fails(workspace: Workspace) -> None:
    # Also the shorter prompt that is sent after the first refusal.
    too_long = [Status(400, "maximum context length exceeded")] * 2
    script = [Turn("", [METEO]), *too_long, learned(1), Turn("", [ANSWER]), RIGHT]
    spoken = speak_run(workspace, "reflexion", script)
    assert spoken.summary.status is Ended.ANSWERED
    assert "maximum context length" in spoken.tree[0]


def test_reflexion_when_an_oracle_is_asked_then_it_decides_and_the_model_is_not_told_why(
    workspace: Workspace,
) -> None:
    def knows(answer: str) -> Judgement:
        return Judgement(solved=" 3 " in answer, reason="it is 3, which is a secret")

    script = [Turn("", [GUESS]), learned(1), Turn("", [ANSWER])]
    spoken = speak_run(workspace, "reflexion", script, company={"oracle": knows}, success="oracle")
    assert spoken.summary.status is Ended.SOLVED
    assert spoken.summary.reason == "Right by the oracle"
    assert "secret" not in json.dumps(spoken.requests)
    assert replay_spoken(workspace, spoken.summary).identical


def test_reflexion_when_there_is_no_oracle_to_ask_then_says_so_before_anything_is_spent(
    workspace: Workspace,
) -> None:
    spoken = speak_run(workspace, "reflexion", [], success="oracle")
    assert spoken.summary.status is Ended.UNSOLVED
    assert "there is no oracle" in spoken.summary.reason
    assert not spoken.requests
    assert replay_spoken(workspace, spoken.summary).identical


def test_case_when_it_expects_an_answer_then_that_is_the_oracle(workspace: Workspace) -> None:
    turns = [
        ("", ("give_answer", json.dumps({"final_answer": text, "no_call_needed": True})))
        for text in ("30", "3!")
    ]
    model = Talker(turns, typed=lambda request: learned(1))
    parts = make_parts(
        KITS, model, ScriptedProvider(), strategy=strategies.get("reflexion"), success="oracle"
    )
    case = Case(
        id="x", title="x", query="warm?", options={"strategy": "reflexion"},
        expected=Expectation(answer_contains=("3!",), status="solved"),
    )  # fmt: skip
    result = asyncio.run(run_case(workspace, case, parts=parts))
    assert result.passed, result.why
    assert result.summary.counts == {"retrials": 1}
