"""Plots of pyqtgraph as all charts have them: in the colours of the theme, without a mouse of their
own, since nothing here is worth zooming."""

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, TypeAlias

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor

from toolplanner_gui.theme.tokens import Tokens

if TYPE_CHECKING:
    import pyqtgraph as pg

_TOP = 6
"""Above the highest label of an axis, pixels."""
SERIES = ("accent", "fell_back", "replanned", "paused", "failed", "answered", "ok", "waiting")
"""Tokens of series, in their order; a symbol or a letter tells them apart as well. The ninth has
the first colour again, with another symbol and another line."""
SYMBOLS = ("o", "s", "t", "d", "t1", "star", "p", "h")
_SIGNS = ("●", "■", "▼", "◆", "▲", "★", "⬟", "⬢")
_LINES = (Qt.PenStyle.SolidLine, Qt.PenStyle.DotLine, Qt.PenStyle.DashDotDotLine)
Legend: TypeAlias = Sequence[tuple[str, QColor, str]]
"""Symbol, colour and name of what is drawn."""


def legend_html(legend: Legend) -> str:
    """A legend as rich text; names are escaped."""
    return " &nbsp; ".join(
        f'<span style="color:{colour.name()}">{sign}</span>\N{NO-BREAK SPACE}'
        + escape(name).replace(" ", "\N{NO-BREAK SPACE}")
        for sign, colour, name in legend
    )


def quiet_plot() -> "tuple[pg.PlotWidget, pg.ViewBox]":
    """A plot, and the box in which its items are."""
    import pyqtgraph as pg

    plot = pg.PlotWidget()
    plot.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    plot.setMenuEnabled(False)
    plot.setMouseEnabled(x=False, y=False)
    plot.hideButtons()
    plot_item = plot.getPlotItem()
    assert plot_item is not None
    plot_item.setContentsMargins(0, _TOP, 0, 0)
    return plot, plot_item.getViewBox()


def dress_plot(plot: "pg.PlotWidget", tokens: Tokens) -> None:
    """Give a plot the colours of a theme."""
    plot.setBackground(tokens.panel)
    for side in ("left", "bottom", "right"):
        axis = plot.getAxis(side)
        axis.setPen(QColor(tokens.line))
        axis.setTextPen(QColor(tokens.dim))
        # Else small figures are said in thousandths. Without the ranges they are all the same when
        # the theme changes: switching prefixes off computes one once more.
        axis.setSIPrefixEnableRanges([])
        axis.enableAutoSIPrefix(False)


def series_colour(tokens: Tokens, place: int) -> QColor:
    """The colour of a series by its place."""
    return QColor(tokens.colour(SERIES[place % len(SERIES)]))


def series_symbol(place: int) -> str:
    """Its symbol in a plot: of 64 series no two have colour and symbol alike."""
    return SYMBOLS[_symbol_at(place)]


def series_sign(place: int) -> str:
    """Its symbol as a letter, for the legend."""
    return _SIGNS[_symbol_at(place)]


def series_line(place: int) -> Qt.PenStyle:
    """The line that joins its points."""
    return _LINES[place // len(SERIES) % len(_LINES)]


def _symbol_at(place: int) -> int:
    return (place + place // len(SERIES)) % len(SYMBOLS)
