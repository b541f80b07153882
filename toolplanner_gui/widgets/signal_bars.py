"""Several pieces of evidence side by side: name, bar, figure, a sentence.

Never one score alone: each line stands for itself, and the figure is written beside the bar.
"""

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QProgressBar, QWidget

from toolplanner_gui.theme.tokens import GAP, SPACE
from toolplanner_gui.widgets.box_layouts import column_of
from toolplanner_gui.widgets.labels import text_label

_BAR_WIDTH = 90
_BAR_HEIGHT = 6


class SignalLine(NamedTuple):
    """A line; `value` is 0 (speaks against) to 1 (speaks for)."""

    name: str
    value: float
    sentence: str


class _Line(NamedTuple):
    name: QLabel
    bar: QProgressBar
    figure: QLabel
    sentence: QLabel


class SignalBars(QWidget):
    """Shows the lines; labels are made once and filled again."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._lines: list[_Line] = []
        self.shown: list[SignalLine] = []
        """The lines."""
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(GAP)
        self._grid.setVerticalSpacing(SPACE)
        self._grid.setColumnStretch(3, 1)

    def show_evidence(self, lines: Sequence[SignalLine]) -> None:
        """Replace all lines."""
        self.shown = list(lines)
        while len(self._lines) < len(lines):
            self._add_line()
        for place, line in enumerate(self._lines):
            is_used = place < len(lines)
            for part in line:
                part.setVisible(is_used)
            if is_used:
                self._fill(line, lines[place])

    def _fill(self, line: _Line, evidence: SignalLine) -> None:
        percent = round(100 * min(max(evidence.value, 0.0), 1.0))
        line.name.setText(evidence.name)
        if line.bar.value() != percent:
            line.bar.setValue(percent)  # paints at once, a millisecond each
        line.bar.setAccessibleName(f"{evidence.name}, {percent} of 100: {evidence.sentence}")
        line.figure.setText(f"{evidence.value:.2f}")
        line.sentence.setText(evidence.sentence)

    def _add_line(self) -> None:
        bar = QProgressBar()
        bar.setRange(0, 100)
        bar.setTextVisible(False)
        bar.setFixedSize(_BAR_WIDTH, _BAR_HEIGHT)
        line = _Line(text_label(), bar, text_label(), text_label(role="dim", is_wrapped=True))
        row, top = len(self._lines), Qt.AlignmentFlag.AlignTop
        self._grid.addWidget(line.name, row, 0, top)
        # Level with the first line of a sentence that takes two.
        above = (line.figure.fontMetrics().height() - _BAR_HEIGHT) // 2
        self._grid.addLayout(column_of(bar, 1, margins=(0, above, 0, 0)), row, 1)
        self._grid.addWidget(line.figure, row, 2, top)
        self._grid.addWidget(line.sentence, row, 3, top)
        self._lines.append(line)
