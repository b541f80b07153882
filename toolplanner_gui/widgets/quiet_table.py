"""A long flat table in the look of `QuietTree`; used by the event log.

Why not the tree: that asks the model for every row whenever one is added, 90 ms at 50,000 rows.
"""

from PySide6.QtCore import QAbstractItemModel, QEvent, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHeaderView, QTableView, QWidget

from toolplanner_gui.theme.tokens import ROW_HEIGHT
from toolplanner_gui.widgets.views import make_quiet, size_columns, takes_select_all


class QuietTable(QTableView):
    """Rows of one height, whole rows selected, columns that share the width."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shares: dict[int, float] = {}
        self.setAccessibleName(name)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        make_quiet(self)
        rows = self.verticalHeader()
        rows.hide()
        rows.setMinimumSectionSize(ROW_HEIGHT)
        rows.setDefaultSectionSize(ROW_HEIGHT)
        rows.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)

    def set_model(
        self, model: QAbstractItemModel, widths: dict[int, int], *, shares: dict[int, float]
    ) -> None:
        """Show a model.

        Args:
            widths: columns of a width in pixels.
            shares: columns that take a share of the whole width, 0 to 1; others share the rest.
        """
        self._shares = shares
        self.setModel(model)
        header = self.horizontalHeader()
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        size_columns(header, widths, shares)

    def event(self, event: QEvent) -> bool:
        return takes_select_all(self, event) or super().event(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        for column, share in self._shares.items():
            self.horizontalHeader().resizeSection(column, round(self.viewport().width() * share))
