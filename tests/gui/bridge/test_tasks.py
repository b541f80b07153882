"""Coroutines of the window after its end."""

from PySide6.QtCore import QObject

from toolplanner_gui.bridge.latest_request import LatestRequest
from toolplanner_gui.context import AppContext


def test_question_when_asked_after_the_end_then_never_begun(opened: AppContext, qtbot) -> None:
    """A timer of a panel may run out then."""
    owner, asked = QObject(), list[str]()
    newest = LatestRequest(opened.tasks, owner)
    opened.tasks.close()
    newest.ask(lambda: asked.append("read"), lambda _: asked.append("told"))
    assert newest.is_idle
    assert not opened.tasks.runs_for(newest)
    assert asked == []
