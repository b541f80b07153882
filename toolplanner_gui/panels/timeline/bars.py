"""The bars of the timeline as items of a pyqtgraph plot; filled by `plot.py` for each frame.

Bars that look alike are one item of the plot: a frame makes a handful of items, at any length of
the run. Labels and pictures are items that are used again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPixmap
from PySide6.QtWidgets import QGraphicsItem, QGraphicsPixmapItem, QGraphicsSimpleTextItem

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.runs.presentation.states import Look
from toolplanner_core.runs.presentation.timeline import Strip
from toolplanner_gui.theme.icons import make_icon
from toolplanner_gui.theme.tokens import LIGHT, Tokens

if TYPE_CHECKING:
    import pyqtgraph as pg

_Item = TypeVar("_Item", QGraphicsPixmapItem, QGraphicsSimpleTextItem)

AXIS_PX = 24
LANE_PX = 28
BAR_PX = 22
NAMES_PX = 76
_ICON_PX = 12
_LABEL_FROM_PX = 26
"""A bar of this width has room for a letter and an ellipsis."""
_FLAT_BELOW_PX = 5
"""A bar of less width has no edge: there would be nothing but the edge."""
_BEYOND_PX = 8.0
"""Bars go on this far beside the plot, so that their edges there are not seen."""
_TINT, _TINT_HOVERED, _TINT_CHOSEN = 0.26, 0.38, 0.5


class Span(NamedTuple):
    """What part of the run is in view: from a moment on, at a scale, in a plot of a width."""

    left_ns: float
    ns_per_px: float
    width_px: int


class _Look(NamedTuple):
    fill: str
    edge: str
    edge_px: float


class LaneStrips(NamedTuple):
    """What is shown of one lane, the lane at a position from the top."""

    position: int
    strips: Sequence[Strip]


class TimelineBars:
    """Bars, labels and pictures of states in a plot whose unit is the nanosecond across and the
    pixel down."""

    def __init__(self, view: pg.ViewBox) -> None:
        self._view = view
        self._bars: dict[_Look, pg.BarGraphItem] = {}
        self._labels: list[QGraphicsSimpleTextItem] = []
        self._icons: list[QGraphicsPixmapItem] = []
        self._pictures: dict[tuple[str, str], QPixmap] = {}
        self._n_labels = self._n_icons = 0
        self._tokens, self._font, self._dpr = LIGHT, QFont(), 1.0
        self._metrics = QFontMetrics(self._font)

    def set_appearance(self, tokens: Tokens, font: QFont, dpr: float) -> None:
        """Take the colours of a theme, the font of labels, and the pixels of the screen for one of
        the window; nothing is shown until `show`."""
        for item in self._bars.values():
            self._view.removeItem(item)
        self._bars, self._pictures = {}, {}
        self._tokens, self._font, self._dpr = tokens, font, dpr
        self._metrics = QFontMetrics(font)

    def show(
        self,
        lanes: Iterable[LaneStrips],
        span: Span,
        *,
        is_chosen: Callable[[NodePath], bool],
        hovered: NodePath | None,
    ) -> None:
        """Show these strips and nothing else."""
        looks: dict[tuple[str, bool, bool, bool], list[tuple[float, float, float]]] = {}
        self._n_labels = self._n_icons = 0
        right = span.width_px + _BEYOND_PX
        for position, strips in lanes:
            top = position * LANE_PX + (LANE_PX - BAR_PX) / 2
            for begin_px, end_px, node, look, n_bars in strips:
                end = min(max(end_px, begin_px + 2.0), right)
                begin = max(begin_px, -_BEYOND_PX)
                path, wide = node.path, end - begin
                key = look.token, wide < _FLAT_BELOW_PX, is_chosen(path), path == hovered
                place = begin, end, top
                if key in looks:
                    looks[key].append(place)
                else:
                    looks[key] = [place]
                if n_bars == 1 and wide >= _LABEL_FROM_PX:
                    self._label(node.title, look, QRectF(begin, top, wide, BAR_PX), span)
        places: dict[_Look, list[tuple[float, float, float]]] = {}
        for key, found in looks.items():
            places.setdefault(_look_of(*key, self._tokens), []).extend(found)
        self._place(places, span)
        for item in (*self._labels[self._n_labels :], *self._icons[self._n_icons :]):
            item.hide()

    def _place(
        self, places: Mapping[_Look, Sequence[tuple[float, float, float]]], span: Span
    ) -> None:
        """Move the items of bars that look alike; left, right and top in pixels."""
        for look, item in self._bars.items():
            item.setVisible(look in places)
        for look, found in places.items():
            box = np.array(found)
            inset = look.edge_px and 0.5
            self._item(look).setOpts(
                x0=span.left_ns + (box[:, 0] + inset) * span.ns_per_px,
                x1=span.left_ns + (box[:, 1] - inset) * span.ns_per_px,
                y0=box[:, 2] + inset,
                y1=box[:, 2] + BAR_PX - inset,
            )

    def _item(self, look: _Look) -> pg.BarGraphItem:
        item = self._bars.get(look)
        if item is None:
            import pyqtgraph as pg

            pen = pg.mkPen(look.edge, width=look.edge_px) if look.edge_px else None
            item = pg.BarGraphItem(x0=[], x1=[], y0=[], y1=[], pen=pen, brush=pg.mkBrush(look.fill))
            item.setZValue(look.edge_px)
            self._view.addItem(item, ignoreBounds=True)
            self._bars[look] = item
        return item

    def _label(self, title: str, look: Look, place: QRectF, span: Span) -> None:
        # The label stays in view while its bar is longer than the window.
        room = place.intersected(QRectF(0, place.top(), span.width_px, BAR_PX))
        room.adjust(6, 0, -4, 0)
        middle = room.center().y()
        if look.token != "ok" and room.width() > _ICON_PX:
            icon = _taken(self._icons, self._n_icons, QGraphicsPixmapItem, self._view)
            self._n_icons += 1
            icon.setPixmap(self._picture(look.icon, look.token))
            icon.setPos(span.left_ns + (room.left() - 1) * span.ns_per_px, middle - _ICON_PX / 2)
            room.setLeft(room.left() + _ICON_PX + 3)
        text = self._metrics.elidedText(title, Qt.TextElideMode.ElideRight, int(room.width()))
        if len(text) > 1:
            label = _taken(self._labels, self._n_labels, QGraphicsSimpleTextItem, self._view)
            self._n_labels += 1
            label.setFont(self._font)
            label.setText(text)
            label.setBrush(QColor(self._tokens.text))
            label.setPos(
                span.left_ns + room.left() * span.ns_per_px,
                middle - self._metrics.height() / 2,
            )

    def _picture(self, name: str, token: str) -> QPixmap:
        key = name, token
        if key not in self._pictures:
            icon = make_icon(name, token)
            self._pictures[key] = icon.pixmap(QSize(_ICON_PX, _ICON_PX), self._dpr)
        return self._pictures[key]


def _taken(items: list[_Item], at: int, kind: type[_Item], view: pg.ViewBox) -> _Item:
    """An item that was used in a frame before, or a new one; in pixels at any zoom."""
    if at == len(items):
        item = kind()
        item.setParentItem(view.childGroup)
        item.setFlag(QGraphicsItem.GraphicsItemFlag.ItemIgnoresTransformations)
        item.setZValue(2)
        items.append(item)
    items[at].show()
    return items[at]


def _look_of(token: str, is_flat: bool, is_chosen: bool, is_hovered: bool, tokens: Tokens) -> _Look:
    colour = tokens.colour(token)
    strong = tokens.text if is_chosen else colour
    if is_flat:
        return _Look(strong, "", 0.0)
    share = _TINT_CHOSEN if is_chosen else _TINT_HOVERED if is_hovered else _TINT
    return _Look(_mixed(tokens.panel, colour, share), strong, 1.5 if is_chosen else 1.0)


def _mixed(one: str, other: str, share: float) -> str:
    """A colour between two "#rrggbb": `share` of the second."""
    a, b = QColor(one), QColor(other)
    return QColor(
        round(a.red() + (b.red() - a.red()) * share),
        round(a.green() + (b.green() - a.green()) * share),
        round(a.blue() + (b.blue() - a.blue()) * share),
    ).name()
