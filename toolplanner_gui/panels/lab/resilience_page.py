"""How success falls as more calls fail: a curve with its band for each family of arms."""

from toolplanner_core.lab.looking.reading import ExperimentReading
from toolplanner_core.lab.looking.resilience import (
    ResilienceCurve,
    ResiliencePoint,
    read_resilience,
    resilience_table,
)
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.lab.figure_page import FigurePage
from toolplanner_gui.widgets.interval_chart import IntervalChart, Mark, Series

_NOTE = (
    "Solved trials by the chance that an API fails, with 95 % bands. In all arms the same APIs fail"
    " for the same query, so the curves are paired. Dashed: solved by at least one arm, so it is"
    " possible. Return lists the trials of a point."
)


class ResiliencePage(FigurePage):
    """Where the experiment has several failure rates."""

    id, title, icon = "resilience", "Resilience", "chart-line"

    def __init__(self, context: AppContext) -> None:
        self.chart = IntervalChart("Solved shares by failure rate")
        super().__init__(context, self.chart)
        self._judge = ""
        self._points: list[list[ResiliencePoint]] = []
        self.chart.chosen.connect(self._on_chosen)
        context.theme.dress(self, self._dress)

    def _dress(self) -> None:
        self.chart.set_tokens(self.context.theme.tokens)
        self.show_legend(self.chart.legend)

    def prepare(self, reading: ExperimentReading) -> None:
        self._judge = self.context.lab.judge

    def read(self, reading: ExperimentReading) -> list[ResilienceCurve]:
        return read_resilience(reading.results, self._judge) if self._judge else []

    def draw(self, found: list[ResilienceCurve]) -> None:
        self._points = [[p for p in curve.points if p.share is not None] for curve in found]
        if not any(self._points):
            self.say_empty(
                "This experiment has one failure rate. For curves choose the question “How do they"
                " stand failures?” in a new experiment."
            )
            return
        self.table = resilience_table(found)
        self.chart.show_series(
            [
                Series(
                    name=_name(curve),
                    marks=[_mark(p) for p in points],
                    is_joined=True,
                    is_dashed=curve.is_bound,
                )
                for curve, points in zip(found, self._points, strict=True)
            ],
            x="Chance that an API fails",
            y="Solved",
        )
        self.say(_NOTE, legend=self.chart.legend)

    def _on_chosen(self, series: int, mark: int) -> None:
        self.context.lab.show_trials(arms=self._points[series][mark].arms)


def _name(curve: ResilienceCurve) -> str:
    return curve.name if curve.area is None else f"{curve.name} (area {curve.area:.2f})"


def _mark(point: ResiliencePoint) -> Mark:
    assert point.share is not None
    share = point.share
    return Mark(
        x=point.rate,
        y=share.value,
        x_ends=(point.rate, point.rate),
        y_ends=(share.low, share.high),
        tooltip=f"{', '.join(point.arms)}: solved {share}",
    )
