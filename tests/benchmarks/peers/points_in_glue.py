"""The same points in a scatter viewer of glue, coloured by group, with its lasso (a polygon)."""

# Runs in an environment that is not ours.
# pyright: basic, reportMissingImports=false, reportOptionalMemberAccess=false

from time import perf_counter

from glue.core import Data, DataCollection
from glue.core.roi import PolygonalROI
from glue_qt.app import GlueApplication
from glue_qt.viewers.scatter import ScatterViewer
from points import FRAMES, HEIGHT, LASSOS, WIDTH, median_ms, read_points, say
from qtpy.QtWidgets import QApplication

xy, groups, corners = read_points()
data = Data(label="points", x=xy[:, 0], y=xy[:, 1], group=groups % 12)
glue = GlueApplication(DataCollection([data]))
glue.show()
app = QApplication.instance()
app.processEvents()


def show() -> None:
    viewer.figure.canvas.draw()
    app.processEvents()


began = perf_counter()
viewer = glue.new_data_viewer(ScatterViewer)
viewer.resize(WIDTH, HEIGHT)
viewer.add_data(data)
viewer.state.x_att, viewer.state.y_att = data.id["x"], data.id["y"]
layer = viewer.state.layers[0]
layer.cmap_mode, layer.cmap_att, layer.size = "Linear", data.id["group"], 2
show()
painted_s = perf_counter() - began


def pan(number: int) -> None:
    by = 4 if number // 5 % 2 else -4
    viewer.state.x_min, viewer.state.x_max = viewer.state.x_min + by, viewer.state.x_max + by
    show()


def select(_number: int) -> None:
    viewer.apply_roi(PolygonalROI(corners[:, 0].tolist(), corners[:, 1].tolist()))
    show()


frame_ms = median_ms(pan, FRAMES)
lasso_ms = median_ms(select, LASSOS)
say(**{
    "painted, s": painted_s, "frame, ms": frame_ms, "until sharp, ms": frame_ms,
    "lasso to shown, ms": lasso_ms,
})  # fmt: skip
