"""The bars of a run, drawn: only what is in view, at any length of the run.

Which stretch of time is in view, where each bar stands, and the picture. `view.py` adds what people
do with it.
"""

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import (
    QAccessible,
    QAccessibleEvent,
    QColor,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.runs.telling.axis import ticks
from toolplanner_core.runs.telling.timeline import Timeline, describe_bar
from toolplanner_core.runs.tree.node import Node
from toolplanner_gui.panels.timeline.bars import (
    AXIS_PX,
    LANE_PX,
    NAMES_PX,
    draw_axis,
    draw_name,
    draw_strip,
)
from toolplanner_gui.theme.icons import make_icon
from toolplanner_gui.theme.tokens import SPACE, in_force

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
        self.viewport().update()

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
        self.viewport().update()

    def fit(self) -> None:
        """From the beginning to the end."""
        self.is_fitted = True
        self._set_ranges()
        self.viewport().update()

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
        self.viewport().update()

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
        self._set_ranges()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self.viewport())
        tokens, width = in_force(), self._plot_width()
        height = self.viewport().height()
        painter.fillRect(self.viewport().rect(), QColor(tokens.panel))
        painter.save()
        painter.translate(NAMES_PX, 0)
        painter.setClipRect(0, 0, width + SPACE, height)
        left_ns, scale = self._left_ns(), self._ns_per_px
        draw_axis(
            painter,
            tokens,
            ticks(left_ns, scale, width),
            left_ns=left_ns,
            ns_per_px=scale,
            width=width,
            height=height,
        )
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setClipRect(0, AXIS_PX, width + SPACE, height)
        for position, lane in enumerate(self.timeline.lanes):
            top = self._top(position)
            if top + LANE_PX < AXIS_PX or top > height:
                continue
            for strip in self.timeline.strips(
                lane, left_ns=left_ns, ns_per_px=scale, width_px=width, now_ns=self._last_ns()
            ):
                token = strip.look.token
                draw_strip(
                    painter,
                    tokens,
                    strip,
                    top=top,
                    width=width,
                    icon=None if token == "ok" else make_icon(strip.look.icon, token),
                    is_chosen=self._is_chosen(strip.node.path),
                    is_hovered=strip.node.path == self._hovered,
                )
        painter.restore()
        self._draw_names(painter)
        if self.hasFocus():
            painter.setPen(QColor(tokens.accent))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self.viewport().rect().adjusted(0, 0, -1, -1))

    def _draw_names(self, painter: QPainter) -> None:
        painter.setClipRect(0, AXIS_PX, NAMES_PX, self.viewport().height())
        for position, lane in enumerate(self.timeline.lanes):
            draw_name(painter, in_force(), lane.title, self._top(position))
        painter.setClipping(False)

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
