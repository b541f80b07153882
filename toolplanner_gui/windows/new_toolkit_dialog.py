"""New toolkit from the selection: a name, proposed by rule, and what is taken from where."""

from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QWidget

from toolplanner_core.curation.edits.edit import Edit
from toolplanner_core.curation.edits.move import NewToolkit
from toolplanner_core.curation.edits.remembered_names import propose_name
from toolplanner_gui.context import AppContext
from toolplanner_gui.widgets.boxes import form_of
from toolplanner_gui.widgets.labels import named
from toolplanner_gui.windows.dialog import DialogPlugin
from toolplanner_gui.windows.edit_dialog import EditDialog

_WIDTH = 460
_TEXT_HEIGHT = 64


class NewToolkitDialog(EditDialog):
    """Name and description; both may be left as the rule wrote them."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(context, parent, "New toolkit", verb="Make toolkit")
        self.setMinimumWidth(_WIDTH)
        self._chosen = context.chosen
        self.paragraph(f"New toolkit of {self._chosen.words}", role="heading")
        self.name = named(QLineEdit(), "Name of the new toolkit")
        self.name.setPlaceholderText("Thinking of a name …")
        self.description = named(QPlainTextEdit(), "What a planner reads about it")
        self.description.setProperty("role", "field")
        self.description.setFixedHeight(_TEXT_HEIGHT)
        self.description.setTabChangesFocus(True)
        self.column.addLayout(form_of(("Name", self.name), ("Description", self.description)))
        self.add_ending()
        self.name.textChanged.connect(self.refresh)
        self.refresh()
        context.tasks.spawn(self._propose(), owner=self)

    def edit(self) -> Edit | None:
        name = " ".join(self.name.text().split())
        if not name:
            return None
        return NewToolkit(
            rowids=self._chosen.ids,
            name=name,
            description=self.description.toPlainText().strip(),
        )

    def hint(self) -> str:
        return "Give it a name."

    async def _propose(self) -> None:
        workspace = self.context.workspace
        if workspace is None:
            return
        ids = self._chosen.ids
        text = await self.context.tasks.in_thread(lambda: propose_name(workspace, ids))
        self.name.setPlaceholderText("Name")
        if not self.name.text():
            self.name.setText(text.name)
            self.name.selectAll()
        if not self.description.toPlainText():
            self.description.setPlainText(text.description)


PLUGIN = DialogPlugin(id="new_toolkit", make=NewToolkitDialog)
