"""A map of sixty toolkits for the tests of the canvas."""

import pytest
from fixtures.map_hand import blobs, settle, show

from toolplanner_gui.map.canvas import MapCanvas
from toolplanner_gui.theme.tokens import LIGHT


@pytest.fixture
def canvas(qtbot):
    """A map of sixty toolkits, shown."""
    canvas = MapCanvas(LIGHT)
    qtbot.addWidget(canvas)
    canvas.resize(640, 480)
    canvas._stage.is_motion_reduced = True
    show(canvas, *blobs(), "coloured by toolkit")
    canvas.show()
    settle(qtbot, canvas)
    return canvas
