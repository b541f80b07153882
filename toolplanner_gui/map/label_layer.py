"""The layer of the map that paints names: fonts, halos and their pictures.

A line of text with a halo as a small picture: readable on any ground. The halo is the text's own
coverage, widened: stroking the outline of the letters, which looks the same, takes 5 ms a name in
Qt; this takes a tenth of it.

Names on the map: which ones is decided by labels.py, this paints them. Each name is drawn once,
with a halo in the colour of the map, and kept as a picture; a frame copies forty pictures.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from string import ascii_letters

import numpy as np
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QImage, QPainter, QPixmap

from toolplanner_gui.map.label_plan import API, TOOLKIT, LabelPlan, with_regions, with_toolkits
from toolplanner_gui.map.layer import Layer
from toolplanner_gui.map.rasteriser import dilated
from toolplanner_gui.theme.tokens import Tokens


def halo_image(
    text: str,
    font: QFont,
    *,
    width: float,
    height: float,
    halo_width: float,
    colour: QColor,
    halo: QColor,
    ratio: float,
) -> QImage:
    """Draw a line of text; in any thread.

    Args:
        text: one line.
        font: of the text.
        width: of the picture, logical pixels, the halo included.
        height: of the picture.
        halo_width: logical pixels around the letters.
        colour: of the letters.
        halo: of what is around them; may be translucent.
        ratio: device pixels a logical pixel.
    """
    across, down = int(np.ceil(width * ratio)), int(np.ceil(height * ratio))
    pixels = np.zeros((max(down, 1), max(across, 1)), np.uint32)
    image = _image_over(pixels, ratio)
    painter = QPainter(image)
    painter.setRenderHint(QPainter.RenderHint.TextAntialiasing)
    painter.setFont(font)
    painter.setPen(colour)
    baseline = QPointF(halo_width, halo_width + QFontMetricsF(font).ascent())
    painter.drawText(baseline, text)
    painter.end()
    covered = (pixels >> np.uint32(24)).astype(np.uint8)
    for step in range(max(round(halo_width * ratio), 1)):
        # With corners and without in turn makes round what would be square.
        covered = dilated(covered, has_corners=step % 2 == 0)
    alpha = covered.astype(np.uint32) * halo.alpha() // 255
    red, green, blue = (part * alpha // 255 for part in (halo.red(), halo.green(), halo.blue()))
    shaded = np.ascontiguousarray((alpha << 24) | (red << 16) | (green << 8) | blue, np.uint32)
    around = _image_over(shaded, ratio)
    painter = QPainter(around)
    painter.drawImage(QPointF(0, 0), image)
    painter.end()
    # A copy: the array goes.
    return around.copy()


def _image_over(pixels: np.ndarray, ratio: float) -> QImage:
    """An image that reads and writes the memory of `(h, w) uint32`, which has to outlive it."""
    height, width = pixels.shape
    form = QImage.Format.Format_ARGB32_Premultiplied
    image = QImage(pixels.data, width, height, width * 4, form)
    image.setDevicePixelRatio(ratio)
    return image


HALO = 2.0
MOST_LETTERS = 30
REGION_GROWTH = 1.3
API_GROWTH = 0.92
SURE_WIDTH = 1.03
"""Kerning may make a line a little wider than its letters."""


def elided_name(name: str) -> str:
    """The name on one line, cut with an ellipsis if it is long."""
    line = " ".join(name.split())
    return line if len(line) <= MOST_LETTERS else line[: MOST_LETTERS - 1].rstrip() + "…"


class LabelFonts:
    """The font of each level: `REGION`, `TOOLKIT`, `API`.

    Args:
        font: of the canvas.
    """

    def __init__(self, font: QFont) -> None:
        self.fonts = (
            _font(font, REGION_GROWTH, QFont.Weight.Bold),
            _font(font, 1.0, QFont.Weight.DemiBold),
            _font(font, API_GROWTH, QFont.Weight.Normal),
        )
        self.metrics = tuple(QFontMetricsF(font) for font in self.fonts)
        heights = [metrics.height() + 2 * HALO for metrics in self.metrics]
        self.heights = (heights[0], heights[1], heights[2])
        # Measured here, on the GUI thread: the first call of its kind makes PySide build classes
        # under a lock, and two threads that do so at once wait for each other for ever.
        self._advances = tuple(
            {letter: metrics.horizontalAdvance(letter) for letter in ascii_letters}
            for metrics in self.metrics
        )

    def width(self, text: str, level: int) -> float:
        """Width of a name with its halo, logical pixels; 0 for an empty one.

        Letter by letter: 20,000 names in a tenth of a second.
        """
        line = elided_name(text)
        if not line:
            return 0.0
        advances, metrics = self._advances[level], self.metrics[level]
        wide = 0.0
        for letter in line:
            if letter not in advances:
                advances[letter] = metrics.horizontalAdvance(letter)
            wide += advances[letter]
        return wide * SURE_WIDTH + 2 * HALO


def _font(font: QFont, growth: float, weight: QFont.Weight) -> QFont:
    made = QFont(font)
    made.setWeight(weight)
    if made.pointSizeF() > 0:
        made.setPointSizeF(made.pointSizeF() * growth)
    else:
        made.setPixelSize(round(made.pixelSize() * growth))
    return made


ABOVE_POINT = 3.0
KEPT = 600
NEW_A_FRAME = 16


class LabelLayer(Layer):
    """The names of regions, toolkits and APIs."""

    def __init__(self, tokens: Tokens) -> None:
        super().__init__()
        self._tokens = tokens
        self.fonts = LabelFonts(QFont())
        """Of the names."""
        self._texts: Sequence[str] = ()
        self._plan: LabelPlan | None = None
        self._first_toolkit = 0
        self._emphasised: list[int] = []
        self._avoided: list[QRectF] = []
        self._silenced: np.ndarray | None = None
        self._kept: OrderedDict[tuple[int, bool], QPixmap] = OrderedDict()
        self._kept_ratio = 1.0
        self._is_short = False
        self.is_dimmed = False
        self.point_radius = 0.0

    @property
    def is_settled(self) -> bool:
        """Whether all names that are to be seen were painted."""
        return not self._is_short

    def set_font(self, font: QFont) -> None:
        """Write in another font; the names come back with a plan for it."""
        self.fonts = LabelFonts(font)
        self.clear()

    def clear(self) -> None:
        """Show no names until a plan comes."""
        self._plan = None
        self._kept.clear()
        self.update()

    def set_plan(self, plan: LabelPlan, texts: Sequence[str]) -> None:
        """Show names by this plan; `texts` are in the order of its items."""
        if list(texts) != list(self._texts):
            self._kept.clear()
        self._plan, self._texts = plan, texts
        toolkits = np.flatnonzero(plan.items.level == TOOLKIT)
        self._first_toolkit = int(toolkits[0]) if len(toolkits) else 0
        self.update()

    def rename_toolkits(self, places: np.ndarray, names: Sequence[str]) -> None:
        """Write the names of now where the plan stays the same until one for them comes.

        Args:
            places: `(k,) int`, where each toolkit stood before, -1 for a new one.
            names: of the toolkits.
        """
        plan, measure = self._plan, self.fonts.width
        if plan is not None:
            self.set_plan(
                *with_toolkits(plan, self._texts, places=places, names=names, measure=measure)
            )

    def rename_regions(self, names: Sequence[str]) -> None:
        """The same with the names of regions."""
        plan = self._plan
        if plan is not None:
            self.set_plan(*with_regions(plan, self._texts, names=names, measure=self.fonts.width))

    def set_tokens(self, tokens: Tokens) -> None:
        """Take the colours of another theme."""
        self._tokens = tokens
        self._kept.clear()
        self.update()

    def set_emphasised(self, labels: list[int]) -> None:
        """Toolkits whose names are shown at any zoom, before the others: those of the selection."""
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
        """Item number and box, logical pixels, of each name in the present viewport."""
        plan = self._plan
        if plan is None:
            return []
        size = plan.items
        return [(i, QRectF(x, y, size.width[i], size.height[i])) for i, x, y in self._placed(plan)]

    def toolkit_at(self, place: QPointF) -> int:
        """The toolkit whose name is at a place of the canvas, -1 for none."""
        plan = self._plan
        for i, box in self.shown_boxes():
            if plan is not None and plan.items.level[i] == TOOLKIT and box.contains(place):
                return i - self._first_toolkit
        return -1

    def shown_texts(self) -> list[tuple[str, int, QRectF]]:
        """Text, level and box of each name in the present viewport, as for an exported picture."""
        if self._plan is None:
            return []
        level = self._plan.items.level
        return [(elided_name(self._texts[i]), int(level[i]), box) for i, box in self.shown_boxes()]

    def _placed(self, plan: LabelPlan) -> list[tuple[int, int, int]]:
        """Item number and left top corner of each name, logical pixels, the strongest first."""
        items, first = plan.items, self._first_toolkit
        strong = [i + first for i in self._emphasised]
        strong = [i for i in strong if i < len(items.x) and np.isfinite(plan.least_scale[i])]
        # All names stand above their place by the same, so those that were apart stay apart.
        lift = self.fonts.heights[TOOLKIT] / 2 + self.point_radius + ABOVE_POINT
        shown = plan.shown(self.view, lift=lift)
        if self._silenced is not None:
            silent = np.zeros(len(items.x), dtype=bool)
            silent[first : first + len(self._silenced)] = self._silenced
            silent |= items.level == API
            shown = shown[~silent[shown]]
        if strong:
            shown = np.concatenate([strong, shown[~np.isin(shown, strong)]])
        x, y = self.view.to_screen(items.x[shown], items.y[shown])
        width, height = items.width[shown], items.height[shown]
        left, top = np.rint(x - width / 2), np.rint(y - lift - height / 2)
        # A name that the border would cut is left out until the view has moved.
        free = (left >= 0) & (left + width <= self.view.width)
        free &= (top >= 0) & (top + height <= self.view.height)
        for place in self._avoided:
            clear = (left >= place.right()) | (left + width <= place.left())
            free &= clear | (top >= place.bottom()) | (top + height <= place.top())
        for k in range(len(strong)):
            if free[k]:
                clear = (left >= left[k] + width[k]) | (left + width <= left[k])
                clear |= (top >= top[k] + height[k]) | (top + height <= top[k])
                free[k + 1 :] &= clear[k + 1 :]
        corners = np.column_stack([shown, left, top])[free].astype(np.int64)
        return [(i, px, py) for i, px, py in corners.tolist()]

    def draw(self, painter: QPainter, ratio: float) -> None:
        """Copy the pictures of the names that are shown."""
        if ratio != self._kept_ratio:
            self._kept.clear()
            self._kept_ratio = ratio
        painter.setOpacity(0.6 if self.is_dimmed else 1.0)
        plan = self._plan
        if plan is None:
            return
        strong = {i + self._first_toolkit for i in self._emphasised}
        new = 0
        self._is_short = False
        for i, x, y in self._placed(plan):
            new += (i, i in strong) not in self._kept
            if new > NEW_A_FRAME:
                # The others follow with the next frame, so that none takes long.
                self._is_short = True
                continue
            painter.drawPixmap(x, y, self._pixmap(i, i in strong, plan))
        if self._is_short:
            self.update()

    def _pixmap(self, item: int, strong: bool, plan: LabelPlan) -> QPixmap:
        key = (item, strong)
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        level = int(plan.items.level[item])
        halo = QColor(self._tokens.map)
        halo.setAlphaF(0.85)
        plain = self._tokens.dim if level == API else self._tokens.text
        drawn = halo_image(
            elided_name(self._texts[item]),
            self.fonts.fonts[level],
            width=float(plan.items.width[item]),
            height=float(plan.items.height[item]),
            halo_width=HALO,
            colour=QColor(self._tokens.accent if strong else plain),
            halo=halo,
            ratio=self._kept_ratio,
        )
        pixmap = QPixmap.fromImage(drawn)
        self._kept[key] = pixmap
        if len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return pixmap
