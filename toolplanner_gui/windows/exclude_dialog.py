"""Exclude APIs from planning: why, in a word that is remembered."""

from PySide6.QtWidgets import QComboBox, QWidget

from toolplanner_core.curation.edits.edit import Edit
from toolplanner_core.curation.edits.marks import Exclude
from toolplanner_gui.context import AppContext
from toolplanner_gui.widgets.boxes import form_of
from toolplanner_gui.widgets.labels import named
from toolplanner_gui.windows.dialog import DialogPlugin
from toolplanner_gui.windows.edit_dialog import EditDialog

_WIDTH = 420
REASONS = (
    "Does not work",
    "Duplicate of another API",
    "Only for tests",
    "Needs an account we do not have",
    "Must not be called by a program",
)


class ExcludeDialog(EditDialog):
    """A reason, chosen or written."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(context, parent, "Exclude from planning", verb="Exclude")
        self.setMinimumWidth(_WIDTH)
        self._chosen = context.chosen
        self.paragraph(f"Exclude {self._chosen.words}", role="heading")
        self.paragraph(
            "Excluded APIs stay in their toolkit and on the map, but no plan is offered them.",
            role="dim",
        )
        self.reason = named(QComboBox(), "Reason")
        self.reason.setEditable(True)
        self.reason.addItems(REASONS)
        self.reason.setCurrentText("")
        field = self.reason.lineEdit()
        assert field is not None
        field.setPlaceholderText("Why (optional)")
        self.column.addLayout(form_of(("Reason", self.reason)))
        self.add_ending()
        self.reason.currentTextChanged.connect(lambda _text: self.refresh())
        self.refresh()

    def edit(self) -> Edit | None:
        return Exclude(rowids=self._chosen.ids, reason=self.reason.currentText().strip())


PLUGIN = DialogPlugin(id="exclude", make=ExcludeDialog)
