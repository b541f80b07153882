"""Names of toolkits on the map: which ones is decided by labels.py, this paints them.

Each name is drawn once, with a halo in the colour of the map, and kept as a picture; a frame
copies forty pictures. Called by the canvas, painted by Qt.
"""

from __future__ import annotations

from collections import OrderedDict

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPainterPath, QPen, QPixmap
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from toolplanner_gui.map.labels import LabelPlan
from toolplanner_gui.map.layer import Layer
from toolplanner_gui.theme.tokens import Tokens

HALO = 2.0
ABOVE_POINT = 3.0
MOST_LETTERS = 30
KEPT = 600


def shortened(name: str) -> str:
    """The name on one line, cut with an ellipsis if it is long."""
    line = " ".join(name.split())
    return line if len(line) <= MOST_LETTERS else line[: MOST_LETTERS - 1].rstrip() + "…"


class LabelLayer(Layer):
    """The names."""

    def __init__(self, tokens: Tokens) -> None:
        super().__init__()
        self._tokens = tokens
        self._font = QFont()
        self._names: list[str] = []
        self._plan: LabelPlan | None = None
        self._emphasised: list[int] = []
        self._avoided: list[QRectF] = []
        self._silenced: np.ndarray | None = None
        self._kept: OrderedDict[tuple[int, bool], QPixmap] = OrderedDict()
        self._kept_ratio = 1.0
        self.is_dimmed = False
        self.point_radius = 0.0

    def set_names(self, names: list[str], font: QFont) -> tuple[np.ndarray, float]:
        """Take names; other ones than before are not shown until a plan for them comes.

        Returns:
            Widths `(k,) float64` and the height of the names with their halo, logical pixels.
        """
        self._font = QFont(font)
        self._font.setWeight(QFont.Weight.DemiBold)
        shown = [shortened(name) for name in names]
        # The old plan serves until the new one is there, unless it is about other names.
        if shown != self._names:
            self._plan = None
        self._names = shown
        self._emphasised = [i for i in self._emphasised if i < len(names)]
        self._kept.clear()
        metrics = QFontMetricsF(self._font)
        widths = [metrics.horizontalAdvance(name) + 2 * HALO if name else 0 for name in self._names]
        self.update()
        return np.array(widths, np.float64), metrics.height() + 2 * HALO

    def set_plan(self, plan: LabelPlan) -> None:
        """Show names by this plan."""
        self._plan = plan
        self.update()

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours of another theme."""
        self._tokens = tokens
        self._kept.clear()
        self.update()

    def set_emphasised(self, labels: list[int]) -> None:
        """Names that are shown at any zoom, before the others: those of the selection."""
        if labels != self._emphasised:
            self._emphasised = labels
            self.update()

    def set_silenced(self, silenced: np.ndarray | None) -> None:
        """Names that are left out, `(k,) bool`.

        Those of toolkits whose points are all filtered out.
        """
        self._silenced = silenced
        self.update()

    def set_avoided(self, places: list[QRectF]) -> None:
        """Places of the canvas, logical pixels, where something lies above the map."""
        if places != self._avoided:
            self._avoided = places
            self.update()

    def shown_boxes(self) -> list[tuple[int, QRectF]]:
        """Toolkit number and box, logical pixels, of each name in the present viewport."""
        plan = self._plan
        if plan is None:
            return []
        return [(i, QRectF(x, y, plan.width[i], plan.height)) for i, x, y in self._placed(plan)]

    def _placed(self, plan: LabelPlan) -> list[tuple[int, int, int]]:
        """Toolkit number and left top corner of each name, logical pixels, the strongest first."""
        strong = [i for i in self._emphasised if np.isfinite(plan.least_scale[i])]
        # All names stand above their place by the same, so those that were apart stay apart.
        lift = plan.height / 2 + self.point_radius + ABOVE_POINT
        shown = plan.shown(self.view, lift=lift)
        if self._silenced is not None:
            shown = shown[~self._silenced[shown]]
        if strong:
            shown = np.concatenate([strong, shown[~np.isin(shown, strong)]])
        x, y = self.view.to_screen(plan.x[shown], plan.y[shown])
        width, height = plan.width[shown], plan.height
        left, top = np.rint(x - width / 2), np.rint(y - lift - height / 2)
        # A name that the border would cut is left out until the view has moved.
        free = (left >= 0) & (left + width <= self.view.width) & (top >= 0)
        for place in self._avoided:
            clear = (left >= place.right()) | (left + width <= place.left())
            free &= clear | (top >= place.bottom()) | (top + height <= place.top())
        for k in range(len(strong)):
            if free[k]:
                clear = (left >= left[k] + width[k]) | (left + width <= left[k])
                clear |= (top >= top[k] + height) | (top + height <= top[k])
                free[k + 1 :] &= clear[k + 1 :]
        corners = np.column_stack([shown, left, top])[free].astype(np.int64)
        return [(i, px, py) for i, px, py in corners.tolist()]

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem,
        widget: QWidget | None = None,
    ) -> None:
        """Copy the pictures of the names that are shown."""
        ratio = widget.devicePixelRatioF() if widget is not None else 1.0
        if ratio != self._kept_ratio:
            self._kept.clear()
            self._kept_ratio = ratio
        painter.resetTransform()
        painter.setOpacity(0.6 if self.is_dimmed else 1.0)
        plan = self._plan
        if plan is None:
            return
        strong = set(self._emphasised)
        for i, x, y in self._placed(plan):
            painter.drawPixmap(x, y, self._pixmap(i, i in strong, plan))

    def _pixmap(self, label: int, strong: bool, plan: LabelPlan) -> QPixmap:
        key = (label, strong)
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        ratio = self._kept_ratio
        width, height = plan.width[label] * ratio, plan.height * ratio
        pixmap = QPixmap(int(np.ceil(width)), int(np.ceil(height)))
        pixmap.setDevicePixelRatio(ratio)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        baseline = QPointF(HALO, HALO + QFontMetricsF(self._font).ascent())
        path = QPainterPath()
        path.addText(baseline, self._font, self._names[label])
        halo = QColor(self._tokens.map)
        halo.setAlphaF(0.85)
        pen = QPen(halo, 2 * HALO)
        pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
        painter.strokePath(path, pen)
        painter.setFont(self._font)
        painter.setPen(QColor(self._tokens.accent if strong else self._tokens.text))
        painter.drawText(baseline, self._names[label])
        painter.end()
        self._kept[key] = pixmap
        if len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return pixmap
