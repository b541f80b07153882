"""Export toolkits: which, for whom; and at once how large that is and what is left out."""

from PySide6.QtWidgets import QComboBox, QWidget

from toolplanner_core.curation.sharing.exports.export_forms import export_form, export_forms
from toolplanner_core.curation.sharing.exports.form import ExportRequest
from toolplanner_core.curation.sharing.exports.preview import ExportPreview, preview_export
from toolplanner_core.errors import ToolPlannerError
from toolplanner_core.settings import person_name
from toolplanner_gui import dialog_commands
from toolplanner_gui.actions.file_exports import FileForm, ask_where
from toolplanner_gui.actions.toolkits_menu import write_export
from toolplanner_gui.bridge.latest_request import LatestRequest
from toolplanner_gui.context import AppContext
from toolplanner_gui.widgets.box_layouts import form_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.labels import named
from toolplanner_gui.windows.dialog import Dialog, DialogPlugin

_WIDTH = 520
_COUNTING = "Counting what would be in it …"


class ExportDialog(Dialog):
    """What it says follows each choice; nothing is written before a file is chosen."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(context, parent, "Export toolkits")
        self.setMinimumWidth(_WIDTH)
        self._newest = LatestRequest(context.tasks, self)
        self._selected = [kit.id for kit, _n in context.chosen.shares]
        self.which = named(QComboBox(), "Which toolkits")
        self.which.addItem("All toolkits", "all")
        if self._selected:
            self.which.addItem(f"Selected: {context.chosen.words}", "selected")
        self.form = named(QComboBox(), "For whom")
        for form in export_forms().values():
            self.form.addItem(form.title, form.id)
        self.column.addLayout(form_of(("Which", self.which), ("For whom", self.form)))
        self.about = self.paragraph(role="dim")
        self.preview = self.paragraph()
        self.add(self.banner, 1)
        self.export_button = push_button("Export …", self._on_export, role="primary")
        self.add_buttons(self.export_button)
        for combo in (self.which, self.form):
            combo.currentIndexChanged.connect(self._on_edited)
        self._on_edited()

    @property
    def is_idle(self) -> bool:
        """Whether what is said is of what is chosen."""
        return self._newest.is_idle

    @property
    def request(self) -> ExportRequest:
        """What is chosen."""
        is_selected = self.which.currentData() == "selected"
        toolkits = self._selected if is_selected else None
        return ExportRequest(workspace=self.context.file, toolkits=toolkits, who=person_name())

    def _on_edited(self) -> None:
        request, form_id = self.request, str(self.form.currentData())
        self.about.setText(f"This form {export_form(form_id).description.rstrip('.')}.")
        self.preview.setText(_COUNTING)
        self.banner.hide()
        self.export_button.setEnabled(True)
        self._newest.ask(
            lambda: preview_export(request, form_id), self._on_counted, self._on_refused
        )

    def _on_counted(self, found: ExportPreview) -> None:
        self.preview.setText(found.words)

    def _on_refused(self, error: ToolPlannerError) -> None:
        self.preview.clear()
        self.export_button.setEnabled(False)
        self.show_error(error)

    def _on_export(self) -> None:
        self.context.tasks.spawn(self._export(), owner=self)

    async def _export(self) -> None:
        request, form = self.request, export_form(str(self.form.currentData()))
        files = FileForm(form.id, form.title, form.suffix, f"{form.files} (*{form.suffix})")
        name = f"{self.context.file.path.stem}-{form.content}"
        for place in await ask_where(self.context, files, name):
            write_export(self.context, form, request, place)
            self.accept()


PLUGIN = DialogPlugin.of(dialog_commands.export_toolkits, ExportDialog)
