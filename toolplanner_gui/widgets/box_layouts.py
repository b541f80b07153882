"""Rows and columns of widgets, said in one line each."""

from collections.abc import Sequence
from typing import Any, TypeVar

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QBoxLayout,
    QFormLayout,
    QHBoxLayout,
    QLayout,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from toolplanner_gui.theme.tokens import GAP

Part = (
    QWidget | QLayout | int | tuple[QWidget | QLayout, int] | tuple[QWidget, int, Qt.AlignmentFlag]
)
"""A widget or layout, alone or with its share of free room and its alignment; a number is room."""
_ONE_LINE = 36
"""Pixels of a field with one line at most; what is taller has its label at its first line."""
_Box = TypeVar("_Box", bound=QBoxLayout)


def column_of(
    *parts: Part,
    of: QWidget | None = None,
    margins: Sequence[int] = (0, 0, 0, 0),
    gap: int | None = None,
) -> QVBoxLayout:
    """Parts one below the other.

    Args:
        of: the widget that they fill.
        margins: left, top, right, bottom.
        gap: between two of them, pixels; as the style has it if none.
    """
    return _filled(QVBoxLayout() if of is None else QVBoxLayout(of), parts, margins, gap)


def row_of(
    *parts: Part,
    of: QWidget | None = None,
    margins: Sequence[int] = (0, 0, 0, 0),
    gap: int | None = None,
) -> QHBoxLayout:
    """Parts beside each other; as `column_of`."""
    return _filled(QHBoxLayout() if of is None else QHBoxLayout(of), parts, margins, gap)


def page_of(
    *parts: Part, margins: Sequence[int] = (0, 0, 0, 0), gap: int = 0, role: str = ""
) -> QWidget:
    """A widget of parts one below the other; `role` is "page" for the ground of texts, or ""."""
    page = QWidget()
    if role:
        page.setProperty("role", role)
    column_of(*parts, of=page, margins=margins, gap=gap)
    return page


class Pages(QStackedWidget):
    """Asks for the room of the page that is seen, not of the largest."""

    def minimumSizeHint(self) -> QSize:
        page = self.currentWidget()
        return QSize() if page is None else page.minimumSizeHint().expandedTo(page.minimumSize())


def pages_of(*pages: QWidget, of: QWidget | None = None) -> Pages:
    """Pages of which one is seen, the first at first; `of` is the widget that they fill."""
    stack = Pages()
    for page in pages:
        stack.addWidget(page)
    if of is not None:
        column_of(stack, of=of)
    return stack


def form_of(*rows: tuple[str, QWidget]) -> QFormLayout:
    """Fields one below the other, each with its label at the left."""
    form = QFormLayout()
    form.setSpacing(GAP)
    for title, field in rows:
        add_field(form, title, field)
    return form


def add_field(form: QFormLayout, title: str, field: QWidget) -> None:
    """Put a field below those that a form has, with its label beside its first line."""
    form.addRow(title, field)
    if (label := form.labelForField(field)) is not None:
        level(label, field)


def level(label: QWidget, field: QWidget) -> None:
    """Put the words of a label beside the words of its field; beside a tall one, at its top."""
    field.ensurePolished()
    label.setMinimumHeight(max(0, min(field.sizeHint().height(), _ONE_LINE)))


def _filled(box: _Box, parts: Sequence[Part], margins: Sequence[int], gap: int | None) -> _Box:
    box.setContentsMargins(*margins)
    if gap is not None:
        box.setSpacing(gap)
    add_to(box, *parts)
    return box


def add_to(box: QBoxLayout, *parts: Part) -> None:
    """Put parts after those that a row or column has."""
    for part in parts:
        if isinstance(part, int):
            box.addStretch(part)
            continue
        what, *rest = part if isinstance(part, tuple) else (part,)
        how: list[Any] = rest
        if isinstance(what, QLayout):
            box.addLayout(what, *how)
        elif isinstance(what, QWidget):
            box.addWidget(what, *how)
