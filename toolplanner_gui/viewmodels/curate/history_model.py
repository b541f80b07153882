"""The history of edits as a tree: the line that undo and redo walk, newest first, other branches
folded below the point where they leave it.

Every row is a point of the history that can be gone to; the last row is the start, before the
first edit. Shown by the history panel.
"""

from collections.abc import Sequence
from enum import IntEnum
from typing import Any, NamedTuple

from PySide6.QtCore import QModelIndex, QObject
from PySide6.QtGui import QIcon

from toolplanner_core.curation.edits.history_reading import HistoryEntry
from toolplanner_core.curation.edits.provenance import origin_in_words
from toolplanner_core.domain.ids import EditId
from toolplanner_core.words.formatting import counted, one_line, when
from toolplanner_core.workspace.edit_history import ROOT as START
from toolplanner_core.workspace.edit_history import Snapshot
from toolplanner_gui.theme.icons import make_icon
from toolplanner_gui.viewmodels.item_models import Index, Role, TreeModel, TreeRow, plain_tooltip

EDIT_ROLE = Role.UserRole
"""EditId of a row, `START` for the last one, None for the heading of a branch."""
UNDONE_ROLE = Role.UserRole + 1
"""Whether the edit does not count now."""


class HistoryColumn(IntEnum):
    """Columns of the history."""

    WHAT = 0
    SNAPSHOT = 1
    WHO = 2
    WHEN = 3


_TITLES = ("Edit", "Snapshot", "Who", "When")


class _Point(NamedTuple):
    """What a row stands for: an edit, the start, or the heading of a branch."""

    entry: HistoryEntry | None
    title: str
    edit: EditId | None = None


class HistoryModel(TreeModel[_Point]):
    """Read only; replaced as a whole after each edit.

    Args:
    """

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(_TITLES, parent)
        self._by_edit: dict[EditId, TreeRow[_Point]] = {}
        self._flags: dict[EditId, list[Snapshot]] = {}
        self.head = START
        """The last edit that counts."""

    def set_history(self, entries: Sequence[HistoryEntry], snapshots: Sequence[Snapshot]) -> None:
        """Show another history, the oldest entry first."""
        self.beginResetModel()
        self.clear()
        self._by_edit, self._flags = {}, {}
        for snapshot in snapshots:
            self._flags.setdefault(snapshot.edit, []).append(snapshot)
        self.head = next((entry.id for entry in entries if entry.is_head), START)
        line = [entry for entry in entries if entry.is_on_line]
        for entry in reversed(line):
            self._add_entry(entry)
        self._by_edit[START] = self.add(_Point(None, "Start, before the first edit", START))
        self._add_branches(entries, {entry.id for entry in line} | {START})
        self.endResetModel()

    def entry(self, edit: EditId) -> HistoryEntry | None:
        """An edit of the history; None for the start."""
        row = self._by_edit.get(edit)
        return None if row is None else row.value.entry

    def snapshots_at(self, edit: EditId) -> Sequence[Snapshot]:
        """The snapshots that name a point."""
        return self._flags.get(edit, ())

    def index_of(self, edit: EditId) -> QModelIndex:
        """The row of a point; invalid when there is none."""
        return self.index_at(self._by_edit.get(edit))

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        node = self.value_of(index)
        if node is None:
            return None
        if role == EDIT_ROLE:
            return node.edit
        if role == UNDONE_ROLE:
            return node.entry is not None and not _counts(node.entry)
        if role == Role.DisplayRole:
            return self._text(node, HistoryColumn(index.column()))
        if role == Role.ToolTipRole:
            return plain_tooltip(self._tooltip(node))
        if role == Role.DecorationRole:
            return self._picture(node, HistoryColumn(index.column()))
        return None

    def _add_entry(self, entry: HistoryEntry, above: TreeRow[_Point] | None = None) -> None:
        self._by_edit[entry.id] = self.add(_Point(entry, entry.label, entry.id), above)

    def _add_branches(self, entries: Sequence[HistoryEntry], on_line: set[EditId]) -> None:
        """Edits off the line, below the point of the line where their branch begins."""
        begins_at: dict[EditId, EditId] = {}
        branches: dict[tuple[EditId, EditId], list[HistoryEntry]] = {}
        first_of: dict[EditId, EditId] = {}
        for entry in entries:
            if entry.id in on_line:
                continue
            is_first = entry.parent in on_line
            begins_at[entry.id] = entry.parent if is_first else begins_at[entry.parent]
            first_of[entry.id] = entry.id if is_first else first_of[entry.parent]
            key = begins_at[entry.id], first_of[entry.id]
            branches.setdefault(key, []).append(entry)
        for (at, _), members in branches.items():
            title = f"Another branch: {counted(len(members), 'edit')}"
            heading = self.add(_Point(None, title), self._by_edit[at])
            for entry in reversed(members):
                self._add_entry(entry, heading)

    def _text(self, node: _Point, column: HistoryColumn) -> str:
        if column is HistoryColumn.WHAT:
            here = "  ← now" if node.edit is not None and node.edit == self.head else ""
            return f"{one_line(node.title)}{here}"
        if column is HistoryColumn.SNAPSHOT:
            flags = self._flags.get(node.edit, ()) if node.edit is not None else ()
            return ", ".join(one_line(flag.name, 40) for flag in flags)
        if node.entry is None:
            return ""
        if column is HistoryColumn.WHO:
            return node.entry.who or node.entry.actor.value
        return when(node.entry.made_us / 1e6, is_short=True)

    def _tooltip(self, node: _Point) -> str:
        entry = node.entry
        if entry is None:
            return node.title
        state = "counts now" if entry.is_done else "undone; go to it or redo to bring it back"
        state = "taken back by a later edit" if entry.is_reverted else state
        how = origin_in_words(entry.origin)
        parts = [entry.label, when(entry.made_us / 1e6), how, state]
        return "\n".join(part for part in parts if part)

    def _picture(self, node: _Point, column: HistoryColumn) -> QIcon | None:
        if column is HistoryColumn.SNAPSHOT:
            is_flagged = node.edit is not None and node.edit in self._flags
            return make_icon("flag-outline", "accent") if is_flagged else None
        if column is not HistoryColumn.WHAT:
            return None
        if node.edit is None:
            return make_icon("source-branch", "dim")
        if node.edit == self.head:
            return make_icon("arrow-right-circle", "accent")
        if node.entry is not None and not _counts(node.entry):
            return make_icon("undo", "waiting")
        return make_icon("check", "ok")


def _counts(entry: HistoryEntry) -> bool:
    return entry.is_done and not entry.is_reverted
