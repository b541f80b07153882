"""What a replay showed: the same again, or the first difference."""

from PySide6.QtWidgets import QWidget

from toolplanner_core.prompts.texts import default_prompts
from toolplanner_core.runs.replay.replay import ReplayReport
from toolplanner_core.words.formatting import counted, duration
from toolplanner_gui import dialog_commands
from toolplanner_gui.context import AppContext
from toolplanner_gui.theme.icons import make_icon
from toolplanner_gui.theme.tokens import GAP
from toolplanner_gui.widgets.box_layouts import row_of
from toolplanner_gui.widgets.labels import IconLabel, text_label
from toolplanner_gui.widgets.views import code_view
from toolplanner_gui.windows.dialog import Dialog, DialogPlugin

_WIDTH = 520
_DIFF_SIZE = (760, 480)


class ReplayDialog(Dialog):
    """One sentence, the totals, and the diff if there is one."""

    def __init__(self, context: AppContext, parent: QWidget, report: ReplayReport) -> None:
        super().__init__(context, parent, f"Replay of run {report.run}")
        self.setMinimumWidth(_WIDTH)
        self.sentence = text_label(say_replay(report), role="heading", is_wrapped=True)
        name, token = (
            ("check-circle", "ok") if report.identical else ("not-equal-variant", "failed")
        )
        head = row_of(IconLabel(make_icon(name, token)), (self.sentence, 1), gap=GAP)
        self.column.addLayout(head)
        self.facts = self.paragraph(_facts(report), role="dim")
        if report.changed_prompts:
            self.prompts = self.paragraph(_prompts(report))
        if report.divergence is not None:
            self.resize(*_DIFF_SIZE)
            self.column.addWidget(text_label(report.divergence.what, is_wrapped=True))
            diff = code_view("Difference: − as recorded, + as it is now")
            diff.setPlainText(report.divergence.diff)
            self.column.addWidget(diff, 1)
            if context.run_view.run == report.run and report.divergence.path:
                context.run_view.select_node(report.divergence.path)
        self.add_buttons(None, "Close")


def say_replay(report: ReplayReport) -> str:
    """Whether it was the same, in one sentence."""
    if report.identical:
        return f"Run {report.run} replays identically"
    assert report.divergence is not None
    seq = report.divergence.seq
    return f"Run {report.run} goes another way" + (f" at event {seq}" if seq else "")


def _facts(report: ReplayReport) -> str:
    return (
        f"{counted(report.events, 'event')}, {counted(report.model_calls, 'model answer')} and"
        f" {counted(report.api_calls, 'API result')} from the log; 0 calls were made,"
        f" {duration(report.seconds)}"
    )


def _prompts(report: ReplayReport) -> str:
    titles = default_prompts()
    names = (titles[name].title if name in titles else name for name in report.changed_prompts)
    return (
        f"Prompts have changed since: {', '.join(names)}. The replay took those of the run; a new"
        " run would take those of now."
    )


PLUGIN = DialogPlugin.of(dialog_commands.replay_report, ReplayDialog)
