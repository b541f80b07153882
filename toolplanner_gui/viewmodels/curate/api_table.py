"""All APIs as a table that sorts and filters 45,000 rows in a moment: only their order changes.

What the catalogue says is read on a reader thread; toolkits come from the catalogue of the moment.
Used by the table of APIs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QObject, Qt

from toolplanner_core.curation.looking.curated_catalogue import EMPTY, CuratedCatalogue
from toolplanner_core.words.wording import count
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.call_figures import call_figures
from toolplanner_core.workspace.map_facts import api_facts
from toolplanner_gui.viewmodels.columns import RIGHT, ROOT, Columns, Index, Role, plain_tooltip


class ApiColumn(IntEnum):
    """The columns, in order."""

    NAME = 0
    TOOL = 1
    TOOLKIT = 2
    CATEGORY = 3
    METHOD = 4
    RISK = 5
    PARAMETERS = 6
    HEALTH = 7


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ApiRows:
    """What the catalogue says of `n` APIs.

    Attributes:
        rowids: `(n,) int64`, rising.
        texts: `n` texts of each column that has texts of its own.
        ranks: `(n,) int64` place of each API in the order of a column.
        words: `n` texts to be searched, in small letters.
    """

    rowids: np.ndarray
    texts: dict[int, Sequence[str]]
    ranks: dict[int, np.ndarray]
    words: Sequence[str]


NO_ROWS = ApiRows(rowids=np.zeros(0, np.int64), texts={}, ranks={}, words=())


def read_api_rows(workspace: Workspace) -> ApiRows:
    """Read all APIs; blocks for about a second."""
    facts, called = sorted(api_facts(workspace)), call_figures(workspace)
    texts: dict[int, Sequence[str]] = {
        ApiColumn.NAME: [fact.name for fact in facts],
        ApiColumn.TOOL: [fact.tool for fact in facts],
        ApiColumn.CATEGORY: [fact.category for fact in facts],
        ApiColumn.METHOD: [fact.method for fact in facts],
        ApiColumn.RISK: [str(fact.risk) for fact in facts],
    }
    figures = [fact.parameter_count for fact in facts]
    ranks: dict[int, np.ndarray] = {column: _ranks(own) for column, own in texts.items()}
    ranks[ApiColumn.PARAMETERS] = np.array(figures, np.int64)
    words = [" ".join(parts).casefold() for parts in zip(*texts.values(), strict=True)]
    texts[ApiColumn.PARAMETERS] = [count(number) for number in figures]
    calls = [called.get(fact.rowid) for fact in facts]
    ranks[ApiColumn.HEALTH] = np.array(
        [-1 if each is None else round(each.smoothed * 1e6) for each in calls], np.int64
    )
    texts[ApiColumn.HEALTH] = ["–" if each is None else f"{each.smoothed:.0%}" for each in calls]
    rowids = np.array([fact.rowid for fact in facts], np.int64)
    return ApiRows(rowids=rowids, texts=texts, ranks=ranks, words=words)


class ApiTableModel(Columns, QAbstractTableModel):
    """Shows some of the APIs in an order."""

    titles = ("API", "Tool", "Toolkit", "Category", "Method", "Risk", "Parameters", "Health")
    numbers = (ApiColumn.PARAMETERS, ApiColumn.HEALTH)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows = NO_ROWS
        self._labels = np.zeros(0, np.int64)
        self._names: list[str] = []
        self._order = np.zeros(0, np.int64)
        self._sorted_by, self._is_falling = int(ApiColumn.NAME), False
        self._words = ""
        self._only: np.ndarray | None = None

    @property
    def total(self) -> int:
        """How many APIs there are, shown or not."""
        return len(self._rows.rowids)

    def set_rows(self, rows: ApiRows, catalogue: CuratedCatalogue) -> None:
        """Show other APIs."""
        self._rows = rows
        self.set_catalogue(catalogue)

    def set_catalogue(self, catalogue: CuratedCatalogue) -> None:
        """Show the toolkits of a catalogue."""
        rowids = self._rows.rowids
        known = catalogue is not EMPTY and len(catalogue.labels) > 0
        places = catalogue.places_of(rowids) if known else np.full(len(rowids), -1)
        labels = np.append(catalogue.labels, -1) if known else np.full(1, -1)
        self._labels = labels[places]
        self._names = [toolkit.name for toolkit in catalogue.toolkits]
        self._show()

    def show_only(self, words: str, rowids: np.ndarray | None) -> None:
        """Show the APIs with all these words, of certain row ids unless none are given."""
        self._words, self._only = words, rowids
        self._show()

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Show the APIs in the order of a column."""
        self._sorted_by, self._is_falling = column, order == Qt.SortOrder.DescendingOrder
        self._show()

    def rowids_at(self, positions: np.ndarray) -> np.ndarray:
        """Row ids of the APIs at positions of the table, `(m,) int64`."""
        return self._rows.rowids[self._order[positions]]

    def positions_of(self, rowids: np.ndarray) -> np.ndarray:
        """Where APIs stand in the table, rising; those that are not shown are left out."""
        return np.flatnonzero(np.isin(self._rows.rowids[self._order], rowids))

    def rowCount(self, parent: Index = ROOT) -> int:
        return 0 if parent.isValid() else len(self._order)

    def data(self, index: Index, role: int = Role.DisplayRole) -> Any:
        if not index.isValid():
            return None
        row, column = int(self._order[index.row()]), index.column()
        if role == Role.DisplayRole:
            return self._text(row, column)
        if role == Role.ToolTipRole:
            return plain_tooltip(self._text(row, column))
        return RIGHT if role == Role.TextAlignmentRole and column in self.numbers else None

    def _text(self, row: int, column: int) -> str:
        if column == ApiColumn.TOOLKIT:
            label = int(self._labels[row])
            return self._names[label] if label >= 0 else ""
        return self._rows.texts[column][row]

    def _show(self) -> None:
        self.beginResetModel()
        shown = np.arange(self.total)
        if self._only is not None:
            shown = np.flatnonzero(np.isin(self._rows.rowids, self._only))
        toolkits = [name.casefold() for name in self._names]
        for word in self._words.casefold().split():
            homes = np.array([word in name for name in toolkits] + [False], bool)
            own = homes[self._labels[shown]]
            texts = self._rows.words
            own |= np.array([word in texts[i] for i in shown.tolist()], bool)
            shown = shown[own]
        if self._sorted_by == ApiColumn.TOOLKIT:
            ranks = np.append(_ranks(self._names), -1)[self._labels]
        else:
            ranks = self._rows.ranks.get(self._sorted_by, self._rows.rowids)
        keys = ranks[shown]
        self._order = shown[np.argsort(-keys if self._is_falling else keys, kind="stable")]
        self.endResetModel()


def _ranks(texts: Sequence[str]) -> np.ndarray:
    rank = {text: i for i, text in enumerate(sorted(set(texts), key=str.casefold))}
    return np.array([rank[text] for text in texts], np.int64)
