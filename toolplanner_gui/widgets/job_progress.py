"""One running job: what it does, how far it is, and a way to stop it."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QProgressBar, QWidget

from toolplanner_gui.theme.tokens import GAP, SPACE
from toolplanner_gui.widgets.box_layouts import column_of, row_of
from toolplanner_gui.widgets.buttons import icon_button
from toolplanner_gui.widgets.labels import ElidedLabel

_BAR_WIDTH = 120


class JobProgressBar(QWidget):
    """Text, bar and cancel button: in a line as in the status bar, or the text above the bar, where
    a line would be too short for both."""

    cancel_clicked = Signal()

    def __init__(self, parent: QWidget | None = None, *, is_text_above: bool = False) -> None:
        super().__init__(parent)
        self._text = ElidedLabel()
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setRange(0, 0)
        self.cancel_button = icon_button("close", "Cancel this job", self.cancel_clicked.emit)
        middle = Qt.AlignmentFlag.AlignVCenter
        if is_text_above:
            below = row_of((self._bar, 1, middle), self.cancel_button, gap=GAP)
            column_of(self._text, below, of=self, gap=0)
            return
        self._text.setAlignment(Qt.AlignmentFlag.AlignRight | middle)
        self._bar.setFixedWidth(_BAR_WIDTH)
        line = [(self._text, 1), (self._bar, 0, middle), self.cancel_button]
        row_of(*line, of=self, margins=(GAP, 0, SPACE, 0), gap=GAP)

    def show_progress(self, text: str, done: int, total: int | None) -> None:
        """Change text and bar; without a total the bar only says that something goes on."""
        self._text.set_text(text)
        self._bar.setAccessibleName(text)
        if total:
            # A bar of a thousand steps: numbers of rows may exceed what a bar can count.
            self._bar.setRange(0, 1000)
            self._bar.setValue(round(1000 * min(done, total) / total))
        else:
            self._bar.setRange(0, 0)

    @property
    def text(self) -> str:
        """What it says."""
        return self._text.text()
