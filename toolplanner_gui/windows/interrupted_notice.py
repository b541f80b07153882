"""Says that a run was interrupted, when its program died in the middle of it, and what can be done.

Seen when the workspace is opened again, or when a terminal that worked on it dies.
"""

from collections.abc import Callable

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction

from toolplanner_core.domain.ids import RunId
from toolplanner_core.words.formatting import one_line
from toolplanner_gui.actions.run_actions import go_on, rerun_live
from toolplanner_gui.bridge.errors import Problem
from toolplanner_gui.context import AppContext

_QUERY = 80


class InterruptedNotice(QObject):
    """Tells of the newest run that was interrupted, once."""

    def __init__(self, context: AppContext, parent: QObject) -> None:
        super().__init__(parent)
        self._context = context
        self._told: RunId | None = None
        self._offered = (
            self._offer("interrupted.look", "Look at it", self._look),
            self._offer("interrupted.go_on", "Go on …", lambda run: go_on(context, run)),
            self._offer("interrupted.again", "Run again …", lambda run: rerun_live(context, run)),
        )
        context.run_view.runs_changed.connect(self._on_runs_changed)
        self._on_runs_changed()

    def _offer(self, name: str, title: str, act: Callable[[RunId], None]) -> str:
        action = QAction(title, self)
        action.setObjectName(name)
        action.triggered.connect(lambda: None if self._told is None else act(self._told))
        return name

    def _on_runs_changed(self) -> None:
        view = self._context.run_view
        run = max(view.interrupted, default=None)
        summary = next((s for s in view.summaries if s.run == run), None)
        if summary is None or run == self._told:
            return
        self._told = run
        others = len(view.interrupted) - 1
        more = f", and {others:,} more" if others else ""
        self._context.problem_reported.emit(
            Problem(
                what=f"Run {run} was interrupted{more}: “{one_line(summary.query, _QUERY)}”",
                why=summary.reason,
                todo="What it did is kept: go on where it was, or run it again from the start",
                offered=self._offered,
                about=run,  # gone as soon as a run begins: it was gone on with, or not wanted
            )
        )

    def _look(self, run: RunId) -> None:
        self._context.shell.show_layout("debug")
        self._context.run_view.show_run(run)
