"""Draws a tree's first column: the title, and after it the cause as a link that can be clicked.

In a short tree what does not fit goes on in a second line, and the cause has a line of its own.
"""

from collections.abc import Mapping
from typing import Any

from PySide6.QtCore import (
    QAbstractItemModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetrics,
    QMouseEvent,
    QPainter,
    QTextLayout,
    QTextOption,
)
from PySide6.QtWidgets import (
    QApplication,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
)

from toolplanner_gui.theme.tokens import ROW_HEIGHT, current_tokens

_MOST_CHARS = 600
"""Two lines never hold more; laying out a whole reply would cost milliseconds."""


def wrapped_lines(text: str, font: QFont, *, width: int, most: int) -> list[str]:
    """Break a text between words, or within one that is too long.

    Args:
        width: in pixels.
        most: lines; the last is cut with dots.

    Returns:
        At least one line.
    """
    metrics = QFontMetrics(font)
    if metrics.horizontalAdvance(text) <= width:
        return [text]
    text = text[:_MOST_CHARS]
    units = text.encode("utf-16-le")  # Qt counts these: a picture sign is two
    layout = QTextLayout(text, font)
    option = QTextOption()
    option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
    layout.setTextOption(option)
    layout.beginLayout()
    lines: list[str] = []
    while len(lines) < most and (line := layout.createLine()).isValid():
        line.setLineWidth(width)
        start = 2 * line.textStart()
        end = len(units) if len(lines) == most - 1 else start + 2 * line.textLength()
        lines.append(units[start:end].decode("utf-16-le").rstrip())
    layout.endLayout()
    lines[-1] = metrics.elidedText(lines[-1], Qt.TextElideMode.ElideRight, width)
    return lines


Index = QModelIndex | QPersistentModelIndex
_GAP = 16
_PADDING = 4
_MARK = 3
"""Width of the bar before a row, pixels."""
_LIGHT = 0.28
"""How strong a row is lit up to which a link leads."""
_MOST_LINES = 2
_TEXT_MARGIN = 3
"""Before and after a text, by Qt's styles: what is wider is cut, line by line."""
_LINE_BREAK = "\u2028"


class CauseDelegate(QStyledItemDelegate):
    """Title and cause in one cell; other columns dim.

    Args:
        cause_role: the role whose text is the cause, "" for none.
        dim_role: the role that says whether the text is drawn dim.
        width: a cause needs this many pixels to be drawn; its tooltip always says it.
    """

    cause_clicked = Signal(object)

    def __init__(self, parent: QObject, *, cause_role: int, dim_role: int, width: int = 60) -> None:
        super().__init__(parent)
        self._cause_role = cause_role
        self._dim_role = dim_role
        self._width = width
        self._wrapped_columns = 0
        self._marks: Mapping[Any, str] = {}
        self._mark_role = 0
        self._strength = 1.0
        self._hovered: Any = None
        self._target: Any = None

    def set_wrapped_columns(self, n_columns: int) -> None:
        """Let the first columns of a tree with rows of different heights go on in a second line."""
        self._wrapped_columns = n_columns

    def set_link(self, hovered: Any, target: Any) -> None:
        """Underline the link of one row and light up the row it leads to.

        Args:
            hovered, target: values of the role of `set_marks`; None = none.
        """
        self._hovered, self._target = hovered, target

    def set_marks(self, marks: Mapping[Any, str], *, role: int) -> None:
        """Put a bar before some rows: their values of `role`, each with a colour token."""
        self._marks = marks
        self._mark_role = role

    def set_strength(self, strength: float) -> None:
        """How strong the bars are, 0 to 1."""
        self._strength = strength

    def initStyleOption(self, option: QStyleOptionViewItem, index: Index) -> None:
        super().initStyleOption(option, index)
        if index.data(self._dim_role) and not option.state & QStyle.StateFlag.State_Selected:
            dim = QColor(current_tokens().dim)
            option.palette.setColor(option.palette.ColorRole.Text, dim)
        cause = str(index.data(self._cause_role) or "")
        if not option.rect.isValid():
            return
        if index.column() < self._wrapped_columns:
            lines = self._lines(option, cause)
            option.text = _LINE_BREAK.join(lines)
        elif cause:
            # A long title leaves room for the beginning of the cause.
            room = self._room(option).width() - _GAP - self._width - _PADDING
            if room > self._width:
                elided = option.fontMetrics.elidedText(
                    option.text, Qt.TextElideMode.ElideRight, room
                )
                option.text = elided

    def _lines(self, option: QStyleOptionViewItem, cause: str) -> list[str]:
        """The lines of a cell, with empty ones for a cause that does not fit beside the title."""
        room = self._room(option).width() - 2 * _TEXT_MARGIN
        lines = wrapped_lines(option.text, option.font, width=room, most=_MOST_LINES)
        advance = option.fontMetrics.horizontalAdvance
        beside = advance(lines[0]) + _GAP + advance(cause) + _PADDING <= room
        if not cause or (len(lines) == 1 and beside):
            return lines
        return [*lines, *(" " for _ in self._cause_lines(option, cause))]

    def _cause_lines(self, option: QStyleOptionViewItem, cause: str) -> list[str]:
        width = self._room(option).width() - _TEXT_MARGIN - _PADDING
        return wrapped_lines(cause, option.font, width=width, most=_MOST_LINES)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        if self._target is not None and index.data(self._mark_role) == self._target:
            light = QColor(current_tokens().accent)
            light.setAlphaF(_LIGHT)
            painter.fillRect(option.rect, light)
        super().paint(painter, option, index)
        if self._marks and index.column() == 0:
            self._paint_mark(painter, option, index)
        text, place = self._cause(option, index)
        if not text:
            return
        is_selected = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setPen(QColor(current_tokens().text if is_selected else current_tokens().accent))
        if self._hovered is not None and index.data(self._mark_role) == self._hovered:
            font = painter.font()
            font.setUnderline(True)
            painter.setFont(font)
        painter.drawText(place, int(Qt.AlignmentFlag.AlignVCenter), text)
        painter.restore()

    def _paint_mark(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        token = self._marks.get(index.data(self._mark_role))
        if token is None:
            return
        colour = QColor(current_tokens().colour(token))
        colour.setAlphaF(self._strength)
        rect = option.rect
        painter.fillRect(rect.left() - 3, rect.top() + 3, _MARK, rect.height() - 6, colour)

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """As wide as the texts in one line; as high as the lines that they are put in."""
        whole = QStyleOptionViewItem(option)
        whole.rect = QRect()
        size = super().sizeHint(whole, index)
        cause = str(index.data(self._cause_role) or "")
        if cause:
            size.setWidth(size.width() + _GAP + option.fontMetrics.horizontalAdvance(cause) + 8)
        tree = option.widget
        if index.column() < self._wrapped_columns and isinstance(tree, QTreeView):
            depth = 0
            above = index.parent()
            while index.column() == 0 and above.isValid():
                depth += 1
                above = above.parent()
            indent = tree.indentation() * (depth + 1) if index.column() == 0 else 0
            wide = tree.header().sectionSize(index.column()) - indent
            if size.width() > wide:
                whole.rect = QRect(0, 0, max(wide, self._width), ROW_HEIGHT)
                self.initStyleOption(whole, index)
                n_more = whole.text.count(_LINE_BREAK)
                size.setHeight(size.height() + n_more * whole.fontMetrics.lineSpacing())
        return size

    def editorEvent(
        self,
        event: QEvent,
        model: QAbstractItemModel,
        option: QStyleOptionViewItem,
        index: Index,
    ) -> bool:
        is_release = event.type() == QEvent.Type.MouseButtonRelease
        if (
            is_release
            and isinstance(event, QMouseEvent)
            and self.has_link_at(option, index, event.position().toPoint())
        ):
            self.cause_clicked.emit(model.index(index.row(), index.column(), index.parent()))
            return True
        return super().editorEvent(event, model, option, index)

    def has_link_at(self, option: QStyleOptionViewItem, index: Index, place: QPoint) -> bool:
        """Whether the cause of a row is drawn at a place of the view."""
        text, room = self._cause(option, index)
        return bool(text) and room.contains(place)

    @staticmethod
    def _room(option: QStyleOptionViewItem) -> QRect:
        """Where the text of a cell may be."""
        style = option.widget.style() if option.widget else QApplication.style()
        return style.subElementRect(QStyle.SubElement.SE_ItemViewItemText, option, option.widget)

    def _cause(self, option: QStyleOptionViewItem, index: Index) -> tuple[str, QRect]:
        """The cause as it fits, and where it is drawn."""
        cause = str(index.data(self._cause_role) or "")
        if not cause:
            return "", QRect()
        styled = QStyleOptionViewItem(option)
        self.initStyleOption(styled, index)
        metrics = styled.fontMetrics
        place = self._room(styled).adjusted(0, 0, -_PADDING, 0)
        if _LINE_BREAK in styled.text and styled.text.endswith(" "):
            lines = self._cause_lines(styled, cause)
            tall = metrics.lineSpacing() * (styled.text.count(_LINE_BREAK) + 1)
            bottom = place.center().y() + tall // 2
            place.setTop(bottom - metrics.lineSpacing() * len(lines))
            place.setBottom(bottom)
            place.setLeft(place.left() + _TEXT_MARGIN)
        else:
            place.setLeft(place.left() + metrics.horizontalAdvance(styled.text) + _GAP)
            lines = [metrics.elidedText(cause, Qt.TextElideMode.ElideRight, place.width())]
        if place.width() < self._width:
            return "", QRect()
        widest = max(metrics.horizontalAdvance(line) for line in lines)
        place.setWidth(min(place.width(), widest + 2))
        return "\n".join(lines), place
