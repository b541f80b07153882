"""One running job in the status bar: what it does, how far it is, and a way to stop it."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QProgressBar, QWidget

from toolplanner_gui.theme.tokens import GAP, SPACE
from toolplanner_gui.widgets.box_layouts import row_of
from toolplanner_gui.widgets.buttons import icon_button
from toolplanner_gui.widgets.labels import ElidedLabel

_BAR_WIDTH = 120


class JobProgressBar(QWidget):
    """Text, bar and cancel button."""

    cancel_clicked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._text = ElidedLabel()
        self._text.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._bar = QProgressBar()
        self._bar.setTextVisible(False)
        self._bar.setFixedWidth(_BAR_WIDTH)
        self._bar.setRange(0, 0)
        self.cancel_button = icon_button("close", "Cancel this job", self.cancel_clicked.emit)
        bar = (self._bar, 0, Qt.AlignmentFlag.AlignVCenter)
        margins = (GAP, 0, SPACE, 0)
        row_of((self._text, 1), bar, self.cancel_button, of=self, margins=margins, gap=GAP)

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
