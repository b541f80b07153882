"""How success hangs on the number of toolkits: a curve with its band, and what is possible."""

from toolplanner_core.errors import UserError
from toolplanner_core.lab.looking.reading import ExperimentReading
from toolplanner_core.lab.looking.sweep import (
    SweepCurve,
    SweptArm,
    read_sweep,
    sweep_table,
    swept_families,
)
from toolplanner_core.words.formatting import counted
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.lab.figure_page import FigurePage
from toolplanner_gui.widgets.interval_chart import IntervalChart, Mark, Series

_NOTE = "Solved trials by the number of toolkits, with 95 % intervals. Return lists the trials."
_OF_BOUND = (
    " Dashed: queries whose whole gold the shortlist holds; no plan over it can solve more at once."
)
_NONE = (
    "All arms work with the same toolkits. For a curve make one of the template"
    " tool-planner/figure-3, or give the arms of an experiment several edits."
)


class SweepPage(FigurePage):
    """Where arms differ in the edit of their toolkits."""

    id, title, icon = "sweep", "Sweep", "chart-line"

    def __init__(self, context: AppContext) -> None:
        self.chart = IntervalChart("Solved shares by number of toolkits")
        super().__init__(context, self.chart)
        self._judge = ""
        self._points: list[list[SweptArm]] = []
        self.chart.chosen.connect(self._on_chosen)
        context.theme.dress(self, self._dress)

    def _dress(self) -> None:
        self.chart.set_tokens(self.context.theme.tokens)
        self.show_legend(self.chart.legend)

    def prepare(self, reading: ExperimentReading) -> None:
        self._judge = self.context.lab.judge

    def read(self, reading: ExperimentReading) -> list[SweepCurve] | str:
        workspace = self.context.workspace
        if workspace is None or not self._judge or not swept_families(reading.results):
            return _NONE
        try:
            # What is possible does not change while trials run, and takes long to read.
            return read_sweep(
                reading.results, workspace, self._judge, has_bound=not reading.standing.left
            )
        except UserError as error:
            return error.sentence

    def draw(self, found: list[SweepCurve] | str) -> None:
        if isinstance(found, str):
            self.say_empty(found)
            return
        self._points = [[p for p in curve.points if p.share is not None] for curve in found]
        if not any(self._points):
            self.say_empty("No trial has a verdict yet.")
            return
        self.table = sweep_table(found)
        self.chart.show_series(
            [
                Series(
                    name=curve.name,
                    marks=[_mark(curve, p) for p in points],
                    is_joined=True,
                    is_dashed=curve.is_bound,
                )
                for curve, points in zip(found, self._points, strict=True)
            ],
            x="Toolkits",
            y="Solved",
        )
        has_bound = any(curve.is_bound for curve in found)
        self.say(f"{_NOTE}{_OF_BOUND if has_bound else ''}", legend=self.chart.legend)

    def _on_chosen(self, series: int, mark: int) -> None:
        self.context.lab.show_trials(arms=(self._points[series][mark].arm,))


def _mark(curve: SweepCurve, point: SweptArm) -> Mark:
    assert point.share is not None
    share = point.share
    return Mark(
        x=point.toolkits,
        y=share.value,
        x_ends=(point.toolkits, point.toolkits),
        y_ends=(share.low, share.high),
        tooltip=f"{point.arm}, {counted(point.toolkits, 'toolkit')}, {curve.name}: {share}",
    )
