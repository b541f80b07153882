"""What an empty panel says: one sentence, and one button that does what comes next."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QWidget

from toolplanner_gui.theme.theme import Theme
from toolplanner_gui.theme.tokens import EDGE, GAP
from toolplanner_gui.widgets.boxes import column_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.labels import text_label

_ICON = 32


class EmptyState(QWidget):
    """A picture, a sentence and perhaps a button, in the middle of the panel."""

    def __init__(self, theme: Theme, icon: str, sentence: str = "") -> None:
        super().__init__()
        self._icon = QLabel()
        theme.dress(self, lambda: self._icon.setPixmap(theme.icon(icon).pixmap(_ICON, _ICON)))
        self._icon.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._sentence = text_label(sentence, role="dim", is_wrapped=True)
        self._sentence.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._button = push_button("", self._on_clicked)
        self._button.hide()
        self._run: Callable[[], object] | None = None
        button = (self._button, 0, Qt.AlignmentFlag.AlignHCenter)
        margins = (2 * EDGE, EDGE, 2 * EDGE, EDGE)
        column_of(2, self._icon, self._sentence, button, 3, of=self, margins=margins, gap=GAP)

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

    @property
    def sentence(self) -> str:
        """What it says."""
        return self._sentence.text()

    def _on_clicked(self) -> None:
        if self._run is not None:
            self._run()
