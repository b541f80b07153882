"""Coroutines of the window after its end, and readings of what changes while they go on."""

import threading

from PySide6.QtCore import QObject

from toolplanner_gui.bridge.latest_request import LatestRequest, LatestState
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


def test_state_when_changed_while_it_is_read_then_read_again_and_the_newest_is_taken(
    opened: AppContext, qtbot
) -> None:
    """Of two readings the older may end last: it waits here until the newer would be over."""
    owner, file, goes_on = QObject(), ["old"], threading.Event()
    begun, taken = list[str](), list[str]()

    def read() -> str:
        found = file[0]
        begun.append(found)
        if found == "old":
            goes_on.wait(60)
        return found

    state = LatestState(opened.tasks, owner, read, taken.append)
    state.refresh()
    qtbot.waitUntil(lambda: begun == ["old"])
    for file[0] in ("newer", "newest"):
        state.refresh()
    qtbot.wait(100)
    assert begun == ["old"], "one reading at a time"
    goes_on.set()
    qtbot.waitUntil(lambda: not opened.tasks.runs_for(state))
    assert begun == taken == ["old", "newest"]
