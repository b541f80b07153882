"""A text of which some lines are shown, and all of it on demand; used for the answer of a run."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from toolplanner_gui.widgets.boxes import column_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.labels import named, text_label
from toolplanner_gui.widgets.views import scrolled

_MANY_LINES = 16


class ExpandingText(QWidget):
    """Plain text, cut to a few lines; "Show all" gives it more room and a scroll bar.

    Args:
        lines: that are shown at first.
    """

    def __init__(self, name: str, parent: QWidget | None = None, *, lines: int = 4) -> None:
        super().__init__(parent)
        self._few_lines = lines
        self._label = text_label(role="page", is_wrapped=True, is_selectable=True, name=name)
        self._label.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._area = named(scrolled(self._label), name)
        self.more_button = push_button("Show all", self._on_more, role="link")
        self._is_open = False
        column_of(self._area, (self.more_button, 0, Qt.AlignmentFlag.AlignLeft), of=self, gap=0)

    def set_text(self, text: str) -> None:
        """Show another text, cut again; the same text changes nothing."""
        if text != self._label.text():
            self._label.setText(text)
            self._is_open = False
            self._area.verticalScrollBar().setValue(0)
            self._fit()

    def set_few_lines(self, lines: int) -> None:
        """How many lines are shown at first."""
        if lines != self._few_lines:
            self._few_lines = lines
            self._fit()

    def text(self) -> str:
        """The whole text."""
        return self._label.text()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _on_more(self) -> None:
        self._is_open = not self._is_open
        self._area.verticalScrollBar().setValue(0)
        self._fit()

    def _fit(self) -> None:
        line = self.fontMetrics().lineSpacing()
        needed = max(0, self._label.heightForWidth(max(1, self.width())))
        few, many = self._few_lines * line, _MANY_LINES * line
        is_long = needed > few + line // 2
        self.more_button.setVisible(is_long)
        self.more_button.setText("Show less" if self._is_open else "Show all")
        is_scrolled = self._is_open and needed > many
        policy = Qt.ScrollBarPolicy
        self._area.setVerticalScrollBarPolicy(
            policy.ScrollBarAsNeeded if is_scrolled else policy.ScrollBarAlwaysOff
        )
        self._area.setFixedHeight(min(needed, many if self._is_open or not is_long else few))
