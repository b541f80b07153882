"""The table of APIs beside the map: sorted, filtered, and one selection with the map."""

import numpy as np
from PySide6.QtCore import QItemSelection, QItemSelectionModel, Qt

from toolplanner_core.words.wording import counted
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.panel import DockPlace, Panel, PanelPlace, PanelPlugin
from toolplanner_gui.theme.tokens import EDGE, GAP, SPACE
from toolplanner_gui.viewmodels.curate.api_table import (
    NO_ROWS,
    ApiColumn,
    ApiRows,
    ApiTableModel,
    read_api_rows,
)
from toolplanner_gui.widgets.boxes import page_of, pages_of, row_of
from toolplanner_gui.widgets.buttons import icon_button
from toolplanner_gui.widgets.empty_state import EmptyState
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.widgets.quiet_table import QuietTable
from toolplanner_gui.widgets.search_field import SearchField

_SHARES = {int(ApiColumn.TOOL): 0.17, int(ApiColumn.TOOLKIT): 0.19, int(ApiColumn.CATEGORY): 0.13}
_WIDTHS = {
    int(ApiColumn.METHOD): 64,
    int(ApiColumn.RISK): 56,
    int(ApiColumn.PARAMETERS): 88,
    int(ApiColumn.HEALTH): 60,
}
_MOST_RUNS = 1000
"""Marking more places of the table takes longer than a frame; alone all selected ones are seen."""
_Flag = QItemSelectionModel.SelectionFlag


class ApisPanel(Panel):
    """Lists all APIs, or those that are selected: by a lasso, a search, in a list."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self.model = ApiTableModel(self)
        self.view = QuietTable("APIs")
        self.view.set_model(self.model, _WIDTHS, shares=_SHARES)
        self.view.setSelectionMode(QuietTable.SelectionMode.ExtendedSelection)
        self.view.setSortingEnabled(True)
        self.view.sortByColumn(int(ApiColumn.NAME), Qt.SortOrder.AscendingOrder)
        self.view.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.field = SearchField("Filter by words of any column", icon="filter-outline")
        self.only = icon_button("lasso", "Only what is selected", token="text")
        self.only.setCheckable(True)
        self._count = text_label(role="dim")
        empty = EmptyState("format-list-bulleted", "All APIs are listed here.")
        row = row_of(
            (self.field, 1), self.only, self._count, margins=(EDGE, SPACE, EDGE, SPACE), gap=GAP
        )
        self.pages = pages_of(empty, page_of(row, (self.view, 1)), of=self)
        self.field.searched.connect(lambda _text: self._filter())
        self.field.left_down.connect(self.view.setFocus)
        self.only.toggled.connect(lambda _on: self._filter())
        self.view.selectionModel().selectionChanged.connect(self._on_chosen)
        self.view.customContextMenuRequested.connect(
            lambda place: self.open_selection_menu(self.view.viewport().mapToGlobal(place))
        )
        self.view.horizontalHeader().sortIndicatorChanged.connect(lambda *_how: self._mark())
        self._is_marking = False
        context.catalogue_changed.connect(self.outdate)
        context.figures.called.connect(self.outdate)
        context.catalogue_edited.connect(lambda _edit: self._on_edited())
        context.selection.changed.connect(self._on_selection_changed)

    def find(self) -> None:
        """Put the cursor into the filter."""
        self.field.find()

    def renew(self) -> None:
        workspace = self.context.workspace
        if workspace is None:
            self.newest.forget()
            self._take(NO_ROWS)
            return
        self.newest.ask(lambda: read_api_rows(workspace), self._take)

    def _take(self, rows: ApiRows) -> None:
        self.model.set_rows(rows, self.context.catalogue)
        self.pages.setCurrentIndex(1 if len(rows.rowids) else 0)
        self._filter()

    def _on_edited(self) -> None:
        if not self.isVisible():
            self.outdate()
            return
        self.model.set_catalogue(self.context.catalogue)
        self._mark()

    def _on_selection_changed(self, origin: object) -> None:
        # What is chosen in the table must not take the other rows away under the hand.
        if origin is self:
            return
        if not self.isVisible():
            self.outdate()
        elif self.only.isChecked():
            self._filter()
        else:
            self._mark()

    def _filter(self) -> None:
        only = self.context.selection.rowids() if self.only.isChecked() else None
        self._is_marking = True
        self.model.show_only(self.field.text().strip(), only)
        self._is_marking = False
        shown, total = self.model.rowCount(), self.model.total
        self._count.setText(counted(shown, "API") if shown == total else f"{shown:,} of {total:,}")
        self._mark()

    def _mark(self) -> None:
        """Mark in the table what is selected everywhere."""
        places = self.model.positions_of(self.context.selection.rowids())
        marked = QItemSelection()
        last = len(self.model.titles) - 1
        runs = np.split(places, np.flatnonzero(np.diff(places) > 1) + 1) if len(places) else []
        for run in runs[:_MOST_RUNS]:
            top, bottom = int(run[0]), int(run[-1])
            marked.select(self.model.index(top, 0), self.model.index(bottom, last))
        self._is_marking = True
        self.view.selectionModel().select(marked, _Flag.ClearAndSelect)
        self._is_marking = False
        if len(places):
            # Before it has laid out the rows of now it scrolls within those of before.
            self.view.doItemsLayout()
            self.view.scrollTo(self.model.index(int(places[0]), 0))

    def _on_chosen(self) -> None:
        if self._is_marking:
            return
        ranges = self.view.selectionModel().selection().toList()
        places = [np.arange(one.top(), one.bottom() + 1) for one in ranges]
        chosen = np.concatenate(places) if places else np.zeros(0, np.int64)
        self.context.selection.select_apis(self.model.rowids_at(np.unique(chosen)), self)


PLUGIN = PanelPlugin(
    id="apis",
    title="APIs",
    icon="format-list-bulleted",
    make=ApisPanel,
    places={"curate": PanelPlace(DockPlace.BOTTOM, order=4)},
)
