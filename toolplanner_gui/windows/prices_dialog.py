"""What models cost this person, in all workspaces: a line each."""

from PySide6.QtWidgets import QPlainTextEdit, QWidget

from toolplanner_core.errors import UserError
from toolplanner_core.llm.prices import (
    person_prices,
    read_prices,
    save_person_prices,
    written_prices,
)
from toolplanner_gui.context import AppContext
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.labels import named
from toolplanner_gui.windows.dialog import Dialog, DialogPlugin

_WIDTH = 520
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
        self.setMinimumWidth(_WIDTH)
        self.paragraph(_HOW, role="dim")
        self.text = named(QPlainTextEdit(written_prices(person_prices())), "Prices")
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


PLUGIN = DialogPlugin(id="prices", make=PricesDialog)
