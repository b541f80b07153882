"""How the catalogue stands, as a page beside the map: names of toolkits select them."""

from pathlib import Path

import platformdirs
from PySide6.QtCore import QUrl
from PySide6.QtWidgets import QTextBrowser, QWidget

from toolplanner_core.curation.looking.catalogue_report import catalogue_report
from toolplanner_core.curation.looking.report_tables import plain_name
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_core.jobs.progress import Progress
from toolplanner_gui import dialog_commands
from toolplanner_gui.bridge.jobs import Job
from toolplanner_gui.bridge.standard_dialogs import choose_new_file
from toolplanner_gui.context import AppContext
from toolplanner_gui.theme.tokens import GAP
from toolplanner_gui.widgets.box_layouts import row_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.labels import named
from toolplanner_gui.windows.dialog import Dialog, DialogPlugin

_SIZE = (680, 620)
_TOOLKIT = "toolkit"
_TITLE = "Making the catalogue report"
_READING = "Making the report: the status bar below the map shows how far it is, and stops it."


class CatalogueReportDialog(Dialog):
    """The report as of now; read anew by a button."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(context, parent, "Catalogue report")
        self.resize(*_SIZE)
        self._job: Job | None = None
        self._text = ""
        self.page = named(QTextBrowser(), "How the catalogue stands")
        self.page.setOpenLinks(False)
        self.page.anchorClicked.connect(self._on_link)
        self.save_button = push_button("Save as Markdown …", self._on_save)
        self.save_button.setAutoDefault(False)
        self.renew_button = push_button("Read anew", self.renew)
        self.renew_button.setAutoDefault(False)
        self.add((self.page, 1), self.banner)
        self.add(row_of(self.save_button, self.renew_button, 1, gap=GAP))
        self.add_buttons(None, "Close")
        self.finished.connect(self._stop)
        self.renew()

    @property
    def is_idle(self) -> bool:
        """Whether the report is there."""
        return self._job is None

    def renew(self) -> None:
        """Read the figures of now, as a job."""
        workspace = self.context.file
        self._stop()
        self.save_button.setEnabled(False)
        self.renew_button.setEnabled(False)
        self.page.setPlainText(_READING)

        def work(progress: Progress) -> tuple[str, str]:
            from toolplanner_core.curation.looking.catalogue_report import read_figures

            figures, name = read_figures(workspace, progress=progress), workspace.path.name
            return catalogue_report(figures, name=name), catalogue_report(
                figures, name=name, link=_link
            )

        self._job = job = self.context.jobs.start(_TITLE, work, is_asked_for=False)
        job.succeeded.connect(self._show)
        job.failed.connect(self._on_failed)
        job.cancelled.connect(self._on_stopped)

    def save(self, path: Path) -> None:
        """Write the report as a job."""
        text = self._text

        def work(progress: Progress) -> None:
            from toolplanner_core.workspace.export_file import write_file

            progress.report("Writing the report", 0, None)
            write_file([text], path)

        context = self.context
        context.start_job(
            f"Writing {path.name}", work, lambda _: context.show_message(f"Wrote {path}")
        )

    def _stop(self) -> None:
        """Nobody waits for what is being made any more."""
        job, self._job = self._job, None
        if job is not None:
            job.disconnect(self)
            job.cancel()

    def _end(self) -> None:
        self._job = None
        self.renew_button.setEnabled(True)

    def _on_failed(self, error: BaseException) -> None:
        self._end()
        self.page.clear()
        self.show_error(error, doing=_TITLE)

    def _on_stopped(self) -> None:
        self._end()
        self.page.setPlainText("It was stopped. “Read anew” makes it.")

    def _show(self, texts: tuple[str, str]) -> None:
        self._end()
        self._text, linked = texts
        self.page.setMarkdown(linked)
        self.save_button.setEnabled(True)

    def _on_link(self, link: QUrl) -> None:
        if link.scheme() == _TOOLKIT:
            self.context.shell.show_layout("curate")
            self.context.selection.select_toolkit(ToolkitId(int(link.path())))

    def _on_save(self) -> None:
        async def flow() -> None:
            name = f"report on {self.context.file.path.stem}.md"
            place = platformdirs.user_documents_path() / name
            for path in await choose_new_file(self, "Save the report", place, "Markdown (*.md)"):
                self.save(path)

        self.context.tasks.spawn(flow(), owner=self)


def _link(toolkit: Toolkit) -> str:
    return f"[{plain_name(toolkit.name)}]({_TOOLKIT}:{toolkit.id})"


PLUGIN = DialogPlugin.of(dialog_commands.catalogue_report, CatalogueReportDialog, is_beside=True)
