"""What arms solve against what they take, with intervals on both axes."""

from PySide6.QtWidgets import QComboBox

from toolplanner_core.lab.export.tables import AMOUNTS
from toolplanner_core.lab.looking.costs import ArmCost, cost_table, read_costs
from toolplanner_core.lab.looking.reading import ExperimentReading
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.lab.figure_page import FigurePage
from toolplanner_gui.widgets.interval_chart import IntervalChart, Mark, Series
from toolplanner_gui.widgets.labels import named, text_label

_NOTE = (
    "Each point is an arm with its 95 % intervals over the trials that have a verdict. With a ring:"
    " no other arm solves as much for less. Return lists the trials of an arm."
)


class CostPage(FigurePage):
    """The amount is chosen: calls, tokens, dollars, seconds."""

    id, title, icon = "cost", "Cost", "cash"

    def __init__(self, context: AppContext) -> None:
        self.chart = IntervalChart("Solved shares against what arms take")
        self.amount = named(QComboBox(), "What arms take")
        for name, words in AMOUNTS.items():
            self.amount.addItem(words[:1].upper() + words[1:], name)
        super().__init__(context, self.chart, text_label("Against"), self.amount)
        self._chosen = ("", "")
        self._costs: list[ArmCost] = []
        self.amount.activated.connect(lambda _at: self.renew())
        self.chart.chosen.connect(self._on_chosen)
        context.theme.dress(self, self._dress)

    def _dress(self) -> None:
        self.chart.set_tokens(self.context.theme.tokens)
        self.show_legend(self.chart.legend)

    def prepare(self, reading: ExperimentReading) -> None:
        self._chosen = (self.amount.currentData(), self.context.lab.judge)

    def read(self, reading: ExperimentReading) -> list[ArmCost]:
        amount, judge = self._chosen
        return read_costs(reading.results, amount=amount, judge=judge) if judge else []

    def draw(self, found: list[ArmCost]) -> None:
        words = AMOUNTS[self._chosen[0]]
        self._costs = [each for each in found if each.share and each.amount]
        if not self._costs:
            self.say_empty(
                f"No trial says how many {words} it took, or none was judged."
                " Choose another amount, or another judge."
            )
            return
        self.table = cost_table(found, amount=self._chosen[0])
        self.chart.show_series(
            [Series(name=each.arm, marks=[_mark(each, words)]) for each in self._costs],
            x=f"{words[:1].upper()}{words[1:]} a trial",
            y="Solved",
        )
        self.say(_NOTE, legend=self.chart.legend)

    def _on_chosen(self, series: int, _mark: int) -> None:
        self.context.lab.show_trials(arms=(self._costs[series].arm,))


def _mark(each: ArmCost, words: str) -> Mark:
    assert each.share is not None
    assert each.amount is not None
    share, amount = each.share, each.amount
    return Mark(
        x=amount.value,
        y=share.value,
        x_ends=(amount.low, amount.high),
        y_ends=(share.low, share.high),
        is_marked=each.is_best,
        tooltip=f"{each.arm}: solved {share}; {words} a trial {amount}",
    )
