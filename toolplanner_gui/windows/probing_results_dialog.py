"""What probing learnt: field by field beside the documentation, with an example; accept or reject.

What is accepted is told to programs beside the documentation. Each decision is another version of
what is known, so it can be taken back.
"""

from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QAbstractItemView, QWidget

from toolplanner_core.domain.ids import ApiId
from toolplanner_core.probing.protocol import ProtocolStatus
from toolplanner_core.probing.stored_protocols import (
    DECIDED,
    ProtocolComparison,
    compare_protocols,
    decide_protocol,
)
from toolplanner_core.words.formatting import count, counted, one_line
from toolplanner_gui import dialog_commands, panel_commands
from toolplanner_gui.context import AppContext
from toolplanner_gui.theme.icons import make_icon
from toolplanner_gui.theme.tokens import GAP
from toolplanner_gui.viewmodels.item_models import KEY_ROLE, Row, TableModel
from toolplanner_gui.widgets.box_layouts import row_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.empty_state import EmptyState
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.widgets.views import QuietTree, code_view
from toolplanner_gui.windows.dialog import Dialog, DialogPlugin

_SIZE = (760, 640)
_NOTHING = (
    "Nothing was learnt yet. Select APIs or a toolkit and choose Probe, to find out how they reply."
)


class ProbingResultsDialog(Dialog):
    """The list of what was learnt, with the chosen one beside its documentation below it."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(context, parent, "Learnt by probing")
        self.resize(*_SIZE)
        self._found: dict[ApiId, ProtocolComparison] = {}
        self.summary = self.paragraph(role="dim")
        self.model = TableModel(("API", "Decided", "Differences"), self, numbers=(2,))
        self.view = QuietTree("What was learnt", is_flat=True)
        self.view.set_model(self.model, {1: 110, 2: 90})
        self.view.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        self.said = text_label(is_wrapped=True, name="The chosen one beside its documentation")
        self.fields_model = TableModel(("Field", "Documented", "Found", "Difference"), self)
        self.fields = QuietTree("Fields of replies", is_flat=True)
        self.fields.set_model(self.fields_model, {1: 120, 2: 120, 3: 130})
        self.example = code_view("Example of its use")
        self._nothing = EmptyState("flask-outline", _NOTHING)
        self.accept_button = push_button("Accept", lambda: self._decide("accepted"), role="primary")
        self.reject_button = push_button("Reject", lambda: self._decide("rejected"))
        self.back_button = push_button("Take back", lambda: self._decide("new"))
        self.back_button.setToolTip("Nothing is decided of the selected ones then")
        self.all_button = push_button("Accept all", self._on_accept_all)
        buttons = (self.accept_button, self.reject_button, self.back_button, self.all_button)
        self.add((self._nothing, 1), (self.view, 2), row_of(*buttons, 1, gap=GAP))
        self.add(self.said, (self.fields, 2), (self.example, 1), self.banner)
        self.add_buttons(None, "Close")
        self.view.selectionModel().selectionChanged.connect(self._on_chosen)
        context.run_view.live_changed.connect(self._look)
        self._look()

    @property
    def chosen(self) -> list[ApiId]:
        """What is selected in the list."""
        return [index.data(KEY_ROLE) for index in self.view.selectionModel().selectedRows(0)]

    def _look(self) -> None:
        self.context.tasks.spawn(self._read(), owner=self)

    async def _read(self) -> None:
        workspace = self.context.workspace
        if workspace is None:
            return
        found = await self.context.tasks.in_thread(lambda: compare_protocols(workspace))
        self._found = {each.kept.protocol.api: each for each in found}
        self.model.update_rows([_row(each) for each in found])
        n_new = len(self._undecided)
        self.summary.setText(
            f"{counted(len(found), 'API')} probed, {count(n_new)} to decide. Programs are told what"
            " you accept, beside the documentation."
        )
        for part in (self.view, self.said, self.fields, self.example, self.summary):
            part.setVisible(bool(found))
        for button in (self.accept_button, self.reject_button, self.back_button, self.all_button):
            button.setVisible(bool(found))
        self._nothing.setVisible(not found)
        self.all_button.setText(f"Accept all {count(n_new)}" if n_new else "Accept all")
        self.all_button.setEnabled(bool(n_new))
        if found and not self.view.selectionModel().hasSelection():
            self.view.setCurrentIndex(self.model.index(0, 0))
        self._on_chosen()

    @property
    def _undecided(self) -> list[ApiId]:
        return [api for api, each in self._found.items() if each.kept.protocol.status == "new"]

    def _on_chosen(self, *_: object) -> None:
        chosen = [self._found[api] for api in self.chosen if api in self._found]
        statuses = {each.kept.protocol.status for each in chosen}
        self.accept_button.setEnabled(bool(statuses - {"accepted"}))
        self.reject_button.setEnabled(bool(statuses - {"rejected"}))
        self.back_button.setEnabled(bool(statuses - {"new"}))
        shown = chosen[0] if len(chosen) == 1 else None
        if shown is None:
            self.said.setText("Select one to see how it replies." if self._found else "")
            self.fields_model.set_rows([])
            self.example.clear()
            return
        self.said.setText(shown.description)
        self.fields_model.set_rows(
            [
                Row(
                    cells=(one_line(each.path), each.documented, each.found, each.mark),
                    key=each.path,
                    icon=_marked if each.mark else None,
                    tooltip=each.path,
                )
                for each in shown.fields
            ]
        )
        found = shown.kept.protocol
        self.example.setPlainText(f"# {one_line(found.question)}\n{found.program}")

    def _on_accept_all(self) -> None:
        self._write(self._undecided, "accepted")

    def _decide(self, status: ProtocolStatus) -> None:
        self._write(self.chosen, status)

    def _write(self, apis: list[ApiId], status: ProtocolStatus) -> None:
        workspace, context = self.context.workspace, self.context
        if workspace is None or not apis:
            return

        def write() -> None:
            for api in apis:
                decide_protocol(workspace, api, status)

        async def work() -> None:
            await context.tasks.in_thread(write)
            await self._read()
            if context.shell.current_layout != "debug":  # else it would leave what is looked at
                context.shell.call_panel(panel_commands.refresh_details)

        context.tasks.spawn(work(), owner=self)


def _row(beside: ProtocolComparison) -> Row:
    found = beside.kept.protocol
    n = sum(bool(each.mark) for each in beside.fields)
    return Row(
        cells=(one_line(found.title), DECIDED[found.status], count(n)),
        key=found.api,
        tooltip=f"{found.title}\n{beside.description}",
    )


def _marked() -> QIcon:
    return make_icon("alert-outline")


PLUGIN = DialogPlugin.of(dialog_commands.probing_results, ProbingResultsDialog, is_beside=True)
