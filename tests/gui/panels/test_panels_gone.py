"""A panel that is gone leaves nothing behind that Qt would call, or another thread destroy."""

import gc
import threading

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication, QWidget

from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.panel import panels


def made_in_python() -> set[QWidget]:
    """Widgets that PySide destroys in whichever thread collects them."""
    living = QApplication.allWidgets()
    return {each for each in living if not type(each).__module__.startswith("PySide6")}


def test_panels_when_deleted_while_a_run_goes_on_then_no_widget_of_theirs_lives_and_the_loop_turns(
    opened: AppContext, qtbot
) -> None:
    before, left = made_in_python(), dict[str, list[str]]()
    view = opened.run_view
    view.start(RunSpec(query="Convert 26.2 miles to kilometres.", provider="demo"))
    for plugin in panels:
        panel = plugin.make(opened)
        panel.resize(460, 560)
        panel.show()
        QApplication.processEvents()
        panel.deleteLater()
        del panel
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        if orphans := made_in_python() - before:
            left[plugin.id] = sorted(type(each).__name__ for each in orphans)
            before |= orphans
        collecting = threading.Thread(target=gc.collect)
        collecting.start()
        collecting.join()
        QApplication.processEvents()
    qtbot.waitUntil(lambda: not view.is_live and bool(view.summaries))
    assert left == {}
