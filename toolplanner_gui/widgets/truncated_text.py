"""Long texts cut to a few lines, and all of it on demand.

A text cut to a few lines, and all of it when somebody asks. Cut by its characters, so that hundreds
of them cost little: nothing is measured or laid out twice.
"""

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontDatabase, QResizeEvent
from PySide6.QtWidgets import QWidget

from toolplanner_gui.widgets.box_layouts import column_of
from toolplanner_gui.widgets.buttons import push_button
from toolplanner_gui.widgets.labels import named, text_label
from toolplanner_gui.widgets.views import code_view, scrolled

_LINES = 8
_CHARACTERS = 400
_LABEL_LIMIT = 8_000
"""Longer ones are opened in a field that scrolls: a label that long stalls the window."""
_FIELD_LIMIT = 200_000
_FIELD_LINES = 24


class TruncatedText(QWidget):
    """Plain text that can be selected.

    Args:
        name: for screen readers.
        role: style of the label, such as "dim".
        is_code: in a font of one width.
    """

    def __init__(self, name: str, text: str, *, role: str = "", is_code: bool = False) -> None:
        super().__init__()
        self._name, self._text = name, text
        self._label = text_label(role=role, is_wrapped=True, is_selectable=True, name=name)
        if is_code:
            font = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
            font.setPointSizeF(self.font().pointSizeF())
            self._label.setFont(font)
        self._column = column_of(self._label, of=self)
        whole_words = text[:_CHARACTERS].rpartition(" ")[0] or text[:_CHARACTERS]
        few = text if len(text) <= _CHARACTERS else whole_words
        self._few = "\n".join(few.split("\n")[:_LINES])
        self._is_open = False
        self._label.setText(self._few)
        if len(self._few) < len(text):
            self._label.setText(f"{self._few} …")
            self.more_button = push_button("Show all", self._on_more, role="link")
            self._column.addWidget(self.more_button, 0, Qt.AlignmentFlag.AlignLeft)

    def _on_more(self) -> None:
        self._is_open = not self._is_open
        self.more_button.setText("Show less" if self._is_open else "Show all")
        if len(self._text) <= _LABEL_LIMIT:
            self._label.setText(self._text if self._is_open else f"{self._few} …")
            return
        self._label.setVisible(not self._is_open)
        if self._is_open:
            field = code_view(self._name)
            n = len(self._text)
            cut = f"\n… cut, {n:,} characters" if n > _FIELD_LIMIT else ""
            field.setPlainText(f"{self._text[:_FIELD_LIMIT]}{cut}")
            field.setFixedHeight(field.fontMetrics().lineSpacing() * _FIELD_LINES)
            self._column.insertWidget(0, field)
        else:
            item = self._column.takeAt(0)
            field = None if item is None else item.widget()
            if field is not None:
                field.deleteLater()


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
