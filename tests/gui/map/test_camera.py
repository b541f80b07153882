"""The camera without a canvas: a flight arrives, whatever happens to the window meanwhile.

No test here waits for frames: the loop does not turn, and each test says how far the flight is.
"""

from itertools import permutations

import pytest
from PySide6.QtCore import QObject

from toolplanner_gui.map.camera import ANIMATION_MS, Camera
from toolplanner_gui.map.viewport import Bounds, Viewport

EVERYTHING = Bounds(-10, -10, 10, 10)
PART = Bounds(-4, 1, 2, 3)
FRAMES_MS = (*range(0, ANIMATION_MS, 8), ANIMATION_MS - 1, ANIMATION_MS, 10 * ANIMATION_MS)
"""Moments of a flight; the last is that of a machine whose frame takes longer than the flight."""
SIZES = ((371, 170), (0, 0), (1280, 90), (200, 900))


@pytest.fixture
def camera(qapp):
    """It looks far away from everything."""
    parent = QObject()
    camera = Camera(parent)
    camera.resize(371, 157)
    camera.set_bounds(EVERYTHING, EVERYTHING, keep=False)
    camera.look_at(500, 500)
    yield camera
    parent.deleteLater()


def fly(camera: Camera, ms: int) -> None:
    """Let a flight be `ms` old, if there is one."""
    if camera.is_moving:
        camera._animation.setCurrentTime(min(ms, ANIMATION_MS))


def arrived(camera: Camera) -> Viewport:
    """Where the flight ends."""
    fly(camera, ANIMATION_MS)
    assert not camera.is_moving
    return camera.view


def expected(camera: Camera, sizes, act) -> Viewport:
    """Where a camera stands that does not fly and has its last size before it is told to."""
    parent = QObject()
    other = Camera(parent)
    other.is_motion_reduced = True
    other.resize(*sizes[-1])
    other.set_bounds(EVERYTHING, EVERYTHING, keep=False)
    act(other)
    return other.view


def test_flight_when_the_map_gets_another_size_then_it_goes_on(camera):
    camera.centre_on(Bounds(8, 7, 8, 7))
    fly(camera, 80)

    camera.resize(371, 170)

    assert camera.is_moving and camera.view.height == 170
    view = arrived(camera)
    assert (view.x, view.y, view.height) == (8, 7, 170)
    camera.centre_on(Bounds(8, 7, 8, 7))
    assert arrived(camera).scale == view.scale


def test_fit_when_the_map_gets_another_size_then_it_fits_the_new_one(camera):
    camera.fit()

    camera.resize(371, 340)

    arrived(camera)
    assert camera.view.scale == camera.overview_scale
    assert camera.view.bounds.bottom < EVERYTHING.bottom < EVERYTHING.top < camera.view.bounds.top


@pytest.mark.parametrize("is_animated", [True, False])
@pytest.mark.parametrize("bounds", [PART, Bounds(8, 7, 8, 7), EVERYTHING])
def test_flight_when_sizes_come_at_any_moment_in_any_order_then_it_ends_where_the_last_says(
    camera, bounds, is_animated
):
    camera.is_motion_reduced = not is_animated
    for ms in FRAMES_MS:
        for sizes in permutations(SIZES):
            camera.resize(371, 157)
            camera.set_bounds(EVERYTHING, EVERYTHING, keep=False)
            camera.centre_on(bounds)
            for n, size in enumerate(sizes):
                fly(camera, ms * (n + 1) // len(sizes))
                camera.resize(*size)
            wanted = expected(camera, sizes, lambda other: other.centre_on(bounds))
            assert arrived(camera) == wanted, (ms, sizes)


@pytest.mark.parametrize("is_animated", [True, False])
def test_flight_when_another_replaces_it_at_any_moment_then_the_last_one_arrives(
    camera, is_animated
):
    camera.is_motion_reduced = not is_animated
    start = camera.state
    camera.centre_on(PART)
    there = arrived(camera)
    for ms in FRAMES_MS:
        for back_ms in FRAMES_MS:
            camera.return_to(start)
            assert camera.view == start.view and not camera.is_moving
            camera.fit()
            fly(camera, ms)
            camera.centre_on(EVERYTHING, coming_from=start)
            fly(camera, back_ms)
            camera.centre_on(PART, coming_from=start)
            assert arrived(camera) == there, (ms, back_ms)


def test_part_when_a_person_came_closer_by_hand_then_no_later_part_is_seen_from_farther_than_needed(
    camera,
):
    camera.zoom(20)
    scale = camera.view.scale
    camera.centre_on(Bounds(1, 1, 1, 1))
    assert arrived(camera).scale == pytest.approx(min(scale, 157 * 0.44))
    camera.centre_on(PART)
    wide = arrived(camera).scale
    camera.centre_on(Bounds(1, 1, 1, 1))
    closest = camera.overview_scale * camera.closest
    assert arrived(camera).scale == pytest.approx(max(wide, closest))
