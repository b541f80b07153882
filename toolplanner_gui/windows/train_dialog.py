"""Train a retriever and measure it; the retrievers that were trained on this machine.

Train a retriever: labelled queries, runs that answered, how long; then a job, and what it gained.
Nothing that trains is loaded into this process: it is only looked whether it is there.
"""

from pathlib import Path

from PySide6.QtWidgets import QCheckBox, QLineEdit, QTabWidget, QWidget

from toolplanner_core.embedding.trained import (
    RECORD_FILE,
    trained_folder,
)
from toolplanner_core.errors import EmbedderUnavailable, UserError
from toolplanner_core.training.job import TrainingOptions
from toolplanner_core.training.train import (
    WORK,
    TrainingRequest,
    check_installed,
)
from toolplanner_gui import dialog_commands
from toolplanner_gui.bridge.standard_dialogs import choose_files
from toolplanner_gui.context import AppContext
from toolplanner_gui.forms.option_form import OptionForm, form_label, form_rows
from toolplanner_gui.theme.tokens import GAP, SPACE
from toolplanner_gui.widgets.box_layouts import page_of, row_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.labels import named, text_label
from toolplanner_gui.widgets.views import scrolled
from toolplanner_gui.windows.dialog import Dialog, DialogPlugin
from toolplanner_gui.windows.removable_list import RemovableList
from toolplanner_gui.windows.search_ranking_row import ORDER_TIP, SearchRankingRow
from toolplanner_gui.windows.trained_retrievers import (
    TrainedRetrieversPage,
    retriever_in_training,
    start_training,
)

_SIZE = (760, 620)
_ABOUT = (
    "A retriever finds the APIs for a query. It learns from queries whose right APIs are known, and"
    " is then measured on others, about tools that it has never seen. What you stop is kept."
)
_FILTERS = "Labelled queries (*.jsonl *.jsonl.gz *.json *.gz);;All files (*)"
_FORM = 'JSON lines, one per query: {"query": "…", "gold": ["KEY", …]}'
_OWN = 120


class TrainDialog(Dialog):
    """What shall be trained, and what was trained before.

    Args:
        begin_with: name of a trained retriever whose figures are shown at once.
    """

    def __init__(self, context: AppContext, parent: QWidget, *, begin_with: str = "") -> None:
        for other in parent.findChildren(TrainDialog):
            other.reject()
        super().__init__(context, parent, "Train a retriever")
        self.resize(*_SIZE)
        self.paths: list[Path] = []
        self.paragraph(_ABOUT, role="dim")
        self.name = named(QLineEdit(), "Name of the retriever")
        self.name.setPlaceholderText("Such as support-queries")
        self.files = RemovableList("Files of labelled queries", ("File", "Folder"), {0: 240})
        self.files.setToolTip(_FORM)
        self.files.setFixedHeight(_OWN)
        self.add_button = push_button("Add files …", self._on_add, tip=_FORM)
        self.take_button = push_button("Take away", self._on_take)
        self.has_runs = _checked("Learn from runs that answered, too")
        self.has_order = _checked("Learn an order of searches, too", ORDER_TIP)
        self.options = OptionForm(TrainingOptions, of="training")
        self.order = SearchRankingRow(
            context,
            asked=lambda: (tuple(self.paths), self.has_runs.isChecked()),
            refused=self.show_error,
        )
        head = QWidget()
        form = form_rows(head)
        for title, field in {"Name": self.name, "Labelled queries": self.files}.items():
            form.addRow(form_label(title, field), field)
        form.addRow("", row_of(self.add_button, self.take_button, 1, gap=SPACE))
        form.addRow("", self.has_runs)
        form.addRow("", self.has_order)
        form.addRow(form_label("Order of searches", self.order), self.order)
        page = page_of(head, self.options, 1, margins=(GAP, GAP, GAP, GAP), gap=GAP, role="page")
        self.known = TrainedRetrieversPage(
            context, begin_with=begin_with, refused=self.show_error, close=self.accept
        )
        self.tabs = QTabWidget()
        self.tabs.setDocumentMode(True)
        self.tabs.addTab(scrolled(page), "Train")
        self.tabs.addTab(self.known, "Trained here")
        self.tabs.setCurrentIndex(1 if begin_with else 0)
        self.state = text_label(role="dim", is_wrapped=True, name="Whether it can begin")
        self.add(self.banner, (self.tabs, 1), self.state)
        self.start_button = push_button("Train", self._on_start, role="primary")
        self.add_buttons(self.start_button, "Close")
        for button in (self.add_button, self.take_button):
            button.setAutoDefault(False)
        self._is_able = True
        try:
            check_installed()
        except EmbedderUnavailable as error:
            self._is_able = False
            self.show_error(error)
        self.name.textChanged.connect(self._on_edited)
        self.has_runs.toggled.connect(self._on_edited)
        self.options.edited.connect(self._on_edited)
        self.tabs.currentChanged.connect(self._on_edited)
        for changed in (context.jobs.started, context.jobs.ended):
            changed.connect(self._on_edited)
        self._on_edited()

    def take(self, paths: list[Path]) -> None:
        """Learn from these files, too."""
        self.paths = list(dict.fromkeys([*self.paths, *paths]))
        self.files.fill([((path.name, str(path.parent)), path) for path in self.paths])
        self._on_edited()

    @property
    def request(self) -> TrainingRequest:
        """What is chosen.

        Raises:
            BadInput: an option does not fit.
        """
        return TrainingRequest(
            name=self.name.text().strip(),
            files=tuple(self.paths),
            has_runs=self.has_runs.isChecked(),
            has_order=self.has_order.isChecked(),
            options=self.options.instance,
        )

    def _on_edited(self) -> None:
        problem = self._problem
        self.order.refresh()
        is_here = self.tabs.currentIndex() == 0
        self.start_button.setVisible(is_here)
        self.start_button.setEnabled(not problem)
        self.state.setVisible(is_here)
        self.state.setText(problem or self._outlook)

    @property
    def _problem(self) -> str:
        """Why it cannot begin, "" = it can."""
        name = self.name.text().strip()
        if not self._is_able:
            return "This machine cannot train as it is."
        if other := retriever_in_training(self.context):
            return f"{other} is being trained: the status bar shows how far it is."
        if not name:
            return "Give it a name."
        try:
            folder = trained_folder(name)
        except UserError as error:
            return f"{error.what}. {error.todo}."
        if (folder / RECORD_FILE).exists():
            return "There is one of this name already: choose another name, or remove that first."
        if not self.paths and not self.has_runs.isChecked():
            return "Add a file of labelled queries, or learn from runs that answered."
        return self.options.problem

    @property
    def _outlook(self) -> str:
        if (trained_folder(self.name.text().strip()) / WORK).is_dir():
            return "It was stopped before: with the same queries and options it goes on from there."
        return "It works beside you, in a process of its own, and may be stopped at any time."

    def _on_add(self) -> None:
        async def flow() -> None:
            self.take(await choose_files(self, "Files of labelled queries", _FILTERS))

        self.context.tasks.spawn(flow(), owner=self)

    def _on_take(self) -> None:
        gone = self.files.selected
        self.paths = [path for path in self.paths if path not in gone]
        self.take([])

    def _on_start(self) -> None:
        workspace = self.context.workspace
        if workspace is None:
            return
        try:
            request = self.request
        except UserError as error:
            self.show_error(error)
            return
        start_training(self.context, workspace, request)
        self.accept()


def _checked(text: str, tip: str = "") -> QCheckBox:
    box = QCheckBox(text)
    box.setChecked(True)
    box.setToolTip(tip)
    return box


PLUGIN = DialogPlugin.of(dialog_commands.train_retriever, TrainDialog, is_beside=True)
