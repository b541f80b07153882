"""Draws the parts of the timeline with the tokens of the theme; called by its view."""

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPen

from toolplanner_core.runs.telling.axis import Tick
from toolplanner_core.runs.telling.timeline import Strip
from toolplanner_gui.theme.tokens import EDGE, SPACE, Tokens

AXIS_PX = 24
LANE_PX = 28
BAR_PX = 22
NAMES_PX = 76
_ROUND = 3
_ICON_PX = 12
_LABEL_FROM_PX = 26
"""A bar of this width has room for a letter and an ellipsis."""
_TINT = 0.26
_TINT_CHOSEN = 0.5


def mixed(one: str, other: str, share: float) -> QColor:
    """A colour between two "#rrggbb": `share` of the second."""
    a, b = QColor(one), QColor(other)
    return QColor(
        round(a.red() + (b.red() - a.red()) * share),
        round(a.green() + (b.green() - a.green()) * share),
        round(a.blue() + (b.blue() - a.blue()) * share),
    )


def draw_axis(
    painter: QPainter,
    tokens: Tokens,
    ticks: Sequence[Tick],
    *,
    left_ns: float,
    ns_per_px: float,
    width: int,
    height: int,
) -> None:
    """Lines and labels of the moments; the painter's origin is the left of the plot."""
    line = QColor(tokens.line)
    for tick in ticks:
        x = round((tick.at_ns - left_ns) / ns_per_px) + 0.5
        painter.setPen(line)
        painter.drawLine(QPointF(x, AXIS_PX - SPACE), QPointF(x, height))
        if x + SPACE + painter.fontMetrics().horizontalAdvance(tick.label) > width:
            continue
        _write(painter, tokens, QRectF(x + SPACE, 0, 120, AXIS_PX), tick.label)


def draw_name(painter: QPainter, tokens: Tokens, title: str, top: float) -> None:
    """The name of a lane, left of the plot."""
    _write(painter, tokens, QRectF(EDGE, top, NAMES_PX - EDGE, LANE_PX), title)


def _write(painter: QPainter, tokens: Tokens, place: QRectF, text: str) -> None:
    painter.setPen(QColor(tokens.dim))
    painter.drawText(place, int(Qt.AlignmentFlag.AlignVCenter), text)


def draw_strip(
    painter: QPainter,
    tokens: Tokens,
    strip: Strip,
    *,
    top: float,
    width: int,
    icon: QIcon | None,
    is_chosen: bool,
    is_hovered: bool,
) -> None:
    """One bar with its label, cut at the sides of the plot.

    Args:
        icon: the state's picture, for states that are not simply good.
    """
    begin = max(strip.begin_px, -8.0)
    end = min(max(strip.end_px, strip.begin_px + 2.0), width + 8.0)
    place = QRectF(begin, top + (LANE_PX - BAR_PX) / 2, end - begin, BAR_PX)
    colour = tokens.colour(strip.look.token)
    if place.width() < 5:
        painter.fillRect(place, QColor(tokens.text if is_chosen else colour))
        return
    painter.setPen(QPen(QColor(tokens.text if is_chosen else colour), 1.5 if is_chosen else 1.0))
    share = _TINT_CHOSEN if is_chosen else _TINT + (0.12 if is_hovered else 0.0)
    painter.setBrush(mixed(tokens.panel, colour, share))
    painter.drawRoundedRect(place.adjusted(0.5, 0.5, -0.5, -0.5), _ROUND, _ROUND)
    if strip.n_bars > 1 or place.width() < _LABEL_FROM_PX:
        return
    # The label stays in view while its bar is longer than the window.
    room = place.intersected(QRectF(0, place.top(), width, BAR_PX)).adjusted(6, 0, -4, 0)
    if icon is not None and room.width() > _ICON_PX:
        at = QRectF(room.left() - 1, room.center().y() - _ICON_PX / 2, _ICON_PX, _ICON_PX)
        icon.paint(painter, at.toRect())
        room.setLeft(room.left() + _ICON_PX + 3)
    text = painter.fontMetrics().elidedText(
        strip.node.title, Qt.TextElideMode.ElideRight, int(room.width())
    )
    if len(text) > 1:
        painter.setPen(QColor(tokens.text))
        painter.drawText(room, int(Qt.AlignmentFlag.AlignVCenter), text)
