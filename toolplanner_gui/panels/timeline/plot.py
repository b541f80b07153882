"""The bars of a run in a pyqtgraph plot: only what is in view, at any length of the run.

Which stretch of time is in view, where each bar stands, axes and lanes. The plot is filled when it
is painted, so what changes between two frames costs one. `view.py` adds what people do with it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QColor,
    QFocusEvent,
    QFont,
    QFontMetrics,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.runs.presentation.timeline import Timeline, describe_bar, ticks
from toolplanner_core.runs.tree.node import Node
from toolplanner_gui.panels.timeline.bars import (
    AXIS_PX,
    LANE_PX,
    NAMES_PX,
    LaneStrips,
    Span,
    TimelineBars,
)
from toolplanner_gui.theme.tokens import SPACE, Tokens, current_tokens

if TYPE_CHECKING:
    import pyqtgraph as pg

_LEAST_NS_PER_PX = 1_000.0
_LONGEST_PX = 50_000_000
"""Scroll bars count in 32 bits."""
_MARGIN = 1.03


class TimelinePlot(QAbstractScrollArea):
    """Bars of a run, to look at."""

    def __init__(self) -> None:
        super().__init__()
        self.timeline = Timeline()
        self._now_ns: int | None = None
        self._ns_per_px = _LEAST_NS_PER_PX
        self.is_fitted = True
        """Whether the whole run is shown."""
        self._chosen: NodePath | None = None
        self._hovered: NodePath | None = None
        self._look: tuple[Tokens, QFont, float] | None = None
        self._is_outdated = True
        self._plot = _make_plot(self)
        self._bars = TimelineBars(self._plot.getViewBox())
        scene: Any = self._plot.scene()  # pyqtgraph has no types for its own scene
        scene.sigPrepareForPaint.connect(self._fill)
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.verticalScrollBar().setSingleStep(LANE_PX)

    def set_timeline(self, timeline: Timeline) -> None:
        """The run is another one: show it from end to end."""
        self.timeline = timeline
        self._hovered = self._chosen = None
        self.fit()

    def grow(self, now_ns: int | None) -> None:
        """Time has passed or bars have come.

        Args:
            now_ns: where the run stands, None when it is over.
        """
        self._now_ns = now_ns
        bar = self.horizontalScrollBar()
        is_at_end = bar.value() >= bar.maximum()
        self._set_ranges()
        if is_at_end and not self.is_fitted:
            bar.setValue(bar.maximum())
        self.redraw()

    def choose(self, path: NodePath | None) -> None:
        """Mark the bars of a node and of what is below it, and bring the first into view."""
        self._chosen = path
        node = self.timeline.first_below(path) if path else None
        self.setAccessibleDescription(self._words(node) if node is not None else "")
        QAccessible.updateAccessibility(
            QAccessibleEvent(self, QAccessible.Event.DescriptionChanged)
        )
        if node is not None:
            self._bring_into_view(node)
        self.redraw()

    def fit(self) -> None:
        """From the beginning to the end."""
        self.is_fitted = True
        self._set_ranges()
        self.redraw()

    def zoom(self, factor: float, at_px: float | None = None) -> None:
        """Show less (factor above 1) or more, around a place of the plot (its middle)."""
        at_px = self._plot_width() / 2 if at_px is None else at_px
        at_ns = self._left_ns() + at_px * self._ns_per_px
        widest = self._whole_ns() / self._plot_width()
        wanted = self._ns_per_px / factor
        self.is_fitted = wanted >= widest
        self._ns_per_px = min(wanted, widest)
        self._set_ranges()
        self.horizontalScrollBar().setValue(round(at_ns / self._ns_per_px - at_px))
        self.redraw()

    def place_of(self, path: NodePath) -> QRect:
        """Where a bar is drawn, in pixels of the viewport; for tests and for tooltips by key."""
        lane, node = self.timeline.lane_of(path), self.timeline.node(path)
        if lane is None or node is None:
            return QRect()
        begin = (node.sent_ns - self._left_ns()) / self._ns_per_px
        end_ns = node.ended_ns if node.ended_ns is not None else self._last_ns()
        end = max((end_ns - self._left_ns()) / self._ns_per_px, begin + 2)
        return QRect(NAMES_PX + int(begin), self._top(lane), int(end - begin) + 1, LANE_PX)

    def sizeHint(self) -> QSize:
        return QSize(400, AXIS_PX + 4 * LANE_PX)

    def minimumSizeHint(self) -> QSize:
        return QSize(160, AXIS_PX + 2 * LANE_PX)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._plot.setGeometry(self.viewport().rect())
        self._set_ranges()
        self.redraw()

    def scrollContentsBy(self, _dx: int, _dy: int) -> None:
        self.redraw()

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.redraw()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.redraw()

    def redraw(self) -> None:
        """Something has changed: the next frame shows it."""
        self._is_outdated = True
        self._plot.viewport().update()

    def _fill(self) -> None:
        """Give the plot what is in view, just before it is painted."""
        import pyqtgraph as pg

        look = current_tokens(), self.font(), self.devicePixelRatioF()
        if not self._is_outdated and look == self._look:
            return
        self._is_outdated = False
        if look != self._look:
            self._look = look
            self._bars.set_appearance(*look)
            self._dress_axes(*look[:2])
        tokens = look[0]
        span = Span(self._left_ns(), self._ns_per_px, self._plot_width())
        top = self.verticalScrollBar().value()
        room = max(1, self.viewport().height() - AXIS_PX)
        view = self._plot.getViewBox()
        right_ns = span.left_ns + (span.width_px + SPACE) * span.ns_per_px
        view.setRange(xRange=(span.left_ns, right_ns), yRange=(top, top + room), padding=0)
        view.prepareForPaint()  # the plot itself has been asked already: it would be a frame late
        view.setBorder(pg.mkPen(tokens.accent) if self.hasFocus() else None)
        moments = _moments(span, self.fontMetrics())
        for side in ("top", "bottom"):
            self._plot.getAxis(side).setTicks([moments])
        lanes = [
            (at * LANE_PX + LANE_PX / 2, lane.title) for at, lane in enumerate(self.timeline.lanes)
        ]
        self._plot.getAxis("left").setTicks([lanes])
        self._bars.show(
            self._strips(span, top, room),
            span,
            is_chosen=self._is_chosen,
            hovered=self._hovered,
        )

    def _strips(self, span: Span, top: int, room: int) -> Iterator[LaneStrips]:
        for position, lane in enumerate(self.timeline.lanes):
            if (position + 1) * LANE_PX < top or position * LANE_PX > top + room:
                continue
            strips = self.timeline.strips(
                lane,
                left_ns=span.left_ns,
                ns_per_px=span.ns_per_px,
                width_px=span.width_px,
                now_ns=self._last_ns(),
            )
            yield LaneStrips(position, strips)

    def _dress_axes(self, tokens: Tokens, font: QFont) -> None:
        self._plot.setBackground(tokens.panel)
        for side in ("left", "top", "bottom"):
            axis = self._plot.getAxis(side)
            axis.setPen(QColor(tokens.line))
            axis.setTextPen(QColor(tokens.dim))
            axis.setStyle(tickFont=font)

    def _words(self, node: Node) -> str:
        return describe_bar(node, self._now_ns)

    def _is_chosen(self, path: NodePath) -> bool:
        chosen = self._chosen
        return bool(chosen) and (path == chosen or path.startswith(f"{chosen}/"))

    def _bring_into_view(self, node: Node) -> None:
        place = self.place_of(node.path)
        bar, width = self.horizontalScrollBar(), self._plot_width()
        begin, end = place.left() - NAMES_PX, place.right() - NAMES_PX
        if end < 0 or begin > width:
            bar.setValue(bar.value() + begin - width // 3)
        up = self.verticalScrollBar()
        if place.top() < AXIS_PX:
            up.setValue(up.value() + place.top() - AXIS_PX)
        elif place.bottom() > self.viewport().height():
            up.setValue(up.value() + place.bottom() - self.viewport().height())

    def _last_ns(self) -> int:
        return max(self._now_ns or 0, self.timeline.last_ns())

    def _whole_ns(self) -> float:
        return max(float(self._last_ns()), 1e6) * _MARGIN

    def _plot_width(self) -> int:
        return max(1, self.viewport().width() - NAMES_PX - SPACE)

    def _left_ns(self) -> float:
        return self.horizontalScrollBar().value() * self._ns_per_px

    def _top(self, lane: int) -> int:
        return AXIS_PX + lane * LANE_PX - self.verticalScrollBar().value()

    def _set_ranges(self) -> None:
        whole_ns, width = self._whole_ns(), self._plot_width()
        least = max(_LEAST_NS_PER_PX, whole_ns / _LONGEST_PX)
        widest = whole_ns / width
        self._ns_per_px = widest if self.is_fitted else min(max(self._ns_per_px, least), widest)
        across = self.horizontalScrollBar()
        across.setPageStep(width)
        across.setSingleStep(max(1, width // 12))
        across.setRange(
            0, 0 if self.is_fitted else max(0, round(whole_ns / self._ns_per_px) - width)
        )
        room = self.viewport().height() - AXIS_PX
        up = self.verticalScrollBar()
        up.setPageStep(max(1, room))
        up.setRange(0, max(0, len(self.timeline.lanes) * LANE_PX - room))


def _moments(span: Span, metrics: QFontMetrics) -> list[tuple[float, str]]:
    """Where lines stand, and the labels that are not cut off at the right."""
    # On the very edge rounding would take one away: it stands half a pixel inside.
    edge_ns = span.left_ns + span.ns_per_px / 2
    found: list[tuple[float, str]] = []
    for at_ns, label in ticks(span.left_ns, span.ns_per_px, span.width_px):
        end_px = (at_ns - span.left_ns) / span.ns_per_px + metrics.horizontalAdvance(label) / 2
        is_whole = end_px <= span.width_px + SPACE
        at_ns_shown = max(at_ns, edge_ns) if at_ns >= span.left_ns else at_ns
        found.append((at_ns_shown, label if is_whole else ""))
    return found


def _make_plot(area: QAbstractScrollArea) -> pg.PlotWidget:
    """A plot that fills an area, which keeps mouse and keys: scroll bars and axes agree then."""
    import pyqtgraph as pg

    plot = pg.PlotWidget(area.viewport())
    plot.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
    plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    plot.setMenuEnabled(False)
    plot.setMouseEnabled(x=False, y=False)
    plot.hideButtons()
    item: Any = plot.getPlotItem()
    item.layout.setContentsMargins(0, 0, 0, 0)
    item.disableAutoRange()
    item.showAxis("top")
    item.getViewBox().invertY(True)
    top, left, lines = item.getAxis("top"), item.getAxis("left"), item.getAxis("bottom")
    top.setHeight(AXIS_PX)
    top.setStyle(hideOverlappingLabels=NAMES_PX // 2)  # the first one reaches over the names
    left.setWidth(NAMES_PX)
    # An axis with a grid takes labels away that begin before it: lines are those of another axis.
    lines.setGrid(255)
    lines.setZValue(-1)  # below the bars
    lines.setStyle(showValues=False)
    lines.setHeight(0)
    for axis in (top, left, lines):
        axis.setStyle(tickLength=0)
        axis.enableAutoSIPrefix(False)
    return plot
