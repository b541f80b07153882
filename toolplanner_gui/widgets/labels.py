"""Labels that show foreign text as plain text, in the few styles the window has."""

import re
from typing import TypeVar

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPaintEvent
from PySide6.QtWidgets import QFrame, QLabel, QSizePolicy, QWidget

from toolplanner_gui.theme.tokens import ICON_SIZE

_LONG = re.compile(r"[^\s\u200b]{24}(?=[^\s\u200b])")

_Named = TypeVar("_Named", bound=QWidget)


def named(widget: _Named, name: str, *, tip: str = "") -> _Named:
    """Give a widget its name for screen readers, and a tooltip; the widget."""
    widget.setAccessibleName(name)
    if tip:
        widget.setToolTip(tip)
    return widget


def text_label(
    text: str = "",
    *,
    role: str = "",
    is_wrapped: bool = False,
    is_selectable: bool = False,
    name: str = "",
) -> QLabel:
    """A plain-text label.

    Args:
        role: "heading", "title", "section", "dim" or "" (style sheet).
        name: for screen readers; the text if none.
    """
    label = QLabel()
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setText(text)
    label.setWordWrap(is_wrapped)
    if role:
        label.setProperty("role", role)
    if is_wrapped:
        label.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Minimum)
    if is_selectable:
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return named(label, name) if name else label


def breakable(text: str, *, after: str = "") -> str:
    """The same to read, with places where a long word may go on in the next line: a label breaks
    lines at spaces only, and one line of sixty "=" would widen all that stands around it.

    Args:
        after: marks behind which it may, too, such as "/." of addresses.
    """
    for mark in after:
        text = text.replace(mark, f"{mark}\u200b")
    return _LONG.sub(lambda found: f"{found.group()}\u200b", text)


def rule() -> QFrame:
    """A horizontal line of one pixel."""
    line = QFrame()
    line.setProperty("role", "rule")
    line.setFixedHeight(1)
    return line


class IconLabel(QWidget):
    """An icon alone, which follows the theme."""

    def __init__(self, icon: QIcon, *, size: int = ICON_SIZE) -> None:
        super().__init__()
        self._icon = icon
        self.setFixedSize(size, size)

    def set_icon(self, icon: QIcon) -> None:
        """Show another icon."""
        self._icon = icon
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        self._icon.paint(QPainter(self), self.rect())


class SteadyLabel(QLabel):
    """One line whose room grows with its text and does not shrink: where the text changes often,
    nothing around it is laid out anew, which takes the window a millisecond each time."""

    def __init__(self, *, role: str = "") -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        if role:
            self.setProperty("role", role)

    def set_text(self, text: str) -> None:
        """Show another text."""
        if text != self.text():
            self.setText(text)
            self._fit()

    def forget_room(self) -> None:
        """Take the room of the next text only."""
        self.setMinimumSize(0, 0)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self.forget_room()
            self._fit()

    def _fit(self) -> None:
        hint = self.sizeHint()
        room = QSize(max(hint.width(), self.minimumWidth()), hint.height())
        if room != self.minimumSize():
            self.setFixedSize(room)


_MOST_TAIL = 0.6
"""Of the width of a line, for an end that is not to be cut."""
_OPEN_END = "… ,;:·(-–"
"""What does not stand before an ellipsis that an end follows."""


class ElidedLabel(QLabel):
    """One line that ends in an ellipsis when the width is short; the whole text is its tooltip."""

    def __init__(self, text: str = "", *, role: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setTextFormat(Qt.TextFormat.PlainText)
        if role:
            self.setProperty("role", role)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self._line = self._tail = ""
        # For the height alone: Qt lays the whole window out for each text that it is given.
        self.setText("X")
        self.set_text(text)

    def text(self) -> str:
        return self._line

    def set_text(self, text: str, *, tail: str = "") -> None:
        """Show another text; what stands before `tail` is cut first."""
        self._line = line = " ".join(f"{text}{tail}".split())
        self._tail = tail
        self.update()
        self.setAccessibleName(line)
        escaped = line.replace("&", "&amp;").replace("<", "&lt;")
        self.setToolTip(f"<p>{escaped}</p>" if line else "")

    def minimumSizeHint(self) -> QSize:
        return QSize(24, super().minimumSizeHint().height())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        self.style().drawItemText(
            painter,
            self.contentsRect(),
            int(self.alignment()),
            self.palette(),
            self.isEnabled(),
            self.shown_text(),
            self.foregroundRole(),
        )

    def shown_text(self) -> str:
        """The line as it is seen."""
        cut, room, line = self.fontMetrics().elidedText, self.width(), self._line
        right = Qt.TextElideMode.ElideRight
        if not self._tail or cut(line, right, room) == line:
            return cut(line, right, room)
        tail = cut(self._tail, right, round(room * _MOST_TAIL))
        head = room - self.fontMetrics().horizontalAdvance(tail)
        seen = cut(line.removesuffix(self._tail), right, head)
        return f"{seen.rstrip(_OPEN_END)}…{tail}"
