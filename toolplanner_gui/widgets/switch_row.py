"""A row of words of which one is chosen: what to do next, which view to show."""

from collections.abc import Sequence
from typing import NamedTuple

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QToolButton, QWidget

from toolplanner_gui.widgets.boxes import row_of


class Word(NamedTuple):
    """A word to choose; `name` is read out, `explanation` is the tooltip."""

    text: str
    name: str
    explanation: str


class SwitchRow(QWidget):
    """Emits `switched` with the position that a person chose."""

    switched = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._group = QButtonGroup(self)
        self._group.setExclusive(True)
        self._group.idClicked.connect(self.switched)
        self._row = row_of(1, of=self, gap=2)

    def set_words(self, words: Sequence[Word]) -> None:
        """Offer these; the first one is chosen."""
        for button in self._group.buttons():
            self._group.removeButton(button)
            self._row.removeWidget(button)
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
            self._row.insertWidget(position, button)

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
