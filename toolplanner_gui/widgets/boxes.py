"""Rows and columns of widgets, said in one line each."""

from collections.abc import Sequence
from typing import Any, TypeVar

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QBoxLayout, QHBoxLayout, QLayout, QVBoxLayout, QWidget

Part = (
    QWidget | QLayout | int | tuple[QWidget | QLayout, int] | tuple[QWidget, int, Qt.AlignmentFlag]
)
"""A widget or layout, alone or with its share of free room and its alignment; a number is room."""
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


def _filled(box: _Box, parts: Sequence[Part], margins: Sequence[int], gap: int | None) -> _Box:
    box.setContentsMargins(*margins)
    if gap is not None:
        box.setSpacing(gap)
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
    return box
