"""Programs in the inspector and at stops: a scripted endpoint, the demo world, the real engine."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from fixtures.debug_desk import DebugDesk
from fixtures.scripted_endpoint import Answers, Says, ScriptedEndpoint, scripted_endpoint
from PySide6.QtWidgets import QPlainTextEdit

from toolplanner_core.domain.ids import NodePath
from toolplanner_gui.context import AppContext

MILES = "Convert 26.2 miles to kilometres."


def _program(body: dict[str, Any]) -> Says:
    """A program that calls the first API on offer."""
    name, taken = re.findall(r"def (\w+)\((.*)\):", body["messages"][1]["content"])[0]
    given = ", ".join(f"{each.split('=')[0]}='1'" for each in taken.split(", ") if each)
    lines = ["miles = 26.2", f"reply = {name}({given})", 'print("It is", reply["no such field"])']
    return Says(json.dumps({"program": "\n".join(lines)}))


@pytest.fixture
def endpoint(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedEndpoint]:
    with scripted_endpoint(Answers(_program)) as made:
        monkeypatch.setenv("OPENAI_BASE_URL", made.url)
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        yield made


@pytest.fixture
def desk(opened: AppContext, qtbot: Any) -> DebugDesk:
    return DebugDesk(opened, qtbot)


def run_held(desk: DebugDesk, *breakpoints: str) -> None:
    options = {"revisions": 0}
    desk.run(MILES, *breakpoints, strategy="atc", model="openai:scripted", options=options)


def shown_stack(desk: DebugDesk) -> str:
    """The call stack that is kept of the first call, without what is called."""
    report = desk.report_of(NodePath("program.1/line.1"))
    [stack] = [section.text for section in report.result if section.title == "Call stack"]
    return stack.partition(" = ")[0]


def test_stop_when_held_at_a_line_then_the_program_and_its_values_are_in_sight(
    desk: DebugDesk, endpoint: ScriptedEndpoint
) -> None:
    run_held(desk, 'at=before_line,if="data.miles != null"')
    assert desk.stop.offered == ["Go on", "End run"]
    text = desk.stop.shown.text
    assert "▶   2  reply = " in text
    assert "miles = 26.2" in text
    assert "\nline 2: reply = " in text, "the call stack"
    assert desk.stop.shown.isVisible()
    desk.until_over()


def test_inspector_when_a_program_failed_then_shows_it_with_the_line(
    desk: DebugDesk, endpoint: ScriptedEndpoint
) -> None:
    run_held(desk, "at=before_line")
    desk.until_over()
    report = desk.report_of(NodePath("program.1"))
    shown = {section.title: section for section in report.result}
    assert shown["Program"].is_code
    assert len(shown["Program"].text.split("\n")) == 3
    page = desk.inspector.node
    page.go_to("Result")
    assert "miles = 26.2" in page.result.text
    assert shown_stack(desk) == "line 2: reply"
    assert "▶   2  reply = " in desk.report_of(NodePath("program.1/line.1")).result[0].text


def test_program_when_shown_then_no_line_is_wrapped_and_the_marked_one_stands_out(
    desk: DebugDesk, endpoint: ScriptedEndpoint
) -> None:
    run_held(desk, 'at=before_line,if="data.miles != null"')
    fields = {each.accessibleName(): each for each in desk.stop.shown.findChildren(QPlainTextEdit)}
    program = fields["Program"]
    assert program.lineWrapMode() is QPlainTextEdit.LineWrapMode.NoWrap
    [marked] = program.extraSelections()
    assert marked.cursor.block().text().startswith("▶   2")
    assert fields["Values"].lineWrapMode() is QPlainTextEdit.LineWrapMode.WidgetWidth
    desk.until_over()
    titles = [node.title for node in desk.context.run_view.nodes.values() if node.kind == "line"]
    assert titles[0].startswith("line 2: ")
    view = desk.tree.model
    path = next(n.path for n in desk.context.run_view.nodes.values() if n.kind == "line")
    assert view.index_of(path).data() == titles[0], "its line is its number"
