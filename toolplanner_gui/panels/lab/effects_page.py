"""What each tool is worth: solved with it up minus with it down, where chance decided which."""

from PySide6.QtWidgets import QComboBox

from toolplanner_core.errors import UserError
from toolplanner_core.lab.experiments.tool_effects import ToolEffect
from toolplanner_core.lab.looking.effects import (
    MOST_SHOWN,
    EffectsReading,
    effects_table,
    offered_arms,
    read_effects,
)
from toolplanner_core.lab.looking.reading import ExperimentReading
from toolplanner_core.words.formatting import counted
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.lab.figure_page import FigurePage
from toolplanner_gui.widgets.input_fields import ElidingCombo
from toolplanner_gui.widgets.interval_chart import IntervalChart, Mark, Series
from toolplanner_gui.widgets.labels import named, text_label

_NOTE = (
    "Share of solved trials with the tool up minus with it down, with 95 % intervals; chance"
    " decided which were down, so the tool is the cause. Return lists the trials of the queries"
    " that call it."
)
_NONE = (
    "In no arm chance decides which APIs are down. For effects of tools choose the question “How do"
    " they stand failures?” with several seeds in a new experiment."
)


class EffectsPage(FigurePage):
    """A tool leads to its trials."""

    id, title, icon = "effects", "Effects", "target"

    def __init__(self, context: AppContext) -> None:
        self.chart = IntervalChart("Effects of tools on solved trials")
        self.arm = named(ElidingCombo(), "Arm whose trials are read")
        self.of = named(QComboBox(), "Effects of")
        self.of.addItem("APIs", False)
        self.of.addItem("Toolkits", True)
        super().__init__(
            context,
            self.chart,
            text_label("In trials of"),
            (self.arm, 1),
            text_label("of"),
            self.of,
        )
        self._chosen = ("", "", False)
        self._drawn: list[ToolEffect] = []
        for combo in (self.arm, self.of):
            combo.activated.connect(lambda _at: self.renew())
        self.chart.chosen.connect(self._on_chosen)
        context.theme.dress(self, self._dress)

    def _dress(self) -> None:
        self.chart.set_tokens(self.context.theme.tokens)

    def prepare(self, reading: ExperimentReading) -> None:
        arms = [arm.name for arm in offered_arms(reading.results)]
        if [self.arm.itemData(at) for at in range(self.arm.count())] != arms:
            self.arm.clear()
            for arm in arms:
                self.arm.addItem(arm, arm)
        self._chosen = (
            self.arm.currentData() or "", self.context.lab.judge, bool(self.of.currentData())
        )  # fmt: skip

    def read(self, reading: ExperimentReading) -> EffectsReading | str:
        arm, judge, of_toolkits = self._chosen
        store, workspace = self.context.lab.store, self.context.workspace
        if not arm or store is None or workspace is None:
            return _NONE
        try:
            return read_effects(store, workspace, arm=arm, judge=judge, of_toolkits=of_toolkits)
        except UserError as error:
            return error.sentence

    def draw(self, found: EffectsReading | str) -> None:
        if isinstance(found, str):
            self.say_empty(found)
            return
        known = [each for each in found.found.effects if each.effect is not None]
        if not known:
            self.say_empty(
                "Chance left no query that was asked with a tool up and with it down. More seeds"
                " would show effects."
            )
            return
        self.table = effects_table(found)
        largest = sorted(known, key=lambda each: -abs(each.effect.value if each.effect else 0.0))
        kept = {each.name for each in largest[:MOST_SHOWN]}
        self._drawn = [each for each in known if each.name in kept]
        names = [each.name for each in reversed(self._drawn)]
        marks = [_mark(each, names.index(each.name)) for each in self._drawn]
        self.chart.show_series(
            [Series(name="effect", marks=marks)],
            x="Solved: up minus down",
            y="",
            names=names,
        )
        left = len(known) - len(self._drawn)
        more = f" {counted(left, 'smaller effect stands', 'smaller effects stand')} in the table."
        self.say(f"{_NOTE}{more if left else ''}")

    def _on_chosen(self, _series: int, mark: int) -> None:
        self.context.lab.show_numbers(self._drawn[mark].trials)


def _mark(each: ToolEffect, place: int) -> Mark:
    assert each.effect is not None
    effect = each.effect
    return Mark(
        x=effect.value,
        y=place,
        x_ends=(effect.low, effect.high),
        y_ends=(place, place),
        is_marked=not effect.low <= 0 <= effect.high,
        tooltip=f"{each.name}: {effect}; down in {counted(each.down, 'trial')}",
    )
