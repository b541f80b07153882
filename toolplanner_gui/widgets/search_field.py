"""A search field: asks when the typing pauses, Escape clears it."""

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QAction, QKeyEvent
from PySide6.QtWidgets import QLineEdit

from toolplanner_gui.theme.icons import make_icon
from toolplanner_gui.widgets.text_line import TextLine

_PAUSE_MS = 150


class SearchField(TextLine):
    """Emits `searched` with the text, "" when cleared; `left_down` when the results are wanted.

    Args:
        is_all: nothing else stands around it that stays: Escape closes that in place of clearing.
    """

    searched = Signal(str)
    left_down = Signal()

    def __init__(self, placeholder: str, *, icon: str = "magnify", is_all: bool = False) -> None:
        super().__init__()
        self._is_all = is_all
        self.setPlaceholderText(placeholder)
        self.setAccessibleName(placeholder)
        self.addAction(make_icon(icon), QLineEdit.ActionPosition.LeadingPosition)
        self._clear = QAction(make_icon("close"), "Clear the search", self)
        self._clear.triggered.connect(self.clear)
        self._clear.setVisible(False)
        self.addAction(self._clear, QLineEdit.ActionPosition.TrailingPosition)
        self._timer = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._timer.timeout.connect(self._on_pause)
        self.textChanged.connect(self._on_changed)
        self.returnPressed.connect(self._on_pause)

    def find(self) -> None:
        """Take the keyboard, ready to be written over."""
        self.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.selectAll()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.text() and not self._is_all:
            self.clear()
            return
        if event.key() == Qt.Key.Key_Down:
            self.left_down.emit()
            return
        super().keyPressEvent(event)

    def _on_changed(self, text: str) -> None:
        self._clear.setVisible(bool(text))
        if text:
            self._timer.start()
        else:
            self._timer.stop()
            self.searched.emit("")

    def _on_pause(self) -> None:
        self._timer.stop()
        self.searched.emit(self.text().strip())
