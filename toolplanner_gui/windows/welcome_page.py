"""The page of a window without a workspace: demo, import, or a file opened before."""

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QPushButton, QVBoxLayout, QWidget

from toolplanner_core.jobs.progress import ProgressReport
from toolplanner_core.words.formatting import when
from toolplanner_gui.actions.workspace_files import (
    MAKING_DEMO,
    ask_and_open,
    import_into_workspace,
    is_making_demo,
    open_demo,
    open_later,
)
from toolplanner_gui.bridge.jobs import Job
from toolplanner_gui.context import AppContext
from toolplanner_gui.theme.icons import make_icon
from toolplanner_gui.theme.tokens import EDGE, GAP, SPACE
from toolplanner_gui.widgets.box_layouts import column_of, row_of
from toolplanner_gui.widgets.buttons import push_button, set_icon
from toolplanner_gui.widgets.job_progress import JobProgressBar
from toolplanner_gui.widgets.labels import ElidedLabel, text_label
from toolplanner_gui.windows.status_bar import describe_report

_WIDTH = 560
_RECENT_SHOWN = 6
_MARGINS = (9, 9, 9, 9)


class WelcomePage(QWidget):
    """First thing a newcomer sees."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.setProperty("role", "map")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName("Welcome")
        page = QWidget()
        page.setMaximumWidth(_WIDTH)
        column = column_of(
            text_label("ToolPlanner", role="title"),
            text_label(
                "Put a large catalogue of tools in front of a language model: group what can stand"
                " in for one another into toolkits, run a query over them, and see where it fails.",
                role="dim",
                is_wrapped=True,
            ),
            of=page,
            margins=(EDGE, EDGE, EDGE, EDGE),
            gap=GAP,
        )
        column.addSpacing(EDGE)
        self.making = JobProgressBar(is_text_above=True)
        self.making.setAccessibleName("Making of the demo")
        self.making.hide()
        self._cards = self._make_cards(column)
        column.addSpacing(EDGE)
        self._recent_title = text_label("Recent", role="section")
        column.addWidget(self._recent_title)
        self._recent = column_of(gap=0)
        column.addLayout(self._recent)
        across = row_of(1, (page, 6), 1)
        column_of(2, across, 3, of=self, margins=_MARGINS)
        context.jobs.started.connect(self._on_started)
        context.jobs.ended.connect(self._show_making)
        self.refresh()

    def _make_cards(self, column: QVBoxLayout) -> list[QPushButton]:
        context = self._context
        return [
            self._card(
                column,
                "flask-outline",
                "Open the demo",
                "196 APIs of invented vendors that really answer, in 35 toolkits. Works without"
                " a key and without a network.",
                lambda: open_demo(context),
                is_primary=True,
                below=self.making,
            ),
            self._card(
                column,
                "import",
                "Import tools …",
                "From OpenAPI, MCP servers, tables (CSV), function lists of OpenAI and Anthropic,"
                " ToolBench: a file, a folder, an address or text. Files can be dropped here, too.",
                lambda: import_into_workspace(context),
            ),
            self._card(
                column,
                "folder-open-outline",
                "Open a workspace …",
                "A .toolplanner file: catalogue, toolkits and every run in one file.",
                lambda: ask_and_open(context),
            ),
        ]

    def refresh(self) -> None:
        """Read the recent files again."""
        while (item := self._recent.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.deleteLater()
        recent = self._context.choices.recent[:_RECENT_SHOWN]
        self._recent_title.setVisible(bool(recent))
        for path, opened_s in recent:
            self._recent.addWidget(self._recent_row(path, opened_s))

    def _on_started(self, job: Job) -> None:
        if job.title == MAKING_DEMO:
            self.making.show_progress("Beginning …", 0, None)
            self.making.cancel_clicked.connect(job.cancel)
            job.progressed.connect(self._on_progress)
        self._show_making()

    def _on_progress(self, report: ProgressReport | None) -> None:
        if report is not None:
            self.making.show_progress(describe_report(report), report.done, report.total)

    def _show_making(self) -> None:
        button = self._cards[0]
        is_making = is_making_demo(self._context)
        button.setText("Making the demo …" if is_making else "Open the demo")
        button.setEnabled(not is_making)
        self.making.setVisible(is_making)

    def _recent_row(self, path: Path, opened_s: float) -> QWidget:
        row = QWidget()
        tip = f"<p>{path}</p>"
        button = push_button(
            path.name, lambda: open_later(self._context, path), role="link", tip=tip
        )
        folder = ElidedLabel(str(path.parent), role="dim")
        row_of(button, (folder, 1), text_label(when(opened_s), role="dim"), of=row, gap=GAP)
        return row

    def _card(
        self,
        column: QVBoxLayout,
        icon: str,
        verb: str,
        what: str,
        run: Callable[[], object],
        *,
        is_primary: bool = False,
        below: QWidget | None = None,
    ) -> QPushButton:
        card = QFrame()
        card.setProperty("role", "card")
        button = push_button(verb, run, role="primary" if is_primary else "")
        set_icon(button, make_icon(icon, "on_accent" if is_primary else "dim"))
        button.setFixedWidth(184)
        said = text_label(what, role="dim", is_wrapped=True)
        middle = (button, 0, Qt.AlignmentFlag.AlignVCenter)
        told = column_of(said, *[below] if below else [], gap=SPACE)
        row_of(middle, (told, 1), of=card, margins=(EDGE, EDGE, EDGE, EDGE), gap=EDGE + SPACE)
        column.addWidget(card)
        return button
