"""The decisions of a file, one by one: what each would do here, then what became of it.

Beside the map, so that what a decision is about can be looked at before and after.
"""

from pathlib import Path

from PySide6.QtWidgets import QWidget

from toolplanner_core.curation.sharing.decisions.outcome import (
    ApplyReport,
    DecisionOutcome,
    DecisionVerdict,
    verdict_words,
)
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.settings import person_name
from toolplanner_core.words.formatting import one_line
from toolplanner_gui import dialog_commands
from toolplanner_gui.context import AppContext
from toolplanner_gui.viewmodels.item_models import Row, TableModel
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.views import QuietTree
from toolplanner_gui.windows.dialog import Dialog, DialogPlugin

_SIZE = (760, 460)
_DOING = "Applying decisions"


class DecisionsDialog(Dialog):
    """One file.

    Args:
        place: the file.
        expected: what would become of its decisions.
    """

    def __init__(
        self, context: AppContext, parent: QWidget, *, place: Path, expected: ApplyReport
    ) -> None:
        super().__init__(context, parent, f"Decisions of {one_line(place.name, 60)}")
        self.resize(*_SIZE)
        self._place = place
        self.summary = self.paragraph()
        self.model = TableModel(("Decision", "Here", "What it does here"), self)
        self.view = QuietTree("Decisions and what becomes of them", is_flat=True)
        self.view.set_model(self.model, {1: 168}, shares={0: 0.36})
        self.add((self.view, 1))
        self.details = self.paragraph(role="dim")
        self.add(self.banner)
        self.apply_button = push_button("Apply", self._on_apply, role="primary")
        self.close_button = self.add_buttons(self.apply_button)
        self.view.selectionModel().currentChanged.connect(lambda *_: self._on_current())
        self._show(expected, is_done=False)
        can = (DecisionVerdict.APPLIED, DecisionVerdict.IN_PART)
        self.apply_button.setEnabled(any(expected.count(verdict) for verdict in can))

    def _show(self, report: ApplyReport, *, is_done: bool) -> None:
        self.summary.setText(f"{report.in_words(is_done=is_done)}.")
        self.model.set_rows([_row(outcome, is_done=is_done) for outcome in report.outcomes])
        if report.outcomes:
            self.view.setCurrentIndex(self.model.index(0, 0))

    def _on_current(self) -> None:
        """Say the whole of what a row has no room for."""
        current = self.view.currentIndex()
        self.details.setText(self.model.row(current.row()).tooltip if current.isValid() else "")

    def _on_apply(self) -> None:
        """Apply them as a job; every decision can be undone."""
        workspace, place, context = self.context.file, self._place, self.context
        self.apply_button.setEnabled(False)

        def work(progress: Progress) -> ApplyReport:
            from toolplanner_core.curation.sharing.decisions.applying import apply_decisions
            from toolplanner_core.curation.sharing.decisions.file import read_decisions

            progress.report(_DOING, 0, None)
            return apply_decisions(
                workspace, read_decisions(place), who=person_name(), report=progress.report
            )

        def tell(report: ApplyReport) -> None:
            context.show_message(report.in_words(is_done=True))

        job = context.start_job(_DOING, work, tell)
        job.ended.connect(context.reload_catalogue)
        # Bound to the dialog: it may have been closed meanwhile.
        job.succeeded.connect(self._on_applied)

    def _on_applied(self, report: ApplyReport) -> None:
        self._show(report, is_done=True)
        self.apply_button.hide()
        self.close_button.setText("Close")
        self.close_button.setFocus()


def _row(outcome: DecisionOutcome, *, is_done: bool) -> Row:
    label = outcome.decision.label
    does = [one for one in outcome.does if one != label]
    details = "; ".join(filter(None, [outcome.why, *does])) or "as it says"
    if outcome.verdict is DecisionVerdict.ALREADY:
        details = outcome.why or "nothing"
    verdict = verdict_words(outcome.verdict, is_done=is_done)
    return Row(
        cells=(one_line(label, 200), verdict, one_line(details, 300)),
        key=outcome.number,
        tooltip=f"{label}\n{details}",
    )


PLUGIN = DialogPlugin.of(dialog_commands.apply_decisions, DecisionsDialog, is_beside=True)
