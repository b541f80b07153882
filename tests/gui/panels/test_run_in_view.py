"""The map beside a run: it comes to the plan, and is where it was once the run is left."""

from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication

from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_gui.actions.workspace_files import open_later
from toolplanner_gui.map.camera import ANIMATION_MS, Camera
from toolplanner_gui.map.canvas import MapCanvas
from toolplanner_gui.viewmodels.curate.first_map import MAP_VIEW
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
    canvas = window.workspace_view.docks.panel("map").canvas
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
    qtbot.waitUntil(lambda: camera.place not in (before, None) and window.is_idle)
    return place_of(window)


def settle(window: MainWindow, qtbot) -> None:
    """Wait until the docks have their sizes and nothing moves."""
    QApplication.processEvents()
    qtbot.waitUntil(lambda: window.is_idle)


def place_of(window: MainWindow) -> tuple[float, float, float]:
    """Where the map is seen from once nothing moves."""
    place = canvas_of(window).camera.place
    assert place is not None
    return place


def start_from(window: MainWindow, *, is_whole: bool) -> tuple[float, float, float] | None:
    """See the map whole, or as a person who came closer does; its place."""
    camera = canvas_of(window).camera
    if not is_whole:
        x, y, scale = camera.view.x, camera.view.y, camera.view.scale
        camera.go_to(x + 1, y + 1, scale * 3)
    return camera.place


@pytest.mark.parametrize("is_whole", [True, False])
def test_map_when_a_run_has_moved_it_then_it_is_back_in_curate_and_there_again_beside_the_run(
    shown: MainWindow, qtbot, is_whole: bool
) -> None:
    before = start_from(shown, is_whole=is_whole)
    there = run_in_view(shown, qtbot)
    shown.show_layout("curate")
    settle(shown, qtbot)
    assert canvas_of(shown).camera.place == before
    shown.show_layout("debug")
    settle(shown, qtbot)
    assert place_of(shown) == pytest.approx(there)


@pytest.mark.parametrize("is_animated", [True, False])
@pytest.mark.parametrize("is_whole", [True, False])
def test_map_when_the_layout_changes_at_any_moment_of_the_flight_then_it_arrives_both_ways(
    shown: MainWindow, qtbot, is_whole: bool, is_animated: bool
) -> None:
    before = start_from(shown, is_whole=is_whole)
    there = run_in_view(shown, qtbot)
    canvas = canvas_of(shown)
    canvas._stage.is_motion_reduced = canvas.camera.is_motion_reduced = not is_animated
    frames = (*range(0, ANIMATION_MS, 16), ANIMATION_MS - 1, ANIMATION_MS)
    for n, ms in enumerate(frames if is_animated else (0, 0, 0)):
        for meanwhile in (nothing, (resize, hide_and_show, shrink_to_nothing)[n % 3]):
            shown.show_layout("curate")
            assert canvas.camera.place == before, (ms, meanwhile)
            shown.show_layout("debug")
            assert canvas.camera.is_moving == is_animated
            fly(canvas.camera, ms)
            meanwhile(shown)
            shown.show_layout("curate")
            assert canvas.camera.place == before, (ms, meanwhile)
            shown.show_layout("debug")
            meanwhile(shown)
            fly(canvas.camera, ms)
        settle(shown, qtbot)
        assert place_of(shown) == pytest.approx(there), ms


def fly(camera: Camera, ms: int) -> None:
    """Let the flight be `ms` old, without a clock."""
    if camera.is_moving:
        camera._animation.setCurrentTime(ms)


def nothing(window: MainWindow) -> None:
    """The window stays as it is."""


def resize(window: MainWindow) -> None:
    """The window gets another size, and its own again."""
    size = window.size()
    window.resize(1100, 690)
    window.resize(size)


def hide_and_show(window: MainWindow) -> None:
    """The dock of the map goes and comes."""
    window.workspace_view.docks.panel("map").hide()
    window.workspace_view.docks.panel("map").show()


def shrink_to_nothing(window: MainWindow) -> None:
    """The map has no room for a moment."""
    canvas = canvas_of(window)
    size = canvas.size()
    canvas.resize(0, 0)
    canvas.resize(size)


def test_map_when_a_person_moves_it_beside_a_run_then_it_stays_there(
    shown: MainWindow, qtbot
) -> None:
    run_in_view(shown, qtbot)
    camera = canvas_of(shown).camera
    camera.pan(40, 30)
    moved = camera.place
    shown.show_layout("curate")
    settle(shown, qtbot)
    assert camera.place == moved


@pytest.mark.parametrize("is_whole", [True, False])
def test_map_when_questions_of_review_have_moved_it_then_it_is_back_in_curate_and_there_again(
    shown: MainWindow, qtbot, is_whole: bool
) -> None:
    context, camera = shown._context, canvas_of(shown).camera
    before = start_from(shown, is_whole=is_whole)
    kept = context.view.values(MAP_VIEW)
    shown.show_layout("review")
    qtbot.waitUntil(lambda: camera.place not in (before, None) and shown.is_idle)
    there = place_of(shown)
    assert context.view.values(MAP_VIEW) == kept, "a question is no place to come back to"
    shown.show_layout("curate")
    settle(shown, qtbot)
    assert camera.place == before
    shown.show_layout("review")
    settle(shown, qtbot)
    assert place_of(shown) == pytest.approx(there)
    shown.show_layout("debug")
    settle(shown, qtbot)
    assert camera.place == before
