"""Which saved queries would be planned differently after an edit, said before it is made.

Planned again in a thread, a moment after nobody asks for something else; used by the staging tray
and by the cards of the review.
"""

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QWidget

from toolplanner_core.curation.edits import history
from toolplanner_core.curation.edits.edit import Edit
from toolplanner_core.errors import ToolPlannerError
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.workspace import Workspace
from toolplanner_gui.bridge.latest_request import LatestRequest
from toolplanner_gui.context import AppContext
from toolplanner_gui.viewmodels.item_models import plain_tooltip
from toolplanner_gui.widgets.box_layouts import column_of
from toolplanner_gui.widgets.labels import text_label

_QUIET_MS = 400
_MOST_LINES = 4
_MOST_QUERIES = 20
"""Planned again at most: some 4 s of computing at 45,000 APIs."""


class PlanImpact(QWidget):
    """A few lines, hidden while no edit is asked about."""

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._context = context
        self._newest = LatestRequest(context.tasks, self)
        self._progress = Progress()
        self._edit: Edit | None = None
        self.label = text_label(role="dim", is_wrapped=True, name="Plans of saved queries")
        column_of(self.label, of=self)
        self._timer = QTimer(self, singleShot=True, interval=_QUIET_MS)
        self._timer.timeout.connect(self._begin)
        self.hide()

    @property
    def is_idle(self) -> bool:
        """Whether what was asked is said."""
        return self._newest.is_idle and not self._timer.isActive()

    def ask(self, edit: Edit | None) -> None:
        """Say what an edit would do to plans; None = there is no edit."""
        self._progress.cancel()
        self._newest.forget()
        self._timer.stop()
        self._edit = edit
        self.setVisible(edit is not None)
        if edit is not None:
            self._say(["Planning saved queries again …"])
            self._timer.start()

    def _begin(self) -> None:
        workspace, edit = self._context.workspace, self._edit
        if workspace is None or edit is None:
            return
        self._progress = progress = Progress()
        self._newest.ask(
            lambda: _foresee(workspace, edit, progress),
            self._say,
            self._refuse,
        )

    def _refuse(self, error: ToolPlannerError) -> None:
        self._say([error.short])

    def _say(self, lines: list[str]) -> None:
        shown = lines[:_MOST_LINES]
        if more := len(lines) - len(shown):
            shown.append(f"and {more:,} more lines")
        self.label.setText("\n".join(shown))
        self.label.setToolTip(plain_tooltip("\n".join(lines)))


def _foresee(workspace: Workspace, edit: Edit, progress: Progress) -> list[str]:
    from toolplanner_core.cases.plan_foresight import foresee_plans

    changes = history.preview(workspace, edit).changes
    foreseen = foresee_plans(workspace, changes, progress=progress, most=_MOST_QUERIES)
    return foreseen.lines() or ["No saved queries to plan again"]
