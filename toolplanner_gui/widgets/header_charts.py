"""Small charts below the titles of a table, as data, and where their bars lie.

A column of figures has steps from left to right, a column of categories its most frequent values
one below the other. Drawn by `ChartHeader`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QRectF

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
