"""The map as a file: a picture (PNG), or a drawing with names as text above an image of the rest.

Both show exactly what is seen, drawn anew at the wanted resolution. A `MapImage` is taken in the
GUI thread and written in any. Called by the map panel.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from html import escape
from pathlib import Path

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QPointF, QRectF
from PySide6.QtGui import QColor, QImage, QImageWriter, QPainter

from toolplanner_core.errors import BadInput
from toolplanner_gui.map.label_layer import HALO, LabelFonts, halo_image
from toolplanner_gui.map.label_plan import API, REGION
from toolplanner_gui.map.rasteriser import RasterStyle, Scene, render
from toolplanner_gui.map.viewport import Viewport
from toolplanner_gui.theme.tokens import EDGE, Tokens

RESOLUTION = 2.0
"""Device pixels a logical pixel in a file."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MapImage:
    """All that a picture of the map shows.

    Attributes:
        scene: points and colours.
        view: from where.
        radius: of a point, logical pixels.
        names: text, level and box of each name.
        fonts: of the names.
        tokens: colours of the theme.
        legend: the line below.
        over: what lies over the points and below the names, at `RESOLUTION`: outlines, plans, the
            card that explains the colours.
    """

    scene: tuple[Scene, RasterStyle]
    view: Viewport
    radius: float
    names: list[tuple[str, int, QRectF]]
    fonts: LabelFonts
    tokens: Tokens
    legend: str
    over: QImage

    def ground(self) -> QImage:
        """All but the names and the line; a copy of its own."""
        scene, style = self.scene
        drawn = render(scene, self.view, style, radius=self.radius, ratio=RESOLUTION)
        margin, pixels = drawn.margin, drawn.pixels
        height, width = pixels.shape
        form = QImage.Format.Format_RGB32
        whole = QImage(pixels.data, width, height, width * 4, form)
        # Cutting copies: the array may go.
        cut = whole.copy(margin, margin, width - 2 * margin, height - 2 * margin)
        cut.setDevicePixelRatio(RESOLUTION)
        painter = QPainter(cut)
        painter.drawImage(QPointF(), self.over)
        painter.end()
        return cut

    def colour_of(self, level: int) -> str:
        """Of a name."""
        return self.tokens.dim if level == API else self.tokens.text


def write_png(picture: MapImage, path: Path) -> None:
    """Write a picture with points, names and the line below.

    Raises:
        BadInput: it cannot be written.
    """
    image = picture.ground()
    painter = QPainter(image)
    halo = QColor(picture.tokens.map)
    halo.setAlphaF(0.85)
    for text, level, box in picture.names:
        drawn = halo_image(
            text,
            picture.fonts.fonts[level],
            width=box.width(),
            height=box.height(),
            halo_width=HALO,
            colour=QColor(picture.colour_of(level)),
            halo=halo,
            ratio=RESOLUTION,
        )
        painter.drawImage(box.topLeft(), drawn)
    painter.setFont(picture.fonts.fonts[API])
    painter.setPen(QColor(picture.tokens.dim))
    painter.drawText(QPointF(EDGE, picture.view.height - EDGE), picture.legend)
    painter.end()
    # The end of the name says that it is a PNG.
    if not image.save(str(path)):
        raise BadInput(
            "The picture could not be written",
            where=str(path),
            todo="Check that the folder exists and can be written to",
        )


def write_svg(picture: MapImage, path: Path) -> None:
    """Write a drawing whose names and line stay text.

    Raises:
        OSError: it cannot be written.
    """
    data = QByteArray()
    buffer = QBuffer(data)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, QByteArray(b"png")).write(picture.ground())
    inside = base64.b64encode(data.data()).decode("ascii")
    width, height = picture.view.width, picture.view.height
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:g}" height="{height:g}"'
        f' viewBox="0 0 {width:g} {height:g}">',
        f"<title>{escape(picture.legend)}</title>",
        f'<image width="{width:g}" height="{height:g}" href="data:image/png;base64,{inside}"/>',
        f'<g text-anchor="middle" paint-order="stroke" stroke="{picture.tokens.map}"'
        f' stroke-width="{2 * HALO:g}" stroke-linejoin="round">',
    ]
    for text, level, box in picture.names:
        metrics, font = picture.fonts.metrics[level], picture.fonts.fonts[level]
        size = metrics.height() / 1.25 if font.pixelSize() < 0 else font.pixelSize()
        weight = {REGION: 700, API: 400}.get(level, 600)
        baseline = box.top() + HALO + metrics.ascent()
        lines.append(
            f'<text x="{box.center().x():.1f}" y="{baseline:.1f}" font-size="{size:.1f}"'
            f' font-family="{escape(font.family())}, sans-serif" font-weight="{weight}"'
            f' fill="{picture.colour_of(level)}">{escape(text)}</text>'
        )
    lines.append("</g>")
    lines.append(
        f'<text x="{EDGE}" y="{height - EDGE:g}" font-size="11" font-family="sans-serif"'
        f' fill="{picture.tokens.dim}">{escape(picture.legend)}</text>'
    )
    lines.append("</svg>")
    path.write_text("\n".join(lines), encoding="utf-8")
