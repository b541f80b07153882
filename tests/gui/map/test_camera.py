"""The camera without a canvas: a flight arrives, whatever happens to the window meanwhile."""

import pytest
from PySide6.QtCore import QObject

from toolplanner_gui.map.camera import Camera
from toolplanner_gui.map.viewport import Bounds

EVERYTHING = Bounds(-10, -10, 10, 10)


@pytest.fixture
def camera(qtbot):
    """It looks far away from everything."""
    parent = QObject()
    camera = Camera(parent)
    camera.resize(371, 157)
    camera.set_bounds(EVERYTHING, EVERYTHING, keep=False)
    camera.look_at(500, 500)
    yield camera
    parent.deleteLater()


def test_flight_when_the_map_gets_another_size_then_it_goes_on(qtbot, camera):
    camera.centre_on(Bounds(8, 7, 8, 7))
    scale = camera.target.scale

    camera.resize(371, 170)

    assert camera.is_moving and camera.view.height == 170
    qtbot.waitUntil(lambda: not camera.is_moving)
    view = camera.view
    assert (view.x, view.y, view.scale, view.height) == (8, 7, scale, 170)


def test_fit_when_the_map_gets_another_size_then_it_fits_the_new_one(qtbot, camera):
    camera.fit()

    camera.resize(371, 340)

    qtbot.waitUntil(lambda: not camera.is_moving)
    assert camera.view.scale == camera.overview_scale
    assert camera.view.bounds.bottom < EVERYTHING.bottom < EVERYTHING.top < camera.view.bounds.top
