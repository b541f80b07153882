"""A map of a million points: opening, frames, hover, lasso, recolouring, memory.

Figures of design/targets.md for 1,000,000 points: p95 of 16.7 ms a frame and 25 times faster than
ScatterPlotItem in the same run, hover 5 ms, lasso 100 ms, recolour 50 ms, interactive in 4 s, 1 GB.
The time of the threads that work is asserted, not the clock: other work on the machine is not the
map's fault. At 16,000 and 45,000 points by default, at a million with TOOLPLANNER_BENCH=1. Run with
`-s` to read the figures.
"""

import os
import resource
from time import perf_counter, thread_time

import numpy as np
import pytest
from fixtures.map_hand import repaint
from fixtures.scatter import HEIGHT, WIDTH, catalogue, shown_scatter
from PySide6.QtCore import QPointF, Qt
from PySide6.QtWidgets import QApplication

from toolplanner_gui.map.canvas import MapCanvas
from toolplanner_gui.map.column_colours import colour_categories
from toolplanner_gui.map.lasso import points_inside_shape
from toolplanner_gui.map.points import MapPoints
from toolplanner_gui.theme.tokens import DARK

FRAMES = 60
LONG = os.environ.get("TOOLPLANNER_BENCH") == "1"
SIZES = [
    16_000,
    45_000,
    pytest.param(1_000_000, marks=pytest.mark.skipif(not LONG, reason="TOOLPLANNER_BENCH=1")),
]
TARGETS = {
    16_000: {"frame": 8.0, "hover": 2.0, "lasso": 30.0, "recolour": 20.0, "open": 1.0, "ratio": 3},
    45_000: {"frame": 8.0, "hover": 2.0, "lasso": 30.0, "recolour": 25.0, "open": 2.0, "ratio": 6},
    1_000_000: {
        "frame": 16.7, "hover": 5.0, "lasso": 100.0, "recolour": 50.0, "open": 4.0, "ratio": 25,
    },
}  # fmt: skip


def frames(step, paint):
    """Milliseconds of this thread's own time of each frame, and of the clock."""
    taken = []
    for number in range(FRAMES):
        started, clock = thread_time(), perf_counter()
        step(number)
        paint()
        taken.append((thread_time() - started, perf_counter() - clock))
        QApplication.processEvents()
    return np.array(taken).T * 1000


def told(what, taken):
    """Print and give median and p95 of a thread's own time."""
    median, high = float(np.median(taken[0])), float(np.percentile(taken[0], 95))
    print(
        f"{what:<34} median {median:7.2f} ms  p95 {high:7.2f} ms"
        f"  (on the clock p95 {np.percentile(taken[1], 95):.1f})"
    )
    return median, high


def scatter_frames(qtbot, xy, labels):
    """The same points as a ScatterPlotItem, panned; fewer frames, it is slow."""
    view, box = shown_scatter(qtbot, xy, labels)
    taken = []
    for number in range(8):
        started = thread_time()
        box.translateBy(x=0.4 if number % 2 else -0.4, y=0.1)
        view.viewport().repaint()
        taken.append((thread_time() - started) * 1000)
    return float(np.median(taken))


class Measured:
    """A canvas of so many points, what it was made of, and where its figures go."""

    def __init__(self, qtbot, n, figures):
        self.qtbot, self.n, self.figures, self.target = qtbot, n, figures, TARGETS[n]
        self.xy, self.labels, self.names = catalogue(n)
        self.before_kb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        self.canvas = MapCanvas(DARK)
        qtbot.addWidget(self.canvas)
        self.canvas.resize(WIDTH, HEIGHT)
        self.canvas._stage.is_motion_reduced = True
        self.raster, self.board = self.canvas._stage.raster, self.canvas._stage.view.viewport()

    def ms(self, what, taken, target):
        return self.figures.ms(f"map of {self.n:,}: {what}", taken, self.target[target])

    def settle(self, timeout=60_000):
        self.qtbot.waitUntil(lambda: self.canvas.is_settled, timeout=timeout)

    def shown_cost(self, change):
        """Own time of the GUI thread and of the drawing thread until it is on the screen."""
        self.settle()
        started, clock = thread_time(), perf_counter()
        change()
        repaint(self.canvas)
        own = (thread_time() - started) * 1000
        was_beside = self.raster._maker.is_busy
        self.qtbot.waitUntil(lambda: self.raster.is_settled, timeout=60_000)
        clock = (perf_counter() - clock) * 1000
        return own + (self.raster._made.cost_ms if was_beside else 0.0), clock


def opens(measured):
    canvas = measured.canvas
    started, clock = thread_time(), perf_counter()
    points = MapPoints(measured.xy, measured.labels, measured.names, old=canvas.points)
    canvas.set_points(points, "coloured by toolkit")
    canvas.show()
    measured.qtbot.waitUntil(lambda: measured.raster.picture is not None, timeout=60_000)
    opened = thread_time() - started
    print(f"{'open, to the first picture':<34} {opened:.2f} s ({perf_counter() - clock:.2f} s)")
    measured.settle(180_000)
    print(f"{'colours and names after':<34} ({perf_counter() - clock:.2f} s)")
    assert measured.figures.seconds(
        f"map of {measured.n:,}: opened", opened, measured.target["open"]
    )


def moves(measured):
    """Frames while it is panned and zoomed, far and near."""
    camera, repaint_board = measured.canvas.camera, measured.board.repaint

    def wander(number):
        if number % 3 == 2:
            camera.zoom(1.12 if number % 2 else 1 / 1.12, (500.0, 300.0))
        else:
            camera.pan(7.0 if number % 20 < 10 else -7.0, 3.0 if number % 14 < 7 else -3.0)

    def dive(number):
        camera.zoom(1.25 if number // 10 % 2 == 0 else 0.8, (600.0, 350.0))

    rows = {
        "pan and zoom": told("pan and zoom", frames(wander, repaint_board)),
        "zoom in and out": told("zoom in and out", frames(dive, repaint_board)),
    }
    camera.zoom(6)
    rows["near"] = told("pan and zoom, near", frames(wander, repaint_board))
    scatter = scatter_frames(measured.qtbot, measured.xy, measured.labels)
    ratio = scatter / rows["pan and zoom"][0]
    print(f"{'ScatterPlotItem':<34} median {scatter:7.2f} ms: {ratio:.0f} times slower")
    for what, (_median, high) in rows.items():
        assert measured.ms(f"{what}, a frame, p95", high, "frame")
    assert ratio >= measured.target["ratio"] / 1.5
    measured.canvas.fit()
    measured.settle()


def hovers(measured):
    pick = measured.canvas._pointing.pick
    places = np.random.default_rng(1).uniform((0, 0), (WIDTH, HEIGHT), (FRAMES, 2)).tolist()
    hover = frames(lambda i: pick(QPointF(*places[i])), lambda: None)
    assert measured.ms("hover hit, p95", told("hover hit", hover)[1], "hover")


def recolours(measured):
    canvas, codes = measured.canvas, measured.labels % 7
    looks = [colour_categories(f"c{i}", "C", (codes + i) % 7, list("abcdefg")) for i in range(6)]
    costs = [measured.shown_cost(lambda c=c: canvas.set_colouring(c, "c")) for c in looks]
    assert measured.ms("recoloured", told("recolour, on screen", np.array(costs).T)[0], "recolour")
    canvas.set_colouring(None, "")


def selects_by_lasso(measured):
    canvas, points = measured.canvas, measured.canvas.points
    turn = np.linspace(0, 2 * np.pi, 120)
    round_ = [(640 + 250 * np.cos(a), 400 + 250 * np.sin(a)) for a in turn]
    world = np.array([canvas.camera.view.to_world(x, y) for x, y in round_])
    lassos, mask = [], points.shown()
    for _ in range(5):
        canvas.select([])
        measured.settle()
        started = thread_time()
        mask = points.mask_of_places(points_inside_shape(points.tiles, world))
        found = (thread_time() - started) * 1000
        own, clock = measured.shown_cost(
            lambda m=mask: canvas.select_by_hand(m, "replace", {"by": "lasso"})
        )
        lassos.append((found + own, clock))
    lasso = told("lasso, released to shown", np.array(lassos).T)[0]
    assert measured.ms("lasso", lasso, "lasso")
    canvas.select([])
    shape = [QPointF(x, y) for x, y in round_]
    canvas._stage.view.lasso_drawn.emit(shape, Qt.KeyboardModifier.NoModifier)
    measured.qtbot.waitUntil(lambda: len(canvas.selected) > 0, timeout=60_000)
    assert (canvas.points.selection.mask == mask).mean() > 0.999


@pytest.mark.slow
@pytest.mark.parametrize("n", SIZES)
def test_map_when_used_at_a_size_then_every_target_of_that_size_is_met(qtbot, n, figures):
    print(f"\n{n:,} points")
    measured = Measured(qtbot, n, figures)
    for story in (opens, moves, hovers, recolours, selects_by_lasso):
        story(measured)
    grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - measured.before_kb) / 1024
    print(f"{'memory beyond the arrays given':<34} {grown:.0f} MB, ScatterPlotItem included")
