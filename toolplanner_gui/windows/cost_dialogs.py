"""What runs may cost this person, and what models cost: budgets and prices."""

from dataclasses import replace

from PySide6.QtWidgets import QPlainTextEdit, QWidget

from toolplanner_core.errors import UserError
from toolplanner_core.llm.day_budget import DayBudget
from toolplanner_core.llm.prices import (
    format_prices,
    person_prices,
    read_prices,
    save_person_prices,
)
from toolplanner_core.options.values import options_to_json
from toolplanner_core.runs.config.presets import usual_limits
from toolplanner_core.runs.config.spec import Limits
from toolplanner_core.settings import DayLimits, load_settings, save_settings
from toolplanner_gui import dialog_commands
from toolplanner_gui.context import AppContext
from toolplanner_gui.forms.option_form import OptionForm
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.labels import named
from toolplanner_gui.windows.dialog import Dialog, DialogPlugin

_WIDTH = 480
_RUN = "A run may use, where nobody chose otherwise for it:"
_DAY = (
    "A day may cost, over all runs, judgements and descriptions in all workspaces. The question"
    " that would exceed it is not asked. Models that cost nothing are not counted."
)


class BudgetsDialog(Dialog):
    """Nothing is stored before Save."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(context, parent, "Budgets")
        self.setMinimumWidth(_WIDTH)
        book = DayBudget()
        self.run, self.day = OptionForm(Limits, of="a run"), OptionForm(DayLimits, of="a day")
        self.run.put(options_to_json(usual_limits()))
        self.day.put(options_to_json(book.limits))
        self.paragraph(_RUN, role="dim")
        self.add(self.run)
        self.paragraph(_DAY, role="dim")
        self.add(self.day)
        self.spent = self.paragraph(f"Spent today: {book.spent().words}.")
        self.add(self.banner)
        self.save_button = push_button("Save", self.accept, role="primary")
        self.add_buttons(self.save_button)

    def accept(self) -> None:
        """Store them and close; stays open where a number does not fit."""
        try:
            settings = replace(
                load_settings(), run_limits=self.run.values, day_limits=self.day.instance
            )
            save_settings(settings)
        except UserError as error:
            self.show_error(error)
            return
        self.context.preferences_changed.emit()
        super().accept()


_PRICES_WIDTH = 520
_HOW = (
    "A line for each: the name of models (* and ? stand for the rest of it), then US dollars per"
    " million tokens for input, for output and, where that differs, for cached input. They come"
    " before list prices; a workspace's own come before them."
)


class PricesDialog(Dialog):
    """Nothing is stored before Save."""

    asks_to_drop = True

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(context, parent, "Your prices of models")
        self.setMinimumWidth(_PRICES_WIDTH)
        self.paragraph(_HOW, role="dim")
        self.text = named(QPlainTextEdit(format_prices(person_prices())), "Prices")
        self.text.setPlaceholderText("my-model* 0.5 1.5")
        self.text.setTabChangesFocus(True)
        self.add((self.text, 1), self.banner)
        self.save_button = push_button("Save", self.accept, role="primary")
        self.add_buttons(self.save_button)

    def accept(self) -> None:
        """Store them and close; stays open where a line is wrong."""
        try:
            save_person_prices(read_prices(self.text.toPlainText()))
        except UserError as error:
            self.show_error(error)
            return
        super().accept()


PLUGINS = (
    DialogPlugin.of(dialog_commands.budgets, BudgetsDialog),
    DialogPlugin.of(dialog_commands.prices, PricesDialog),
)
