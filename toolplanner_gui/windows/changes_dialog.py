"""Documentation that imports changed: word by word, and accepted one by one, by source, or all.

Until then an API is neither planned with nor called. Accepting is an edit, so it can be undone.
"""

from PySide6.QtWidgets import QAbstractItemView, QComboBox, QWidget

from toolplanner_core.curation.looking.waiting import Waiting, acceptance_of, read_waiting
from toolplanner_core.words.formatting import counted, one_line
from toolplanner_gui import dialog_commands
from toolplanner_gui.context import AppContext
from toolplanner_gui.theme.tokens import GAP
from toolplanner_gui.viewmodels.item_models import KEY_ROLE, Row, TableModel
from toolplanner_gui.widgets.box_layouts import row_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.empty_state import EmptyState
from toolplanner_gui.widgets.views import QuietTree, code_view
from toolplanner_gui.windows.dialog import Dialog, DialogPlugin

_SIZE = (760, 560)
_ALL = "All catalogues"


class ChangesDialog(Dialog):
    """The list of what waits, with what changed of the chosen ones below it."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(context, parent, "Changed documentation")
        self.resize(*_SIZE)
        self._found: list[Waiting] = []
        self.summary = self.paragraph()
        self.source = QComboBox()
        self.source.setAccessibleName("Catalogue")
        self.source.addItem(_ALL)
        self.model = TableModel(("API", "Catalogue", "What changed"), self)
        self.view = QuietTree("APIs that wait to be accepted", is_flat=True)
        self.view.set_model(self.model, {1: 120, 2: 300})
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.details = code_view("What changed, word by word")
        self._nothing = EmptyState(
            "check", "Nothing waits: what imports changed was accepted, or nothing changed."
        )
        self.accept_button = push_button("Accept", self._on_accept, role="primary")
        self.all_button = push_button("Accept all", self._on_accept_all)
        self.add(row_of(self.source, 1, self.all_button, gap=GAP))
        self.add((self._nothing, 1), (self.view, 2), (self.details, 1), self.banner)
        self.add_buttons(self.accept_button, "Close")
        self.source.currentIndexChanged.connect(self._show)
        self.view.selectionModel().selectionChanged.connect(self._on_chosen)
        context.catalogue_changed.connect(self._look)
        context.catalogue_edited.connect(self._look)
        self._look()

    @property
    def chosen(self) -> list[Waiting]:
        """What is selected in the list."""
        rows = {index.data(KEY_ROLE) for index in self.view.selectionModel().selectedRows(0)}
        return [each for each in self._shown if each.rowid in rows]

    @property
    def _shown(self) -> list[Waiting]:
        source = self.source.currentText() if self.source.currentIndex() > 0 else ""
        return [each for each in self._found if not source or each.api.source == source]

    def _look(self, *_: object) -> None:
        self.context.tasks.spawn(self._read(), owner=self)

    async def _read(self) -> None:
        workspace = self.context.workspace
        if workspace is None:
            return
        self._found = await self.context.tasks.in_thread(lambda: read_waiting(workspace))
        names = sorted({each.api.source for each in self._found})
        if names != [self.source.itemText(i) for i in range(1, self.source.count())]:
            self.source.blockSignals(True)
            self.source.clear()
            self.source.addItems([_ALL, *names])
            self.source.blockSignals(False)
        self._show()

    def _show(self, *_: object) -> None:
        shown = self._shown
        self.model.update_rows(
            [
                Row(
                    cells=(
                        one_line(each.api.title, 120), one_line(each.api.source, 60),
                        one_line(", ".join(each.change.parts), 120),
                    ),
                    key=each.rowid,
                )
                for each in shown
            ]
        )  # fmt: skip
        waits = counted(len(self._found), "API waits", "APIs wait")
        they = "it is" if len(self._found) == 1 else "they are"
        self.summary.setText(
            f"{waits}: an import changed the documentation. Until you accept that, {they} neither"
            " planned with nor called."
        )
        for part in (self.view, self.details, self.summary, self.source):
            part.setVisible(bool(self._found))
        self._nothing.setVisible(not self._found)
        self.all_button.setText("Accept all" if len(shown) < 2 else f"Accept all {len(shown):,}")
        self.all_button.setEnabled(bool(shown))
        if shown and not self.view.selectionModel().hasSelection():
            self.view.setCurrentIndex(self.model.index(0, 0))
        self._on_chosen()

    def _on_chosen(self, *_: object) -> None:
        chosen = self.chosen
        self.accept_button.setEnabled(bool(chosen))
        self.accept_button.setVisible(bool(self._found))
        blocks = [
            "\n".join([each.api.title, *(f"{p.part}: {p.diff}" for p in each.change.details)])
            for each in chosen[:_MOST]
        ]
        self.details.setPlainText("\n\n".join(blocks))

    def _on_accept(self) -> None:
        self._accept(self.chosen)

    def _on_accept_all(self) -> None:
        self._accept(self._shown)

    def _accept(self, chosen: list[Waiting]) -> None:
        if chosen:
            self.context.curation.do(acceptance_of(chosen), origin={"by": "changes"})


_MOST = 50
"""APIs whose changes are shown at once."""

PLUGIN = DialogPlugin.of(dialog_commands.changed_documentation, ChangesDialog, is_beside=True)
