"""Save a selection: a name for the selected APIs."""

from PySide6.QtWidgets import QLineEdit, QWidget

from toolplanner_core.words.formatting import counted
from toolplanner_gui import dialog_commands
from toolplanner_gui.context import AppContext
from toolplanner_gui.widgets.box_layouts import form_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.labels import named
from toolplanner_gui.windows.dialog import Dialog, DialogPlugin

_WIDTH = 420


class SaveSelectionDialog(Dialog):
    """A name; one that is taken is said so and replaced."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(context, parent, "Save the selection")
        self.setMinimumWidth(_WIDTH)
        words = f"Keeps the {counted(context.selection.count, 'selected API')} under a name."
        self.paragraph(words, role="dim")
        self.name = named(QLineEdit(), "Name of the selection")
        self.column.addLayout(form_of(("Name", self.name)))
        self._note = self.paragraph(role="dim")
        self.save_button = push_button("Save", self._on_save, role="primary")
        self.save_button.setEnabled(False)
        self.add_buttons(self.save_button)
        self.name.textChanged.connect(self._on_name_changed)

    def _on_name_changed(self, text: str) -> None:
        wanted = " ".join(text.split())
        taken = any(one.name == wanted for one in self.context.selecting.saved)
        self.save_button.setEnabled(bool(wanted))
        self.save_button.setText("Replace" if taken else "Save")
        self._note.setText("There is one of this name; it will be replaced." if taken else "")

    def _on_save(self) -> None:
        self.context.selecting.save(self.name.text())
        self.accept()


PLUGIN = DialogPlugin.of(dialog_commands.save_selection, SaveSelectionDialog)
