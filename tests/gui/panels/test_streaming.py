"""A reply that grows in the inspector and the step bar while the model speaks: a scripted endpoint
that waits until the window has shown what came so far."""

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from fixtures.debug_desk import DebugDesk
from fixtures.scripted_endpoint import ScriptedEndpoint, Streams, scripted_endpoint

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.runs.presentation.live_lines import growing_line
from toolplanner_core.runs.stages.live_replies import LiveReply
from toolplanner_gui.context import AppContext
from toolplanner_gui.windows.debug_toolbar import DebugToolbar

SPEC = RunSpec(query="How warm is it?", strategy="react", model="openai:scripted", provider="demo")


class Mouth:
    """What is said, in two halves: the second when the window has shown the first."""

    def __init__(self) -> None:
        self.may_end = threading.Event()

    def pieces(self) -> Iterator[Any]:
        yield {"reasoning_content": "I wonder where. "}
        yield "It is 42 "
        yield "degrees. "
        call = {"index": 0, "id": "c", "function": {"name": "give_answer", "arguments": ""}}
        yield {"tool_calls": [call]}
        yield {"tool_calls": [{"index": 0, "function": {"arguments": '{"final_answer": '}}]}
        self.may_end.wait(60)
        yield {"tool_calls": [{"index": 0, "function": {"arguments": '"42 degrees"}'}}]}


@pytest.fixture
def mouth() -> Iterator[Mouth]:
    made = Mouth()
    yield made
    made.may_end.set()


@pytest.fixture
def endpoint(mouth: Mouth, monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedEndpoint]:
    with scripted_endpoint(Streams(mouth.pieces())) as made:
        monkeypatch.setenv("OPENAI_BASE_URL", made.url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        yield made


def started(opened: AppContext, qtbot) -> DebugDesk:
    """A run whose model speaks, and its question shown."""
    desk = DebugDesk(opened, qtbot)
    view = opened.run_view
    view.start(SPEC)
    qtbot.waitUntil(lambda: any(n.is_question for n in view.nodes.values()))
    desk.report_of(next(n.path for n in view.nodes.values() if n.is_question))
    return desk


def test_reply_when_it_streams_then_text_thought_and_call_grow_until_the_log_has_it(
    opened: AppContext, qtbot, endpoint: ScriptedEndpoint, mouth: Mouth
) -> None:
    desk = started(opened, qtbot)
    shown = desk.inspector.node.conversation
    qtbot.waitUntil(lambda: '{"final_answer":' in shown.text)
    assert "I wonder where." in shown.text and "It is 42 degrees." in shown.text
    assert "Assistant, speaking\nabout 5 tokens so far" in shown.text
    bar = DebugToolbar(opened)
    qtbot.addWidget(bar)
    assert "about 5 tokens: give_answer" in bar.text
    mouth.may_end.set()
    desk.until_over()
    qtbot.waitUntil(lambda: "speaking" not in shown.text)
    desk.settle()
    assert "It is 42 degrees." in shown.text and '"final_answer": "42 degrees"' in shown.text
    assert not opened.run_view.words.replies


def test_run_when_stopped_while_its_model_speaks_then_the_connection_is_closed(
    opened: AppContext, qtbot, endpoint: ScriptedEndpoint, mouth: Mouth
) -> None:
    desk = started(opened, qtbot)
    qtbot.waitUntil(lambda: bool(opened.run_view.words.replies))
    opened.run_view.stop()
    desk.until_over()
    assert opened.run_view.summary is not None
    assert opened.run_view.summary.status == "cancelled"
    assert not opened.run_view.words.replies
    assert len(endpoint.requests) == 1


def test_words_when_they_come_after_the_reply_then_not_shown(opened: AppContext, qtbot) -> None:
    words = opened.run_view.words
    words._ended.add(NodePath("a/act.1"))
    words._on_speech(
        [LiveReply(path=NodePath("a/act.1"), text="late"), LiveReply(path=NodePath("b/act.1"))]
    )
    assert list(words.replies) == ["b/act.1"]
    assert [each.path for each in words.at(NodePath("b"))] == ["b/act.1"]
    assert not words.at(NodePath("a"))


def test_call_when_its_server_tells_how_far_it_is_then_seen_with_its_facts_and_in_the_bar(
    opened: AppContext, qtbot, endpoint: ScriptedEndpoint, mouth: Mouth
) -> None:
    desk = started(opened, qtbot)
    view, facts = opened.run_view, desk.inspector.node._facts
    assert view.node is not None
    # No more is said before the mouth may end: what comes later would take the place of this.
    shown = desk.inspector.node.conversation
    qtbot.waitUntil(lambda: '{"final_answer":' in shown.text)
    before = facts.text()
    view.words.put([LiveReply(path=view.node, progress="3 of 10: fetching")])
    qtbot.waitUntil(lambda: facts.text() == f"{before} · so far 3 of 10: fetching")
    bar = DebugToolbar(opened)
    qtbot.addWidget(bar)
    assert "so far 3 of 10: fetching" in bar.text
    mouth.may_end.set()
    desk.until_over()
    qtbot.waitUntil(lambda: "so far" not in facts.text())
    assert not view.words.replies


def test_line_when_several_speak_then_counts_them_and_one_shows_its_end() -> None:
    one = LiveReply(path=NodePath("a"), text="word " * 50 + "end", pieces=51)
    assert growing_line([]) == ""
    line = growing_line([one])
    assert line.startswith("about 51 tokens: … ") and line.endswith("word end") and len(line) < 120
    two = growing_line([one, LiveReply(path=NodePath("b"), reasoning="hm", pieces=1)])
    assert two == "2 replies are coming, about 52 tokens so far"
    call = LiveReply(path=NodePath("c"), progress="1 of 2")
    assert growing_line([call]) == "so far 1 of 2"
    assert growing_line([call, call, one]).endswith(
        "word end · so far 1 of 2 (1 other call under way)"
    )
