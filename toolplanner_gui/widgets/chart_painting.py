"""How the small charts below the titles of a table are drawn. Called by `ChartHeader`."""

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter

from toolplanner_gui.theme.tokens import Tokens
from toolplanner_gui.widgets.header_charts import FOOT, INSET, LINE, HeaderChart

_SMALL = 0.82
_LEAST_BAR = 1.5


def small_font(font: QFont) -> QFont:
    """The same, as small as charts are labelled."""
    small = QFont(font)
    small.setPointSizeF(max(font.pointSizeF() * _SMALL, 6.0))
    return small


def paint_scale(painter: QPainter, chart: HeaderChart, area: QRectF, tokens: Tokens) -> None:
    """Draw the steps of figures: all rows, and before them those that are left, and the ends."""
    most = max((bar.total for bar in chart.bars), default=1) or 1
    accent, line = QColor(tokens.accent), QColor(tokens.field_line)
    for i, bar in enumerate(chart.bars):
        ground = chart.place_of(i, area)
        for rows, colour in ((bar.total, line), (bar.count, accent)):
            # By its root: else one tall bar leaves nothing to see of the others.
            tall = max((rows / most) ** 0.5 * (ground.height() - 2), _LEAST_BAR) if rows else 0
            painter.fillRect(
                QRectF(
                    ground.left() + 0.5,
                    ground.bottom() - tall,
                    max(ground.width() - 1, 1),
                    tall,
                ),
                colour,
            )
    painter.setPen(QColor(tokens.dim))
    ends = QRectF(area.left() + INSET, area.bottom() - FOOT, area.width() - 2 * INSET, FOOT)
    low, high = ends_that_fit(chart, painter.fontMetrics(), ends.width())
    painter.drawText(ends, Qt.AlignmentFlag.AlignLeft, low)
    painter.drawText(ends, Qt.AlignmentFlag.AlignRight, high)


def ends_that_fit(chart: HeaderChart, metrics: QFontMetrics, room: float) -> tuple[str, str]:
    """The texts at the ends of a scale; without the left one where they would touch."""
    low, high = chart.low, chart.high
    if metrics.horizontalAdvance(f"{low}  {high}") <= room:
        return low, high
    return "", metrics.elidedText(high, Qt.TextElideMode.ElideRight, max(int(room), 0))


def paint_values(painter: QPainter, chart: HeaderChart, area: QRectF, tokens: Tokens) -> None:
    """Draw the most frequent categories, one below the other."""
    most = max((bar.count for bar in chart.bars), default=1) or 1
    metrics = painter.fontMetrics()
    ground = QColor(tokens.accent)
    ground.setAlphaF(0.22)
    for i, bar in enumerate(chart.bars):
        place = chart.place_of(i, area)
        long = place.width() * bar.count / most
        if bar.count:
            painter.fillRect(QRectF(place.left(), place.top() + 1, long, LINE - 2), ground)
        figure = f"{bar.count:,}"
        inner = place.adjusted(INSET - 1, 0, -2, 0)
        painter.setPen(QColor(tokens.dim))
        painter.drawText(inner, Qt.AlignmentFlag.AlignRight, figure)
        room = round(inner.width()) - metrics.horizontalAdvance(figure) - INSET
        text = metrics.elidedText(bar.label, Qt.TextElideMode.ElideRight, max(room, 0))
        painter.setPen(QColor(tokens.text))
        painter.drawText(inner, Qt.AlignmentFlag.AlignLeft, text)
