"""Carries what is chosen in the charts of the table into the filters, and back."""

import numpy as np
from PySide6.QtCore import QObject, QPoint, Qt

from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.apis.api_charts import ApiCharts
from toolplanner_gui.panels.apis.api_view import ApiView
from toolplanner_gui.panels.apis.column_values import ColumnValues
from toolplanner_gui.viewmodels.curate.api_table import TABLE_COLUMNS, ApiTableModel
from toolplanner_gui.viewmodels.curate.filters import ApiFilter
from toolplanner_gui.widgets.header_charts import HeaderChart


class Brushing(QObject):
    """Keeps the charts of a view in step with the filters.

    Args:
        view: whose titles have the charts.
        model: whose values they show.
    """

    def __init__(self, context: AppContext, view: ApiView, model: ApiTableModel) -> None:
        super().__init__(view)
        self._context, self._view, self._model = context, view, model
        self._charts = ApiCharts(model)
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

    def open_values(self, place: int) -> ColumnValues | None:
        """Offer all values of a column below its title; none for names."""
        values, filters = self._model.values(place), self._context.map_look.filters
        if values is None:
            return None
        name, header = TABLE_COLUMNS[place], self._view.header
        offered = ColumnValues(
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
