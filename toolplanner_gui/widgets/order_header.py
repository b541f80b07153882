"""The titles of a list whose order a person chooses, with a mark on the one that it has.

The style sheet hides Qt's own mark, which would take room from titles. Used by the list of
toolkits; `ChartHeader` draws the same mark.
"""

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QPainter, QPalette
from PySide6.QtWidgets import QHeaderView, QWidget


class OrderHeader(QHeaderView):
    """Titles that are clicked to order by them."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setSectionsClickable(True)
        self.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)

    def paintSection(
        self,
        painter: QPainter,
        rect: QRect,
        logicalIndex: int,  # noqa: N803 - the name of Qt
    ) -> None:
        painter.save()
        super().paintSection(painter, rect, logicalIndex)
        painter.restore()
        dim = self.palette().color(QPalette.ColorRole.PlaceholderText)
        paint_order(self, painter, rect, logicalIndex, colour=dim)


def paint_order(
    header: QHeaderView, painter: QPainter, title: QRect, column: int, *, colour: QColor
) -> None:
    """Mark a title if the list is ordered by it: whether it rises or falls."""
    if not header.isSortIndicatorShown() or header.sortIndicatorSection() != column:
        return
    is_rising = header.sortIndicatorOrder() is Qt.SortOrder.AscendingOrder
    painter.setPen(colour)
    place = title.adjusted(0, 0, -4, 0)
    right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop
    painter.drawText(place, right, "▴" if is_rising else "▾")
