"""A scatter plot in ToolPlanner's map. A frame is what a hand sees at once: far more points are
drawn sharply beside it, which "until sharp" holds."""

# It looks into the map, as the benchmarks do.
# pyright: basic, reportPrivateUsage=false

import sys
from time import perf_counter

from points import FRAMES, HEIGHT, LASSOS, WIDTH, median_ms, read_points, say
from PySide6.QtWidgets import QApplication

from toolplanner_gui.map.canvas import MapCanvas
from toolplanner_gui.map.lasso import points_inside_shape
from toolplanner_gui.map.points import MapPoints
from toolplanner_gui.theme.tokens import DARK

app = QApplication(sys.argv)
xy, groups, corners = read_points()
names = [f"Toolkit {number}" for number in range(len(xy) // 9)]
canvas = MapCanvas(DARK)
canvas.resize(WIDTH, HEIGHT)
raster, board = canvas._stage.raster, canvas._stage.view.viewport()


def settle(is_settled=lambda: canvas.is_settled) -> None:
    while not is_settled():
        app.processEvents()


began = perf_counter()
canvas.set_points(MapPoints(xy, groups, names, old=canvas.points), "coloured by toolkit")
canvas.show()
settle(lambda: raster.picture is not None)
board.repaint()
painted_s = perf_counter() - began
settle()


def pan(number: int) -> None:
    canvas.camera.pan(64.0 if number // 5 % 2 else -64.0, 0.0)
    board.repaint()
    app.processEvents()


def select(_number: int) -> None:
    points = canvas.points
    mask = points.mask_of_places(points_inside_shape(points.tiles, corners))
    canvas.select_by_hand(mask, "replace", {"by": "lasso"})
    board.repaint()
    settle()


def pan_until_sharp(number: int) -> None:
    pan(number)
    settle()


frame_ms = median_ms(pan, FRAMES)
settle()
sharp_ms = median_ms(pan_until_sharp, FRAMES)
lasso_ms = median_ms(select, LASSOS)
say(**{
    "painted, s": painted_s, "frame, ms": frame_ms, "until sharp, ms": sharp_ms,
    "lasso to shown, ms": lasso_ms,
})  # fmt: skip
