"""The toolkit list: a tree of toolkits and their APIs, and a search over all APIs."""

from collections.abc import Sequence

from PySide6.QtCore import QItemSelectionModel, QModelIndex, Qt
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout

from toolplanner_core.domain.ids import ToolkitId
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.panel import Panel, PanelPlugin
from toolplanner_gui.theme.tokens import EDGE, GAP
from toolplanner_gui.viewmodels.api_search import ApiSearch, Hit
from toolplanner_gui.viewmodels.catalogue import read_members
from toolplanner_gui.viewmodels.swatches import swatch
from toolplanner_gui.viewmodels.table_model import KEY_ROLE, Columns, Row, TableModel, plain_tooltip
from toolplanner_gui.viewmodels.texts import count, one_line, score
from toolplanner_gui.viewmodels.toolkit_model import (
    ROWID_ROLE,
    TOOLKIT_ROLE,
    Column,
    Member,
    ToolkitModel,
)
from toolplanner_gui.widgets.empty_state import EmptyState
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.widgets.search_field import SearchField
from toolplanner_gui.widgets.views import QuietTree

_SIZE_WIDTH = 50
_SCORE_WIDTH = 60


class ToolkitsPanel(Panel):
    """Search field above; below the tree, the results of a search, or what to do first."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self._search = ApiSearch(context.tasks, context.report, self)
        self.field = SearchField("Search APIs (Ctrl+F)")
        self._note = text_label(role="dim", is_wrapped=True)
        self._note.setContentsMargins(EDGE, 0, EDGE, 0)
        self._note.hide()
        self.model = ToolkitModel(self._read_members, self)
        self.tree = QuietTree("Toolkits")
        self.tree.set_model(self.model, {Column.SIZE: _SIZE_WIDTH})
        self.tree.setSortingEnabled(True)
        self.tree.sortByColumn(Column.SIZE, Qt.SortOrder.DescendingOrder)
        self.results_model = TableModel(
            Columns(titles=("APIs found", "Score"), numbers=frozenset({1})), self
        )
        self.results = QuietTree("APIs found", is_flat=True)
        self.results.keep_both_ends()
        self.results.set_model(self.results_model, {1: _SCORE_WIDTH})
        self._empty = EmptyState("")
        self.pages = QStackedWidget()
        for page in (self._empty, self.tree, self.results):
            self.pages.addWidget(page)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(GAP)
        top = QVBoxLayout()
        top.setContentsMargins(EDGE, 0, EDGE, 0)
        top.addWidget(self.field)
        column.addLayout(top)
        column.addWidget(self._note)
        column.addWidget(self.pages, 1)

        self.field.searched.connect(self._on_searched)
        self.field.left_down.connect(self._on_left_down)
        self._search.found.connect(self._on_found)
        self.tree.selectionModel().currentChanged.connect(self._on_tree_current)
        self.results.selectionModel().currentChanged.connect(self._on_result_current)
        context.catalogue_changed.connect(self._on_catalogue_changed)
        context.colours_changed.connect(self._on_catalogue_changed)
        context.selection.changed.connect(self._on_selection_changed)
        self.retheme()
        self._on_catalogue_changed()

    @property
    def is_idle(self) -> bool:
        return self._search.is_idle

    def find(self) -> None:
        """Put the cursor into the search field."""
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def retheme(self) -> None:
        self.field.set_icons(self.icon("magnify"), self.icon("close"))
        self._empty.set_icon(self.icon("hexagon-multiple-outline"))

    def _read_members(self, toolkit: ToolkitId, begin: int, n: int) -> Sequence[Member]:
        workspace = self.context.workspace
        return [] if workspace is None else read_members(workspace, toolkit, begin, n)

    def _on_catalogue_changed(self) -> None:
        catalogue, workspace = self.context.catalogue, self.context.workspace
        open_now = [t.id for t in catalogue.toolkits if self._is_expanded(t.id)]
        self.model.set_toolkits(catalogue.toolkits, self.context.colours)
        for toolkit in open_now:
            self.tree.expand(self.model.index_of(toolkit))
        self._search.set_workspace(workspace)
        n = count(catalogue.n_apis)
        self.field.setPlaceholderText(f"Search {n} APIs (Ctrl+F)" if catalogue.n_apis else "Search")
        self.field.setEnabled(catalogue.n_apis > 0)
        shell = self.context.shell
        assert shell is not None
        if catalogue.n_apis == 0:
            self._empty.say("No APIs yet.", button="Import tools …", run=shell.show_import)
        else:
            self._empty.say("No toolkits yet.", button="Prepare …", run=shell.show_prepare)
        self._show_page()
        self._on_selection_changed(None)

    def _is_expanded(self, toolkit: ToolkitId) -> bool:
        return self.tree.isExpanded(self.model.index_of(toolkit))

    def _show_page(self) -> None:
        if self.field.text().strip() and self.context.catalogue.n_apis:
            self.pages.setCurrentWidget(self.results)
        elif self.context.catalogue.toolkits:
            self.pages.setCurrentWidget(self.tree)
        else:
            self.pages.setCurrentWidget(self._empty)
        if not self.field.text().strip():
            self._note.hide()

    def _on_searched(self, text: str) -> None:
        self._show_page()
        self._search.search(text)

    def _on_found(self, text: str, hits: Sequence[Hit], note: str) -> None:
        if text != self.field.text().strip():
            return
        self.results_model.set_rows([self._result_row(hit) for hit in hits])
        nothing = f"Nothing fits “{one_line(text, 40)}”."
        self._note.setText("Found by words only." if hits else nothing)
        self._note.setToolTip(plain_tooltip(note))
        self._note.setVisible(bool(note) or not hits)

    def _result_row(self, hit: Hit) -> Row:
        colour = self.context.colours.get(hit.toolkit) if hit.toolkit is not None else None
        parts = " · ".join(f"{name} {score(value)}" for name, value in hit.parts.items())
        return Row(
            cells=(one_line(hit.title), score(hit.score)),
            key=hit.rowid,
            icon=None if colour is None else lambda: swatch(colour),
            tooltip=f"{hit.title}\n{hit.description}\n{parts}".strip(),
        )

    def _on_left_down(self) -> None:
        view = self.results if self.pages.currentWidget() is self.results else self.tree
        view.setFocus(Qt.FocusReason.ShortcutFocusReason)
        if not view.currentIndex().isValid():
            view.setCurrentIndex(view.model().index(0, 0))

    def _on_tree_current(self, current: QModelIndex, _previous: QModelIndex) -> None:
        rowid = current.data(ROWID_ROLE)
        if rowid is not None:
            self.context.selection.select_apis([rowid], self)
        elif current.isValid():
            self.context.selection.select_toolkit(current.data(TOOLKIT_ROLE), self)

    def _on_result_current(self, current: QModelIndex, _previous: QModelIndex) -> None:
        if current.isValid():
            self.context.selection.select_apis([current.data(KEY_ROLE)], self)

    def _on_selection_changed(self, origin: object) -> None:
        if origin is self:
            return
        selection, catalogue = self.context.selection, self.context.catalogue
        toolkit = selection.toolkit
        if toolkit is None and len(selection.apis):
            points = catalogue.points_of(selection.apis)
            owners = {int(catalogue.labels[p]) for p in points}
            if len(owners) == 1 and (owner := owners.pop()) >= 0:
                toolkit = catalogue.toolkits[owner].id
        index = QModelIndex() if toolkit is None else self.model.index_of(toolkit)
        chosen = self.tree.selectionModel()
        chosen.blockSignals(True)
        try:
            flag = QItemSelectionModel.SelectionFlag
            if index.isValid():
                chosen.setCurrentIndex(index, flag.ClearAndSelect | flag.Rows)
            else:
                chosen.clear()
        finally:
            chosen.blockSignals(False)
        if index.isValid():
            self.tree.scrollTo(index)
        self.tree.viewport().update()


PLUGIN = PanelPlugin(
    id="toolkits",
    title="Toolkits",
    icon="format-list-bulleted",
    area="left",
    order=1,
    make=ToolkitsPanel,
)
