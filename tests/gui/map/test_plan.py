"""Plans above the map: stops on their toolkits, a card, a pulse, a switch."""

import numpy as np
import pytest
from fixtures.map_hand import show
from PySide6.QtCore import QPoint, QPointF, QRectF, Qt

from toolplanner_gui.map.canvas import MapCanvas
from toolplanner_gui.map.plan_layer import RADIUS, _cut
from toolplanner_gui.map.plan_trail import Trail, TrailStop
from toolplanner_gui.theme.tokens import DARK, LIGHT


def stop(x, y, label, token="ok", *, is_active=False, plan=2):
    return TrailStop(
        x=x, y=y, label=label, token=token, icon="" if is_active else "check-circle",
        is_active=is_active, key=f"plan.{plan}/step.{label}",
        lines=(f"Step {label}", "Weather", token),
    )  # fmt: skip


def two_plans(*, is_active=True):
    old = Trail((stop(0, 0, "1", plan=1), stop(10, 20, "2", "failed", plan=1)), is_old=True)
    new = Trail(
        (stop(0, 0, "1"), stop(40, 40, "2"), stop(70, 70, "3", "running", is_active=is_active)),
        is_old=False,
    )
    return [old, new]


@pytest.fixture
def canvas(qtbot):
    made = MapCanvas(LIGHT)
    qtbot.addWidget(made)
    made.resize(700, 500)
    made._stage.is_motion_reduced = True
    rng = np.random.default_rng(0)
    xy = rng.uniform(0, 80, (300, 2))
    show(made, xy, np.zeros(300, np.int32), ["Kit"], "")
    made.show()
    qtbot.waitUntil(lambda: made.is_settled, timeout=30_000)
    return made


def test_stops_stand_on_their_toolkits_and_beside_each_other_where_two_share_one(canvas):
    trails = two_plans()
    canvas.plan.set_trails(trails, "Plan 2 of 2")
    image = canvas.grab().toImage()
    x, y = canvas.camera.view.to_screen(np.array([40.0]), np.array([40.0]))
    seen = {image.pixelColor(int(x[0]) + dx, int(y[0])).name() for dx in range(-14, 15)}
    assert LIGHT.ok in seen
    layer = canvas.plan.layer
    places = [layer.place_of(trails[1].stops[0]), layer.place_of(trails[0].stops[0])]
    assert places[1].x() - places[0].x() > 2 * RADIUS
    assert layer.stop_at(places[0]) == trails[1].stops[0]
    assert len(layer.boxes()) == 5
    assert canvas.plan.legend.text() == "Plan 2 of 2"
    assert canvas.accessibleDescription().endswith("Plan 2 of 2")
    canvas.plan.set_trails([], "")
    assert not canvas.plan.is_shown
    assert canvas.plan.legend.isHidden()
    assert canvas.plan.boxes() == []


def test_legend_when_a_stop_is_below_it_then_stands_at_the_bottom(canvas):
    canvas.plan.set_trails(two_plans(), "Two plans")
    canvas.plan.place(300)
    top = canvas.plan.legend.geometry()
    stop = canvas.plan.layer.boxes()[0].center()
    canvas.camera.pan(top.center().x() - stop.x(), top.center().y() - stop.y())
    canvas.plan.place(300)
    placed = QRectF(canvas.plan.legend.geometry())
    assert placed.top() > canvas.height() / 2
    assert not any(placed.intersects(box) for box in canvas.plan.layer.boxes())


def test_stop_that_is_pointed_at_says_what_it_is_and_a_click_chooses_it(canvas, qtbot):
    canvas.plan.set_trails(two_plans(), "")
    place = canvas.plan.layer.place_of(two_plans()[1].stops[2])
    at = place.toPoint()
    viewport = canvas._stage.view.viewport()
    qtbot.mouseMove(viewport, at + QPoint(2, 1))
    qtbot.waitUntil(canvas._overlays.card.isVisible)
    assert canvas._overlays.card.lines == ["Step 3", "Weather", "running"]
    assert canvas._pointing.pick(QPointF(at)) == -1
    with qtbot.waitSignal(canvas.plan.stop_chosen) as chosen:
        qtbot.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=at)
    assert chosen.args == ["plan.2/step.3"]
    assert len(canvas.selected) == 0


def test_pulse_runs_only_with_motion_while_a_step_goes_on(canvas, qtbot):
    canvas.plan.set_trails(two_plans(), "")
    assert canvas.plan.layer.phase is None
    canvas._stage.is_motion_reduced = False
    canvas._stage.follow_system_motion()
    is_system_still = canvas._stage.camera.is_motion_reduced
    canvas.plan.set_trails(two_plans(), "again")
    if not is_system_still:
        qtbot.waitUntil(lambda: canvas.plan.layer.phase is not None)
        before = canvas.plan.layer.phase
        qtbot.waitUntil(lambda: canvas.plan.layer.phase != before)
    canvas.plan.set_trails(two_plans(is_active=False), "over")
    assert canvas.plan.layer.phase is None


def test_switch_is_there_with_a_plan_and_hides_it(canvas, qtbot):
    switch = canvas._overlays.tools.button("plan")
    assert switch.isHidden()
    canvas.plan.set_trails(two_plans(), "")
    assert not switch.isHidden()
    qtbot.keyClick(canvas, Qt.Key.Key_P)
    assert not canvas.plan.is_shown
    assert not canvas._stage.is_backdrop
    qtbot.keyClick(canvas, Qt.Key.Key_P)
    assert canvas.plan.is_shown


def test_stops_when_many_stand_at_one_toolkit_then_lie_below_the_buttons(canvas):
    tools = canvas._overlays.tools
    stops = tuple(stop(70, 70, str(n)) for n in range(1, 30))
    canvas.plan.set_trails([Trail(stops, is_old=False)], "")
    middle = tools.geometry().center()
    place = canvas.plan.layer.boxes()[10].center()
    canvas.camera.pan(middle.x() - place.x(), tools.y() + 14 - place.y())
    under = [box for box in canvas.plan.layer.boxes() if box.intersects(QRectF(tools.geometry()))]
    assert len(under) > 1
    assert canvas.grab(tools.geometry()).toImage() == tools.grab().toImage()


@pytest.mark.parametrize("tokens", [LIGHT, DARK])
def test_plan_is_drawn_in_both_themes_and_far_out_of_view(canvas, tokens):
    canvas.set_theme(tokens)
    canvas.plan.set_trails(two_plans(), "")
    canvas.camera.zoom(400, (10.0, 10.0))
    assert not canvas.grab().isNull()


def test_line_is_cut_to_what_is_in_view():
    from PySide6.QtCore import QLineF, QRectF

    box = QRectF(0, 0, 100, 100)
    assert _cut(QLineF(-1e6, 50, 1e6, 50), box) == QLineF(0, 50, 100, 50)
    assert _cut(QLineF(10, 10, 20, 30), box) == QLineF(10, 10, 20, 30)
    assert _cut(QLineF(-50, -10, 150, -10), box) is None
    assert _cut(QLineF(-40, 60, 40, 150), box) is None


def test_plan_when_brought_into_view_then_each_stop_of_the_newest_is_seen(canvas):
    canvas.plan.set_trails(two_plans(), "")
    canvas.camera.look_at(500, 500)
    inside = QRectF(canvas.rect())
    stops = two_plans()[1].stops
    assert not any(inside.contains(canvas.plan.layer.place_of(each)) for each in stops)
    canvas.plan.bring_into_view(coming_from=canvas.camera.state)
    assert all(inside.contains(canvas.plan.layer.place_of(each)) for each in stops)
