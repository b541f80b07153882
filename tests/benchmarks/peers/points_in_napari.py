"""The same points as a layer of napari. It has no lasso for points: they are selected by index."""

# Runs in an environment that is not ours.
# pyright: basic, reportMissingImports=false, reportOptionalMemberAccess=false, reportPrivateUsage=false

from time import perf_counter

import napari
import numpy as np
from points import FRAMES, HEIGHT, LASSOS, WIDTH, inside, median_ms, read_points, say
from qtpy.QtWidgets import QApplication
from vispy.gloo import gl

xy, groups, corners = read_points()
viewer = napari.Viewer(show=True)
viewer.window.resize(WIDTH, HEIGHT)
app = QApplication.instance()
app.processEvents()
board = viewer.window._qt_viewer.canvas._scene_canvas.native


def show() -> None:
    board.repaint()
    app.processEvents()
    gl.glFinish()


colours = np.random.default_rng(1).uniform(size=(12, 4))[groups % 12]
colours[:, 3] = 1
began = perf_counter()
layer = viewer.add_points(xy[:, ::-1], size=0.3, face_color=colours, border_width=0)
show()
painted_s = perf_counter() - began
viewer.reset_view()
show()


def pan(number: int) -> None:
    _, y, x = viewer.camera.center
    viewer.camera.center = (0, y, x + (4 if number // 5 % 2 else -4))
    show()


def select(number: int) -> None:
    layer.selected_data = set(np.flatnonzero(inside(xy, corners)).tolist())
    show()


frame_ms = median_ms(pan, FRAMES)
lasso_ms = median_ms(select, LASSOS)
say(**{
    "painted, s": painted_s, "frame, ms": frame_ms, "until sharp, ms": frame_ms,
    "lasso to shown, ms": lasso_ms,
})  # fmt: skip
