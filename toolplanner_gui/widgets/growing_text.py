"""A field for texts of any length: as high as its text, up to a limit."""

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QPlainTextEdit, QWidget

_FEWEST_LINES = 2
_MOST_LINES = 8
_FRAME = 20


class GrowingText(QPlainTextEdit):
    """Plain text; Tab leaves it.

    Args:
        name: for screen readers.
    """

    def __init__(self, name: str, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "field")
        self.setAccessibleName(name)
        self.setTabChangesFocus(True)
        self.document().documentLayout().documentSizeChanged.connect(lambda _size: self._fit())
        self.setPlainText(text)
        self._fit()

    def resizeEvent(self, event: QResizeEvent, /) -> None:
        """A narrower field has more lines; the document does not say so."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        lines = round(self.document().size().height())  # as they are wrapped
        shown = max(_FEWEST_LINES, min(lines, _MOST_LINES))
        self.setFixedHeight(self.fontMetrics().lineSpacing() * shown + _FRAME)
