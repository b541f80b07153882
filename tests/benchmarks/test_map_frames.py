"""What a frame of the map costs, beside pyqtgraph's own scatter plot in the same run.

Figures of design/targets.md: 16,000 points, p95 of 8 ms a frame at 1280 x 800, three times faster
than ScatterPlotItem. Absolute times are scaled by `figures.py`.
"""

from functools import partial
from time import perf_counter, thread_time

import numpy as np
import pytest
from fixtures.map_hand import repaint, show
from fixtures.scatter import HEIGHT, WIDTH, catalogue, shown_scatter
from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QApplication

from toolplanner_gui.map.canvas import MapCanvas
from toolplanner_gui.theme.tokens import DARK

FRAMES = 60
FRAME_MS = 8.0


def shown_canvas(qtbot, n):
    """A settled map of `n` points."""
    canvas = MapCanvas(DARK)
    qtbot.addWidget(canvas)
    canvas.resize(WIDTH, HEIGHT)
    canvas._stage.is_motion_reduced = True
    show(canvas, *catalogue(n), "coloured by toolkit")
    canvas.show()
    qtbot.waitUntil(lambda: canvas.is_settled, timeout=60_000)
    QApplication.processEvents()
    return canvas


def timed(step, paint):
    """Milliseconds of each of `FRAMES` frames: of this thread's own time, and on the clock.

    The first is what the clock shows on a quiet machine, and stays the same on a busy one.
    """
    taken = []
    for number in range(FRAMES):
        started, clock = thread_time(), perf_counter()
        step(number)
        paint()
        taken.append((thread_time() - started, perf_counter() - clock))
    return np.array(taken).T * 1000


def told(what, taken):
    """Print a row; median and p95 of the thread's own time."""
    median, high = float(np.median(taken[0])), float(np.percentile(taken[0], 95))
    clock = float(np.median(taken[1])), float(np.percentile(taken[1], 95))
    print(
        f"{what:<44} median {median:6.2f} ms   p95 {high:6.2f} ms"
        f"   (on the clock {clock[0]:.1f} / {clock[1]:.1f})"
    )
    return median, high


def wander(canvas):
    """Pan and zoom in turn, staying over the points."""

    def step(number):
        if number % 3 == 2:
            canvas.camera.zoom(1.12 if number % 2 else 1 / 1.12, (500.0, 300.0))
        else:
            canvas.camera.pan(7.0 if number % 20 < 10 else -7.0, 3.0 if number % 14 < 7 else -3.0)

    return step


def as_used(canvas):
    """A repaint as on a quiet machine: a new image where the old one does not do."""

    def paint():
        canvas._stage.raster.paces.append(0.0)
        canvas._stage.view.viewport().repaint()

    return paint


def always_new(canvas):
    """A repaint that makes a new image each time."""

    def paint():
        canvas._stage.raster.invalidate()
        canvas._stage.view.viewport().repaint()

    return paint


def never_new(canvas):
    """A repaint that moves and scales the old image, as where a new one is slow."""

    def paint():
        canvas._stage.raster.paces.extend([1e6] * canvas._stage.raster.paces.maxlen)
        canvas._stage.view.viewport().repaint()

    return paint


@pytest.mark.slow
@pytest.mark.parametrize("n", [16_000, 45_000])
def test_frames_when_panned_and_zoomed_then_they_beat_the_scatter_plot(qtbot, n, figures):
    canvas = shown_canvas(qtbot, n)
    far = {
        "as used": timed(wander(canvas), as_used(canvas)),
        "a new image each frame": timed(wander(canvas), always_new(canvas)),
        "the old image moved": timed(wander(canvas), never_new(canvas)),
    }
    canvas.camera.zoom(5)
    near = {
        "near, as used": timed(wander(canvas), as_used(canvas)),
        "near, a new image each frame": timed(wander(canvas), always_new(canvas)),
    }
    view, box = shown_scatter(qtbot, *catalogue(n)[:2])

    def step(number):
        if number % 3 == 2:
            box.scaleBy((1.12, 1.12) if number % 2 else (1 / 1.12, 1 / 1.12))
        else:
            box.translateBy(x=0.4 if number % 20 < 10 else -0.4, y=0.1)

    scatter = timed(step, view.viewport().repaint)
    print()
    rows = {what: told(f"map, {n:,}: {what}", taken) for what, taken in (far | near).items()}
    scatter_median, _ = told(f"ScatterPlotItem, {n:,}", scatter)
    print(f"{'ratio of the medians, as used':<44} {scatter_median / rows['as used'][0]:.1f}")
    assert scatter_median / rows["as used"][0] >= 3
    for what, (_median, high) in rows.items():
        assert figures.ms(f"map of {n:,}, {what}: a frame, p95", high, FRAME_MS)


@pytest.mark.slow
def test_frames_when_contours_and_hulls_are_shown_then_panning_stays_smooth(qtbot, figures):
    canvas = shown_canvas(qtbot, 16_000)
    for name in ("contours", "hulls"):
        canvas.turn(name)
    qtbot.waitUntil(lambda: canvas.is_settled, timeout=60_000)
    canvas._stage.view.viewport().repaint()
    assert len(canvas._stage.outlines.shown_hulls) > 20
    print()

    def high_ms() -> float:
        return told("contours and hulls", timed(wander(canvas), as_used(canvas)))[1]

    what = "map of 16,000 with contours and hulls: a frame, p95"
    assert figures.middle_ms(what, high_ms, FRAME_MS)


@pytest.mark.slow
def test_hover_recolour_and_rectangle_when_used_then_each_is_quick(qtbot, figures):
    canvas = shown_canvas(qtbot, 16_000)
    rng = np.random.default_rng(1)
    places = [QPointF(x, y) for x, y in rng.uniform((0, 0), (WIDTH, HEIGHT), (FRAMES, 2))]
    print()
    hover = told("hover hit", timed(lambda i: canvas._pointing.pick(places[i]), lambda: None))
    masks = [rng.random(16_000) < 0.5 for _ in range(FRAMES)]
    on_screen = partial(repaint, canvas)
    filtered = told(
        "filter, on screen", timed(lambda i: canvas.set_visible_mask(masks[i]), on_screen)
    )
    canvas.set_visible_mask(None)
    rows = [np.flatnonzero(mask) for mask in masks]
    chosen = told(
        "8,000 points selected, on screen", timed(lambda i: canvas.select(rows[i]), on_screen)
    )
    assert figures.ms("map of 16,000: hover hit, p95", hover[1], 2.0)
    assert figures.ms("map of 16,000: filter", filtered[0], 20)
    assert figures.ms("map of 16,000: rectangle", chosen[0], 30)


@pytest.mark.slow
def test_first_paint_when_45k_points_are_given_then_it_is_at_once_and_colours_follow(
    qtbot, figures
):
    data = catalogue(45_000)
    canvas = MapCanvas(DARK)
    qtbot.addWidget(canvas)
    canvas.resize(WIDTH, HEIGHT)
    started = thread_time()
    show(canvas, *data, "")
    canvas.show()
    canvas._stage.view.viewport().repaint()
    first = (thread_time() - started) * 1000
    qtbot.waitUntil(lambda: canvas.is_settled, timeout=60_000)
    settled = (thread_time() - started) * 1000
    print(f"\n45,000 points: first paint {first:.0f} ms, colours and names {settled:.0f} ms")
    assert figures.ms("map of 45,000: first paint", first, 150)
    figures.note("map of 45,000: colours and names", settled, "ms")
