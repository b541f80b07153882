"""The list of toolkits as a tree in which one types to find: also what stands in closed regions.

Qt looks only into rows that are open, and stops at the nearest name once nothing fits any more: who
then renames or merges has another toolkit in the hand than was typed.
"""

import time
from typing import TypeVar

from PySide6.QtCore import QModelIndex, Signal
from PySide6.QtWidgets import QApplication

from toolplanner_core.curation.looking.toolkit_columns import ToolkitColumn
from toolplanner_gui.theme.tokens import ROW_HEIGHT, SPACE
from toolplanner_gui.viewmodels.curate.toolkit_cells import (
    DIM_ROLE,
    ENDS_ROLE,
    TOOLKIT_ROLE,
    WIDE_ROLE,
)
from toolplanner_gui.viewmodels.curate.toolkit_model import ToolkitModel
from toolplanner_gui.widgets.carried_tree import CarriedTree
from toolplanner_gui.widgets.highlight_delegate import HighlightDelegate
from toolplanner_gui.widgets.order_header import OrderHeader

T = TypeVar("T")
_WIDTHS = {
    ToolkitColumn.SIZE: 56,
    ToolkitColumn.COHESION: 44,
    ToolkitColumn.HEALTH: 58,
    ToolkitColumn.MARKS: 26,
}
_LEAST_ROWS = 5
"""Rows that are seen however low the window is; the title counts as one more."""


class ToolkitTree(CarriedTree):
    """Toolkits, their regions and APIs.

    Signals:
        not_found: what was typed begins no toolkit's name.
    """

    not_found = Signal(str)

    def __init__(self, model: ToolkitModel) -> None:
        super().__init__("Toolkits", lambda row: row.data(TOOLKIT_ROLE) is not None)
        self.setHeader(OrderHeader(self))
        self.set_model(model, {int(column): width for column, width in _WIDTHS.items()})
        self._delegate = HighlightDelegate(
            self,
            dim_role=DIM_ROLE,
            wide_role=WIDE_ROLE,
            wide_to=ToolkitColumn.MARKS,
            ends_role=ENDS_ROLE,
        )
        self.setItemDelegate(self._delegate)
        self.keep_both_ends()
        model.looks_changed.connect(self.repaint_soon)
        self.setMinimumHeight((_LEAST_ROWS + 1) * ROW_HEIGHT + SPACE)
        self.setSortingEnabled(True)
        self.setSelectionMode(ToolkitTree.SelectionMode.ExtendedSelection)
        self._toolkits = model
        self._typed = ""
        self._typed_at_s = 0.0

    def keyboardSearch(self, search: str) -> None:
        """Go to the first toolkit whose name begins as was typed, those behind the marked one
        first where it is one letter; an empty text ends what was typed, as in Qt.

        Who is on the row of a region goes to another region, if one begins so.
        """
        now_s = time.monotonic()
        pause_s = QApplication.keyboardInputInterval() / 1000
        is_new = not search or now_s - self._typed_at_s > pause_s
        self._typed = search if is_new else self._typed + search
        self._typed_at_s = now_s
        model, text = self._toolkits, self._typed.casefold()
        if not text.strip():
            return
        if len(set(text)) == 1:
            text = text[0]  # the same letter again goes on to the next name
        marked = self.currentIndex().data(TOOLKIT_ROLE)
        if model.has_regions and not self.currentIndex().parent().isValid():
            rows = [model.index(row, ToolkitColumn.NAME) for row in range(model.rowCount())]
            named = [at for at in rows if str(at.data()).casefold().startswith(text)]
            if named:
                if len(text) == 1 or self.currentIndex().row() not in {at.row() for at in named}:
                    self._go_to(_after(self.currentIndex().siblingAtColumn(0), named))
                return
        found = [kit for kit in model.toolkits if kit.name.casefold().startswith(text)]
        if not found:
            self.not_found.emit(self._typed)
            return
        if len(text) == 1 or marked not in {kit.id for kit in found}:
            self._go_to(model.index_of(_after(marked, [kit.id for kit in found])))

    def _go_to(self, index: QModelIndex) -> None:
        self.setCurrentIndex(index)
        self.scrollTo(index)


def _after(marked: T | None, found: list[T]) -> T:
    """The one behind the marked one, so that the same letter again goes on; else the first."""
    at = found.index(marked) + 1 if marked is not None and marked in found else 0
    return found[at % len(found)]
