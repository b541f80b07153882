"""The status bar: which file is open and saved, and the jobs that run."""

from html import escape

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QStatusBar, QWidget

from toolplanner_core.jobs.progress import ProgressReport
from toolplanner_core.words.formatting import count, duration, one_line
from toolplanner_gui.bridge.jobs import Job
from toolplanner_gui.context import AppContext
from toolplanner_gui.widgets.job_progress import JobProgressBar
from toolplanner_gui.widgets.labels import ElidedLabel, SteadyLabel

_TOLD_MS = 15_000
_NAME_LENGTH = 40
_FRAME = 4
"""What Qt and the line above put around the strip."""
_STRIP_SHARE = 3
"""Of the width, where the message beside it has 1: what a job says changes, and is waited for."""


class StatusBar(QStatusBar):
    """One strip per running job at the right, the file at the left; long texts are cut, so that
    none of them widens the window."""

    def __init__(self, context: AppContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._strips: dict[Job, JobProgressBar] = {}
        self.setSizeGripEnabled(False)
        # As high as with a job: when one begins or ends, nothing above moves.
        self.setMinimumHeight(JobProgressBar().sizeHint().height() + _FRAME)
        self.file_label = SteadyLabel(role="dim")
        self.file_label.setContentsMargins(8, 0, 8, 0)
        self.addWidget(self.file_label)
        self._told = ElidedLabel()
        self.addWidget(self._told, 1)
        self._forget = QTimer(self, singleShot=True, interval=_TOLD_MS)
        self._forget.timeout.connect(self._say_nothing)
        self._was_live = False
        context.jobs.started.connect(self._on_started)
        context.jobs.ended.connect(self._on_ended)
        context.workspace_closing.connect(self._on_workspace_closing)
        context.workspace_changed.connect(self._on_workspace_changed)
        context.message_shown.connect(self._on_message)
        self._show_state()

    def _on_message(self, text: str) -> None:
        """A message beside the file, gone after a while or with the next one."""
        self._told.set_text(text)
        self._forget.start()

    def _on_workspace_closing(self) -> None:
        """What was told is of the file that is closed."""
        self._say_nothing()

    def _say_nothing(self) -> None:
        self._told.set_text("")
        self._forget.stop()

    def _on_live_changed(self) -> None:
        """With a run that begins, what was said before it is over."""
        opened = self._context.opened
        is_live = opened is not None and opened.run_view.is_live
        if is_live and not self._was_live:
            self._say_nothing()
        self._was_live = is_live

    def _on_workspace_changed(self) -> None:
        self.file_label.forget_room()
        opened = self._context.opened
        if opened is not None and not self._context.is_opening:
            opened.touched.connect(self._show_state)
            opened.run_view.live_changed.connect(self._on_live_changed)
            opened.run_view.compared_changed.connect(self._say_nothing)
            opened.curation.pending_changed.connect(self._show_state)
            opened.file_watcher.changed.connect(self._show_state)
        self._show_state()

    def _show_state(self) -> None:
        opened = self._context.opened
        if opened is None:
            is_opening = self._context.is_opening
            self.file_label.set_text("Opening …" if is_opening else "No workspace open")
            self.file_label.setToolTip("")
            return
        path, kept = opened.workspace.path, opened.file_watcher
        state, note = ("saved" if kept.has_everything else "saving"), ""
        if not kept.has_everything:
            note = "On disk, and in the file itself in a moment or when no other program reads it."
        if opened.run_view.is_live:
            state = "running"
        if opened.debug.is_paused:
            state = "run held"
        if not opened.curation.is_idle:
            state = "saving"
        if self._context.is_catalogue_loading:
            state = "opening …"
        if not kept.is_in_place:
            state, note = "NOT SAVED: moved or deleted", "The file is no longer here."
        said = (one_line(path.name, _NAME_LENGTH), state, opened.serving.words)
        self.file_label.set_text(" · ".join(filter(None, said)))
        self.file_label.setToolTip(f"<p>{escape(str(path))}</p><p>{note}</p>")

    def _on_started(self, job: Job) -> None:
        strip = JobProgressBar()
        strip.show_progress(job.title, 0, None)
        strip.cancel_clicked.connect(job.cancel)
        job.progressed.connect(lambda report: self._on_progress(job, report))
        self._strips[job] = strip
        self.addPermanentWidget(strip, _STRIP_SHARE)
        strip.show()

    def _on_progress(self, job: Job, report: ProgressReport | None) -> None:
        strip = self._strips.get(job)
        if strip is None:
            return
        if job.is_cancelling:
            strip.show_progress(f"Stopping: {job.title}", 0, None)
        elif report is not None:
            said = (job.title, job.newest, describe_report(report))
            text = " · ".join(filter(None, said))
            strip.show_progress(text, report.done, report.total)

    def _on_ended(self, job: Job) -> None:
        strip = self._strips.pop(job, None)
        if strip is not None:
            self.removeWidget(strip)
            strip.deleteLater()


def describe_report(report: ProgressReport) -> str:
    """Stage, how many of how many, time left, rate: "Embedding 9,931 of 16,000 · 58 s left"."""
    text = report.stage
    if report.total is not None and report.total > 1:
        text += f" {count(report.done)} of {count(report.total)}"
    elif report.done > 1:
        text += f" {count(report.done)} {report.unit}"
    if report.left_s is not None and report.left_s >= 1:
        text += f" · {duration(round(report.left_s))} left"
    if report.rate is not None and report.rate >= 1 and (report.total is None or report.total > 1):
        text += f" · {count(round(report.rate))}/s"
    return text
