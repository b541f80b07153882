"""A program with the numbers of its lines, the one that is at work marked and in view."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QTextCursor, QTextFormat
from PySide6.QtWidgets import QPlainTextEdit, QTextEdit

from toolplanner_gui.theme.tokens import current_tokens
from toolplanner_gui.widgets.views import code_view

MARK = "▶"
"""What the line that is at work begins with."""
_LIGHT = 0.28
_MOST_LINES = 24
_FRAME = 28
"""Border, padding and document margin, pixels."""


def program_view(name: str, text: str) -> QPlainTextEdit:
    """A read-only field as high as its lines, in which none is wrapped."""
    field = code_view(name)
    field.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
    field.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
    field.setPlainText(text)
    lines = min(text.count("\n") + 1, _MOST_LINES)
    bar = field.horizontalScrollBar().sizeHint().height()
    field.setFixedHeight(field.fontMetrics().lineSpacing() * lines + bar + _FRAME)
    before, found, _ = text.partition(MARK)
    if found:
        _mark(field, before.count("\n"))
    return field


def _mark(field: QPlainTextEdit, line: int) -> None:
    extra = QTextEdit.ExtraSelection()
    cursor = QTextCursor(field.document().findBlockByNumber(line))
    form = extra.format  # type: ignore[attr-defined]
    light = QColor(current_tokens().accent)
    light.setAlphaF(_LIGHT)  # text stays readable when the theme is switched below it
    form.setBackground(light)
    form.setProperty(QTextFormat.Property.FullWidthSelection, True)
    extra.cursor = cursor  # type: ignore[attr-defined]
    extra.format = form  # type: ignore[attr-defined]
    field.setExtraSelections([extra])
    field.setTextCursor(cursor)
    field.centerCursor()
