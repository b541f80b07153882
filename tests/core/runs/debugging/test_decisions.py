"""What a person decides at a stop is done, logged, told to the model and replayed."""

from typing import Any

import pytest
from fixtures.debugged_run import KITS, Session
from fixtures.scripted_run import (
    api_finder,
)

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import ROOT, NodePath
from toolplanner_core.domain.plan import Status
from toolplanner_core.domain.stop_points import BEFORE_CALL, BEFORE_QUESTION, Choice
from toolplanner_core.errors import BadInput
from toolplanner_core.runs.debugging.debugger import Debugger, Held, StepCommand
from toolplanner_core.runs.debugging.stops import StopDecision
from toolplanner_core.runs.log.stored_runs import load_tree
from toolplanner_core.runs.presentation.node_report import read_report
from toolplanner_core.runs.presentation.story import run_headline
from toolplanner_core.runs.presentation.tree_rows import state_words
from toolplanner_core.runs.replay.replay import replay
from toolplanner_core.runs.tree.formatting import evidence_lines
from toolplanner_core.workspace import Workspace

DECISIONS = [
    ("api=kit1_0,at=before_call", StopDecision(choice=Choice.EDIT, arguments={"q": "new"}), None),
    (
        "api=kit1_0,at=before_call",
        StopDecision(choice=Choice.EDIT, api=KITS["Kit 1"][1].id),
        None,
    ),
    ("api=kit1_0,at=before_call", StopDecision(choice=Choice.ANSWER, value={"a": 1}), None),
    (
        "api=kit1_0,at=before_call",
        StopDecision(choice=Choice.FAIL, error=ErrorClass.TIMEOUT),
        "timeout",
    ),
    ("api=kit1_0,at=before_call", StopDecision(choice=Choice.SKIP), "blocked_by_policy"),
    ("api=kit1_0,at=after_call", StopDecision(choice=Choice.ANSWER, value=[1, 2]), None),
    (
        "api=kit1_0,at=after_call",
        StopDecision(choice=Choice.FAIL, error=ErrorClass.EMPTY_RESULT),
        "empty_result",
    ),
]


@pytest.mark.parametrize(("where", "decision", "error"), DECISIONS)
def test_decision_when_taken_then_done_logged_and_replayed(
    workspace: Workspace, where: str, decision: StopDecision, error: str | None
) -> None:
    session = Session(
        workspace,
        lambda debugger, held: debugger.resume(decision=decision),
        breakpoints=(where,),
    )
    assert session.summary.status is Status.ANSWERED
    (event,) = session.decided()
    assert (event.choice, event.actor) == (decision.choice, "person")
    node = load_tree(workspace, session.summary.run).nodes[
        NodePath("plan.1/step.1/attempt.1/call.1")
    ]
    assert node.error == error
    if decision.choice is Choice.SKIP:
        assert node.reason == "skipped by you"
        assert "was not sent (skipped by you)" in run_headline(
            load_tree(workspace, session.summary.run).nodes
        )
        nodes = load_tree(workspace, session.summary.run).nodes
        first, second = (nodes[NodePath(f"plan.1/step.1/attempt.{n}")] for n in (1, 2))
        assert state_words(first) == "not sent · skipped by you"
        assert second.cause_text == f"because {first.title} was not sent: skipped by you"
    if decision.arguments:
        assert session.provider.calls[0] == ("kit1_0", {"q": "new"})
        assert event.before["arguments"] == {}
    if decision.api:
        assert session.provider.calls[0][0] == "kit1_1"
        attempt = load_tree(workspace, session.summary.run).nodes[
            NodePath("plan.1/step.1/attempt.1")
        ]
        assert attempt.title == f"{node.title}, instead of {KITS['Kit 1'][0].title}"
    if decision.choice in (Choice.ANSWER, Choice.FAIL, Choice.SKIP) and "before" in where:
        assert session.provider.calls[0][0] != "kit1_0"
    assert replay(workspace, session.summary.run, api_of=api_finder(KITS)).divergence is None


@pytest.mark.parametrize("fails", [False, True])
def test_call_when_a_person_changed_it_then_later_questions_tell_what_was_sent(
    workspace: Workspace, fails: bool
) -> None:
    changed = StopDecision(choice=Choice.EDIT, api=KITS["Kit 1"][1].id, arguments={"q": "Bergen"})
    session = Session(
        workspace,
        lambda debugger, held: debugger.resume(decision=changed),
        breakpoints=("api=kit1_0,at=before_call",),
        failing=("kit1_1",) if fails else (),
    )
    told = [
        card
        for asked in session.model.asked
        for card in getattr(asked.question, "failures" if fails else "results", ())
        if card.step == 1
    ]
    assert told
    assert {(card.api_title, card.arguments["q"]) for card in told} == {
        (KITS["Kit 1"][1].title, "Bergen")
    }


def test_api_when_a_person_called_another_that_failed_then_it_is_tried_last(
    workspace: Workspace,
) -> None:
    decisions: list[StopDecision | None] = [
        StopDecision(choice=Choice.EDIT, api=KITS["Kit 1"][1].id),
        None,
    ]
    session = Session(
        workspace,
        lambda debugger, held: debugger.resume(decision=decisions.pop(0)),
        breakpoints=("api=kit1_0,at=before_call",),
        failing=("kit1_1", "kit1_2"),
        next_api="rank",
    )
    assert [name for name, _ in session.provider.calls][:3] == ["kit1_1", "kit1_2", "kit1_0"]
    assert session.summary.replans == 0
    assert replay(workspace, session.summary.run, api_of=api_finder(KITS)).divergence is None


def test_send_and_step_when_the_call_is_let_fail_then_stops_at_the_fallback(
    workspace: Workspace,
) -> None:
    fail = StopDecision(choice=Choice.FAIL, error=ErrorClass.TIMEOUT)

    def act(debugger: Debugger, held: Held) -> None:
        is_call = held.stop.point is BEFORE_CALL
        action = StepCommand.STEP_INTO if is_call else StepCommand.CONTINUE
        debugger.resume(action, decision=fail if is_call else None)

    session = Session(workspace, act, breakpoints=("api=kit1_0,at=before_call",), next_api="rank")
    assert session.stops == [
        ("before_call", "plan.1/step.1/attempt.1/call.1"),
        ("before_fallback", "plan.1/step.1"),
    ]


def test_question_when_a_person_answers_then_the_model_is_not_asked(workspace: Workspace) -> None:
    plan = {"steps": [{"number": 1, "goal": "mine", "toolkit": 2, "needs": []}]}
    tried: list[str] = []

    def answer(debugger: Debugger, held: Held) -> None:
        with pytest.raises(BadInput) as caught:
            debugger.resume(decision=StopDecision(choice=Choice.ANSWER, value={"steps": "no"}))
        tried.append(caught.value.what)
        debugger.resume(decision=StopDecision(choice=Choice.ANSWER, value=plan))

    text = "at=before_question,if='question == \"make_plan\"'"
    session = Session(workspace, answer, breakpoints=(text,))
    assert tried
    assert not [asked for asked in session.model.asked if asked.question.id == "make_plan"]
    assert session.summary.answer == "mine done"
    assert replay(workspace, session.summary.run, api_of=api_finder(KITS)).divergence is None


def test_decision_when_it_does_not_fit_then_refused_and_still_held(workspace: Workspace) -> None:
    refused: list[str] = []

    def act(debugger: Debugger, held: Held) -> None:
        for decision in (
            StopDecision(choice=Choice.EDIT, arguments={"unknown": 1}),
            StopDecision(choice=Choice.FAIL, error=ErrorClass.CANCELLED),
            StopDecision(choice=Choice.TAKE, taken="x"),
        ):
            with pytest.raises(BadInput) as caught:
                debugger.resume(decision=decision)
            refused.append(caught.value.sentence)
        debugger.resume()

    session = Session(workspace, act, breakpoints=("api=kit1_0,at=before_call",))
    assert ["no parameter" in refused[0], "stop the run" in refused[1]] == [True, True]
    assert session.decided() == []
    assert session.summary.status is Status.ANSWERED


def test_stop_after_a_call_or_question_when_it_was_changed_then_shows_what_was_sent(
    workspace: Workspace,
) -> None:
    seen: list[tuple[str, Any]] = []

    def act(debugger: Debugger, held: Held) -> None:
        stop = held.stop
        if stop.point is BEFORE_CALL:
            debugger.resume(
                StepCommand.STEP_INTO,
                decision=StopDecision(choice=Choice.EDIT, arguments={"q": "new"}),
            )
        elif stop.point is BEFORE_QUESTION:
            messages = [*stop.messages, {"role": "user", "content": "In one word."}]
            debugger.resume(
                StepCommand.STEP_INTO, decision=StopDecision(choice=Choice.EDIT, messages=messages)
            )
        else:
            seen.append((stop.point.id, stop.arguments or stop.messages[-1]["content"]))
            debugger.resume()

    Session(
        workspace,
        act,
        breakpoints=(
            "api=kit1_0,at=before_call",
            "at=before_question,if='question == \"make_plan\"'",
        ),
    )
    assert ("after_question", "In one word.") in seen
    assert ("after_call", {"q": "new"}) in seen


def test_answer_when_a_person_gave_it_then_told_as_written_by_you(workspace: Workspace) -> None:
    mine = {"answer": "It is “free” everywhere", "solved": True, "reason": ""}
    decision = StopDecision(choice=Choice.ANSWER, value=mine)
    held = "at=before_question,if='question == \"final_answer\"'"
    asked = "at=before_question,if='question == \"make_plan\"'"
    plan = {"steps": [{"number": 1, "goal": "mine", "toolkit": 2, "needs": []}]}
    planned = StopDecision(choice=Choice.ANSWER, value=plan)
    titles: list[list[str]] = []
    for where, choice in ((held, decision), (asked, planned)):
        run = Session(
            workspace,
            lambda debugger, held, choice=choice: debugger.resume(decision=choice),
            breakpoints=(where,),
        ).summary.run
        titles.append([section.title for section in read_report(workspace, run, ROOT).result])
    assert titles[0] == ["Answer, written by you", "Written by you, not shown by"]
    assert titles[1][0] == "Answer"


def test_call_when_answered_by_a_person_then_has_its_name_in_the_tree(workspace: Workspace) -> None:
    answer = StopDecision(choice=Choice.ANSWER, value={"a": 1})
    session = Session(
        workspace,
        lambda debugger, held: debugger.resume(decision=answer),
        breakpoints=("api=kit1_0,at=before_call",),
    )
    node = load_tree(workspace, session.summary.run).nodes[
        NodePath("plan.1/step.1/attempt.1/call.1")
    ]
    assert (node.title, node.reason) == (KITS["Kit 1"][0].title, "answered by you")


def test_other_api_when_its_arguments_do_not_fit_then_the_first_one_is_not_blamed(
    workspace: Workspace,
) -> None:
    said: list[tuple[str, str]] = []

    def act(debugger: Debugger, held: Held) -> None:
        for api in (None, KITS["Kit 1"][1].id):
            with pytest.raises(BadInput) as caught:
                edit = StopDecision(choice=Choice.EDIT, api=api, arguments={"unheard": 1})
                debugger.resume(decision=edit)
            said.append((caught.value.where, caught.value.what))
        debugger.resume()

    Session(workspace, act, breakpoints=("api=kit1_0,at=before_call",))
    unknown = 'The API has no parameter "unheard"'
    assert said == [(KITS["Kit 1"][0].title, unknown), ("", unknown)]


@pytest.mark.parametrize(
    ("where", "decision", "said"),
    [
        (
            "api=kit1_0,at=before_call",
            StopDecision(choice=Choice.EDIT, arguments={"q": "new"}),
            "You changed the call kit1 · kit1_0 (q: not given → new).",
        ),
        (
            "at=before_question,if='question == \"make_plan\"'",
            StopDecision(choice=Choice.ANSWER, value={"steps": [
                {"number": 1, "goal": "mine", "toolkit": 2, "needs": []}
            ]}),
            "You answered “Make a plan” in the place of the model.",
        ),
        (
            "api=kit1_0,at=before_call",
            StopDecision(choice=Choice.ANSWER, value={"p": 1}),
            "You answered in the place of kit1 · kit1_0.",
        ),
    ],
)  # fmt: skip
def test_story_when_a_person_changed_what_went_well_then_it_is_told(
    workspace: Workspace, where: str, decision: StopDecision, said: str
) -> None:
    session = Session(
        workspace, lambda debugger, held: debugger.resume(decision=decision), breakpoints=(where,)
    )
    assert session.summary.status is Status.ANSWERED
    assert run_headline(load_tree(workspace, session.summary.run).nodes) == said


def test_story_when_a_changed_argument_is_long_then_its_begin_is_told_of_the_stored_run(
    workspace: Workspace,
) -> None:
    decision = StopDecision(choice=Choice.EDIT, arguments={"q": "far " * 1000})
    session = Session(
        workspace,
        lambda debugger, held: debugger.resume(decision=decision),
        breakpoints=("api=kit1_0,at=before_call",),
    )
    said = run_headline(load_tree(workspace, session.summary.run).nodes)
    assert said.startswith("You changed the call kit1 · kit1_0 (q: not given → far far")
    assert len(said) < 200


def test_result_when_a_person_replaced_a_failure_then_the_node_says_what_the_api_had_said(
    workspace: Workspace,
) -> None:
    answer = StopDecision(choice=Choice.ANSWER, value={"price": 1.23})
    session = Session(
        workspace,
        lambda debugger, held: debugger.resume(decision=answer),
        breakpoints=("api=kit1_0,at=after_call",),
        failing=("kit1_0",),
    )
    call = NodePath("plan.1/step.1/attempt.1/call.1")
    root = load_tree(workspace, session.summary.run).root
    assert root is not None
    [first, *_] = evidence_lines(root.data)
    assert f"← your own reply in the place of {KITS['Kit 1'][0].title}" in first
    facts = read_report(workspace, session.summary.run, call).facts
    assert facts.startswith("ok: answered by you")
    assert facts.endswith(" · scripted had said: server error 500")
