"""Dialogues told from the log: cards with results, asides, turns as one conversation."""

from fixtures.made_records import made_record
from fixtures.own_strategy import Talker, do

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import NodePath
from toolplanner_core.llm.model import ModelError as NoReply
from toolplanner_core.llm.model import Reply, Usage
from toolplanner_core.prompts.conversation import Function, FunctionCall
from toolplanner_core.runs.events.question import AnswerRejected, ModelAsked, ModelReplied
from toolplanner_core.runs.log.stored_runs import load_records
from toolplanner_core.runs.presentation.conversation import HIDDEN, REPLACED, conversations
from toolplanner_core.strategies.interface.scope import RunScope
from toolplanner_core.workspace import Workspace

LOOK = Function("look_for_Book", "Looks up", {"type": "object"})


async def talk_and_branch(run: RunScope) -> str:
    """A turn with two calls, then two branches, the second with a hidden message."""
    talk = run.dialogue("Be short.", [LOOK], name="act", title="Next action")
    talk.say("Find it.")
    turn = await talk.reply()
    for call in reversed(turn.calls):
        talk.result(call, f"result of {call.id}")
    left, right = talk.branch(), talk.branch()
    await left.reply()
    right.say("Do it another way.", is_hidden=True)
    await right.reply()
    right.say("Go on.")
    return (await right.reply(tool_choice="none")).text


TURNS = ["left", "right", "end"]
FIRST = ("I look.", (LOOK.name, '{"q": "a"}'), (LOOK.name, "[broken"))


def roles(told, start: int = 0) -> list[tuple[str, str]]:
    return [(each.role, each.text) for each in told.spoken[start:]]


def test_turns_when_they_go_on_then_one_conversation_for_each_branch(workspace: Workspace) -> None:
    done = do(workspace, talk_and_branch, Talker(turns=[FIRST, *TURNS]))
    records = [
        r for n in range(1, 5) for r in load_records(workspace, done.run, NodePath(f"act.{n}"))
    ]
    left, right = conversations(records)
    assert roles(left) == [
        ("system", "Be short."), ("user", "Find it."), ("assistant", "I look."),
        ("assistant", "left"),
    ]  # fmt: skip
    assert (left.n_before, left.path, left.tools) == (0, "act.2", (LOOK.name,))
    good, broken = left.spoken[2].cards
    assert (good.title, good.arguments, good.result) == (
        "Book · look", {"q": "a"}, "result of call00001",
    )  # fmt: skip
    assert (broken.arguments, broken.result) == ("[broken", "result of call00002")
    assert roles(right, 2) == [
        ("assistant", "I look."), ("user", "Do it another way."), ("assistant", "right"),
        ("user", "Go on."), ("assistant", "end"),
    ]  # fmt: skip
    assert right.n_before == 2
    assert [each.aside for each in right.spoken] == ["", "", "", HIDDEN, "", "", ""]


def test_turn_when_told_alone_then_results_come_from_the_next(workspace: Workspace) -> None:
    done = do(workspace, talk_and_branch, Talker(turns=[FIRST, *TURNS]))
    first, following = (load_records(workspace, done.run, NodePath(f"act.{n}")) for n in (1, 2))
    (alone,) = conversations(first)
    assert [card.result for card in alone.spoken[-1].cards] == [None, None]
    (known,) = conversations(first, following)
    results = [card.result for card in known.spoken[-1].cards]
    assert results == ["result of call00001", "result of call00002"]
    assert roles(known) == roles(alone)


def test_thoughts_when_a_later_turn_goes_on_then_stay_with_theirs(workspace: Workspace) -> None:
    call = FunctionCall("a", LOOK.name, "{}")
    thinks = Reply(data=None, text="I look.", usage=Usage(input_tokens=1, output_tokens=1),
                   raw={"reasoning": "Hm, where?"}, calls=(call,))  # fmt: skip
    done = do(workspace, talk_and_branch, Talker(turns=[thinks, *TURNS]))
    first, second = (load_records(workspace, done.run, NodePath(f"act.{n}")) for n in (1, 2))
    (with_results,), (as_one,) = conversations(first, second), conversations([*first, *second])
    for told in (with_results, as_one):
        assert [each.thought for each in told.spoken[2:3]] == ["Hm, where?"]
        assert told.spoken[2].cards[0].result == "result of call00001"
    assert "Hm" not in str([record.event for record in second])


def test_turn_when_the_model_failed_first_then_said_as_an_aside(workspace: Workspace) -> None:
    async def work(run: RunScope) -> str:
        talk = run.dialogue("Be short.", name="act")
        talk.say("Hello?")
        return (await talk.reply()).text

    failed = NoReply(ErrorClass.RATE_LIMITED, "later", is_transient=True)
    done = do(workspace, work, Talker(turns=[failed, "Hi."]))
    (told,) = conversations(load_records(workspace, done.run, NodePath("act.1")))
    note, said = told.spoken[2:]
    assert (note.role, bool(note.aside)) == ("note", True)
    assert note.text == "No answer: rate limited: later"
    assert (said.text, said.aside) == ("Hi.", "")


def asked(seq: int, messages: list[dict[str, str]], repair: int = 0):
    return made_record(
        seq,
        ModelAsked(
            question="q", version=1, title="Q", model="m", messages=messages, schema={"a": 1},
            temperature=0.3, fingerprint="f", occurrence=1, repair=repair, retry=0,
        ),
        "q.1",
    )  # fmt: skip


def replied(seq: int, text: str, data: object = None):
    return made_record(
        seq,
        ModelReplied(text=text, data=data, input_tokens=0, output_tokens=0, elapsed_ms=1.0, raw={}),
        "q.1",
    )


def test_answer_when_sent_back_or_replaced_then_each_version_is_told_once() -> None:
    question = {"role": "user", "content": "How many?"}
    rejected = AnswerRejected(where="$.n", what="no number", repairs_left=0)
    bad = replied(2, '{"n": "x"}', {"n": "x"})
    (told,) = conversations([asked(1, [question]), bad, made_record(3, rejected, "q.1")])
    assert [each.role for each in told.spoken] == ["user", "assistant", "note"]
    assert told.spoken[1].text == '{\n  "n": "x"\n}'
    again = [question, {"role": "assistant", "content": "x"}, {"role": "user", "content": "No."}]
    records = [asked(1, [question]), bad, asked(4, again, 1), replied(5, "", {"n": 1})]
    (told,) = conversations([*records, replied(6, "", {"n": 2})])
    assert [each.role for each in told.spoken] == ["user", "assistant", "user", *["assistant"] * 2]
    assert [each.aside for each in told.spoken[-2:]] == [REPLACED, ""]
