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
from toolplanner_gui.bridge.newest import Newest
from toolplanner_gui.bridge.questions import choose_new_file
from toolplanner_gui.context import AppContext
from toolplanner_gui.theme.tokens import GAP
from toolplanner_gui.widgets.boxes import row_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.labels import named
from toolplanner_gui.windows.dialog import Dialog, DialogPlugin

_SIZE = (680, 620)
_TOOLKIT = "toolkit"


class CatalogueReportDialog(Dialog):
    """The report as of now; read anew by a button."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(context, parent, "Catalogue report")
        self.resize(*_SIZE)
        self._newest = Newest(context.tasks, self)
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
        self.renew()

    @property
    def is_idle(self) -> bool:
        """Whether the report is there."""
        return self._newest.is_idle

    def renew(self) -> None:
        """Read the figures of now."""
        workspace = self.context.file
        self.save_button.setEnabled(False)
        self.page.setPlainText("Reading the catalogue …")

        def read() -> tuple[str, str]:
            from toolplanner_core.curation.looking.catalogue_report import read_figures

            figures, name = read_figures(workspace), workspace.path.name
            return catalogue_report(figures, name=name), catalogue_report(
                figures, name=name, link=_link
            )

        self._newest.ask(read, lambda texts: self._show(*texts))

    def save(self, path: Path) -> None:
        """Write the report as a job."""
        text = self._text

        def work(progress: Progress) -> None:
            from toolplanner_core.workspace.export_file import write_file

            progress.report("Writing the report", 0, None)
            write_file([text], path)

        context = self.context
        context.start_job(f"Writing {path.name}", work, lambda _: context.tell(f"Wrote {path}"))

    def _show(self, text: str, linked: str) -> None:
        self._text = text
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


PLUGIN = DialogPlugin(id="catalogue_report", make=CatalogueReportDialog, is_beside=True)
