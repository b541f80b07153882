"""What a person says of a run: a label to find it by, a star, a note."""

from PySide6.QtWidgets import QCheckBox, QCompleter, QLineEdit, QPlainTextEdit, QWidget

from toolplanner_core.domain.ids import RunId
from toolplanner_core.words.formatting import one_line
from toolplanner_core.workspace.runs import RunMark, put_mark
from toolplanner_gui import dialog_commands
from toolplanner_gui.context import AppContext
from toolplanner_gui.widgets.box_layouts import form_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.labels import named
from toolplanner_gui.windows.dialog import Dialog, DialogPlugin

_WIDTH = 440
_NOTE_HEIGHT = 80
_TITLE = 70


class RunLabelDialog(Dialog):
    """Label, star and note of one run."""

    asks_to_drop = True

    def __init__(self, context: AppContext, parent: QWidget, *, run: RunId) -> None:
        super().__init__(context, parent, f"Label of run {run}")
        self.setMinimumWidth(_WIDTH)
        self._run = run
        summaries = context.run_view.summaries
        shown = next((each for each in summaries if each.run == run), None)
        if shown is not None:
            self.paragraph(one_line(shown.query, _TITLE), role="dim")
        self.label = named(QLineEdit(shown.label if shown else ""), "Label of the run")
        self.label.setPlaceholderText("A word or two; label:… in the search finds the whole of it")
        known = sorted({each.label for each in summaries if each.label})
        self.label.setCompleter(QCompleter(known, self.label))
        self.star = QCheckBox("Star")
        self.star.setChecked(shown is not None and shown.is_starred)
        self.note = named(QPlainTextEdit(shown.note if shown else ""), "Note on the run")
        self.note.setPlaceholderText("For people; shown with the run")
        self.note.setProperty("role", "field")
        self.note.setFixedHeight(_NOTE_HEIGHT)
        self.note.setTabChangesFocus(True)
        self.add(form_of(("Label", self.label), ("", self.star), ("Note", self.note)))
        self.save_button = push_button("Save", self._on_save, role="primary")
        self.add_buttons(self.save_button)

    def _on_save(self) -> None:
        self.context.tasks.spawn(self._save(), owner=self)

    async def _save(self) -> None:
        context, workspace = self.context, self.context.file
        mark = RunMark(
            run_id=self._run,
            label=self.label.text(),
            note=self.note.toPlainText().strip(),
            is_starred=self.star.isChecked(),
        )
        await context.tasks.in_thread(lambda: put_mark(workspace, mark))
        context.run_view.refresh()
        self.accept()


PLUGIN = DialogPlugin.of(dialog_commands.label_run, RunLabelDialog)
