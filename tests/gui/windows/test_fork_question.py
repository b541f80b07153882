"""Fork at a question from the window: other messages, another answer, nothing asked in vain."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from fixtures.scripted_endpoint import Answers, ScriptedEndpoint, Turn, scripted_endpoint
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QWidget

from toolplanner_core.domain.ids import NodePath, RunId
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.runs.presentation.stop_choices import UNREAD, skeleton
from toolplanner_gui.actions.workspace_files import open_later
from toolplanner_gui.widgets.input_fields import GrowingText
from toolplanner_gui.windows.fork_dialog import ForkDialog
from toolplanner_gui.windows.main_window import MainWindow

MILES = "Convert 26.2 miles to kilometres."
ANSWER = Turn("", [("give_answer", '{"final_answer": "42.2 km", "no_call_needed": true}')])


def _first_call(body: dict) -> Turn:
    """A call of the first API on offer, with all its arguments given."""
    offered = body["tools"][0]["function"]
    found = offered["parameters"].get("properties", {})
    values = {name: skeleton({"type": "string", **schema}) for name, schema in found.items()}
    return Turn("I convert it.", [(offered["name"], json.dumps(values))])


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedEndpoint]:
    with scripted_endpoint(Answers(_first_call), ANSWER, ANSWER) as made:
        monkeypatch.setenv("OPENAI_BASE_URL", made.url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        yield made


class Forker:
    """A window in which runs are made and forked."""

    def __init__(self, window: MainWindow, demo: Path, qtbot) -> None:
        self.window, self.context, self.qtbot = window, window._context, qtbot
        open_later(self.context, demo)
        qtbot.waitUntil(lambda: self.context.catalogue.n_apis > 0 and window.is_idle)

    def run(self, strategy: str, model: str) -> None:
        spec = RunSpec(query=MILES, provider="demo", strategy=strategy, model=model)
        self.context.run_view.start(spec)
        self.until_runs(1)

    def until_runs(self, n: int) -> None:
        view = self.context.run_view
        self.qtbot.waitUntil(
            lambda: (
                not view.is_live
                and len(view.summaries) == n
                and all(s.status != "running" for s in view.summaries)
            )
        )

    def questions(self) -> list[NodePath]:
        return [p for p, n in self.context.run_view.nodes.items() if n.is_question]

    def dialog(self, at: NodePath) -> ForkDialog:
        dialog = ForkDialog(self.context, self.window, RunId(1), at)
        dialog.open()
        self.qtbot.waitUntil(lambda: dialog.is_idle and dialog.start_button.isEnabled())
        return dialog

    def start(self, dialog: ForkDialog) -> None:
        dialog.start_button.click()
        self.until_runs(2)


@pytest.fixture
def forker(window: MainWindow, demo: Path, qtbot) -> Forker:
    return Forker(window, demo, qtbot)


def shown_tabs(dialog: ForkDialog) -> list[str]:
    tabs = dialog.tabs
    return [tabs.tabText(i) for i in range(tabs.count()) if tabs.isTabVisible(i)]


def test_fork_when_a_message_of_a_turn_is_changed_then_sent_and_nothing_before_is_done_again(
    forker: Forker, endpoint: ScriptedEndpoint
) -> None:
    forker.run("react", "openai:scripted")
    assert len(endpoint.requests) == 2
    # The thought around it: the next thing is its question.
    dialog = forker.dialog(NodePath(forker.questions()[1].rpartition("/")[0]))
    assert shown_tabs(dialog) == ["Next question", "Its answer", "How it runs", "Faults"]
    assert dialog.tabs.currentIndex() == 0
    assert dialog.messages.about.text().endswith("change what you like.")
    editor = dialog.messages.editor.editor
    assert [m["role"] for m in editor.messages] == ["system", "user", "assistant", "tool"]
    editor.unfold()
    editor.editors[1].text.setPlainText("")
    dialog.start_button.click()
    assert dialog.messages.problem == "A message is empty: write it, or remove it"
    editor.editors[1].text.setPlainText("Convert 100 miles.")
    assert dialog.messages.problem == ""
    editor.add()
    editor.editors[-1].text.setPlainText("Be exact.")
    forker.start(dialog)
    (sent,) = endpoint.requests[2:]
    texts = [message["content"] for message in sent["messages"]]
    assert (texts[1], texts[-1]) == ("Convert 100 miles.", "Be exact.")
    child = forker.context.run_view.summaries[0]
    assert (child.parent_run, child.answer, child.status) == (1, "42.2 km", "answered")


def test_fork_when_a_turn_is_replaced_then_the_run_goes_on_with_it_and_no_model_is_asked(
    forker: Forker, endpoint: ScriptedEndpoint
) -> None:
    forker.run("react", "openai:scripted")
    dialog = forker.dialog(forker.questions()[0])
    assert shown_tabs(dialog)[2] == "Next call"
    turn = dialog.answer.editor.turn
    assert turn.value["text"] == "I convert it."
    (call,) = turn.calls
    titles = [call.function.itemText(i) for i in range(call.function.count())]
    call.function.setCurrentIndex(titles.index("give_answer"))
    call.form.json.field.setPlainText('{"final_answer": ')
    dialog.tabs.setCurrentIndex(0)
    dialog.start_button.click()
    assert dialog.tabs.tabText(dialog.tabs.currentIndex()) == "Its answer"
    assert "not JSON" in dialog.answer.problem
    call.form.json.field.setPlainText('{"final_answer": "by hand"}')
    forker.start(dialog)
    assert forker.context.run_view.summaries[0].answer == "by hand"
    assert len(endpoint.requests) == 2


def test_fork_when_nothing_is_changed_then_the_question_is_asked_as_it_was(
    forker: Forker, endpoint: ScriptedEndpoint
) -> None:
    forker.run("react", "openai:scripted")
    dialog = forker.dialog(forker.questions()[1])
    dialog.answer.editor.turn.text.setPlainText("another")
    dialog.answer.editor.turn.text.setPlainText("")
    assert dialog._changes(dialog._basis).in_words() == {}
    forker.start(dialog)
    assert endpoint.requests[2]["messages"] == endpoint.requests[1]["messages"]


def test_fork_when_a_typed_answer_does_not_fit_then_said_in_place(forker: Forker) -> None:
    forker.run("tool-planner", "offline")
    plan = forker.questions()[0]
    dialog = forker.dialog(plan)
    assert dialog.messages.about.text() == UNREAD
    editor = dialog.answer.editor.json
    was = editor.value
    assert was["steps"]
    editor.field.setPlainText('{"steps": 3}')
    dialog.start_button.click()
    assert dialog.answer.problem.startswith('The answer does not fit: "steps": 3 is not')
    editor.field.setPlainText(json.dumps({**was, "unmet": ["the weather"]}))
    dialog.messages.editor.editor.add()
    dialog.messages.editor.editor.editors[-1].text.setPlainText("More.")
    dialog.start_button.click()
    forker.qtbot.waitUntil(dialog.banner.isVisible)
    assert "not both" in dialog.banner.text
    dialog.reject()


def test_tab_when_on_the_pages_of_a_question_then_goes_from_top_to_bottom(
    forker: Forker, endpoint: ScriptedEndpoint, qtbot
) -> None:
    forker.run("react", "openai:scripted")
    dialog = forker.dialog(forker.questions()[1])
    editor = dialog.messages.editor.editor
    qtbot.waitUntil(dialog.isActiveWindow)
    editor.unfold_button.click()
    qtbot.waitUntil(editor.editors[0].text.isVisible)
    assert walked(dialog, [each.text for each in editor.editors], qtbot)
    dialog.tabs.setCurrentIndex(1)
    turn = dialog.answer.editor.turn
    assert walked(dialog, [turn.text, turn.calls[0].function, turn.add_button], qtbot)
    named = [*dialog.messages.findChildren(GrowingText), *dialog.answer.findChildren(QComboBox)]
    assert all(each.accessibleName() for each in named)
    dialog.reject()


def walked(dialog: ForkDialog, fields: list[QWidget], qtbot) -> bool:
    """Whether Tab goes through these in this order, and then to the button that starts."""
    dialog.tabs.tabBar().setFocus()
    found: list[QWidget | None] = []
    for _ in range(40):
        qtbot.keyClick(dialog.focusWidget() or dialog, Qt.Key.Key_Tab)
        found.append(dialog.focusWidget())
    places = [found.index(field) for field in [*fields, dialog.start_button]]
    return places == sorted(places)
