"""Why trials were not solved: a bar for each arm, a part for each cause."""

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
        super().__init__(context, self.chart)
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

    def _on_chosen(self, bar: int, part: int) -> None:
        arm, causes = self._parts[bar]
        self.context.lab.show_trials(arms=(arm,), cause=causes[part])


def _part(each: ArmFailures, cause: str) -> BarPart:
    number = each.causes[cause]
    share = f"{each.share(cause)} of {counted(each.planned, 'planned trial')}"
    return BarPart(cause, number, f"{each.arm}, {cause}: {counted(number, 'trial')}; {share}")
