"""Draws names in lists with the searched words marked, and rows that are out of use dim.

Used by the toolkit list, the palette and other lists with a search field.
"""

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QObject, QPersistentModelIndex, QRect, Qt
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import (
    QApplication,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
)

from toolplanner_gui.theme.tokens import current_tokens

Index = QModelIndex | QPersistentModelIndex
_MARGIN = 3
"""Qt's own distance between the frame of an item's text and the text, pixels."""


class HighlightDelegate(QStyledItemDelegate):
    """Marks beginnings of words in the first column by ground and line below, so that it is seen
    without colour too; figures in other columns are no names.

    Args:
        dim_role: the role that says whether a row is drawn dim and struck through; None = never.
        wide_role: the role that says whether the text of a row's first column may use the columns
            up to `wide_to`, which are empty in such rows; None = never.
        ends_role: the role that says whether a row's text is cut at its end, whatever the view
            does with others; None = never.
    """

    def __init__(
        self,
        parent: QObject | None = None,
        *,
        dim_role: int | None = None,
        wide_role: int | None = None,
        wide_to: int = 0,
        ends_role: int | None = None,
    ) -> None:
        super().__init__(parent)
        self._dim_role = dim_role
        self._wide_role = wide_role
        self._wide_to = wide_to
        self._ends_role = ends_role
        self._words: tuple[str, ...] = ()

    def set_words(self, words: Sequence[str]) -> None:
        """What to mark; any case."""
        self._words = tuple(word.casefold() for word in words if word)

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        if self._wide_role is not None and index.data(self._wide_role):
            # "Tool · API": both ends say what it is.
            option.textElideMode = Qt.TextElideMode.ElideMiddle
        elif self._ends_role is not None and index.data(self._ends_role):
            option.textElideMode = Qt.TextElideMode.ElideRight
        if self._dim_role is not None and index.data(self._dim_role):
            option.palette.setColor(option.palette.ColorRole.Text, QColor(current_tokens().dim))
            option.font.setStrikeOut(True)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        if self._wide_role is not None and index.data(self._wide_role):
            if 0 < index.column() < self._wide_to:
                return
            view = option.widget
            if index.column() == 0 and isinstance(view, QTreeView):
                option = QStyleOptionViewItem(option)
                option.rect.setRight(view.columnViewportPosition(self._wide_to) - 1)
        is_name = bool(self._words) and index.column() == 0
        text = str(index.data(Qt.ItemDataRole.DisplayRole) or "") if is_name else ""
        if not self._spans(text):
            super().paint(painter, option, index)
            return
        styled = QStyleOptionViewItem(option)
        self.initStyleOption(styled, index)
        style = styled.widget.style() if styled.widget else QApplication.style()
        room = style.subElementRect(QStyle.SubElement.SE_ItemViewItemText, styled, styled.widget)
        room = room.adjusted(_MARGIN, 0, -_MARGIN, 0)
        text = styled.fontMetrics.elidedText(styled.text, styled.textElideMode, room.width())
        super().paint(painter, option, index)
        painter.save()
        painter.setFont(styled.font)
        ground = QColor(current_tokens().accent)
        ground.setAlphaF(0.22)
        for begin, end in self._spans(text):
            left = room.left() + styled.fontMetrics.horizontalAdvance(text[:begin])
            width = styled.fontMetrics.horizontalAdvance(text[begin:end])
            height = styled.fontMetrics.height()
            box = QRect(left, room.center().y() - height // 2, width, height)
            painter.fillRect(box, ground)
            painter.fillRect(
                QRect(box.left(), box.bottom(), width, 1), QColor(current_tokens().accent)
            )
        painter.restore()

    def _spans(self, text: str) -> list[tuple[int, int]]:
        """Begin and end of every searched beginning of a word in a text, without overlaps."""
        lower = text.casefold()
        # Folding may change the length of rare letters: places would not fit the text.
        if not self._words or len(lower) != len(text):
            return []
        found: list[tuple[int, int]] = []
        for word in self._words:
            begin = lower.find(word)
            while begin >= 0:
                if _begins_word(text, begin):
                    found.append((begin, begin + len(word)))
                begin = lower.find(word, begin + len(word))
        found.sort()
        merged: list[tuple[int, int]] = []
        for begin, end in found:
            if merged and begin <= merged[-1][1]:
                merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
            else:
                merged.append((begin, end))
        return merged


def _begins_word(text: str, at: int) -> bool:
    """Whether a word begins here, as "Weather" does in "getWeather"; none does after a cut."""
    if at == 0 or not text[at].isalnum():
        return True
    before = text[at - 1]
    if before.isalpha():
        return before.islower() and text[at].isupper()
    return before != "…" and not (before.isdigit() and text[at].isdigit())
