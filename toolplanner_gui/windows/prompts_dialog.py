"""Prompts: the texts that models are shown in this workspace: edited, compared, reset.

What does not fit is said while it is typed; nothing is stored before Save. Runs that begin
afterwards use the new text, and keep its name and hash.
"""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QPlainTextEdit, QSplitter, QTextEdit, QWidget

from toolplanner_core.errors import UserError
from toolplanner_core.prompts.editing import (
    WorkspacePrompt,
    edit_prompt,
    prompt_problems,
    reset_prompt,
    workspace_prompts,
)
from toolplanner_core.words.formatting import counted, when
from toolplanner_core.words.word_diff import changed_lines
from toolplanner_gui import dialog_commands
from toolplanner_gui.bridge.standard_dialogs import confirm
from toolplanner_gui.context import AppContext
from toolplanner_gui.theme.tokens import GAP, SPACE
from toolplanner_gui.viewmodels.item_models import KEY_ROLE, Row, TableModel
from toolplanner_gui.widgets.box_layouts import page_of, row_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.diff_view import diff_as_html
from toolplanner_gui.widgets.labels import named, text_label
from toolplanner_gui.widgets.views import QuietTree
from toolplanner_gui.windows.dialog import Dialog, DialogPlugin

_SIZE = (980, 640)
_ABOUT = (
    "What language models are told in this workspace. Places such as {{max_steps}} are filled when"
    " a text is used and cannot be left out. Each run keeps which texts it used."
)
_DEFAULT = "The default"


class PromptsDialog(Dialog):
    """The list of prompts, and the one that is edited."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(context, parent, "Prompts of this workspace")
        self.resize(*_SIZE)
        self._prompts: dict[str, WorkspacePrompt] = {}
        self._shown: WorkspacePrompt | None = None
        self._drafts: dict[str, str] = {}
        self.paragraph(_ABOUT, role="dim")
        self.model = TableModel(("Prompt", "Text"), self)
        self.view = QuietTree("Prompts", is_flat=True)
        self.view.set_model(self.model, {1: 60})
        self.title = text_label(role="dim", is_wrapped=True, name="Which prompt")
        self.text = named(QPlainTextEdit(), "Text of the prompt")
        self.text.setTabChangesFocus(True)
        self.problem = text_label(role="problem", is_wrapped=True, name="What does not fit")
        self.versions = named(QComboBox(), "Earlier texts")
        self.versions.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.changes = named(QTextEdit(), "Difference to the default")
        self.changes.setReadOnly(True)
        self.save_button = push_button("Save", self._on_save, role="primary")
        self.reset_button = push_button("Use the default", self._on_reset)
        buttons = row_of(self.versions, 1, self.reset_button, self.save_button, gap=GAP)
        editor = page_of(self.title, (self.text, 3), self.problem, buttons, gap=SPACE)
        difference_part = page_of(
            text_label("Difference to the default", role="dim"), (self.changes, 1), gap=SPACE
        )
        right = QSplitter(Qt.Orientation.Vertical)
        right.addWidget(editor)
        right.addWidget(difference_part)
        right.setSizes([380, 160])
        sides = QSplitter()
        sides.addWidget(self.view)
        sides.addWidget(right)
        sides.setSizes([360, 600])
        self.add((sides, 1), self.banner)
        self.add_buttons(None, "Close")
        self.view.selectionModel().currentChanged.connect(lambda *_: self._on_chosen())
        self.text.textChanged.connect(self._on_typed)
        self.versions.activated.connect(self._on_version)
        self._read("")

    def choose(self, name: str) -> None:
        """Show a prompt."""
        row = [*self._prompts].index(name)
        self.view.setCurrentIndex(self.model.index(row, 0))

    def reject(self) -> None:
        """Close it; texts that were not saved are asked about."""
        if self._drafts:
            self.context.tasks.spawn(self._leave(), owner=self)
        else:
            super().reject()

    def on_workspace_closing(self) -> None:
        """Close without asking: there is nothing left to save texts in."""
        self._drafts.clear()
        super().on_workspace_closing()

    async def _leave(self) -> None:
        texts = counted(len(self._drafts), "text is", "texts are")
        if await confirm(self, f"{texts} not saved", why="Closing drops them.", yes="Drop"):
            self._drafts.clear()
            super().reject()

    def _read(self, name: str) -> None:
        workspace = self.context.workspace
        if workspace is None:
            return

        async def read() -> None:
            found = await self.context.tasks.in_thread(lambda: workspace_prompts(workspace))
            self._prompts = {one.name: one for one in sorted(found, key=lambda one: one.title)}
            rows = (
                Row(
                    cells=(one.title, "edited" if one.is_edited else ""),
                    key=one.name,
                    tooltip=f"{one.name} · {one.hash}",
                )
                for one in self._prompts.values()
            )
            self.model.set_rows([*rows])
            self.choose(name if name in self._prompts else next(iter(self._prompts)))
            self._on_chosen()

        self.context.tasks.spawn(read(), owner=self)

    def _on_chosen(self) -> None:
        shown = self._prompts.get(str(self.view.currentIndex().data(KEY_ROLE)))
        if shown is None or shown is self._shown:
            return
        self._shown = shown
        state = "edited" if shown.is_edited else "the default"
        self.title.setText(f"{shown.title} · {shown.name} · {shown.hash}, {state}")
        self.versions.clear()
        self.versions.addItem("Take an earlier text …", None)
        for version in reversed(shown.versions):
            words = f"{when(version.saved_us / 1e6)} · {version.hash}"
            self.versions.addItem(words, version.text)
        self.versions.addItem(_DEFAULT, shown.default)
        self.versions.setEnabled(bool(shown.versions))
        self.text.setPlainText(self._drafts.get(shown.name, shown.text))
        self._on_typed()

    def _on_typed(self) -> None:
        shown = self._shown
        if shown is None:
            return
        text = self.text.toPlainText()
        if text == shown.text:
            self._drafts.pop(shown.name, None)
        else:
            self._drafts[shown.name] = text
        wrong = prompt_problems(shown.name, text)
        self.problem.setText(f"Cannot be saved: {'; '.join(wrong)}." if wrong else "")
        self.problem.setVisible(bool(wrong))
        lines = (f"<p>{diff_as_html(line)}</p>" for line in changed_lines(shown.default, text))
        self.changes.setHtml("".join(lines) or "None: this is the default.")
        self.save_button.setEnabled(text != shown.text and not wrong)
        self.reset_button.setEnabled(text != shown.default or shown.is_edited)

    def _on_version(self, position: int) -> None:
        text = self.versions.itemData(position)
        if text is not None:
            self.text.setPlainText(text)
        self.versions.setCurrentIndex(0)

    def _on_save(self) -> None:
        self._store(self.text.toPlainText())

    def _on_reset(self) -> None:
        self._store(None)

    def _store(self, text: str | None) -> None:
        """Save a text, None = the default; what was saved before stays among the earlier ones."""
        workspace, shown = self.context.workspace, self._shown
        if workspace is None or shown is None:
            return
        name = shown.name

        def work() -> WorkspacePrompt:
            if text is None:
                return reset_prompt(workspace, name)
            return edit_prompt(workspace, name, text)

        async def store() -> None:
            try:
                await self.context.tasks.in_thread(work)
            except UserError as error:
                self.show_error(error)
                return
            self._drafts.pop(name, None)
            self._shown = None
            self._read(name)

        self.context.tasks.spawn(store(), owner=self)


PLUGIN = DialogPlugin.of(dialog_commands.prompts, PromptsDialog)
