"""What a model says while it speaks: seen by who watches, never written, gone with the reply."""

import asyncio
import threading
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import pytest
from fixtures.openai_turns import delta_event
from fixtures.scripted_endpoint import Answers, RawPieces, Says, Streams, Turn, scripted_endpoint
from fixtures.scripted_run import ScriptedProvider, make_parts
from fixtures.spoken_run import KITS, replay_spoken, speak_run

from toolplanner_core import keys
from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.plan import Status
from toolplanner_core.llm.model import ReplyChunk
from toolplanner_core.llm.openai_model import OpenAiModel
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.runs.engine.gate import MOST_SENT_BACK
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.runs.events.question import ModelFailed, ModelReplied
from toolplanner_core.runs.log.redaction import Redactor
from toolplanner_core.runs.log.stored_runs import load_records, load_tree, read_run
from toolplanner_core.runs.presentation.conversation import conversations
from toolplanner_core.runs.stages import live_replies as live_speech
from toolplanner_core.runs.stages.live_replies import SHOWN_CHARACTERS, LiveReplies, LiveReply
from toolplanner_core.settings import EndpointSettings
from toolplanner_core.strategies.interface.strategy import strategies
from toolplanner_core.workspace import Workspace

PATH = NodePath("turn.1/act.1")
SAID = ["It ", "is ", "not ", "known. "]
CALL = {
    "index": 0,
    "id": "c1",
    "function": {
        "name": "give_answer",
        "arguments": '{"final_answer": "3 degrees", "no_call_needed": true} ',
    },
}


def slowly(deltas: Sequence[Any], seen: threading.Event) -> Iterator[Any]:
    """All but the last piece, and the last one when somebody has seen the others."""
    yield from deltas[:-1]
    seen.wait(60)
    yield deltas[-1]


def test_speech_when_a_model_speaks_then_seen_before_the_reply_and_never_written(
    workspace: Workspace,
) -> None:
    seen = threading.Event()
    heard: list[LiveReply] = []

    def watch(said: Sequence[LiveReply]) -> None:
        heard.extend(said)
        if "It is not known." in said[-1].text:
            seen.set()

    stream = Streams(slowly([*SAID, {"tool_calls": [CALL]}], seen))
    spoken = speak_run(
        workspace, "react", [stream], provider=ScriptedProvider(), stream=True,
        company={"on_speech": watch},
    )  # fmt: skip
    assert spoken.summary.status is Status.ANSWERED
    assert heard[-1].text == "It is not known. " and heard[-1].pieces == 4
    texts = [speech.text for speech in heard]
    assert all(after.startswith(before) for before, after in pairwise(texts))
    records = read_run(workspace, spoken.summary.run)
    assert heard[0].path in {r.path for r in records if isinstance(r.event, ModelReplied)}
    answer = ("give_answer", {"final_answer": "3 degrees", "no_call_needed": True})
    whole = speak_run(workspace, "react", [Turn("".join(SAID), [answer])], stream=False)
    assert [r.type for r in records] == [r.type for r in read_run(workspace, whole.summary.run)]
    heard.clear()
    assert replay_spoken(workspace, spoken.summary).identical
    assert not heard, "a replay does not stream"


def speak(pieces: Sequence[ReplyChunk], monkeypatch: pytest.MonkeyPatch) -> list[LiveReply]:
    """What is handed out of these pieces, one moment after all of them."""
    monkeypatch.setattr(live_speech, "MOMENT_S", 0.0)
    heard: list[LiveReply] = []

    async def say() -> None:
        said = asyncio.Event()

        def listen(speech: Sequence[LiveReply]) -> None:
            heard.extend(speech)
            said.set()

        live = LiveReplies(listen, Redactor())
        with live.listening(PATH) as hear:
            for piece in pieces:
                hear(piece)
            await said.wait()

    asyncio.run(say())
    return heard


def test_speech_when_it_holds_a_key_then_never_half_of_it(monkeypatch: pytest.MonkeyPatch) -> None:
    keys.register_secrets("abcdefgh12345678")
    (half,) = speak([ReplyChunk(text="The key is abcdefgh")], monkeypatch)
    assert half.text == "The key is "
    whole = [ReplyChunk(text="The key is abcdefgh"), ReplyChunk(text="12345678, I think.")]
    (said,) = speak(whole, monkeypatch)
    assert "abcdefgh" not in said.text and said.text.startswith("The key is ")


def test_speech_when_long_then_its_end_with_thoughts_and_calls_apart(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pieces = [
        ReplyChunk(reasoning="Hm, so. "),
        ReplyChunk(text="word " * 2_000),
        ReplyChunk(call=1, name="second "),
        ReplyChunk(call=0, name="first "),
        ReplyChunk(call=0, arguments='{"q": '),
        ReplyChunk(call=0, arguments="1} "),
    ]
    (said,) = speak(pieces, monkeypatch)
    assert (said.reasoning, said.pieces) == ("Hm, so. ", 6)
    assert said.text.startswith("… ") and len(said.text) == SHOWN_CHARACTERS + 2
    assert said.calls == (("first ", '{"q": 1} '), ("second ", ""))


def test_speech_when_the_listener_breaks_then_the_run_goes_on(workspace: Workspace) -> None:
    def broken(said: Sequence[LiveReply]) -> None:
        broke.set()
        raise RuntimeError("a screen fell down")

    broke = threading.Event()
    stream = Streams(slowly([*SAID, {"tool_calls": [CALL]}], broke))
    spoken = speak_run(workspace, "react", [stream], stream=True, company={"on_speech": broken})
    assert spoken.summary.status is Status.ANSWERED and broke.is_set()


def stopped(workspace: Workspace, cancel_at: Callable[[asyncio.Event], Any]) -> Any:
    """A run that is stopped while its model speaks without an end."""

    async def go(url: str) -> Any:
        from openai import AsyncOpenAI

        client = AsyncOpenAI(api_key="none", base_url=url, max_retries=0)
        model = OpenAiModel("scripted", client=client, settings=EndpointSettings())
        parts = make_parts(KITS, model, ScriptedProvider(), strategy=strategies.get("react"))
        cancel = asyncio.Event()
        spec = RunSpec(query="q", strategy="react")
        return await run(
            workspace, spec, parts=parts, cancel=cancel, on_speech=lambda _: cancel_at(cancel)
        )

    with scripted_endpoint(Streams([*SAID, "x " * 10], then="stall")) as endpoint:
        summary = asyncio.run(go(endpoint.url))
        assert endpoint.left.wait(60), "the server sees that its client has gone"
    return summary


def test_run_when_stopped_while_a_model_speaks_then_its_connection_is_closed(
    workspace: Workspace,
) -> None:
    summary = stopped(workspace, asyncio.Event.set)
    assert summary.status is Status.CANCELLED
    failed = [r.event for r in read_run(workspace, summary.run) if isinstance(r.event, ModelFailed)]
    assert [event.error for event in failed] == ["cancelled"]
    (event,) = failed
    assert event.text.startswith("It is not known. x x"), "what had come is kept"
    assert event.tokens > 20 and summary.tokens == event.tokens, "and counted"
    tree = load_tree(workspace, summary.run)
    (asked,) = [node for node in tree.nodes.values() if node.is_question]
    (told,) = conversations(load_records(workspace, summary.run, asked.path))
    assert [each.text for each in told.spoken if each.aside == "broken off"] == [event.text]
    assert asked.tokens == event.tokens


def test_stream_when_it_always_breaks_off_then_asked_twice_and_no_third_time(
    workspace: Workspace,
) -> None:
    cut = [delta_event({"content": "It is 3 degr"}), b'data: {"choices": [{"del']
    broken = RawPieces(cut)
    spoken = speak_run(workspace, "react", [broken, broken, broken], stream=True)
    assert len(spoken.requests) == 2
    assert spoken.summary.status is Status.UNSOLVED
    assert "broke off" in spoken.summary.reason


def test_repair_when_the_answer_was_huge_then_only_its_ends_are_sent_back(
    workspace: Workspace,
) -> None:
    huge = "begin " + "x" * 50_000 + " end"
    answers = iter([Says(huge)])

    def answer(body: dict[str, Any]) -> Any:
        return next(answers, Says("{}"))

    spoken = speak_run(workspace, "tool-planner", [Answers(answer)])
    back = spoken.requests[1]["messages"][-2]
    assert back["role"] == "assistant" and len(back["content"]) < MOST_SENT_BACK + 100
    assert back["content"].startswith("begin x") and back["content"].endswith("x end")
    assert "46,010 characters of this answer are left out here" in back["content"]
