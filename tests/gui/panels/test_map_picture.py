"""The map as a picture: it holds what the window shows beside points and names, too."""

from pathlib import Path

import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage

from toolplanner_gui.context import AppContext
from toolplanner_gui.map.plan_trail import Trail, TrailStop
from toolplanner_gui.panels.map.map_export import export_work
from toolplanner_gui.panels.map_panel import MapPanel


@pytest.fixture
def panel(opened: AppContext, qtbot) -> MapPanel:
    made = MapPanel(opened)
    qtbot.addWidget(made)
    made.resize(900, 640)
    made.show()
    settle(qtbot, made)
    return made


def settle(qtbot, panel: MapPanel) -> None:
    qtbot.waitUntil(lambda: panel.is_idle and panel.context.tasks.is_idle)


def written(panel: MapPanel, folder: Path) -> QImage:
    """What the panel writes as a picture now."""
    export_work(panel.context, panel.canvas, "png", folder / "map.png")()
    return QImage(str(folder / "map.png"))


def inks(image: QImage, box: QRectF) -> set[str]:
    """The colours of a picture in a box of the canvas."""
    place = QRectF(box.topLeft() * 2, box.size() * 2).toRect()
    cut = image.copy(place)
    return {cut.pixelColor(x, y).name() for x in range(cut.width()) for y in range(cut.height())}


@pytest.mark.parametrize("switch", ["contours", "hulls"])
def test_picture_when_outlines_are_shown_then_it_holds_them(
    panel: MapPanel, qtbot, tmp_path: Path, switch: str
) -> None:
    before = written(panel, tmp_path)
    panel.canvas.turn(switch)
    settle(qtbot, panel)
    assert written(panel, tmp_path) != before


def test_picture_when_a_plan_and_a_legend_are_shown_then_it_holds_them(
    panel: MapPanel, qtbot, tmp_path: Path
) -> None:
    canvas, tokens = panel.canvas, panel.context.theme.tokens
    panel.context.map_look.choose_column("method")
    settle(qtbot, panel)
    assert canvas.points.colouring is not None
    x, y = canvas.points.xy.mean(axis=0).tolist()
    stop = TrailStop(x, y, "1", "accent", "", False, "key", ())
    canvas.plan.set_trails([Trail((stop,), False)], "One plan")
    settle(qtbot, panel)
    image = written(panel, tmp_path)
    [ring] = canvas.plan.layer.boxes()
    assert tokens.accent in inks(image, ring)
    card = canvas._overlays.legend_card
    assert tokens.raised in inks(image, QRectF(card.geometry()).adjusted(8, 8, -8, -8))
