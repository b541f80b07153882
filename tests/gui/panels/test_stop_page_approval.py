"""A call that may change something waits for a yes or a no, in the window."""

import dataclasses
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from fixtures.debug_desk import DebugDesk

from toolplanner_core.approvals import load_approvals
from toolplanner_core.providers.provider import providers
from toolplanner_gui.context import AppContext

MILES = "Convert 26.2 miles to kilometres."


@pytest.fixture
def demo(demo: Path) -> Path:
    """The demo world, with APIs that write."""
    with closing(sqlite3.connect(demo)) as file:
        file.execute("UPDATE apis SET risk = 'write'")
        file.commit()
    return demo


@pytest.fixture
def desk(opened: AppContext, qtbot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> DebugDesk:
    monkeypatch.setenv("TOOLPLANNER_SETTINGS", str(tmp_path / "person" / "settings.json"))
    writing = dataclasses.replace(providers.get("demo"), touches_world=True)
    monkeypatch.setitem(providers.plugins, "demo", writing)
    return DebugDesk(opened, qtbot)


def test_call_when_it_may_change_something_then_it_is_shown_and_waits_for_a_word(
    desk: DebugDesk,
) -> None:
    desk.run(MILES, "kind=approval")
    held = desk.context.debug.current
    assert held is not None and held.reason == "approval"
    assert desk.stop.offered == ["Refuse", "Allow", "End run"], "what is harmless comes first"
    desk.stop.choose("Allow")
    asked = desk.stop.asked
    assert "may change something" in asked.toPlainText()
    assert "26.2" in asked.toPlainText()
    for width, height in ((460, 560), (460, 380), (320, 380)):
        desk.inspector.resize(width, height)
        desk.settle()
        assert asked.y() < desk.stop.alternatives.y() < desk.stop.whole.y()
        assert asked.visibleRegion().boundingRect() == asked.rect(), "all of it is seen at once"
    assert "26.2" in desk.stop.whole.text
    desk.inspector.resize(460, 380)
    desk.settle()
    rows = desk.stop.alternatives.model
    second = desk.stop.alternatives.view.visualRect(rows.index(1, 0)).bottomLeft()
    viewport = desk.stop.alternatives.view.viewport()
    assert viewport.visibleRegion().contains(second), "and the first choices are in view with it"
    offered = [rows.row(i).key for i in range(rows.rowCount())]
    assert offered[:2] == ["once", "this toolkit in this run"]
    desk.stop.alternatives.view.setCurrentIndex(rows.index(offered.index("api"), 0))
    desk.stop.send()
    desk.until_over()
    assert "42.1" in desk.context.run_view.summary.answer
    assert [rule.scope for rule in load_approvals()] == ["api"]
    assert desk.calls()[0].data["decided"] == "take"


def test_call_when_a_person_refuses_then_nothing_else_is_tried_for_it(desk: DebugDesk) -> None:
    desk.run(MILES, "kind=approval")
    desk.stop.choose("Refuse")
    desk.stop.send()
    desk.until_over()
    summary = desk.context.run_view.summary
    assert (summary.status, summary.api_calls) == ("unsolved", 0)


def test_request_when_its_address_is_long_then_its_end_is_read_before_a_yes(
    desk: DebugDesk,
) -> None:
    desk.run(MILES, "kind=approval")
    held = desk.context.debug.current
    assert held is not None
    address = f"DELETE http://127.0.0.1/items/{'9' * 150}last (it may delete something)"
    warned = dataclasses.replace(held.stop, message=address, warning="Shop has done this before.")
    desk.stop.show_held(dataclasses.replace(held, stop=warned))
    for width in (460, 320):
        desk.inspector.resize(width, 560)
        desk.settle()
        field = desk.stop.asked
        assert field.toPlainText().startswith("Shop has done this before.\nDELETE http")
        bar = field.verticalScrollBar()
        desk.qtbot.waitUntil(lambda bar=bar: not bar.maximum())
        assert not field.horizontalScrollBar().maximum()
        assert field.visibleRegion().boundingRect() == field.rect()
