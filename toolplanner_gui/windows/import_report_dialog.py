"""What an import changed, missed and rejected, and a file of it."""

from collections.abc import Callable
from pathlib import Path

import platformdirs
from PySide6.QtWidgets import QWidget

from toolplanner_core.jobs.progress import Progress
from toolplanner_core.sources.report_file import report_lines, write_reports
from toolplanner_core.sources.reports import ImportReport
from toolplanner_core.words.wording import counted, one_line
from toolplanner_gui.bridge.questions import choose_new_file
from toolplanner_gui.context import AppContext
from toolplanner_gui.theme.tokens import GAP
from toolplanner_gui.viewmodels.table_model import Row, TableModel
from toolplanner_gui.widgets.boxes import row_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.views import QuietTree
from toolplanner_gui.windows.dialog import Dialog, DialogPlugin

_SIZE = (720, 460)
_FORMS = "Markdown (*.md);;Table (*.csv)"


class ImportReportDialog(Dialog):
    """One report, beside the map.

    Args:
        report: what it is about.
        then: called when it was read and closed, not when the person goes on from it.
    """

    def __init__(
        self,
        context: AppContext,
        parent: QWidget,
        *,
        report: ImportReport,
        then: Callable[[], object] | None = None,
    ) -> None:
        super().__init__(context, parent, f"Import of {one_line(report.source, 60)}")
        self.resize(*_SIZE)
        self._report = report
        self._then = then
        self.rejected.connect(self._go_on)
        parts = [
            f"{n:,} {word}"
            for n, word in (
                (report.added, "added"), (report.updated, "changed"),
                (report.unchanged, "unchanged"), (report.missing, "did not come again"),
                (report.left_out, "left out"), (len(report.rejected), "rejected"),
            )
            if n
        ]  # fmt: skip
        waits = counted(report.waiting, "API is", "APIs are")
        self.paragraph(
            f"{', '.join(parts)}."
            + (
                f" {waits} neither planned with nor called until you accept what changed."
                if report.waiting
                else ""
            )
        )
        self.model = TableModel(("What", "API or record", "Details"), self)
        view = QuietTree("What the import says", is_flat=True)
        view.set_model(self.model, {0: 180, 1: 250})
        self.model.set_rows(
            [
                Row(
                    cells=(line.kind, one_line(line.what, 160), one_line(line.details, 300)),
                    key=i,
                    tooltip=f"{line.what}\n{line.details}",
                )
                for i, line in enumerate(report_lines(report))
            ]
        )
        self.add((view, 1), self.banner)
        self.save_button = push_button("Save report …", self._on_save)
        self.save_button.setAutoDefault(False)
        self.add(row_of(self.save_button, 1, gap=GAP))
        changes = None
        if report.waiting:
            changes = push_button("Look at what changed …", self._on_changes, role="primary")
        self.add_buttons(changes, "Close")

    def on_workspace_closing(self) -> None:
        """Close, and nothing follows."""
        self._then = None
        super().on_workspace_closing()

    def _go_on(self) -> None:
        if self._then is not None:
            self._then()

    def save(self, path: Path) -> None:
        """Write the report as a job."""

        def work(progress: Progress) -> None:
            progress.report("Writing the report", 0, None)
            write_reports([self._report], path)

        self.context.start_job(f"Writing {path.name}", work, lambda _: self._told(path))

    def _told(self, path: Path) -> None:
        self.context.tell(f"Wrote {path}")

    def _on_save(self) -> None:
        async def flow() -> None:
            place = platformdirs.user_documents_path() / f"import of {self._report.source}.md"
            for path in await choose_new_file(self, "Save the report", place, _FORMS):
                self.save(path)

        self.context.tasks.spawn(flow(), owner=self)

    def _on_changes(self) -> None:
        self.accept()
        self.context.shell.open("changes")


PLUGIN = DialogPlugin(id="import_report", make=ImportReportDialog, is_beside=True)
