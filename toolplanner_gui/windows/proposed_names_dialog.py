"""Names that the rule proposes for toolkits whose members are others now: taken or refused, many at
once.

No toolkit is called otherwise until somebody takes its proposal here. What is answered is one edit,
so that one undo brings all of it back.
"""

from collections.abc import Sequence

from PySide6.QtWidgets import QAbstractItemView, QWidget

from toolplanner_core.curation.edits.describe import AnswerNames
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.words.formatting import count, counted, one_line
from toolplanner_gui import dialog_commands
from toolplanner_gui.context import AppContext
from toolplanner_gui.theme.tokens import GAP
from toolplanner_gui.viewmodels.item_models import KEY_ROLE, Row, TableModel
from toolplanner_gui.widgets.box_layouts import row_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.empty_state import EmptyState
from toolplanner_gui.widgets.input_fields import SearchField
from toolplanner_gui.widgets.views import QuietTree
from toolplanner_gui.windows.dialog import Dialog, DialogPlugin

_SIZE = (720, 480)


class ProposedNamesDialog(Dialog):
    """A list of what is proposed; without a selection an answer is for all that are listed."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(context, parent, "Proposed names")
        self.resize(*_SIZE)
        self._listed: list[ToolkitId] = []
        self.summary = self.paragraph()
        self.field = SearchField("Only names with these words")
        self.model = TableModel(("Called now", "APIs", "Proposed"), self, numbers=(1,))
        self.view = QuietTree("Toolkits for which another name is proposed", is_flat=True)
        self.view.set_model(self.model, {1: 64}, shares={2: 0.48})
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self._nothing = EmptyState("check", "No name is proposed: all toolkits keep theirs.")
        self.take_button = push_button("Take", lambda: self._answer(is_taken=True), role="primary")
        self.keep_button = push_button("Keep", lambda: self._answer(is_taken=False))
        self.add(row_of((self.field, 1), self.keep_button, gap=GAP))
        self.add((self._nothing, 1), (self.view, 1), self.banner)
        self.add_buttons(self.take_button, "Close")
        self.field.textChanged.connect(lambda _text: self._show())
        self.view.selectionModel().selectionChanged.connect(lambda *_: self._say())
        self.view.activated.connect(lambda index: self._select(index.data(KEY_ROLE)))
        context.catalogue_changed.connect(self._show)
        context.catalogue_edited.connect(self._on_edit)
        self._show()

    @property
    def chosen(self) -> Sequence[ToolkitId]:
        """The toolkits that an answer is for: those selected, else all that are listed."""
        rows = [index.data(KEY_ROLE) for index in self.view.selectionModel().selectedRows(0)]
        return rows or self._listed

    def _on_edit(self, _edit: object) -> None:
        self._show()

    def _show(self) -> None:
        waiting = [one for one in self.context.catalogue.toolkits if one.proposed_name]
        words = self.field.text().casefold().split()
        shown = sorted(
            (
                one
                for one in waiting
                if all(word in f"{one.name} {one.proposed_name}".casefold() for word in words)
            ),
            key=lambda one: (-one.size, one.id),
        )
        self._listed = [one.id for one in shown]
        self.model.update_rows(
            [
                Row(
                    cells=(one_line(one.name), count(one.size), one_line(one.proposed_name)),
                    key=one.id,
                    tooltip=f"{one.name}\n{one.proposed_name}\n{one.description}",
                )
                for one in shown
            ]
        )
        self.summary.setText(
            f"Other members came to {counted(len(waiting), 'toolkit')}, or members left. They keep"
            " their names until you take another; what you do here is one step of the history."
        )
        for part in (self.view, self.summary, self.field, self.take_button, self.keep_button):
            part.setVisible(bool(waiting))
        self._nothing.setVisible(not waiting)
        self._say()

    def _say(self) -> None:
        n = len(self.chosen)
        self.take_button.setText(f"Take {n:,} proposed")
        self.keep_button.setText(f"Keep {n:,} as they are")
        for button in (self.take_button, self.keep_button):
            button.setEnabled(n > 0)

    def _select(self, toolkit: ToolkitId) -> None:
        self.context.selection.select_toolkit(toolkit)

    def _answer(self, *, is_taken: bool) -> None:
        edit = AnswerNames(toolkits=tuple(self.chosen), is_taken=is_taken)
        self.context.curation.do(edit, origin={"by": "proposed names"})


PLUGIN = DialogPlugin.of(dialog_commands.proposed_names, ProposedNamesDialog, is_beside=True)
