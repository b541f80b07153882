"""The titles of a table with a chart below each, in which ranges and values are chosen.

Small charts below the titles of a table, as data, and where their bars lie. A column of figures has
steps from left to right, a column of categories its most frequent values one below the other. Drawn
by `ChartHeader`.

Drag over steps of figures to brush a range, click a category to choose it, Shift or Ctrl for more;
what is chosen is clicked again to let it go. By keys: Left and Right walk the columns, Up and Down
the bars (Shift brushes), Space chooses, Delete lets go, Return sorts, F opens what else there is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QEvent, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFont,
    QFontMetrics,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
)
from PySide6.QtWidgets import QHeaderView, QToolTip, QWidget

from toolplanner_gui.theme.tokens import LIGHT, ROW_HEIGHT, Tokens
from toolplanner_gui.widgets.views import paint_sort_mark

LINE = 13
"""Height of a category, pixels."""
LINES = 4
HEIGHT = LINE * LINES + 4
INSET = 9
FOOT = 16
"""Below the steps of a scale stand its ends."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeaderBar:
    """A bar.

    Attributes:
        label: what it stands for.
        count: rows that choosing it would leave.
        total: all rows of it.
        is_chosen: whether the filter of the column lets it through.
        key: what the owner of the chart knows it by.
    """

    label: str
    count: int
    total: int
    is_chosen: bool = False
    key: Any = None

    @property
    def words(self) -> str:
        """For tooltips and screen readers."""
        of = f" of {self.total:,}" if self.total != self.count else ""
        return f"{self.label}: {self.count:,}{of}"


@dataclass(frozen=True, slots=True, kw_only=True)
class HeaderChart:
    """The chart of a column.

    Attributes:
        is_scale: bars are steps of figures, of which a range is brushed; else categories.
        low: text at the left end of a scale.
        high: text at its right end.
    """

    bars: Sequence[HeaderBar]
    is_scale: bool
    low: str = ""
    high: str = ""

    @property
    def is_filtered(self) -> bool:
        """Whether some of its bars are chosen."""
        return any(bar.is_chosen for bar in self.bars)

    def bar_at(self, x: float, y: float, width: float) -> int:
        """The bar at a place within the chart, the nearest one; -1 where none is."""
        n = len(self.bars)
        if not n:
            return -1
        if self.is_scale:
            return min(max(int((x - INSET) * n / max(width - 2 * INSET, 1)), 0), n - 1)
        line = int(y // LINE)
        return line if 0 <= line < n else -1

    def place_of(self, bar: int, area: QRectF) -> QRectF:
        """The ground of a bar within the area of the chart."""
        if not self.is_scale:
            return QRectF(area.left() + 1, area.top() + bar * LINE, area.width() - 4, LINE)
        step = (area.width() - 2 * INSET) / max(len(self.bars), 1)
        left = area.left() + INSET + bar * step
        return QRectF(left, area.top(), step, area.height() - FOOT)


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


_MORE = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.ControlModifier
_RETURN = (Qt.Key.Key_Return, Qt.Key.Key_Enter)
_STEPS = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}
_SIDES = {Qt.Key.Key_Right: 1, Qt.Key.Key_Left: -1}


class ChartHeader(QHeaderView):
    """Titles and charts.

    Signals:
        bars_chosen: column, first and last bar, whether they come to those chosen before.
        let_go: column whose filter shall go.
        more_wanted: column of which all values are wanted.
    """

    bars_chosen = Signal(int, int, int, bool)
    let_go = Signal(int)
    more_wanted = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._tokens = LIGHT
        self._charts: Mapping[int, HeaderChart] = {}
        self._has_room = False
        self._brush: tuple[int, int, int] | None = None
        self._column, self._bar, self._anchor = 0, -1, -1
        self.setSectionsClickable(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.setAccessibleName("Titles and filters of the columns")

    @property
    def has_charts(self) -> bool:
        """Whether charts are shown."""
        return self._has_room

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours of a theme."""
        self._tokens = tokens
        self.viewport().update()

    def show_charts(self, are_shown: bool) -> None:
        """Show charts below the titles, or the titles alone."""
        if are_shown != self._has_room:
            self._has_room = are_shown
            self.updateGeometry()
            self.geometriesChanged.emit()
            self.viewport().update()

    def set_charts(self, charts: Mapping[int, HeaderChart]) -> None:
        """Draw these charts, by column."""
        self._charts = charts
        self._tell()
        self.viewport().update()

    def chart(self, column: int) -> HeaderChart | None:
        """The chart of a column."""
        return self._charts.get(column)

    def area(self, column: int) -> QRectF:
        """Where the chart of a column is drawn."""
        left, width = self.sectionViewportPosition(column), self.sectionSize(column)
        return QRectF(left, self._title_height(), width, HEIGHT)

    def sizeHint(self) -> QSize:
        hint = super().sizeHint()
        tall = max(hint.height(), ROW_HEIGHT)
        return QSize(hint.width(), tall + (HEIGHT if self._has_room else 0))

    def paintSection(
        self,
        painter: QPainter,
        rect: QRect,
        logicalIndex: int,  # noqa: N803 - the name of Qt
    ) -> None:
        painter.save()
        title = QRect(rect.left(), rect.top(), rect.width(), self._title_height())
        super().paintSection(painter, title, logicalIndex)
        painter.restore()
        painter.fillRect(
            QRect(rect.left(), title.bottom() + 1, rect.width(), rect.height()),
            QColor(self._tokens.panel),
        )
        paint_sort_mark(self, painter, title, logicalIndex, colour=QColor(self._tokens.dim))
        is_current = self.hasFocus() and logicalIndex == self._column
        if is_current and self._bar < 0:
            painter.setPen(QPen(QColor(self._tokens.accent), 1))
            painter.drawRect(title.adjusted(1, 1, -2, -2))
        chart = self._charts.get(logicalIndex)
        if not self._has_room or chart is None:
            return
        painter.save()
        area = self.area(logicalIndex)
        painter.setClipRect(area)
        painter.setFont(small_font(self.font()))
        self._paint_ground(painter, chart, area, logicalIndex)
        if chart.is_scale:
            paint_scale(painter, chart, area, self._tokens)
        else:
            paint_values(painter, chart, area, self._tokens)
        if is_current and 0 <= self._bar < len(chart.bars):
            painter.setPen(QPen(QColor(self._tokens.text), 1))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(chart.place_of(self._bar, area).adjusted(0, 0, -1, -1))
        painter.restore()

    def contextMenuEvent(self, arg__1: QContextMenuEvent) -> None:
        column = self.logicalIndexAt(arg__1.pos())
        if column >= 0:
            self.more_wanted.emit(column)

    def mousePressEvent(self, e: QMouseEvent) -> None:
        column, bar = self._at(e)
        if bar < 0 or e.button() != Qt.MouseButton.LeftButton:
            if not self._is_in_charts(e):
                super().mousePressEvent(e)
            return
        self._column, self._bar, self._anchor = column, bar, bar
        self._brush = (column, bar, bar)
        self.viewport().update()

    def mouseMoveEvent(self, e: QMouseEvent) -> None:
        if self._brush is None:
            if not self._is_in_charts(e):
                super().mouseMoveEvent(e)
            else:
                self.viewport().unsetCursor()
            return
        column, first, _ = self._brush
        chart, area = self._charts.get(column), self.area(column)
        if chart is None:
            return
        place = e.position()
        bar = chart.bar_at(place.x() - area.left(), place.y() - area.top(), area.width())
        if bar >= 0 and (column, first, bar) != self._brush:
            self._brush, self._bar = (column, first, bar), bar
            if chart.is_scale:
                self._choose(column, first, bar, is_more=False)
            self.viewport().update()

    def mouseReleaseEvent(self, e: QMouseEvent) -> None:
        if self._brush is None:
            super().mouseReleaseEvent(e)
            return
        column, first, last = self._brush
        self._brush = None
        chart = self._charts.get(column)
        if chart is not None and (first == last or not chart.is_scale):
            self._choose_or_let_go(column, first, last, bool(e.modifiers() & _MORE))
        self.viewport().update()

    def viewportEvent(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            column, bar = self._at(event)
            chart = self._charts.get(column)
            if chart is not None and bar >= 0:
                QToolTip.showText(event.globalPos(), chart.bars[bar].words, self)
                return True
        return super().viewportEvent(event)

    def keyPressEvent(self, e: QKeyEvent) -> None:
        key, chart = Qt.Key(e.key()), self._charts.get(self._column)
        n = len(chart.bars) if chart is not None and self._has_room else 0
        if key in _SIDES:
            self._go_to_column(_SIDES[key])
        elif key in _STEPS and n:
            self._bar = min(max(self._bar + _STEPS[key], -1), n - 1)
            if not e.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                self._anchor = self._bar
            elif min(self._anchor, self._bar) >= 0:
                self._choose(self._column, self._anchor, self._bar, is_more=False)
        elif key == Qt.Key.Key_Space and self._bar >= 0:
            is_more = chart is not None and not chart.is_scale
            self._choose_or_let_go(self._column, self._bar, self._bar, is_more)
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.let_go.emit(self._column)
        elif key in _RETURN or key == Qt.Key.Key_Space:
            self._sort()
        elif key == Qt.Key.Key_F:
            self.more_wanted.emit(self._column)
        else:
            super().keyPressEvent(e)
            return
        self._tell()
        self.viewport().update()

    def _sort(self) -> None:
        rising, falling = Qt.SortOrder.AscendingOrder, Qt.SortOrder.DescendingOrder
        is_rising = self.sortIndicatorSection() == self._column and (
            self.sortIndicatorOrder() is rising
        )
        self.setSortIndicator(self._column, falling if is_rising else rising)

    def _go_to_column(self, by: int) -> None:
        place = self.visualIndex(self._column) + by
        while 0 <= place < self.count():
            column = self.logicalIndex(place)
            if not self.isSectionHidden(column):
                self._column, self._bar, self._anchor = column, -1, -1
                return
            place += by

    def _tell(self) -> None:
        """Say where the keyboard is."""
        title = self.model().headerData(self._column, Qt.Orientation.Horizontal)
        chart = self._charts.get(self._column)
        is_bar = chart is not None and 0 <= self._bar < len(chart.bars)
        words = f", {chart.bars[self._bar].words}" if chart is not None and is_bar else ""
        self.setAccessibleDescription(f"{title}{words}")

    def _choose(self, column: int, first: int, last: int, *, is_more: bool) -> None:
        self.bars_chosen.emit(column, min(first, last), max(first, last), is_more)

    def _choose_or_let_go(self, column: int, first: int, last: int, is_more: bool) -> None:
        """Choose bars; the only one that is chosen is let go by choosing it again."""
        bars = self._charts[column].bars
        own = set(range(min(first, last), max(first, last) + 1))
        chosen = {i for i, bar in enumerate(bars) if bar.is_chosen}
        if chosen == own:
            self.let_go.emit(column)
        else:
            self._choose(column, first, last, is_more=is_more)

    def _title_height(self) -> int:
        return max(super().sizeHint().height(), ROW_HEIGHT)

    def _is_in_charts(self, event: QMouseEvent) -> bool:
        return self._has_room and event.position().y() >= self._title_height()

    def _at(self, event: QMouseEvent | QHelpEvent) -> tuple[int, int]:
        """Column and bar at the mouse, -1 for none."""
        place = event.position() if isinstance(event, QMouseEvent) else event.pos().toPointF()
        column = self.logicalIndexAt(round(place.x()))
        chart = self._charts.get(column)
        if chart is None or not self._has_room or place.y() < self._title_height():
            return column, -1
        area = self.area(column)
        return column, chart.bar_at(place.x() - area.left(), place.y() - area.top(), area.width())

    def _paint_ground(
        self, painter: QPainter, chart: HeaderChart, area: QRectF, column: int
    ) -> None:
        chosen = {i for i, bar in enumerate(chart.bars) if bar.is_chosen}
        if self._brush is not None and self._brush[0] == column:
            _, first, last = self._brush
            chosen |= set(range(min(first, last), max(first, last) + 1))
        painter.setPen(Qt.PenStyle.NoPen)
        for bar in chosen:
            painter.fillRect(chart.place_of(bar, area), QColor(self._tokens.selection))
