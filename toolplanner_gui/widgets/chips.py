"""What narrows a list or a map, as chips that are taken away by a click or a key.

Used wherever filters are shown; knows nothing of what they mean.
"""

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QToolButton, QWidget

from toolplanner_gui.theme.icons import make_icon
from toolplanner_gui.theme.tokens import GAP, ICON_SIZE, ROW_HEIGHT, SPACE
from toolplanner_gui.widgets.box_layouts import row_of
from toolplanner_gui.widgets.buttons import push_button

_WIDEST, _NARROWEST = 320, 72
_AROUND = ICON_SIZE + 4 * SPACE


class Chips(QWidget):
    """A row of chips, hidden without any.

    Args:
        name: what they are, for screen readers.

    Signals:
        removed: the key of a chip that shall go.
        cleared: all shall go.
    """

    removed = Signal(str)
    cleared = Signal()

    def __init__(self, name: str, margins: Sequence[int] = (0, 0, 0, 0)) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.chips: list[_Chip] = []
        self._room = 0
        self.clear_button = push_button("Clear all", self.cleared.emit, role="link")
        self._row = row_of(self.clear_button, 1, of=self, margins=margins, gap=SPACE)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.hide()

    def show_chips(self, chips: Sequence[tuple[str, str]]) -> None:
        """Show these: key and words of each."""
        if [(one.key, one.words) for one in self.chips] == list(chips):
            return
        had_focus = any(one.hasFocus() for one in self.chips)
        for one in self.chips:
            self._row.removeWidget(one)
            one.hide()
            one.deleteLater()
        self.chips = [_Chip(key, words, self) for key, words in chips]
        for place, one in enumerate(self.chips):
            self._row.insertWidget(place, one)
            # Else it has no size yet for who asks at once.
            one.show()
            one.clicked.connect(lambda _=False, key=one.key: self.removed.emit(key))
        self.clear_button.setVisible(len(chips) > 1)
        self._fit()
        self.setVisible(bool(chips))
        if had_focus and self.chips:
            self.chips[-1].setFocus(Qt.FocusReason.OtherFocusReason)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def lie_above(self, left: int, top: int, room: int) -> None:
        """Lie above something else, no wider than is needed and at most so wide, pixels."""
        self._room = room
        self._fit()
        self._row.activate()
        size = self._row.sizeHint()
        self.setGeometry(left, top, min(size.width(), room), size.height())

    def _fit(self) -> None:
        more = self.clear_button.sizeHint().width() + GAP if len(self.chips) > 1 else 0
        room = (self._room or self.contentsRect().width()) - more - 2 * GAP
        each = max(_NARROWEST, min(_WIDEST, room // max(len(self.chips), 1) - SPACE))
        for one in self.chips:
            one.fit(each)


class _Chip(QToolButton):
    def __init__(self, key: str, words: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.key, self.words = key, words
        self.setIcon(make_icon("close"))
        self.setIconSize(QSize(ICON_SIZE - SPACE, ICON_SIZE - SPACE))
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.setMinimumHeight(ROW_HEIGHT)
        self.setProperty("role", "chip")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(f"Take the filter away: {words}")
        self.setToolTip(f"Only {words}\nClick to take this filter away")

    def fit(self, room: int) -> None:
        """Be at most so wide."""
        cut = self.fontMetrics().elidedText(self.words, Qt.TextElideMode.ElideRight, room - _AROUND)
        self.setText(cut.replace("&", "&&"))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        keys = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace, Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if event.key() in keys:
            self.click()
        else:
            super().keyPressEvent(event)
