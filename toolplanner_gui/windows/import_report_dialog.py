"""What an import changed, missed and rejected, as a dialog, a file and in one line."""

from collections.abc import Callable
from pathlib import Path

import platformdirs
from PySide6.QtWidgets import QWidget

from toolplanner_core.jobs.progress import Progress
from toolplanner_core.sources.import_preview import ImportPreview
from toolplanner_core.sources.import_report import ImportReport, report_lines, write_reports
from toolplanner_core.words.formatting import count, counted, duration, one_line
from toolplanner_gui import dialog_commands
from toolplanner_gui.bridge.standard_dialogs import choose_new_file
from toolplanner_gui.context import AppContext
from toolplanner_gui.theme.tokens import GAP
from toolplanner_gui.viewmodels.item_models import Row, TableModel
from toolplanner_gui.widgets.box_layouts import row_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.views import QuietTree
from toolplanner_gui.windows.dialog import Dialog, DialogPlugin


def describe_preview(preview: ImportPreview) -> str:
    """What would come in, and of how much of the location that is known."""
    parts = [
        counted(preview.apis, "API"),
        counted(preview.tools, "tool"),
        counted(preview.categories, "category", "categories"),
    ]
    text = f"{', '.join(parts)} in the format {preview.format_id}"
    if not preview.is_complete:
        return f"At least {text}; the rest is being read."
    beside = "".join(f" Beside them {each.what}." for each in preview.noted)
    left = f"{text}. {counted(preview.rejected_count, 'record')} would be rejected.{beside}"
    found = preview.comparison
    if found is None or not (found.unchanged or found.changed or found.missing or found.twice):
        return left
    parts = [f"{found.added:,} new", f"{found.unchanged:,} unchanged", f"{found.changed:,} changed"]
    parts += [f"{found.twice:,} also in another catalogue"] if found.twice else []
    gone = f" {count(found.missing)} of before {_do(found.missing)} not come again."
    waits = f" {counted(found.waiting, 'API waits', 'APIs wait')} then for your acceptance."
    said = f"{left} Of them {', '.join(parts)}.{gone if found.missing else ''}"
    return f"{said}{waits if found.waiting else ''}"


def _do(n: int) -> str:
    return "does" if n == 1 else "do"


def describe_report(report: ImportReport) -> str:
    """What an import did, in one line."""
    parts = [f"{report.added:,} added"]
    for n, word in (
        (report.updated, "changed"),
        (report.unchanged, "unchanged"),
        (report.missing, "did not come again"),
        (len(report.rejected), "rejected"),
    ):
        if n:
            parts.append(f"{n:,} {word}")
    if report.left_out:
        parts.append(f"{report.left_out:,} left out")
    done = f"Imported {report.source}: {', '.join(parts)} in {duration(report.seconds)}"
    if not report.changes:
        return done
    first, *others = report.changes
    more = f" and {count(report.updated - 1)} more" if others else ""
    return f"{done}. Changed: {first.title} ({', '.join(first.parts)}){more}"


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

        self.context.start_job(f"Writing {path.name}", work, lambda _: self._on_written(path))

    def _on_written(self, path: Path) -> None:
        self.context.show_message(f"Wrote {path}")

    def _on_save(self) -> None:
        async def flow() -> None:
            place = platformdirs.user_documents_path() / f"import of {self._report.source}.md"
            for path in await choose_new_file(self, "Save the report", place, _FORMS):
                self.save(path)

        self.context.tasks.spawn(flow(), owner=self)

    def _on_changes(self) -> None:
        self.accept()
        self.context.shell.open(dialog_commands.changed_documentation)


PLUGIN = DialogPlugin.of(dialog_commands.import_report, ImportReportDialog, is_beside=True)
