"""The plan of a run comes into view on one canvas, whenever stops and sizes become known."""

from itertools import permutations

import pytest

from toolplanner_core.domain.ids import RunId
from toolplanner_gui.map.camera import ANIMATION_MS
from toolplanner_gui.map.plan_trail import Trail, TrailStop
from toolplanner_gui.panels.map.camera_restore import RunInView

RUN = RunId("run")
PLACES = ((12.0, 10.0), (31.0, 12.0), (25.0, 44.0))
FRAMES_MS = (*range(0, ANIMATION_MS, 16), ANIMATION_MS - 1, ANIMATION_MS)
SIZES = ((900, 250), (300, 600), (640, 480))


def show_stops(canvas, n: int) -> None:
    """A plan of which `n` stops are known."""
    stops = tuple(
        TrailStop(
            x=x, y=y, label=str(i), token="ok", icon="", is_active=False, key=str(i), lines=()
        )
        for i, (x, y) in enumerate(PLACES[:n])
    )
    canvas.plan.set_trails([Trail(stops, is_old=False)] if n else [], f"{n} stops")


def fly(canvas, ms: int) -> None:
    """Let the flight be `ms` old, without a clock."""
    if canvas.camera.is_moving:
        canvas.camera._animation.setCurrentTime(ms)


@pytest.mark.parametrize("is_animated", [True, False])
@pytest.mark.parametrize("is_whole", [True, False])
def test_plan_when_its_stops_come_at_any_moment_then_the_map_ends_where_the_whole_plan_is_in_view(
    canvas, is_whole, is_animated
):
    camera = canvas.camera
    canvas._stage.is_motion_reduced = True
    if not is_whole:
        camera.go_to(20, 20, camera.view.scale * 3)
    start = camera.place
    show_stops(canvas, 3)
    view = RunInView(canvas)
    view.show(RUN)
    there = camera.place
    assert there != start
    view.leave()
    assert camera.place == start
    canvas._stage.is_motion_reduced = camera.is_motion_reduced = not is_animated
    for ms in FRAMES_MS:
        for order in permutations(SIZES):
            show_stops(canvas, 0)
            view.show(RUN)
            assert camera.place == start
            for n, size in enumerate((*order, (640, 480)), 1):
                show_stops(canvas, min(n, 3))
                view.show(RUN)
                fly(canvas, ms)
                canvas.resize(*size)
            fly(canvas, ANIMATION_MS)
            assert camera.place == pytest.approx(there), (ms, order)
            view.leave()
            assert camera.place == start, (ms, order)


def test_plan_when_a_person_has_moved_the_map_then_later_stops_do_not_move_it(canvas):
    view = RunInView(canvas)
    show_stops(canvas, 1)
    view.show(RUN)
    canvas.camera.pan(30, 10)
    place = canvas.camera.place
    show_stops(canvas, 3)
    view.show(RUN)
    view.leave()
    assert canvas.camera.place == place
