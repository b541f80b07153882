"""Words of which one is chosen, in a row, or in several where there is little room."""

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QButtonGroup, QGridLayout, QToolButton, QWidget

_GAP = 2


class Segment(NamedTuple):
    """A word to choose; `name` is read out, `explanation` is the tooltip."""

    text: str
    name: str
    explanation: str


class SegmentedControl(QWidget):
    """Emits `switched` with the position that a person chose."""

    switched = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._group = QButtonGroup(self)
        self._group.setExclusive(True)
        self._group.idClicked.connect(self.switched)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(_GAP)
        self._columns = 0

    def set_words(self, words: Sequence[Segment]) -> None:
        """Offer these; the first one is chosen."""
        for button in self._group.buttons():
            self._group.removeButton(button)
            self._grid.removeWidget(button)
            button.deleteLater()
        for position, word in enumerate(words):
            button = QToolButton()
            button.setText(word.text)
            button.setToolTip(word.explanation)
            button.setAccessibleName(word.name)
            button.setAccessibleDescription(word.explanation)
            button.setProperty("role", "tab")
            button.setCheckable(True)
            button.setChecked(position == 0)
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            self._group.addButton(button, position)
        self._columns = 0
        self._arrange()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """No word is cut: those that do not fit stand in the next row."""
        super().resizeEvent(event)
        self._arrange()

    def minimumSizeHint(self) -> QSize:
        """As wide as the longest word."""
        widest = max((b.sizeHint().width() for b in self._group.buttons()), default=0)
        return QSize(widest, super().minimumSizeHint().height())

    def _arrange(self) -> None:
        buttons = self._group.buttons()
        widths = [button.sizeHint().width() for button in buttons]
        columns = len(buttons)
        while columns > 1 and _width(widths, columns) > self.width():
            columns -= 1
        if columns == self._columns:
            return
        self._columns = columns
        for position, button in enumerate(buttons):
            self._grid.addWidget(button, *divmod(position, max(1, columns)))
        for column in range(len(buttons) + 1):
            self._grid.setColumnStretch(column, int(column == columns))
        self.updateGeometry()

    @property
    def chosen(self) -> int:
        """The position of the word that is chosen, -1 without words."""
        return self._group.checkedId()

    def choose(self, position: int) -> None:
        """Choose as a click does."""
        self._group.button(position).click()

    def focus_chosen(self) -> None:
        """Put the keyboard on the word that is chosen."""
        button = self._group.checkedButton()
        if button is not None:
            button.setFocus(Qt.FocusReason.OtherFocusReason)


def _width(widths: Sequence[int], columns: int) -> int:
    """Of so many columns, each as wide as its widest word."""
    return sum(max(widths[column::columns]) for column in range(columns)) + _GAP * (columns - 1)
