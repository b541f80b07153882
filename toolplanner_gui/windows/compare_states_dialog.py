"""Compare two states of the toolkits: merged, split, moved, renamed, as a table and on the map."""

from collections.abc import Sequence

from PySide6.QtWidgets import QComboBox, QWidget

from toolplanner_core.curation.edits.history_reading import (
    HistoryEntry,
    list_history,
    list_snapshots,
)
from toolplanner_core.curation.edits.state_diff import DiffLine, diff_points
from toolplanner_core.domain.ids import EditId
from toolplanner_core.words.formatting import count, counted, one_line, when
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.edit_history import ROOT as START
from toolplanner_core.workspace.edit_history import Snapshot
from toolplanner_gui import dialog_commands
from toolplanner_gui.bridge.latest_request import LatestRequest
from toolplanner_gui.context import AppContext
from toolplanner_gui.viewmodels.item_models import KEY_ROLE, Row, TableModel
from toolplanner_gui.widgets.box_layouts import form_of
from toolplanner_gui.widgets.labels import named
from toolplanner_gui.widgets.views import QuietTree
from toolplanner_gui.windows.dialog import Dialog, DialogPlugin

_SIZE = (640, 480)
_RECENT = 40


class CompareStatesDialog(Dialog):
    """Two points of the history and how they differ; a row that is chosen is selected on the
    map."""

    def __init__(self, context: AppContext, parent: QWidget) -> None:
        super().__init__(context, parent, "Compare states")
        self.resize(*_SIZE)
        self._reading = LatestRequest(context.tasks, self)
        self._lines: Sequence[DiffLine] = ()
        self.before = named(QComboBox(), "Earlier state")
        self.after = named(QComboBox(), "Later state")
        self.column.addLayout(form_of(("From", self.before), ("To", self.after)))
        self.summary = self.paragraph(role="dim")
        self.model = TableModel(("Kind", "Difference", "APIs"), self, numbers=(2,))
        self.view = QuietTree("Differences", is_flat=True)
        self.view.set_model(self.model, {0: 90, 2: 64})
        self.add((self.view, 1), self.banner)
        self.add_buttons(None, "Close")
        self.before.activated.connect(lambda _i: self._compare())
        self.after.activated.connect(lambda _i: self._compare())
        self.view.selectionModel().currentChanged.connect(lambda *_: self._on_current())
        context.curation.history_changed.connect(self._fill)
        self._fill()

    def _fill(self) -> None:
        if self.context.workspace is not None:
            self.context.tasks.spawn(self._read(self.context.workspace), owner=self)

    async def _read(self, workspace: Workspace) -> None:
        entries, snapshots = await self.context.tasks.in_thread(
            lambda: (list_history(workspace), list_snapshots(workspace))
        )
        points = points_of_history(entries, snapshots)
        last = next((entry for entry in entries if entry.is_head), None)
        before, now = (START, START) if last is None else (last.parent, last.id)
        for combo, default in ((self.before, before), (self.after, now)):
            old = combo.currentData()
            combo.clear()
            for title, edit in points:
                combo.addItem(title, edit)
            wanted = combo.findData(default if old is None else old)
            combo.setCurrentIndex(max(0, wanted))
        self._compare()

    def _compare(self) -> None:
        workspace = self.context.workspace
        one, other = self.before.currentData(), self.after.currentData()
        if workspace is None or one is None or other is None:
            return
        self._reading.ask(lambda: diff_points(workspace, EditId(one), EditId(other)), self._show)

    def _show(self, lines: Sequence[DiffLine]) -> None:
        self._lines = lines
        self.model.set_rows(
            [
                Row(
                    cells=(line.kind.value, one_line(line.text), _number(line)),
                    key=position,
                    tooltip=line.text,
                )
                for position, line in enumerate(lines)
            ]
        )
        self.summary.setText(
            f"{counted(len(lines), 'difference')}. Choose one to select its APIs on the map."
            if lines
            else "The two states are the same."
        )

    def _on_current(self) -> None:
        position = self.view.currentIndex().data(KEY_ROLE)
        if position is None:
            return
        line = self._lines[position]
        made = {"by": "comparison", "text": line.text}
        if line.rowids:
            self.context.selection.select_apis(line.rowids, self, made=made)
        elif line.toolkits and self.context.catalogue.toolkit(line.toolkits[0]) is not None:
            self.context.selection.select_toolkit(line.toolkits[0])


def points_of_history(
    entries: Sequence[HistoryEntry], snapshots: Sequence[Snapshot]
) -> list[tuple[str, EditId]]:
    """What can be compared: now, snapshots, the start, the last edits."""
    named = [(f"Snapshot “{s.name}”, {when(s.made_us / 1e6)}", s.edit) for s in snapshots]
    edits = [
        (f"After “{one_line(e.label, 70)}”" + (" (now)" if e.is_head else ""), e.id)
        for e in reversed(entries[-_RECENT:])
    ]
    return [*named, ("Start, before the first edit", START), *edits]


def _number(line: DiffLine) -> str:
    return count(len(line.rowids)) if line.rowids else ""


PLUGIN = DialogPlugin.of(dialog_commands.compare_states, CompareStatesDialog, is_beside=True)
