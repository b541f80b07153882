"""Which saved queries would be planned differently after an edit, said before it is made.

Cases, queries of runs, and the data sets beside the workspace are planned again in a thread, a
moment after nobody asks for something else; used by the staging tray, by the cards of the review
and by the dialogs of edits. A button leads to the pairs of plans.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QWidget

from toolplanner_core.curation.edits import history
from toolplanner_core.curation.edits.edit import Edit
from toolplanner_core.domain.curated import Changes
from toolplanner_core.errors import ToolPlannerError, UserError
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.words.formatting import one_line
from toolplanner_core.workspace import Workspace
from toolplanner_gui import dialog_commands
from toolplanner_gui.bridge.latest_request import LatestRequest
from toolplanner_gui.context import AppContext
from toolplanner_gui.theme.tokens import SPACE
from toolplanner_gui.viewmodels.item_models import plain_tooltip
from toolplanner_gui.widgets.box_layouts import row_of
from toolplanner_gui.widgets.buttons import icon_button
from toolplanner_gui.widgets.labels import text_label

if TYPE_CHECKING:
    from toolplanner_core.runs.catalogue.workspace_catalogue import WorkspaceCatalogue

_QUIET_MS = 400
_MOST_LINES = 4
_MOST_QUERIES = 20
"""Planned again at most: some 4 s of computing at 45,000 APIs."""
_MOST_TASKS = 40
"""Of data sets, together: the first ones."""


class PlanImpact(QWidget):
    """A few lines, hidden while no edit is asked about."""

    def __init__(self, context: AppContext) -> None:
        super().__init__()
        self._context = context
        self._newest = LatestRequest(context.tasks, self)
        self._progress = Progress()
        self._edit: Edit | None = None
        self.label = text_label(role="dim", is_wrapped=True, name="Plans of saved queries")
        self.pairs_button = icon_button(
            "compare", "Show both plans of each query, and run them both ways", self.show_pairs
        )
        row = row_of((self.label, 1), of=self, gap=SPACE)
        row.addWidget(self.pairs_button, alignment=Qt.AlignmentFlag.AlignTop)
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

    def show_pairs(self) -> None:
        """Open both plans of each query."""
        if self._edit is not None:
            self._context.shell.open(dialog_commands.edit_effects, edit=self._edit)

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
    from toolplanner_core.runs.catalogue.workspace_catalogue import WorkspaceCatalogue

    changes = history.preview(workspace, edit).changes
    catalogue = WorkspaceCatalogue(workspace)
    try:
        foreseen = foresee_plans(
            workspace, changes, progress=progress, most=_MOST_QUERIES, catalogue=catalogue
        )
        saved = foreseen.lines() or ["No saved queries to plan again"]
        return [saved[0], *_of_data_sets(workspace, changes, catalogue, progress), *saved[1:]]
    finally:
        catalogue.close()


def _of_data_sets(
    workspace: Workspace, changes: Changes, catalogue: "WorkspaceCatalogue", progress: Progress
) -> list[str]:
    """A line for each data set beside the workspace, as far as there is time."""
    from toolplanner_core.lab.datasets.jsonl import read_data_set
    from toolplanner_core.lab.experiments.edit_effects import foresee_effects
    from toolplanner_core.lab.new_experiment import data_sets_beside

    lines: list[str] = []
    left = _MOST_TASKS
    for path in data_sets_beside(workspace.path):
        try:
            whole = read_data_set(path).data_set
        except UserError:
            continue  # another file of that ending
        first = replace(whole, queries=whole.queries[:left])
        if not len(first):
            continue
        left -= len(first)
        found = foresee_effects(workspace, changes, first, progress=progress, catalogue=catalogue)
        rest = f" (the first {len(first):,} of {len(whole):,})" if len(first) < len(whole) else ""
        lines.append(f"{one_line(whole.name, 40)}{rest}: {found.short}")
    return lines
