"""The history of edits: what was done, by whom, and a way to every point of it.

Double-click or Return goes to a point; one old edit can be reverted alone; snapshots are named
points. What a step changed is said at the right and can be selected on the map.
"""

from PySide6.QtCore import QModelIndex, QPoint, Qt, QTimer
from PySide6.QtWidgets import QWidget

from toolplanner_core.curation.edits.consequences import consequences
from toolplanner_core.curation.edits.history import Done, read_done
from toolplanner_core.curation.edits.history_reading import (
    HistoryEntry,
    forget_snapshot,
    list_history,
    list_snapshots,
)
from toolplanner_core.curation.edits.provenance import origin_in_words, which_moved
from toolplanner_core.domain.ids import EditId
from toolplanner_core.words.formatting import when
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.edit_history import ROOT as START
from toolplanner_core.workspace.edit_history import Snapshot
from toolplanner_core.workspace.toolkits import get_toolkit
from toolplanner_gui import dialog_commands
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.panel import Panel
from toolplanner_gui.theme.tokens import EDGE, GAP
from toolplanner_gui.viewmodels.curate.history_model import (
    EDIT_ROLE,
    UNDONE_ROLE,
    HistoryColumn,
    HistoryModel,
)
from toolplanner_gui.widgets.box_layouts import column_of, page_of, pages_of, row_of
from toolplanner_gui.widgets.buttons import on_menu, popup_menu, push_button
from toolplanner_gui.widgets.empty_state import EmptyState
from toolplanner_gui.widgets.highlight_delegate import HighlightDelegate
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.widgets.views import QuietTree, scrolled

_SIDE_WIDTH = 380
_TOLD_EVERY_MS = 20_000
"""How long ago an edit was, is said anew so often: list and step say the same."""
_ROOM_FOR_WHO = 420
"""Pixels of the list from which on it says who made an edit: the step beside it does, too."""
_WIDTHS = {HistoryColumn.SNAPSHOT: 110, HistoryColumn.WHO: 64, HistoryColumn.WHEN: 58}


class HistoryPanel(Panel):
    """The list at the left, the step that is looked at right of it."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._rowids: list[int] = []
        self.model = HistoryModel(self)
        self.tree = QuietTree("History of edits")
        self.tree.set_model(self.model, {int(c): width for c, width in _WIDTHS.items()})
        self.tree.show_from(HistoryColumn.WHO, _ROOM_FOR_WHO)
        self._delegate = HighlightDelegate(self.tree, dim_role=UNDONE_ROLE)
        self.tree.setItemDelegate(self._delegate)
        self.what = text_label(role="heading", is_wrapped=True)
        self.how = text_label(role="dim", is_wrapped=True)
        self.changes = text_label(is_wrapped=True, name="What the step changed")
        tip = "<p>Undo or redo up to this point (Return)</p>"
        self.go_button = push_button("Go here", self.go_to_current, tip=tip)
        tip = "<p>Take back this edit alone and keep those after it</p>"
        self.revert_button = push_button("Revert", self._on_revert, tip=tip)
        self.show_button = push_button("Select on the map", self._on_show)
        shell = context.shell
        self.snapshot_button = push_button(
            "Save snapshot …", lambda: shell.open(dialog_commands.save_snapshot)
        )
        self.compare_button = push_button(
            "Compare states …", lambda: shell.open(dialog_commands.compare_states)
        )
        tip = "<p>Which saved queries are planned otherwise since your last edits, and whether that"
        tip += " is better</p>"
        self.plans_button = push_button(
            "What changed …", lambda: shell.open(dialog_commands.plans_since), tip=tip
        )
        self._empty = EmptyState("history", "No edits yet. Whatever you change can be undone here.")
        self._pages = pages_of(self._empty, self._content(), of=self)
        context.curation.history_changed.connect(self._on_history_changed)
        self.tree.selectionModel().currentChanged.connect(self._on_current)
        self.tree.activated.connect(lambda _index: self.go_to_current())
        on_menu(self.tree, self._on_menu)
        self._clock = QTimer(self, interval=_TOLD_EVERY_MS)
        self._clock.timeout.connect(self._tell_time)
        self._clock.start()
        self._on_history_changed()

    def focus_list(self) -> None:
        """Go to the list."""
        self.tree.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def go_to_current(self) -> None:
        """Go to the point that is looked at."""
        edit = self.tree.currentIndex().data(EDIT_ROLE)
        if edit is not None and edit != self.model.head:
            self.context.curation.jump(EditId(edit))

    def _content(self) -> QWidget:
        page = QWidget()
        texts = page_of(self.what, self.how, self.changes, 1, gap=GAP, role="page")
        side = column_of((scrolled(texts), 1), margins=(EDGE, 0, EDGE, GAP), gap=GAP)
        for line in (
            (self.go_button, self.revert_button, self.show_button),
            (self.snapshot_button, self.compare_button),
            (self.plans_button,),
        ):
            buttons = row_of(*line, 1, gap=GAP)
            side.addLayout(buttons)
        right = QWidget()
        right.setLayout(side)
        right.setMaximumWidth(_SIDE_WIDTH)
        row_of((self.tree, 2), (right, 1), of=page, gap=0)
        return page

    def _on_history_changed(self) -> None:
        self.newest.forget()
        if self.context.workspace is None:
            self.model.set_history([], [])
            self._pages.setCurrentIndex(0)
        self.mark_outdated()

    def renew(self) -> None:
        workspace = self.context.workspace
        if workspace is not None:
            self.newest.ask(
                lambda: (list_history(workspace), list_snapshots(workspace)),
                lambda found: self._show(*found),
            )

    def _show(self, entries: list[HistoryEntry], snapshots: list[Snapshot]) -> None:
        place = self.tree.verticalScrollBar().value()
        old_head = self.model.head
        current = self.tree.currentIndex().data(EDIT_ROLE)
        self.model.set_history(entries, snapshots)
        self._pages.setCurrentIndex(1 if entries or snapshots else 0)
        self.tree.setColumnHidden(HistoryColumn.SNAPSHOT, not snapshots)
        is_following = current is None or current == old_head
        wanted = self.model.head if current is None or is_following else EditId(current)
        index = self.model.index_of(wanted)
        self.tree.setCurrentIndex(index)
        if is_following:
            self.tree.scrollTo(index)
        else:
            self.tree.verticalScrollBar().setValue(place)

    def _on_current(self, current: QModelIndex, _previous: QModelIndex) -> None:
        edit = current.data(EDIT_ROLE)
        entry = None if edit is None else self.model.entry(EditId(edit))
        self.what.setText(current.data() or "")
        self.how.clear()
        self.changes.clear()
        self.go_button.setEnabled(edit is not None and edit != self.model.head)
        can_revert = entry is not None and entry.is_done and not entry.is_reverted
        self.revert_button.setEnabled(can_revert)
        self.show_button.setEnabled(False)
        if entry is None:
            return
        self.what.setText(entry.label)
        self._tell_time()
        workspace = self.context.workspace
        if workspace is not None:
            self.context.tasks.spawn(self._read_step(workspace, entry.id), owner=self)

    def _tell_time(self) -> None:
        """Say anew how long ago the chosen edit was, and all edits of the list."""
        edit = self.tree.currentIndex().data(EDIT_ROLE)
        entry = None if edit is None else self.model.entry(EditId(edit))
        self.tree.viewport().update()
        if entry is not None:
            made = f"{entry.who or entry.actor.value}, {when(entry.made_us / 1e6)}"
            parts = (made, origin_in_words(entry.origin))
            self.how.setText(" · ".join(part for part in parts if part))

    async def _read_step(self, workspace: Workspace, edit: EditId) -> None:
        def read() -> tuple[Done, list[str]]:
            done = read_done(workspace, edit)
            name_of = lambda toolkit: get_toolkit(workspace, toolkit).name  # noqa: E731 - one line
            lines = consequences(done, name_of=name_of)
            return done, [*lines, *which_moved(workspace, done)]

        done, lines = await self.context.tasks.in_thread(read)
        if self.tree.currentIndex().data(EDIT_ROLE) != edit:
            return
        self._rowids = [*done.changes.members, *done.changes.excluded, *done.changes.accepted]
        self.changes.setText(" · ".join(lines))
        self.show_button.setEnabled(bool(self._rowids))

    def _on_show(self) -> None:
        made = {"by": "edit", "edit": self.tree.currentIndex().data(EDIT_ROLE)}
        self.context.selection.select_apis(self._rowids, self, made=made)

    def _on_revert(self) -> None:
        edit = self.tree.currentIndex().data(EDIT_ROLE)
        if edit is not None and edit != START:
            self.context.curation.revert(EditId(edit))

    def _on_menu(self, place: QPoint, at: QPoint) -> None:
        index = self.tree.indexAt(place)
        edit = index.data(EDIT_ROLE) if index.isValid() else None
        if edit is None:
            return
        menu = popup_menu(self)
        go = menu.addAction("Go here")
        go.setEnabled(edit != self.model.head)
        go.triggered.connect(self.go_to_current)
        revert = menu.addAction("Revert this edit alone")
        revert.setEnabled(self.revert_button.isEnabled())
        revert.triggered.connect(self._on_revert)
        for snapshot in self.model.snapshots_at(EditId(edit)):
            forget = menu.addAction(f"Forget the snapshot “{snapshot.name}”".replace("&", "&&"))
            forget.triggered.connect(lambda _=False, name=snapshot.name: self._forget(name))
        menu.popup(at)

    def _forget(self, name: str) -> None:
        workspace = self.context.workspace
        if workspace is None:
            return

        async def flow() -> None:
            await self.context.tasks.in_thread(lambda: forget_snapshot(workspace, name))
            self._on_history_changed()

        self.context.tasks.spawn(flow(), owner=self)
