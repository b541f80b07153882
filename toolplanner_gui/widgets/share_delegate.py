"""A cell of a matrix: a share in words, its interval as a bar on the whole from 0 to 1, what is
missing hatched, and a ground whose colour says better or worse."""

from dataclasses import dataclass

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem

from toolplanner_gui.theme.tokens import GAP, SPACE, current_tokens

_TINT = 38
_BAR, _POINT = 5.0, 4.5
_LINES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownShare:
    """What a cell shows.

    Attributes:
        head, note: above the bar, and below it.
        ends: of the interval; values: the share with all that is missing failed, and passed.
        is_better: colour of the ground; None = none.
        sign: what the colour says as a word.
    """

    head: str
    note: str
    sign: str = ""
    ends: tuple[float, float] | None = None
    values: tuple[float, float] = (0.0, 0.0)
    is_better: bool | None = None


class ShareDelegate(QStyledItemDelegate):
    """Paints `ShownShare`s, which the model gives as `UserRole + 1`."""

    role = Qt.ItemDataRole.UserRole + 1

    def sizeHint(
        self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> QSize:
        line = option.fontMetrics.height()
        return QSize(150, _LINES * line + 2 * GAP)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        shown = index.data(self.role)
        tokens = current_tokens()
        painter.save()
        area = QRectF(option.rect).adjusted(1, 1, -1, -1)  # pyright: ignore[reportAttributeAccessIssue]
        if isinstance(shown, ShownShare) and shown.is_better is not None:
            ground = QColor(tokens.ok if shown.is_better else tokens.failed)
            ground.setAlpha(_TINT)
            painter.fillRect(area, ground)
        state = option.state  # pyright: ignore[reportAttributeAccessIssue]
        if state & QStyle.StateFlag.State_Selected:
            painter.setPen(QPen(QColor(tokens.accent), 2))
            painter.drawRect(area.adjusted(1, 1, -1, -1))
        else:
            painter.setPen(QColor(tokens.line))
            painter.drawRect(area)
        if isinstance(shown, ShownShare):
            self._paint_share(painter, area.adjusted(GAP, SPACE, -GAP, -SPACE), shown)
        painter.restore()

    def _paint_share(self, painter: QPainter, area: QRectF, shown: ShownShare) -> None:
        tokens = current_tokens()
        third = area.height() / _LINES
        top = QRectF(area.left(), area.top(), area.width(), third)
        low = QRectF(area.left(), area.bottom() - third, area.width(), third)
        left, right = (
            Qt.AlignmentFlag.AlignVCenter | side
            for side in (Qt.AlignmentFlag.AlignLeft, Qt.AlignmentFlag.AlignRight)
        )
        painter.setPen(QColor(tokens.text))
        painter.drawText(top, left, shown.head)
        painter.setPen(QColor(tokens.dim))
        painter.drawText(top, right, shown.sign)
        metrics = painter.fontMetrics()
        note = metrics.elidedText(shown.note, Qt.TextElideMode.ElideRight, int(low.width()))
        painter.drawText(low, left, note)
        if shown.ends is not None:
            self._paint_bar(painter, area, shown)

    def _paint_bar(self, painter: QPainter, area: QRectF, shown: ShownShare) -> None:
        assert shown.ends is not None
        tokens = current_tokens()
        middle = area.center().y()

        def piece(begin: float, end: float) -> QRectF:
            x = area.left() + begin * area.width()
            return QRectF(x, middle - _BAR / 2, max(1.0, (end - begin) * area.width()), _BAR)

        painter.setPen(Qt.PenStyle.NoPen)
        painter.fillRect(piece(0, 1), QColor(tokens.line))
        painter.fillRect(piece(*shown.ends), QColor(tokens.accent))
        low, high = shown.values
        if high > low:
            hatch = QBrush(QColor(tokens.text), Qt.BrushStyle.BDiagPattern)
            painter.fillRect(piece(low, high), hatch)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setBrush(QColor(tokens.text))
        for value in {low, high}:
            place = QPointF(area.left() + value * area.width(), middle)
            painter.drawEllipse(place, _POINT, _POINT)
