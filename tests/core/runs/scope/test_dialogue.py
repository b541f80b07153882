"""Dialogues through the gate: branches share their prefix, hidden messages stay hidden, people may
edit them."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import pytest
from fixtures.own_strategy import KITS, Talker, again, do, own_parts

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.stop_points import AFTER_QUESTION, BEFORE_CALL, BEFORE_QUESTION, Choice
from toolplanner_core.errors import BadInput
from toolplanner_core.prompts.conversation import Function, Message
from toolplanner_core.prompts.question import AnswerInvalid, Question
from toolplanner_core.runs.compare.diff import diff_runs
from toolplanner_core.runs.config.spec import RunSpec, RunSummary
from toolplanner_core.runs.debugging.debugger import Debugger
from toolplanner_core.runs.debugging.stops import StepCommand, Stop, StopDecision
from toolplanner_core.runs.engine.runner import EngineThread
from toolplanner_core.runs.events.fork import PersonDecided
from toolplanner_core.runs.events.question import ModelAsked
from toolplanner_core.runs.log.stored_runs import read_run
from toolplanner_core.runs.presentation.run_again import read_fork_basis
from toolplanner_core.runs.replay.fork import ForkChanges, fork
from toolplanner_core.runs.stages.person_edits import messages_misfit
from toolplanner_core.strategies.interface.scope import ModelGaveUp, RunScope
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.blobs import resolve

LOOK = Function("look_up", "Looks up", {"type": "object", "properties": {"q": {"type": "string"}}})


async def talk_twice(run: RunScope) -> str:
    """A turn with two calls, then two branches, the second with a hidden message."""
    talk = run.dialogue("Be short.", [LOOK], name="act", title="Next action")
    talk.say("Find it.")
    turn = await talk.reply()
    for call in turn.calls:
        observation = await run.call(KITS["One"][0], call.values() or {})
        talk.result(call, json.dumps(observation.value))
    left, right = talk.branch(), talk.branch()
    said = (await left.reply()).text
    right.say("Do it another way.", is_hidden=True)
    said += (await right.reply()).text
    right.say("Go on.")
    return said + (await right.reply(tool_choice="none")).text


TURNS = [
    ("I look.", ("look_up", '{"q": "a"}'), ("look_up", '{"q": "b"}')),
    "left ",
    "right ",
    "end",
]


def asked(workspace: Workspace, run: RunSummary) -> list[list[tuple[str, str]]]:
    """Roles and texts of every request as they stand in the log."""
    return [
        [(m["role"], m["content"]) for m in resolve(workspace, r.event.messages)]
        for r in read_run(workspace, run.run)
        if isinstance(r.event, ModelAsked)
    ]


def test_dialogue_when_it_branches_then_shares_its_prefix_and_hides_what_is_hidden(
    workspace: Workspace,
) -> None:
    model = Talker(turns=TURNS)
    done = do(workspace, talk_twice, model)
    assert done.answer == "left right end"
    first, left, right, last = (request.messages for request in model.asked)
    assert [m.role for m in first] == ["system", "user"]
    assert [m.role for m in left] == ["system", "user", "assistant", "tool", "tool"]
    assert (left[2].calls[0].id, left[3].call) == ("call00001", "call00001")
    assert left[2].calls[1].id == "call00002"
    assert right == (*left, Message("user", "Do it another way.", is_hidden=True))
    assert last == (*left, Message("assistant", "right "), Message("user", "Go on."))
    assert [r.tool_choice for r in model.asked] == ["auto", "auto", "auto", "none"]
    assert asked(workspace, done) == [
        [(m.role, m.content) for m in r.messages] for r in model.asked
    ]
    assert again(workspace, done, talk_twice).identical


def test_dialogue_when_an_endpoint_names_calls_otherwise_then_the_same_run(
    workspace: Workspace,
) -> None:
    other = Talker(turns=TURNS)
    other._calls = 7  # pyright: ignore[reportPrivateUsage]
    one, two = do(workspace, talk_twice, Talker(turns=TURNS)), do(workspace, talk_twice, other)
    assert diff_runs(workspace, one.run, two.run).first is None


def test_dialogue_when_long_then_each_message_is_stored_once(workspace: Workspace) -> None:
    long = "x" * 20_000

    async def work(run: RunScope) -> str:
        talk = run.dialogue(long, [LOOK])
        for number in range(50):
            talk.say(f"{number}")
            await talk.reply()
        return "ok"

    done = do(workspace, work, Talker(turns=[("", ("look_up", "{}"))] * 0 + ["fine"] * 50))
    db = workspace.reader()
    assert db.execute("SELECT count(*) FROM message_chains").fetchone()[0] == 1 + 50 + 49
    assert db.execute("SELECT sum(size) FROM blobs").fetchone()[0] < 60_000
    assert again(workspace, done, work).identical


def held_run(
    workspace: Workspace, work: Any, model: Any, act: Callable[[Debugger, Stop], None]
) -> RunSummary:
    """Run under a debugger that steps into everything and acts at every stop."""

    def on_change() -> None:
        for item in debugger.held[:1]:
            act(debugger, item.stop)

    debugger = Debugger(step=True, on_change=on_change)
    with EngineThread(workspace) as engine:
        return engine.start(
            RunSpec(query="q", strategy="own"), parts=own_parts(work, model), debugger=debugger
        ).result(120)


def test_turn_when_it_says_nothing_then_no_empty_message_is_sent_later(
    workspace: Workspace,
) -> None:
    async def work(run: RunScope) -> str:
        talk = run.dialogue("s", [LOOK])
        await talk.reply()
        talk.say("Say something.")
        return (await talk.reply()).text

    model = Talker(turns=["", "now"])
    done = do(workspace, work, model)
    assert done.answer == "now"
    assert [m.role for m in model.asked[1].messages] == ["system", "user"]
    assert again(workspace, done, work).identical


def test_turn_when_it_holds_what_cannot_be_stored_then_cleaned_and_replayed(
    workspace: Workspace,
) -> None:
    deep = f'{{"q": {"[" * 900}{"]" * 900}}}'

    async def work(run: RunScope) -> str:
        turn = await run.dialogue("s", [LOOK]).reply()
        whole, too_deep = (call.values() for call in turn.calls)
        assert whole is not None
        observation = await run.call(KITS["One"][0], whole)
        return f"{turn.text} {observation.value['arguments']} {too_deep}"

    half = ("x \ud83d", ("look_up", '{"q": "\\ud83d"}'), ("look_up", deep))
    done = do(workspace, work, Talker(turns=[half]))
    assert done.answer == "x ? {'q': '?'} None"
    assert again(workspace, done, work).identical


def test_hidden_message_when_a_person_edits_it_then_it_stays_hidden(workspace: Workspace) -> None:
    async def work(run: RunScope) -> str:
        talk = run.dialogue("s", [LOOK])
        talk.say("Go.")
        talk.say("Differ.", is_hidden=True)
        await talk.reply()
        return (await talk.reply()).text

    def act(debugger: Debugger, stop: Stop) -> None:
        decision = None
        if stop.point is BEFORE_QUESTION and stop.path == NodePath("turn.1"):
            changed = [dict(m) for m in stop.messages]
            changed[2]["content"] = "Differ more."
            decision = StopDecision(choice=Choice.EDIT, messages=changed)
        debugger.resume(StepCommand.STEP_INTO, decision=decision)

    model = Talker(turns=["one", "two"])
    done = held_run(workspace, work, model, act)
    assert [m.content for m in model.asked[0].messages] == ["s", "Go.", "Differ more."]
    assert [m.content for m in model.asked[1].messages] == ["s", "Go.", "one"]
    assert again(workspace, done, work).identical


def test_messages_when_a_person_edits_them_then_sent_kept_and_replayed(
    workspace: Workspace,
) -> None:
    def act(debugger: Debugger, stop: Stop) -> None:
        decision = None
        if stop.point is BEFORE_QUESTION and stop.path == NodePath("act.1"):
            changed = [dict(m) for m in stop.messages]
            changed[1]["content"] = "Find something else."
            decision = StopDecision(choice=Choice.EDIT, messages=changed)
        debugger.resume(StepCommand.STEP_INTO, decision=decision)

    model = Talker(turns=TURNS)
    done = held_run(workspace, talk_twice, model, act)
    assert [r.messages[1].content for r in model.asked] == ["Find something else."] * 4
    assert asked(workspace, done)[0][1] == ("user", "Find something else.")
    assert again(workspace, done, talk_twice).identical


def test_turn_when_a_person_answers_instead_then_its_calls_are_made(workspace: Workspace) -> None:
    said = {"text": "I know better.", "calls": [{"name": "look_up", "arguments": {"q": "z"}}]}
    misfits: list[str] = []

    def act(debugger: Debugger, stop: Stop) -> None:
        if stop.point is AFTER_QUESTION and stop.path == NodePath("act.1"):
            assert stop.data["calls"][0] == {"name": "look_up", "arguments": {"q": "a"}}
            wrong = {"text": "", "calls": [{"name": "fly", "arguments": {}}]}
            with pytest.raises(BadInput) as raised:
                debugger.resume(decision=StopDecision(choice=Choice.ANSWER, value=wrong))
            misfits.append(raised.value.what)
            decision = StopDecision(choice=Choice.ANSWER, value=said)
            debugger.resume(StepCommand.STEP_INTO, decision=decision)
        else:
            debugger.resume(StepCommand.STEP_INTO)

    model = Talker(turns=TURNS)
    done = held_run(workspace, talk_twice, model, act)
    assert misfits == ["At $.calls: no function is called 'fly'"]
    assert [m.content for m in model.asked[1].messages][2] == "I know better."
    assert len(model.asked[1].messages) == 4  # one call, one result
    assert again(workspace, done, talk_twice).identical


def test_turn_when_a_person_answers_with_half_a_character_then_stored_and_replayed(
    workspace: Workspace,
) -> None:
    said = {"text": "I \ud83d know.", "calls": []}

    def act(debugger: Debugger, stop: Stop) -> None:
        decision = None
        if stop.point is BEFORE_QUESTION and stop.path == NodePath("act.1"):
            decision = StopDecision(choice=Choice.ANSWER, value=said)
        debugger.resume(StepCommand.STEP_INTO, decision=decision)

    done = held_run(workspace, talk_twice, Talker(turns=TURNS[1:]), act)
    assert done.answer == "left right end"
    assert asked(workspace, done)[0][2] == ("assistant", "I ? know.")
    assert again(workspace, done, talk_twice).identical


@dataclass(frozen=True)
class Guess(Question[int]):
    id: ClassVar[str] = "guess"
    title: ClassVar[str] = "Guess"
    max_repairs: ClassVar[int] = 0

    def messages(self) -> list[Message]:
        return [Message("user", "A number?")]

    def schema(self) -> dict[str, Any]:
        return {"type": "object"}

    def parse(self, data: Any) -> int:
        if not isinstance(data.get("n"), int):
            raise AnswerInvalid("n is no number")
        return data["n"]


def test_ask_when_sampled_then_usable_answers_in_order_at_that_temperature(
    workspace: Workspace,
) -> None:
    answers = iter([{"n": 1}, {"n": "x"}, {"n": 3}, {}, {"n": 5}])

    async def work(run: RunScope) -> str:
        found = await run.ask(Guess(), temperature=0.9, samples=5)
        try:
            await run.ask(Guess(), samples=2)
        except ModelGaveUp as gave_up:
            return f"{found} {gave_up.error}"
        return "?"

    model = Talker(typed=lambda request: next(answers, {}))
    done = do(workspace, work, model)
    assert done.answer == "[1, 3, 5] wrong_format"
    assert {r.temperature for r in model.asked[:5]} == {0.9}
    assert again(workspace, done, work).identical


def test_call_when_a_person_answers_it_then_the_model_is_told_so(workspace: Workspace) -> None:
    def act(debugger: Debugger, stop: Stop) -> None:
        decision = None
        if stop.point is BEFORE_CALL and stop.arguments == {"q": "a"}:
            decision = StopDecision(choice=Choice.ANSWER, value={"found": "by hand"})
        debugger.resume(StepCommand.STEP_INTO, decision=decision)

    model = Talker(turns=TURNS)
    done = held_run(workspace, talk_twice, model, act)
    assert json.loads(model.asked[1].messages[3].content) == {"found": "by hand"}
    assert done.api_calls == 1
    assert again(workspace, done, talk_twice).identical


@pytest.mark.parametrize(
    ("messages", "problem"),
    [
        ([], "At least one message must be left"),
        ([{"role": "boss", "content": "x"}], "Message 1 has no role that a model knows"),
        ([{"role": "user"}], "Message 1 has no text"),
        ([{"role": "tool", "content": "x", "call": "c"}], "Message 1 is the result of a call"),
        (
            [
                {"role": "assistant", "content": "", "calls": [{"id": "c", "name": "f"}]},
                {"role": "user", "content": "x"},
            ],
            "Message 2 stands before the results",
        ),
        (
            [{"role": "assistant", "content": "", "calls": [{"id": "c", "name": "f"}]}],
            "The last call has no result",
        ),
    ],
)
def test_messages_when_an_endpoint_would_refuse_them_then_so_does_the_stop(
    messages: list[dict[str, Any]], problem: str
) -> None:
    assert messages_misfit(messages).startswith(problem)


def decided(workspace: Workspace, run: RunSummary) -> list[PersonDecided]:
    return [r.event for r in read_run(workspace, run.run) if isinstance(r.event, PersonDecided)]


def test_fork_when_a_message_changes_then_it_is_sent_and_both_versions_are_kept(
    workspace: Workspace,
) -> None:
    done = do(workspace, talk_twice, Talker(turns=TURNS))
    at = NodePath("act.2")
    spec = fork(workspace, done.run, at, ForkChanges(messages={2: "Find another one."}))
    model = Talker(turns=TURNS[1:])
    child = do(workspace, talk_twice, model, spec=spec)
    assert [m.content for m in model.asked[0].messages][:2] == ["Be short.", "Find another one."]
    (event,) = decided(workspace, child)
    assert event.before["messages"][1]["content"] == "Find it."
    assert event.after["messages"][1]["content"] == "Find another one."
    assert again(workspace, child, talk_twice).identical


def test_fork_when_the_turn_is_given_then_its_calls_are_made_and_no_model_is_asked(
    workspace: Workspace,
) -> None:
    done = do(workspace, talk_twice, Talker(turns=TURNS))
    turn = {"text": "I know.", "calls": [{"name": "look_up", "arguments": {"q": "z"}}]}
    spec = fork(workspace, done.run, NodePath("act.1"), ForkChanges(answer=turn))
    model = Talker(turns=TURNS[1:])
    child = do(workspace, talk_twice, model, spec=spec)
    assert [m.content for m in model.asked[0].messages][2] == "I know."
    assert (child.model_calls, child.api_calls) == (3, 1)
    assert [event.choice for event in decided(workspace, child)] == ["answer"]
    assert again(workspace, child, talk_twice).identical
    # A fork of the fork takes the decision over.
    model = Talker(turns=TURNS[3:])
    spec = fork(workspace, child.run, NodePath("act.4"))
    assert do(workspace, talk_twice, model, spec=spec).answer == child.answer


def test_fork_when_all_messages_are_given_then_these_are_sent(workspace: Workspace) -> None:
    done = do(workspace, talk_twice, Talker(turns=TURNS))
    found = read_fork_basis(workspace, done.run, NodePath("act.3")).question
    assert found is not None
    assert (found.path, found.data) == ("act.3", {"text": "right ", "calls": []})
    assert [tool["name"] for tool in found.tools] == ["look_up"]
    messages = [*found.messages, {"role": "user", "content": "At once."}]
    spec = fork(workspace, done.run, NodePath("act.3"), ForkChanges(messages=messages))
    model = Talker(turns=TURNS[2:])
    child = do(workspace, talk_twice, model, spec=spec)
    assert [m.to_json() for m in model.asked[0].messages] == messages
    assert again(workspace, child, talk_twice).identical


def test_basis_of_a_fork_when_a_person_answered_unasked_then_only_the_answer_is_known(
    workspace: Workspace,
) -> None:
    done = do(workspace, talk_twice, Talker(turns=TURNS))
    turn = {"text": "I know.", "calls": [{"name": "look_up", "arguments": {"q": "z"}}]}
    spec = fork(workspace, done.run, NodePath("act.1"), ForkChanges(answer=turn))
    child = do(workspace, talk_twice, Talker(turns=TURNS[1:]), spec=spec)
    found = read_fork_basis(workspace, child.run, NodePath("act.1")).question
    assert found is not None
    assert (found.messages, found.data, found.is_dialogue) == ((), turn, True)
    first_call = read_fork_basis(workspace, child.run, NodePath("call.1"))
    assert (first_call.question, first_call.arguments) == (None, {"q": "z"})


def test_fork_when_the_change_is_not_possible_there_then_refused(workspace: Workspace) -> None:
    done = do(workspace, talk_twice, Talker(turns=TURNS))
    at = NodePath("act.1")
    for changes, problem in (
        (ForkChanges(messages={3: "x"}), "There is no message 3"),
        (ForkChanges(answer={"calls": [{"name": "fly"}]}), "no function is called 'fly'"),
        (ForkChanges(answer={"text": "x"}, arguments={"q": 1}), "a call or a question"),
        (ForkChanges(answer={"text": "x"}, messages={2: "x"}), "answered by hand is not asked"),
        (ForkChanges(messages=[{"role": "tool", "content": "x"}]), "result of a call that no"),
    ):
        with pytest.raises(BadInput, match=problem):
            fork(workspace, done.run, at, changes)
