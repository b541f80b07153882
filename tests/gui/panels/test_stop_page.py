"""Decisions at a stop, with the real engine, the demo world and the offline planner."""

from typing import Any

import pytest
from fixtures.debug_desk import DebugDesk
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication, QLineEdit, QToolButton, QWidget

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.strategies.toolkits.plan_nodes import EXHAUSTED
from toolplanner_gui.actions.debug_menu import resume
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.inspector.node_page import DECIDE

MILES = "Convert 26.2 miles to kilometres."
PETROL = "Find the cheapest petrol near Springfield, Illinois."
CRIME = "Show me the crime statistics of Springfield, Illinois."


@pytest.fixture
def desk(opened: AppContext, qtbot) -> DebugDesk:
    return DebugDesk(opened, qtbot)


def test_call_is_edited_in_the_form_and_both_versions_are_kept(desk: DebugDesk, qtbot) -> None:
    desk.run(MILES, "kind=call,at=before_call")
    assert desk.inspector.node.tab_names[0] == DECIDE
    assert desk.stop.offered == ["Send", "Answer", "Fail", "Skip", "End run"]
    values = desk.stop.call.form.values
    name = next(n for n, v in values.items() if v == 26.2)
    editor = desk.stop.call.form.field(name).editor
    assert isinstance(editor, QLineEdit)
    editor.clear()
    qtbot.keyClicks(editor, "many")
    desk.settle()
    assert "not of type" in desk.stop.call.form.field(name).problem
    desk.stop.send()
    assert desk.context.debug.current is not None, "what does not fit is not sent"
    editor.clear()
    qtbot.keyClicks(editor, "100")
    desk.settle()
    assert desk.stop.problem == ""
    assert desk.stop.buttons.send.text() == "Send with changes"
    desk.inspector.activateWindow()
    editor.setFocus()
    qtbot.waitUntil(editor.hasFocus)
    qtbot.keyClick(editor, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    desk.until_over()
    assert "160.9" in desk.context.run_view.summary.answer
    report = desk.report_of(desk.calls()[0].path)
    assert any(f"{name}: 26.2 → 100" in section.text for section in report.edits)
    assert "Edits" in desk.inspector.node.tab_names
    assert DECIDE not in desk.inspector.node.tab_names


@pytest.mark.parametrize("action", ["continue", "step into", "step over"])
def test_key_when_something_else_was_chosen_then_it_does_what_the_panel_says(
    desk: DebugDesk, qtbot, action: str
) -> None:
    desk.run(MILES, "kind=call,at=before_call")
    desk.stop.choose("Fail")
    resume(desk.context, action)
    desk.until_over()
    assert desk.calls()[0].state is NodeState.FAILED


def test_key_when_arguments_were_changed_then_they_are_sent_and_what_does_not_fit_is_not(
    desk: DebugDesk, qtbot
) -> None:
    desk.run(MILES, "kind=call,at=before_call")
    values = desk.stop.call.form.values
    name = next(n for n, v in values.items() if v == 26.2)
    editor = desk.stop.call.form.field(name).editor
    assert isinstance(editor, QLineEdit)
    editor.clear()
    qtbot.keyClicks(editor, "many")
    desk.settle()
    with qtbot.waitSignal(desk.context.problem_reported):
        resume(desk.context, "continue")
    assert desk.context.debug.current is not None, "what does not fit is not sent"
    editor.clear()
    qtbot.keyClicks(editor, "100")
    desk.settle()
    resume(desk.context, "continue")
    desk.until_over()
    assert "160.9" in desk.context.run_view.summary.answer


def test_other_api_of_the_toolkit_is_called_with_what_it_knows_of_the_arguments(
    desk: DebugDesk, qtbot
) -> None:
    desk.run(PETROL, "kind=call,at=before_call")
    was = desk.stop.call.api
    desk.stop.call.choose_other()
    desk.settle()
    model = desk.stop.call.candidates.model
    assert model.rowCount() > 1
    scores = [float(model.row(i).cells[1]) for i in range(model.rowCount())]
    assert scores == sorted(scores, reverse=True)
    other = next(i for i in range(model.rowCount()) if model.row(i).key != was.id)
    desk.stop.call.choice.view.setCurrentIndex(model.index(other, 0))
    assert desk.stop.call.api.id == model.row(other).key
    assert "instead of" in desk.stop.call._title.text()
    desk.stop.call._on_choose()
    assert desk.stop.call.api.id == was.id, "back to the API it was"
    qtbot.keyClicks(desk.stop.call.choice.field, "weather")
    desk.settle()
    desk.stop.choose("End run")
    desk.stop.send()
    desk.until_over()
    assert desk.context.run_view.summary.status == "cancelled"


def test_answer_in_place_of_the_api_and_of_the_model(desk: DebugDesk) -> None:
    desk.run(MILES, "kind=question,at=before_question")
    assert desk.stop.offered == ["Ask", "Answer", "Fail", "End run"]
    assert all(e.text.toPlainText() for e in desk.stop.messages.editor.editors), "as it is sent"
    desk.stop.choose("Answer")
    desk.stop.answer.json.field.setPlainText('{"nothing": 1}')
    desk.settle()
    assert desk.stop.problem.startswith("At ")
    desk.stop.send()
    assert desk.context.debug.current is not None
    desk.stop.choose("Ask")
    desk.context.debug.breakpoints.put("kind=call,at=before_call")
    desk.stop.send()
    while desk.context.debug.current is None or not desk.context.debug.current.stop.api:
        desk.until_held()
        if desk.context.debug.current.stop.api is None:
            desk.stop.send()
        desk.qtbot.wait(1)
    desk.settle()
    desk.stop.choose("Answer")
    desk.stop.answer.json.field.setPlainText('{"result": 4242}')
    desk.settle()
    assert desk.stop.problem == ""
    desk.stop.send()
    desk.until_over()
    report = desk.report_of(desk.calls()[0].path)
    assert "4242" in report.edits[0].text
    assert "answered by you" in report.facts


def test_answer_when_it_is_no_json_then_said_once_in_the_pane_and_offers_what_is_there(
    desk: DebugDesk,
) -> None:
    desk.run(MILES, "kind=call,at=after_call")
    desk.stop.choose("Replace")
    desk.stop.answer.json.set_text("{cheapest: 1.99")
    said: list[Any] = []
    desk.context.problem_reported.connect(said.append)
    desk.stop.send()
    [problem] = said
    assert problem.what == desk.stop.answer.json.note
    assert "restore" not in problem.todo
    assert desk.stop._problem.isHidden(), "the sentence stands below the text already"
    desk.stop.choose("Keep")
    desk.stop.send()
    desk.until_over()


def test_failure_with_a_chosen_class_makes_the_run_fall_back(desk: DebugDesk) -> None:
    desk.run(MILES, "kind=call,at=before_call")
    desk.stop.choose("Fail")
    desk.stop.failure.error.setCurrentIndex(
        desk.stop.failure.error.findData(ErrorClass.RATE_LIMITED)
    )
    assert "quota" in desk.stop.failure.about.text()
    desk.settle()
    desk.stop.send()
    desk.until_over()
    assert desk.calls()[0].error == "rate_limited"
    assert desk.context.run_view.summary.fallbacks >= 1


def test_exhausted_toolkit_takes_any_other_api(desk: DebugDesk, qtbot) -> None:
    desk.run(CRIME, "failure=exhausted")
    assert desk.context.debug.current.stop.point is EXHAUSTED
    assert desk.stop.offered == ["Try another API", "Go on", "End run"]
    desk.stop.send()
    assert desk.stop.problem == "Choose an API from the list"
    qtbot.keyClicks(desk.stop.call.choice.field, "crime statistics of a city")
    qtbot.waitUntil(lambda: desk.stop.call.candidates.model.rowCount() > 5, timeout=20_000)
    desk.settle()
    qtbot.keyClick(desk.stop.call.choice.field, Qt.Key.Key_Down)
    assert desk.stop.call.api is not None
    chosen = desk.stop.call.api
    desk.settle()
    desk.stop.send()
    desk.until_over()
    tried = [n.data.get("api") for n in desk.context.run_view.nodes.values()]
    assert chosen.id in tried


def test_looking_at_another_node_shows_it_and_the_stop_stays_reachable(desk: DebugDesk) -> None:
    desk.run(MILES, "kind=call,at=after_call")
    page = desk.inspector.node
    assert page.tabs.tabText(page.tabs.currentIndex()) == DECIDE
    question = next(n for n in desk.context.run_view.nodes.values() if n.kind == "question")
    desk.report_of(question.path)
    desk.settle()
    assert page.tabs.tabText(page.tabs.currentIndex()) != DECIDE
    assert page.tab_names[0] == DECIDE
    desk.inspector.decide()
    assert page.tabs.tabText(page.tabs.currentIndex()) == DECIDE
    desk.until_over()
    assert page.tab_names[0] != DECIDE


def test_tab_leads_from_the_switches_through_the_page(desk: DebugDesk, qtbot) -> None:
    desk.run(CRIME, "failure=exhausted")
    window = desk.inspector.window()
    window.activateWindow()
    stop = desk.stop
    qtbot.waitUntil(lambda: stop.is_idle)
    desk.inspector.decide()
    reached: list[QWidget] = []
    for _ in range(5):
        widget = window.focusWidget()
        assert widget is not None
        reached.append(widget)
        qtbot.keyClick(widget, Qt.Key.Key_Tab)
    names = [widget.accessibleName() or type(widget).__name__ for widget in reached]
    assert all(stop.isAncestorOf(widget) for widget in reached), names
    assert stop.call.choice.field in reached


@pytest.mark.parametrize("width", [273, 460])
def test_buttons_when_their_words_change_then_they_stay_where_they_are(
    desk: DebugDesk, qtbot, width: int
) -> None:
    desk.inspector.resize(width, 480)
    desk.run(MILES, "kind=call,at=before_call")
    stop = desk.stop

    def places() -> list[object]:
        qtbot.waitUntil(lambda: not stop.layout().isEmpty())
        QApplication.processEvents()
        return [button.geometry() for button in (stop.buttons.step, stop.buttons.send)]

    before = places()
    for word in stop.offered:
        stop.choose(word)
        assert places() == before, word
        switches = stop.switches.findChildren(QToolButton)
        cut = [b.text() for b in switches if b.width() < b.sizeHint().width()]
        assert not cut, f"{width}: {cut}"
        for button in (stop.buttons.step, stop.buttons.send):
            assert button.width() >= button.sizeHint().width(), button.text()
    stop.choose("Send")
    name = next(n for n, v in stop.call.form.values.items() if v == 26.2)
    editor = stop.call.form.field(name).editor
    assert isinstance(editor, QLineEdit)
    editor.clear()
    qtbot.keyClicks(editor, "100")
    desk.settle()
    send = stop.buttons.send
    assert send.text() == ("Send with changes" if width > 300 else "Send edited")
    assert send.width() >= send.sizeHint().width()
    assert places() == before


def test_other_apis_when_another_stop_comes_then_the_list_says_what_it_is_about_now(
    desk: DebugDesk, qtbot
) -> None:
    desk.run(PETROL, "kind=call,at=before_call")
    call = desk.stop.call
    goal = call._goal
    assert goal
    call.candidates.offer_any(goal=goal)
    qtbot.waitUntil(lambda: call.candidates.is_idle)
    assert call.candidates.note == f"Best for “{goal}” in all APIs; type to search"
    held = desk.context.debug.current
    desk.stop.show_held(None)
    desk.stop.show_held(held)
    assert call.candidates.note == "", "nothing is offered yet"
    assert call.choice._note.isHidden()
    # The step was not heard of when the run stopped: what is offered follows it.
    call.choose_other()
    call._goal = "something of before"
    desk.context.run_view.nodes_changed.emit([])
    desk.settle()
    assert call._goal == goal


def test_missing_argument_when_sent_by_a_button_or_a_key_then_the_same_is_said_and_seen(
    desk: DebugDesk, qtbot
) -> None:
    desk.run(MILES, "kind=call,at=before_call")
    form, context = desk.stop.call.form, desk.context
    field = form.field("to")
    assert isinstance(field.editor, QLineEdit)
    field.editor.clear()
    field.editor.textEdited.emit("")
    desk.settle()
    desk.inspector.resize(300, 320)
    said: list[str] = []
    context.problem_reported.connect(lambda problem: said.append(problem.what))
    for send in (
        desk.stop.send,
        desk.stop.send_and_step,
        lambda: resume(context, "step into"),
    ):
        send()
        assert context.debug.current is not None
        assert field.problem == '"to" is missing'
    assert len(said) == 3 and len(set(said)) == 1, said
    place = field.editor.mapTo(desk.stop._area, QPoint(0, 0))
    assert desk.stop._area.rect().contains(place)


def test_answer_when_held_behind_it_then_it_is_the_first_thing_seen(desk: DebugDesk) -> None:
    desk.run(MILES, "kind=question,at=after_question")
    view = desk.stop.conversation
    assert view.text.startswith("Assistant")
    assert view.unfold_button is not None
    view.unfold_button.click()
    assert MILES in view.text
