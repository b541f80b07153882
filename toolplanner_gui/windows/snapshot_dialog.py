"""Save a snapshot: a name for the toolkits as they are now."""

from PySide6.QtWidgets import QLineEdit, QWidget

from toolplanner_core.curation.edits.history_reading import save_snapshot
from toolplanner_core.errors import ToolPlannerError
from toolplanner_gui import dialog_commands
from toolplanner_gui.context import AppContext
from toolplanner_gui.widgets.box_layouts import form_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.labels import named
from toolplanner_gui.windows.dialog import Dialog, DialogPlugin

_WIDTH = 420


class SnapshotDialog(Dialog):
    """A name and a note."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(context, parent, "Save a snapshot")
        self.setMinimumWidth(_WIDTH)
        self.paragraph(
            "Gives the toolkits as they are now a name, to go back to and to compare with.",
            role="dim",
        )
        self.name = named(QLineEdit(), "Name of the snapshot")
        self.note = named(QLineEdit(), "Note")
        self.note.setPlaceholderText("Optional")
        self.add(form_of(("Name", self.name), ("Note", self.note)), self.banner)
        self.save_button = push_button("Save", self._on_save, role="primary")
        self.save_button.setEnabled(False)
        self.add_buttons(self.save_button)
        self.name.textChanged.connect(lambda text: self.save_button.setEnabled(bool(text.strip())))

    def _on_save(self) -> None:
        self.context.tasks.spawn(self._save(), owner=self)

    async def _save(self) -> None:
        workspace, name, note = self.context.workspace, self.name.text(), self.note.text()
        if workspace is None:
            return
        try:
            saved = await self.context.tasks.in_thread(
                lambda: save_snapshot(workspace, name, note=note)
            )
        except ToolPlannerError as error:
            self.show_error(error)
            return
        self.context.curation.history_changed.emit()
        self.context.show_message(f"Saved the snapshot “{saved.name}”")
        self.accept()


PLUGIN = DialogPlugin.of(dialog_commands.save_snapshot, SnapshotDialog)
