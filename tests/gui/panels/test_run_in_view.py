"""The map beside a run: it comes to the plan, and is where it was once the run is left."""

from pathlib import Path

import pytest

from toolplanner_core.runs.spec import RunSpec
from toolplanner_gui.actions.opening import open_later
from toolplanner_gui.map.canvas import MapCanvas
from toolplanner_gui.windows.main_window import MainWindow

QUERY = "Convert 26.2 miles to kilometres."


@pytest.fixture
def shown(window: MainWindow, demo: Path, qtbot) -> MainWindow:
    open_later(window._context, demo)
    qtbot.waitUntil(lambda: window._context.catalogue.n_apis > 0 and window.is_idle)
    window.resize(1280, 720)
    window.show()
    return window


def canvas_of(window: MainWindow) -> MapCanvas:
    canvas = window.desk.docks.panel("map").canvas
    assert isinstance(canvas, MapCanvas)
    return canvas


def run_in_view(window: MainWindow, qtbot) -> tuple[float, float, float]:
    """Show a run and wait until the map has come to its plan; its place then."""
    camera = canvas_of(window).camera
    before = camera.place
    window.show_layout("debug")
    if window._context.run_view.run is None:
        window._context.run_view.start(RunSpec(query=QUERY, provider="demo"))
    view = window._context.run_view
    qtbot.waitUntil(lambda: view.run is not None and not view.is_live)
    qtbot.waitUntil(lambda: camera.place not in (before, None) and not camera.is_moving)
    place = camera.place
    assert place is not None
    return place


@pytest.mark.parametrize("is_whole", [True, False])
def test_map_when_a_run_has_moved_it_then_it_is_back_in_curate_and_there_again_beside_the_run(
    shown: MainWindow, qtbot, is_whole: bool
) -> None:
    camera = canvas_of(shown).camera
    if not is_whole:
        x, y, scale = camera.view.x, camera.view.y, camera.view.scale
        camera.go_to(x + 1, y + 1, scale * 3)
    before = camera.place
    there = run_in_view(shown, qtbot)
    shown.show_layout("curate")
    qtbot.waitUntil(lambda: camera.place == before)
    shown.show_layout("debug")
    qtbot.waitUntil(lambda: camera.place == pytest.approx(there))


def test_map_when_a_person_moves_it_beside_a_run_then_it_stays_there(
    shown: MainWindow, qtbot
) -> None:
    run_in_view(shown, qtbot)
    camera = canvas_of(shown).camera
    camera.pan(40, 30)
    moved = camera.place
    shown.show_layout("curate")
    qtbot.waitUntil(lambda: shown.is_idle)
    assert camera.place == moved
