"""What an empty panel says: one sentence, and one button that does what comes next."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from toolplanner_gui.theme.icons import make_icon
from toolplanner_gui.theme.tokens import EDGE, GAP
from toolplanner_gui.widgets.box_layouts import column_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.labels import IconLabel, text_label

_ICON = 32
_LOW = 140


class EmptyState(QWidget):
    """A picture, a sentence and perhaps a button, in the middle of the panel."""

    def __init__(self, icon: str, sentence: str = "") -> None:
        super().__init__()
        self._picture = picture = IconLabel(make_icon(icon), size=_ICON)
        self._sentence = text_label(sentence, role="dim", is_wrapped=True)
        self._sentence.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._button = push_button("", self._on_clicked)
        self._button.hide()
        self._run: Callable[[], object] | None = None
        middle = Qt.AlignmentFlag.AlignHCenter
        parts = (picture, 0, middle), self._sentence, (self._button, 0, middle)
        margins = (2 * EDGE, EDGE, 2 * EDGE, EDGE)
        column_of(2, *parts, 3, of=self, margins=margins, gap=GAP)

    def say(
        self, sentence: str, *, button: str = "", run: Callable[[], object] | None = None
    ) -> None:
        """Change the sentence, and the button ("" for none)."""
        self._sentence.setText(sentence)
        self._run = run
        self._button.setText(button)
        self._button.setVisible(bool(button))
        # A hidden proxy would hold the tab key for ever.
        self.setFocusProxy(self._button if button else None)  # type: ignore[arg-type]

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        # Where it is low, words and button go before the picture.
        self._picture.setVisible(self.height() >= _LOW)

    @property
    def sentence(self) -> str:
        """What it says."""
        return self._sentence.text()

    def _on_clicked(self) -> None:
        if self._run is not None:
            self._run()
