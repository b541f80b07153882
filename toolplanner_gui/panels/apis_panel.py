"""The panel “APIs”: a table of all APIs beside the map."""

from collections.abc import Sequence

import numpy as np
from PySide6.QtCore import (
    QItemSelection,
    QItemSelectionModel,
    QObject,
    QPoint,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QDockWidget, QHeaderView, QMainWindow, QToolButton, QWidget

from toolplanner_core.curation.looking.api_columns import (
    NO_APIS,
    ApiTable,
    after_edit,
    read_api_table,
    read_columns,
)
from toolplanner_core.curation.looking.map_columns import column
from toolplanner_core.words.formatting import counted, one_line
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.api_column_filters import ColumnCharts, ColumnValueFilter
from toolplanner_gui.panels.panel import Panel
from toolplanner_gui.theme.tokens import EDGE, GAP, ROW_HEIGHT, SPACE
from toolplanner_gui.viewmodels.curate.api_table import (
    FIGURES,
    NAME,
    SEARCHED_COLUMNS,
    TABLE_COLUMNS,
    TOOL,
    USUAL_COLUMNS,
    ApiTableModel,
)
from toolplanner_gui.viewmodels.curate.filters import TYPED, ApiFilter
from toolplanner_gui.widgets.box_layouts import page_of, pages_of, row_of
from toolplanner_gui.widgets.buttons import icon_button, popup_menu
from toolplanner_gui.widgets.chart_header import HEIGHT, ChartHeader, HeaderChart
from toolplanner_gui.widgets.chips import Chips
from toolplanner_gui.widgets.empty_state import EmptyState
from toolplanner_gui.widgets.input_fields import SearchField
from toolplanner_gui.widgets.labels import text_label
from toolplanner_gui.widgets.views import QuietTable

_FIGURE, _VALUE = 66, 92
"""Least widths of a column of figures and of values, pixels."""
_LEAST = {
    **{NAME: 130, TOOL: 84, "toolkit": 96, "region": 96, "category": 84, "risk": 84, "method": 76},
    **{"cohesion": 92, "centrality": 92, "placement": 92, "parameters": 92},
}
_WEIGHTS = {NAME: 4.0, TOOL: 2.0, "toolkit": 2.5, "region": 2.5, "category": 2.0}
_ROWS_BELOW_CHARTS = 5


class ApiTableView(QuietTable):
    """Shows the columns that a person chose.

    Signals:
        columns_changed: others are chosen; ask `columns`.
    """

    columns_changed = Signal()
    height_changed = Signal()

    def __init__(self, model: ApiTableModel, columns: Sequence[str]) -> None:
        super().__init__("APIs")
        self._nothing = ""
        self.header = ChartHeader(self)
        self.setHorizontalHeader(self.header)
        self.set_model(model, {}, shares={})
        self.header.setSectionResizeMode(QHeaderView.ResizeMode.Interactive)
        self.setSelectionMode(QuietTable.SelectionMode.ExtendedSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setHorizontalScrollMode(QuietTable.ScrollMode.ScrollPerPixel)
        self.setCornerWidget(QWidget())
        self.setSortingEnabled(True)
        self.sortByColumn(0, Qt.SortOrder.AscendingOrder)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self.columns: tuple[str, ...] = ()
        self.show_columns(columns)

    def show_columns(self, columns: Sequence[str]) -> None:
        """Show these columns, by id; the names always."""
        wanted = (NAME, *columns)
        chosen = tuple(name for name in TABLE_COLUMNS if name in wanted)
        if chosen == self.columns:
            return
        self.columns = chosen
        for place, name in enumerate(TABLE_COLUMNS):
            self.header.setSectionHidden(place, name not in chosen)
        self._fit()
        self.columns_changed.emit()

    def open_columns(self) -> None:
        """Offer all columns in a menu that stays where the columns begin."""
        menu = popup_menu(self)
        for name in TABLE_COLUMNS[1:]:
            title = "Tool" if name == TOOL else column(name).title
            entry = menu.addAction(title.replace("&", "&&"))
            entry.setCheckable(True)
            entry.setChecked(name in self.columns)
            entry.toggled.connect(lambda on, name=name: self._turn(name, is_on=on))
        menu.popup(self.header.mapToGlobal(self.header.rect().topLeft()))

    @property
    def has_room_for_charts(self) -> bool:
        """Whether some rows are left below charts, between titles and scroll bar."""
        return self.height() >= HEIGHT + (_ROWS_BELOW_CHARTS + 2) * ROW_HEIGHT

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.height_changed.emit()
        if event.size().width() != event.oldSize().width():
            self._fit()

    def minimumSizeHint(self) -> QSize:
        return QSize(200, 3 * ROW_HEIGHT)

    def say_nothing(self, why: str) -> None:
        """What to say in place of rows while there are none."""
        self._nothing = why

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.model().rowCount() == 0:
            painter = QPainter(self.viewport())
            painter.setPen(self.palette().color(QPalette.ColorRole.PlaceholderText))
            place = self.viewport().rect().adjusted(EDGE, EDGE, -EDGE, -EDGE)
            middle = Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop
            painter.drawText(place, middle | Qt.TextFlag.TextWordWrap, self._nothing)

    def _turn(self, name: str, *, is_on: bool) -> None:
        kept = [one for one in self.columns if one != name]
        self.show_columns([*kept, name] if is_on else kept)

    def _fit(self) -> None:
        """Give each column the least it needs, and what is left to names and values."""
        least = {
            name: _LEAST.get(name, _FIGURE if name in FIGURES else _VALUE) for name in self.columns
        }
        left = max(self.viewport().width() - sum(least.values()), 0)
        weights = sum(_WEIGHTS.get(name, 0.0) for name in self.columns)
        for name in self.columns:
            more = round(left * _WEIGHTS.get(name, 0.0) / weights)
            self.header.resizeSection(TABLE_COLUMNS.index(name), least[name] + more)


_MOST_RUNS = 1000
"""Marking more places of the table takes longer than a frame; alone all selected ones are seen."""
_TALL = 330
"""Height that the panel asks for when charts are wanted, pixels."""
_Flag = QItemSelectionModel.SelectionFlag


class ApisPanel(Panel):
    """Lists all APIs, or those that are selected: by a lasso, a search, in a list."""

    def __init__(self, context: AppContext) -> None:
        super().__init__(context)
        self.model = ApiTableModel(self)
        self.view = ApiTableView(self.model, context.choices.api_columns or USUAL_COLUMNS)
        self._sort_as_before()
        self.field = SearchField("Filter by words of any column", icon="filter-outline")
        self.only = icon_button("lasso", "Only what is selected", token="text")
        self.only.setCheckable(True)
        self.take = icon_button("select-all", "Select these", self.select_shown, token="text")
        self.show_button = icon_button(
            "filter-check-outline",
            "Show only the selection",
            context.selecting.show_only,
            token="text",
        )
        self.charts = icon_button("chart-histogram", "Histograms below the titles", token="text")
        self.charts.setCheckable(True)
        columns = icon_button("table-column", "Columns", self.view.open_columns, token="text")
        self._count = text_label(role="dim")
        self.chips = Chips("Filters", margins=(EDGE, SPACE, EDGE, SPACE))
        empty = EmptyState("format-list-bulleted", "There are no APIs yet.")
        tools: Sequence[QToolButton] = (
            self.only, self.show_button, self.take, self.charts, columns,
        )  # fmt: skip
        edges = (EDGE, SPACE, EDGE, SPACE)
        # Chips below: those that come must not move what the next click is aimed at.
        row = row_of((self.field, 1), self._count, *tools, margins=edges, gap=GAP)
        self.pages = pages_of(empty, page_of(row, (self.view, 1), self.chips), of=self)
        self.brushing = ChartFilterSync(context, self.view, self.model)
        self._is_marking = False
        self._mark_soon = QTimer(self, singleShot=True, interval=0)
        self._mark_soon.timeout.connect(self._mark)
        self._connect(context)
        context.theme.dress(self, lambda: self.view.header.set_tokens(context.theme.tokens))

    def find(self) -> None:
        """Put the cursor into the filter."""
        self.field.find()

    def list_selected(self) -> None:
        """List only what is selected, and give the list the keyboard."""
        self.only.setChecked(True)
        self._ask_for_room()
        self.view.setFocus()

    def select_shown(self) -> None:
        """Select the APIs that are listed."""
        self.context.selection.select_apis(self.model.shown_rowids, None, made={"by": "list"})

    def renew(self) -> None:
        workspace, catalogue = self.context.workspace, self.context.catalogue
        if workspace is None:
            self.newest.forget()
            self._take(NO_APIS)
            return
        self.newest.ask(lambda: read_api_table(workspace, catalogue), self._take)

    def _connect(self, context: AppContext) -> None:
        self.field.searched.connect(self._on_typed)
        self.field.left_down.connect(self.view.setFocus)
        self.only.toggled.connect(lambda _on: self._filter())
        self.charts.clicked.connect(self._on_charts_wanted)
        self.view.height_changed.connect(self._show_charts)
        self.chips.removed.connect(self._on_chip_removed)
        self.chips.cleared.connect(context.map_look.filters.clear)
        self.view.selectionModel().selectionChanged.connect(self._on_chosen)
        self.view.customContextMenuRequested.connect(
            lambda place: self.open_selection_menu(self.view.viewport().mapToGlobal(place))
        )
        self.view.header.sortIndicatorChanged.connect(self._on_sorted)
        self.view.columns_changed.connect(self._on_columns_changed)
        context.catalogue_changed.connect(self.mark_outdated)
        context.figures.called.connect(self.mark_outdated)
        context.catalogue_edited.connect(self._on_edited)
        context.selection.changed.connect(self._on_selection_changed)
        context.map_look.filters.changed.connect(self._on_filters_changed)

    def _sort_as_before(self) -> None:
        kept = self.context.view.values("apis order")
        if len(kept) == 2 and kept[0] in TABLE_COLUMNS:
            order = Qt.SortOrder.DescendingOrder if kept[1] else Qt.SortOrder.AscendingOrder
            self.view.sortByColumn(TABLE_COLUMNS.index(kept[0]), order)

    def _on_sorted(self, column: int, order: Qt.SortOrder) -> None:
        is_down = order is Qt.SortOrder.DescendingOrder
        self.context.view.put("apis order", [TABLE_COLUMNS[column], is_down])
        self.view.scrollToTop()
        self._mark_soon.start()

    def _take(self, table: ApiTable) -> None:
        self._put(table)
        self.pages.setCurrentIndex(1 if len(table.rowids) else 0)
        self._read_missing()

    def _put(self, table: ApiTable) -> None:
        self._is_marking = True
        self.model.set_table(table, None)
        self._is_marking = False
        self._retype()
        self._filter()

    def _read_missing(self) -> None:
        """Read the values of the columns that are seen or searched."""
        table = self.model.table
        needed = [*dict.fromkeys((*self.view.columns, *SEARCHED_COLUMNS))]
        missing = [name for name in needed if name not in (NAME, TOOL, *table.columns)]
        if missing and table.source is not None:
            self.newest.ask(lambda: read_columns(table, missing), self._put)

    def _on_edited(self) -> None:
        table, catalogue = self.model.table, self.context.catalogue
        if not self.isVisible() or table.source is None:
            self.mark_outdated()
            return
        self.newest.ask(lambda: after_edit(table, catalogue), self._take)

    def _on_columns_changed(self) -> None:
        self.context.choices.api_columns = self.view.columns
        self._read_missing()
        self.brushing.show()

    def _on_selection_changed(self, origin: object) -> None:
        # What is chosen in the table must not take the other rows away under the hand.
        if origin is self:
            return
        if not self.isVisible():
            self.mark_outdated()
        elif self.only.isChecked():
            self._filter()
        else:
            self._mark()

    def _on_typed(self, text: str) -> None:
        filters = self.context.map_look.filters
        if not text:
            filters.drop(TYPED)
            return
        rowids = self.model.table.rowids[self.model.with_words(text)]
        filters.put(ApiFilter(id=TYPED, words=f"“{one_line(text, 40)}”", rowids=rowids))

    def _retype(self) -> None:
        """What the words find among other values."""
        if self.context.opened is not None and self.context.map_look.filters.get(TYPED):
            self._on_typed(self.field.text().strip())

    def _on_chip_removed(self, key: str) -> None:
        self.context.map_look.filters.drop(key)

    def _on_filters_changed(self) -> None:
        filters = self.context.map_look.filters
        if self.field.text() and filters.get(TYPED) is None:
            self.field.clear()
        if self.isVisible():
            self._filter()
        else:
            self.mark_outdated()

    def _filter(self) -> None:
        filters, rowids = self.context.map_look.filters, self.model.table.rowids
        mask, self.brushing.within = filters.mask(rowids), None
        if self.only.isChecked():
            own = np.isin(rowids, self.context.selection.rowids())
            mask, self.brushing.within = own if mask is None else mask & own, own
        before, self._is_marking = self.model.rowCount(), True
        self.model.show_only(mask)
        self._is_marking = False
        shown, total = self.model.rowCount(), self.model.total
        if shown != before:
            self.view.scrollToTop()  # else it stands at the end of the fewer rows
        self.view.say_nothing(self._why_nothing())
        self._count.setText(counted(shown, "API") if shown == total else f"{shown:,} of {total:,}")
        self.chips.show_chips([(one.id, one.words) for one in filters])
        self.brushing.show()
        self._mark()

    def _why_nothing(self) -> str:
        """Why no row is listed, if none is."""
        if not self.only.isChecked():
            return "No API passes all of the filters below."
        if not len(self.context.selection.rowids()):
            return "Only what is selected is listed, and nothing is."
        return "Nothing that is selected passes the filters below."

    def _on_charts_wanted(self) -> None:
        is_on = self.charts.isChecked()
        self.context.choices.has_api_charts = is_on
        if is_on:
            self._ask_for_room()
        self._show_charts()

    def _show_charts(self) -> None:
        wanted = self.context.choices.has_api_charts
        is_on = self.view.has_room_for_charts if wanted is None else wanted
        self.charts.setChecked(is_on)
        self.view.header.show_charts(is_on)

    def _ask_for_room(self) -> None:
        """Be as tall as charts and some rows need, if it stands in a dock."""
        window, dock = self.window(), self.parentWidget()
        while dock is not None and not isinstance(dock, QDockWidget):
            dock = dock.parentWidget()
        if isinstance(window, QMainWindow) and dock is not None and dock.height() < _TALL:
            window.resizeDocks([dock], [_TALL], Qt.Orientation.Vertical)

    def _mark(self) -> None:
        """Mark in the table what is selected everywhere."""
        places = self.model.positions_of(self.context.selection.rowids())
        marked = QItemSelection()
        last = len(TABLE_COLUMNS) - 1
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


class ChartFilterSync(QObject):
    """Keeps the charts of a view in step with the filters.

    Args:
        view: whose titles have the charts.
        model: whose values they show.
    """

    def __init__(self, context: AppContext, view: ApiTableView, model: ApiTableModel) -> None:
        super().__init__(view)
        self._context, self._view, self._model = context, view, model
        self._charts = ColumnCharts(model)
        self.within: np.ndarray | None = None
        """(n,) bool, rows beside which no others are listed whatever the filters; none for all."""
        view.header.bars_chosen.connect(self._on_bars_chosen)
        view.header.let_go.connect(lambda place: self._set(place, None))
        view.header.more_wanted.connect(self.open_values)

    def show(self) -> None:
        """Draw the charts of the columns that are seen, of the rows that `within` lets through."""
        filters, table = self._context.map_look.filters, self._model.table
        if not len(table.rowids):
            return
        everything, charts = filters.mask(table.rowids), dict[int, HeaderChart]()
        for name in self._view.columns:
            place, one = TABLE_COLUMNS.index(name), filters.get(name)
            mask = everything if one is None else filters.mask(table.rowids, without=name)
            if self.within is not None:
                mask = self.within if mask is None else mask & self.within
            chart = self._charts.chart(place, one, mask)
            if chart is not None:
                charts[place] = chart
        self._view.header.set_charts(charts)

    def open_values(self, place: int) -> ColumnValueFilter | None:
        """Offer all values of a column below its title; none for names."""
        values, filters = self._model.values(place), self._context.map_look.filters
        if values is None:
            return None
        name, header = TABLE_COLUMNS[place], self._view.header
        offered = ColumnValueFilter(
            self._charts,
            place,
            values,
            one=filters.get(name),
            mask=filters.mask(self._model.table.rowids, without=name),
            change=lambda one: self._set(place, one),
            parent=self._view,
        )
        corner = QPoint(header.sectionViewportPosition(place), header.height())
        offered.open_below(header.viewport().mapToGlobal(corner))
        offered.setFocus(Qt.FocusReason.PopupFocusReason)
        return offered

    def _on_bars_chosen(self, place: int, first: int, last: int, is_more: bool) -> None:
        chart = self._view.header.chart(place)
        if chart is None:
            return
        before = self._context.map_look.filters.get(TABLE_COLUMNS[place]) if is_more else None
        self._set(place, self._charts.filter_of(place, chart, range(first, last + 1), before))

    def _set(self, place: int, one: ApiFilter | None) -> None:
        filters = self._context.map_look.filters
        if one is None:
            filters.drop(TABLE_COLUMNS[place])
        else:
            filters.put(one)
