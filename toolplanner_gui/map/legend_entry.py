"""One row of the legend: what a colour means, and at the right how many points have it.

Beside the card, which chooses by its rows: this one only shows.
"""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPaintEvent
from PySide6.QtWidgets import (
    QSizePolicy,
    QStyle,
    QStyleOptionToolButton,
    QStylePainter,
    QToolButton,
    QWidget,
)

from toolplanner_gui.map.colouring import LegendRow
from toolplanner_gui.theme.tokens import SPACE

ROW = 20
SWATCH = 10
_WIDEST_NAME = 190
"""Pixels; "Alone: no fallback possible" fits, a region's name ends in an ellipsis."""
_HOW = "Click to show only these, again to show all; Shift adds, Ctrl turns round"


class LegendEntry(QToolButton):
    """A button of one height; its check mark is set by who follows the filter."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._name = self._number = ""
        self._pen = QColor()
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setIconSize(QSize(SWATCH, SWATCH))
        self.setFixedHeight(ROW)
        self.setSizePolicy(QSizePolicy.Policy.MinimumExpanding, QSizePolicy.Policy.Fixed)
        self.setAutoRaise(True)
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def say(self, row: LegendRow, shown: int | None = None) -> None:
        """Show what a row means.

        Args:
            shown: of its points those that the filters of other columns let through; None = all.
        """
        count = row.count if shown is None else shown
        is_part = count != row.count
        mode = Qt.TextElideMode.ElideRight
        self._name = self.fontMetrics().elidedText(row.text, mode, _WIDEST_NAME)
        self._number = f"{count:,}"
        self.setText(f"{self._name}  {self._number}".replace("&", "&&"))
        self.setAccessibleName(f"Show only {row.text}  {self._number}")
        of = f" of {row.count:,}, by the other filters" if is_part else ""
        self.setToolTip(f"{row.text}  {self._number}{of}\n{_HOW}")
        self.update()

    def set_look(self, swatch: QIcon, pen: QColor) -> None:
        """Take the colour that it explains, and that of its words."""
        self._pen = pen
        self.setIcon(swatch)

    def paintEvent(self, _event: QPaintEvent) -> None:
        """The ground of a button, and its number at the right end: Qt would put it behind the
        name, so that the numbers of a legend stand anyhow."""
        painter = QStylePainter(self)
        option = QStyleOptionToolButton()
        self.initStyleOption(option)
        option.text, option.icon = "", QIcon()  # type: ignore[attr-defined]  # in the stubs: missing
        painter.drawComplexControl(QStyle.ComplexControl.CC_ToolButton, option)
        inside = self.rect().adjusted(SPACE, 0, -SPACE, 0)
        place = QRect(inside.left(), 0, SWATCH, SWATCH)
        place.moveTop((self.height() - SWATCH) // 2)
        self.icon().paint(painter, place)
        painter.setPen(self._pen)
        inside.setLeft(place.right() + 1 + SPACE)
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(inside, middle | Qt.AlignmentFlag.AlignLeft, self._name)
        painter.drawText(inside, middle | Qt.AlignmentFlag.AlignRight, self._number)
        painter.end()
