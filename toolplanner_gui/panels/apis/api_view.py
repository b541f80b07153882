"""The table of APIs as a view: which columns are seen, how wide, and charts below their titles."""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QWidget

from toolplanner_core.curation.looking.map_columns import column
from toolplanner_gui.theme.tokens import EDGE, ROW_HEIGHT
from toolplanner_gui.viewmodels.curate.api_table import (
    FIGURES,
    NAME,
    TABLE_COLUMNS,
    TOOL,
    ApiTableModel,
)
from toolplanner_gui.widgets.chart_header import ChartHeader
from toolplanner_gui.widgets.header_charts import HEIGHT
from toolplanner_gui.widgets.menus import popup_menu
from toolplanner_gui.widgets.quiet_table import QuietTable

_FIGURE, _VALUE = 66, 92
"""Least widths of a column of figures and of values, pixels."""
_LEAST = {
    **{NAME: 130, TOOL: 84, "toolkit": 96, "region": 96, "category": 84, "risk": 84, "method": 76},
    **{"cohesion": 92, "centrality": 92, "placement": 92, "parameters": 92},
}
_WEIGHTS = {NAME: 4.0, TOOL: 2.0, "toolkit": 2.5, "region": 2.5, "category": 2.0}
_ROWS_BELOW_CHARTS = 5


class ApiView(QuietTable):
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
