"""Dialogues in the inspector and at stops: a scripted endpoint, the demo world, the real engine."""

import json
from collections.abc import Iterator

import pytest
from fixtures.debug_desk import DebugDesk
from fixtures.own_strategy import own_strategy
from fixtures.scripted_endpoint import Answers, ScriptedEndpoint, Turn, scripted_endpoint
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPushButton, QToolButton, QWidget

from toolplanner_core.domain.ids import ApiId
from toolplanner_core.domain.nodes import NodeKind, NodeState, ShownField
from toolplanner_core.domain.stop_points import (
    AFTER_QUESTION,
    BEFORE_CALL,
    BEFORE_QUESTION,
    Alternative,
    Choice,
    StopPoint,
)
from toolplanner_core.prompts.conversation import Function
from toolplanner_core.runs.events.question import ModelAsked
from toolplanner_core.runs.log.stored_runs import read_run
from toolplanner_core.runs.presentation.stop_choices import skeleton
from toolplanner_core.strategies.interface import strategy as declared
from toolplanner_core.strategies.interface.scope import RunScope
from toolplanner_core.strategies.interface.strategy import strategies
from toolplanner_core.workspace.blobs import resolve
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.map_panel import MapPanel
from toolplanner_gui.panels.map_trails import plan_trails
from toolplanner_gui.viewmodels.debug.run_tree_model import RunColumn

MILES = "Convert 26.2 miles to kilometres."
IDEA = NodeKind(id="idea", word="idea", shown=(ShownField("score", "Score", True),))
CHILD = StopPoint(
    id="which_child",
    kind="child",
    word="Before a child:",
    event="a child is about to be chosen",
    allowed=frozenset({Choice.TAKE, Choice.GIVE_UP}),
    take="Take it",
)
LOOK = Function("look_up", "Looks up", {"type": "object", "properties": {"q": {"type": "string"}}})


def _first_call(body: dict) -> Turn:
    """A call of the first API on offer, with all its arguments given."""
    offered = body["tools"][0]["function"]
    found = offered["parameters"].get("properties", {})
    values = {name: skeleton({"type": "string", **schema}) for name, schema in found.items()}
    return Turn("I convert it.", [(offered["name"], json.dumps(values))])


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedEndpoint]:
    answer = Turn("", [("give_answer", '{"final_answer": "42.2 km"}')])
    with scripted_endpoint(Answers(_first_call), answer, "end") as made:
        monkeypatch.setenv("OPENAI_BASE_URL", made.url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        yield made


@pytest.fixture
def desk(opened: AppContext, qtbot) -> DebugDesk:
    return DebugDesk(opened, qtbot)


def react(desk: DebugDesk, *breakpoints: str) -> None:
    desk.run(MILES, *breakpoints, strategy="react", model="openai:scripted")


def questions(desk: DebugDesk) -> list:
    return [n for n in desk.context.run_view.nodes.values() if n.is_question]


def test_conversation_when_a_dialogue_ran_then_calls_are_cards_with_results(
    desk: DebugDesk, endpoint: ScriptedEndpoint
) -> None:
    react(desk, "kind=question,at=before_question")
    desk.until_over()
    page = desk.inspector.node
    desk.report_of(questions(desk)[1].path)
    page.go_to("Conversation")
    text = page.conversation.text
    assert "I convert it." in text
    assert '"final_answer": "42.2 km"' in text
    assert MILES not in text, "what was said before is folded"
    assert page.conversation.unfold_button.text() == "Show 2 messages before"
    page.conversation.unfold_button.click()
    assert MILES in page.conversation.text
    assert "UnitWise · Convert_units" in page.conversation.text, "the title of a card"
    buttons = page.conversation.findChildren(QPushButton)
    copy = next(b for b in buttons if b.accessibleName() == "Copy: Assistant")
    copy.click()
    assert QGuiApplication.clipboard().text().startswith("I convert it.")


def test_trail_when_a_search_has_no_toolkits_then_goes_over_apis(
    desk: DebugDesk, endpoint: ScriptedEndpoint
) -> None:
    react(desk, "kind=question,at=before_question")
    desk.until_over()
    map_panel = MapPanel(desk.context)
    desk.qtbot.addWidget(map_panel)
    place = map_panel._place_of(ApiId(desk.calls()[0].data["api"]))
    assert place is not None
    picture = plan_trails(desk.context.run_view.nodes, map_panel._place_of)
    (trail,) = picture.trails
    assert [(stop.x, stop.y, stop.label) for stop in trail.stops] == [(*place, "1")]
    assert trail.stops[0].lines[0] == "Thought 1"
    assert picture.words == f"Run · 1 API: 1 {desk.calls()[0].state}"


def test_messages_when_a_person_edits_them_at_a_stop_then_they_are_sent_and_both_are_kept(
    desk: DebugDesk, endpoint: ScriptedEndpoint
) -> None:
    react(desk, "kind=question,at=before_question")
    assert desk.stop.offered == ["Ask", "Answer", "Fail", "End run"]
    editor = desk.stop.messages.editor
    assert desk.stop.buttons.send.text() == "Ask the model"
    user = editor.editors[1]
    user.text.setPlainText("Convert 100 miles.")
    editor.add()
    editor.editors[-1].text.setPlainText("In kilometres.")
    desk.settle()
    assert desk.stop.problem == ""
    assert desk.stop.buttons.send.text() == "Ask with changes"
    desk.stop.send()
    desk.until_over()
    sent = endpoint.requests[0]["messages"]
    assert [m["content"] for m in sent[1:]] == ["Convert 100 miles.", "In kilometres."]
    (edit,) = desk.report_of(questions(desk)[0].path).edits
    assert edit.title.startswith("You changed the messages")
    assert MILES in edit.text
    assert "+ user: In kilometres." in edit.text


def test_tab_when_messages_are_unfolded_and_added_then_goes_through_them_in_order(
    desk: DebugDesk, endpoint: ScriptedEndpoint, qtbot
) -> None:
    react(desk, "kind=question,at=before_question")
    desk.stop.send()
    desk.until_held(BEFORE_QUESTION)
    editor = desk.stop.messages.editor
    qtbot.waitUntil(lambda: len(editor.messages) == 4)
    assert len(editor.editors) == 3
    window = desk.inspector.window()
    window.activateWindow()
    editor.unfold_button.click()
    editor.add()
    desk.settle()
    desk.inspector.decide()
    reached: list[QWidget] = []
    for _ in range(40):
        widget = window.focusWidget()
        assert widget is not None
        reached.append(widget)
        qtbot.keyClick(widget, Qt.Key.Key_Tab)
    texts = [each.text for each in editor.editors]
    assert len(texts) == 5
    wanted = [desk.stop.switches.findChildren(QToolButton)[0], *texts, desk.stop.buttons.send]
    assert [widget for widget in reached if widget in wanted][: len(wanted)] == wanted
    qtbot.keyClick(texts[-1], Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    assert desk.context.debug.current is not None, "an empty message is no message"
    texts[-1].setPlainText("Go on.")
    desk.settle()
    qtbot.keyClick(texts[-1], Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    desk.until_over()
    assert endpoint.requests[1]["messages"][-1]["content"] == "Go on."


def test_turn_when_a_person_replaces_it_then_the_run_calls_what_they_wrote(
    desk: DebugDesk, endpoint: ScriptedEndpoint
) -> None:
    react(desk, "kind=question,at=after_question")
    assert desk.context.debug.current.stop.point is AFTER_QUESTION
    assert desk.stop.conversation.isVisible()
    assert "I convert it." in desk.stop.conversation.text
    desk.stop.choose("Replace")
    turn = desk.stop.answer.turn
    (call,) = turn.calls
    assert turn.value["text"] == "I convert it."
    titles = [call.function.itemText(i) for i in range(call.function.count())]
    assert "give_answer" in titles
    call.function.setCurrentIndex(titles.index("give_answer"))
    call.form.json.field.setPlainText('{"final_answer": ')
    desk.stop.send()
    assert "not JSON" in desk.stop.problem
    call.form.json.field.setPlainText('{"final_answer": "by hand"}')
    desk.settle()
    desk.stop.send()
    desk.until_over()
    assert desk.context.run_view.summary.answer == "by hand"
    assert desk.calls() == []
    (edit,) = desk.report_of(questions(desk)[0].path).edits
    assert "− assistant: I convert it. Convert_units_for_UnitWise(" in edit.text
    assert '+ assistant: I convert it. give_answer({"final_answer": "by hand"})' in edit.text
    desk.inspector.node.go_to("Conversation")
    assert "replaced by you" in desk.inspector.node.conversation.text


def test_call_of_a_dialogue_when_a_person_answers_it_then_the_model_is_told(
    desk: DebugDesk, endpoint: ScriptedEndpoint
) -> None:
    react(desk, "kind=call,at=before_call")
    assert desk.context.debug.current.stop.point is BEFORE_CALL
    desk.stop.choose("Answer")
    desk.stop.answer.json.field.setPlainText('{"kilometres": 4242}')
    desk.settle()
    desk.stop.send()
    desk.until_over()
    told = endpoint.requests[1]["messages"][-1]
    assert told["role"] == "tool"
    assert "4242" in told["content"]


def test_result_when_a_person_edits_it_in_the_messages_then_only_the_messages_are_others(
    desk: DebugDesk, endpoint: ScriptedEndpoint
) -> None:
    react(desk, "kind=question,at=before_question")
    desk.stop.send()
    desk.until_held(BEFORE_QUESTION)
    desk.qtbot.waitUntil(lambda: len(desk.stop.messages.editor.messages) == 4)
    result = desk.stop.messages.editor.editors[-1]
    result.text.setPlainText("Other result")
    desk.settle()
    desk.stop.send()
    desk.until_over()
    sent = endpoint.requests[1]["messages"]
    assert sent[-1]["content"] == "Other result"
    assert sent[-2]["tool_calls"][0]["id"] == sent[-1]["tool_call_id"]


async def _search(run: RunScope) -> str:
    """Two ideas, one pruned; a choice between them; a hidden message."""
    async with run.node(IDEA, 1, "first", data={"score": 0.25}) as first:
        talk = run.dialogue("Be short.", [LOOK], name="act", title="Act")
        talk.say("Find it.")
        talk.say("Do it another way.", is_hidden=True)
        said = (await talk.reply()).text
        first.end(NodeState.PRUNED, "it led nowhere")
    async with run.node(IDEA, 2, "second", data={"score": 0.75}, cause=first.seq):
        pass
    children = [Alternative(id="x", title="X", score=0.7), Alternative(id="y", title="Y")]
    made = await run.decide(CHILD, children, title="Take X")
    return f"{said}{made.chosen.id if made.chosen else ''}"


@pytest.fixture
def own(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    plugin = own_strategy(_search, kinds=(IDEA,), points=(CHILD,))
    monkeypatch.setitem(strategies.plugins, plugin.id, plugin)
    for known in (declared.node_kinds, declared.stop_points):
        known.cache_clear()
    yield
    for known in (declared.node_kinds, declared.stop_points):
        known.cache_clear()


def test_search_of_any_strategy_when_held_then_a_person_chooses_among_its_alternatives(
    opened: AppContext, qtbot, monkeypatch: pytest.MonkeyPatch, own: None
) -> None:
    with scripted_endpoint("found ") as made:
        monkeypatch.setenv("OPENAI_BASE_URL", made.url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        desk = DebugDesk(opened, qtbot)
        desk.run("Search", "kind=child", strategy="own", model="openai:scripted")
        assert desk.stop.offered == ["Take it", "End run"]
        page = desk.stop.alternatives
        assert [page.model.row(i).cells for i in range(2)] == [("X", "0.70"), ("Y", "")]
        page.view.setCurrentIndex(page.model.index(1, 0))
        desk.settle()
        desk.stop.send()
        desk.until_over()
    assert opened.run_view.summary.answer == "found y"
    column = next(i for i, shown in enumerate(desk.tree.model.told) if shown.key == "score")
    column += len(RunColumn)
    assert not desk.tree.tree.isColumnHidden(column)
    nodes = opened.run_view.nodes
    first = next(n for n in nodes.values() if n.kind == IDEA.id)
    index = desk.tree.model.index_of(first.path)
    assert index.siblingAtColumn(column).data() == "0.25"
    assert index.siblingAtColumn(RunColumn.STATE).data() == "pruned · it led nowhere"
    desk.report_of(questions(desk)[0].path)
    desk.inspector.node.go_to("Conversation")
    assert "only this turn saw it" in desk.inspector.node.conversation.text
    asked = next(r for r in read_run(opened.workspace, 1) if isinstance(r.event, ModelAsked))
    assert resolve(opened.workspace, asked.event.messages)[-1]["content"] == "Do it another way."
