"""The same points in Orange's Scatter Plot, coloured by group; it selects by rectangles."""

# Runs in an environment that is not ours.
# pyright: basic, reportMissingImports=false

import sys
from time import perf_counter

import numpy as np
from AnyQt.QtCore import QPointF
from AnyQt.QtWidgets import QApplication
from Orange.data import ContinuousVariable, DiscreteVariable, Domain, Table
from Orange.widgets.visualize.owscatterplot import OWScatterPlot
from points import FRAMES, HEIGHT, LASSOS, WIDTH, median_ms, read_points, say

app = QApplication(sys.argv)
xy, groups, corners = read_points()
group = DiscreteVariable("group", values=tuple(f"group {number}" for number in range(12)))
domain = Domain([ContinuousVariable("x"), ContinuousVariable("y")], group)
table = Table.from_numpy(domain, xy.astype(float), (groups % 12).astype(float))
widget = OWScatterPlot()
widget.resize(WIDTH, HEIGHT)
widget.show()
app.processEvents()
plot = widget.graph.plot_widget


def show() -> None:
    app.processEvents()
    plot.viewport().repaint()


began = perf_counter()
widget.set_data(table)
widget.handleNewSignals()
while widget.graph.scatterplot_item is None:
    app.processEvents()
show()
painted_s = perf_counter() - began


def pan(number: int) -> None:
    plot.getViewBox().translateBy(x=4 if number // 5 % 2 else -4, y=0)
    show()


def select(_number: int) -> None:
    left, bottom = corners.min(axis=0) * np.sqrt(0.75)
    right, top = corners.max(axis=0) * np.sqrt(0.75)
    widget.graph.select_by_rectangle(_rectangle(left, bottom, right, top))
    show()


def _rectangle(left: float, bottom: float, right: float, top: float):
    from AnyQt.QtCore import QRectF

    return QRectF(QPointF(left, bottom), QPointF(right, top))


frame_ms = median_ms(pan, FRAMES)
lasso_ms = median_ms(select, LASSOS)
say(**{
    "painted, s": painted_s, "frame, ms": frame_ms, "until sharp, ms": frame_ms,
    "lasso to shown, ms": lasso_ms,
})  # fmt: skip
