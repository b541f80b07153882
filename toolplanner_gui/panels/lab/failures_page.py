"""Why trials were not solved: a bar for each arm, a part for each cause."""

from toolplanner_core.jobs.progress import Progress
from toolplanner_core.lab.experiments.fallbacks import fallback_pairs, send_to_review
from toolplanner_core.lab.looking.failures import (
    ArmFailures,
    causes_by_number,
    failure_table,
    read_failures,
)
from toolplanner_core.lab.looking.reading import ExperimentReading
from toolplanner_core.words.formatting import counted
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.lab.figure_page import FigurePage
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.stacked_bars import BarPart, StackedBar, StackedBars

_NOTE = (
    "Trials that were not solved, by the last error of their run. Arrows walk the parts, Return"
    " lists their trials."
)


class FailuresPage(FigurePage):
    """A part leads to its trials."""

    id, title, icon = "failures", "Failures", "close-circle-outline"

    def __init__(self, context: AppContext) -> None:
        self.chart = StackedBars("Failures by arm and cause")
        tip = "<p>Let the review ask about APIs that answered in the place of failed ones</p>"
        self.stand_ins_button = push_button("Stand-ins to the review", self.send_stand_ins, tip=tip)
        super().__init__(context, self.chart, self.stand_ins_button)
        self._judge = ""
        self._parts: list[tuple[str, list[str]]] = []
        self.chart.chosen.connect(self._on_chosen)
        context.theme.dress(self, self._dress)

    def _dress(self) -> None:
        self.chart.set_tokens(self.context.theme.tokens)
        self.show_legend(self.chart.legend)

    def prepare(self, reading: ExperimentReading) -> None:
        self._judge = self.context.lab.judge

    def read(self, reading: ExperimentReading) -> list[ArmFailures]:
        return read_failures(reading, self._judge)

    def draw(self, found: list[ArmFailures]) -> None:
        causes = causes_by_number(found)
        if not causes:
            self.say_empty("No trial has failed in the eyes of this judge.")
            return
        self.table = failure_table(found)
        self._parts = [
            (each.arm, [cause for cause in causes if each.causes[cause]]) for each in found
        ]
        self.chart.show_bars(
            [
                StackedBar(each.arm, [_part(each, cause) for cause in listed])
                for each, (_, listed) in zip(found, self._parts, strict=True)
            ],
            x="Trials that were not solved",
        )
        self.say(_NOTE, legend=self.chart.legend)

    def send_stand_ins(self) -> None:
        """Read who stood in for whom, and let the review ask about them: are they one toolkit?"""
        lab, workspace = self.context.lab, self.context.workspace
        store, current = lab.store, lab.current
        if store is None or current is None or workspace is None:
            return

        def work(progress: Progress) -> int:
            pairs = fallback_pairs(store, progress=progress)
            return send_to_review(workspace, current.name, pairs)

        self.stand_ins_button.setEnabled(False)
        job = self.context.start_job("Read who stood in for whom", work, self._on_sent)
        for ended in (job.failed, job.cancelled):
            ended.connect(self._on_not_sent)

    def _on_sent(self, number: int) -> None:
        self.stand_ins_button.setEnabled(True)
        if not number:
            self.context.show_message("No API was tried in the place of another one")
            return
        self.context.review.reading.read_runs()
        pairs = counted(number, "pair")
        self.context.show_message(f"{pairs} went to the review, which asks about those that served")

    def _on_not_sent(self, _error: object = None) -> None:
        self.stand_ins_button.setEnabled(True)

    def _on_chosen(self, bar: int, part: int) -> None:
        arm, causes = self._parts[bar]
        self.context.lab.show_trials(arms=(arm,), cause=causes[part])


def _part(each: ArmFailures, cause: str) -> BarPart:
    number = each.causes[cause]
    share = f"{each.share(cause)} of {counted(each.planned, 'planned trial')}"
    return BarPart(cause, number, f"{each.arm}, {cause}: {counted(number, 'trial')}; {share}")
