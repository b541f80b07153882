"""The names on the map between an edit and the plan for it, which takes a thread some time."""

import numpy as np
import pytest
from fixtures.map_hand import K, blobs, settle

from toolplanner_gui.map.canvas import MapCanvas
from toolplanner_gui.map.label_plan import MapNames
from toolplanner_gui.map.points import MapPoints

KEYS = np.arange(K) + 100


@pytest.fixture
def slow(canvas: MapCanvas, qtbot, monkeypatch: pytest.MonkeyPatch) -> MapCanvas:
    """A map whose names are there and whose thread answers nothing any more."""
    put(canvas, *blobs(), KEYS)
    settle(qtbot, canvas)
    monkeypatch.setattr(canvas._background, "start", lambda *_: None)
    return canvas


def put(canvas: MapCanvas, xy, labels, names: list[str], keys: np.ndarray) -> None:
    canvas.set_points(MapPoints(xy, labels, names, keys=keys, old=canvas.points), "")


def shown(canvas: MapCanvas) -> dict[str, tuple[int, int]]:
    """Middle and top of each name on the screen."""
    found = canvas._stage.labels.shown_texts()
    return {text: (round(box.center().x()), round(box.top())) for text, _, box in found}


def test_map_when_a_toolkit_is_renamed_then_its_new_name_stands_there_at_once(slow: MapCanvas):
    xy, labels, names = blobs()
    before = shown(slow)
    place = next(i for i, name in enumerate(names) if name in before)
    renamed = [*names]
    renamed[place] = "Money for other money"
    put(slow, xy, labels, renamed, KEYS)
    after = shown(slow)
    assert names[place] not in after
    assert abs(after["Money for other money"][0] - before[names[place]][0]) <= 1
    others = before.keys() - {names[place]}
    assert {name: after.get(name) for name in others} == {name: before[name] for name in others}


def test_map_when_a_toolkit_ends_and_comes_back_then_no_other_name_moves(slow: MapCanvas):
    xy, labels, names = blobs()
    before = shown(slow)
    ended = next(i for i, name in enumerate(names) if name in before)
    left = np.delete(np.arange(K), ended)
    moved = np.where(labels == ended, -1, np.where(labels > ended, labels - 1, labels))
    put(slow, xy, moved, [names[i] for i in left], KEYS[left])
    after = shown(slow)
    assert names[ended] not in after
    assert after == {name: at for name, at in before.items() if name != names[ended]}
    put(slow, xy, labels, names, KEYS)
    assert shown(slow) == after  # its own comes with the next plan


def test_map_when_a_region_is_renamed_then_its_new_name_stands_there_at_once(
    canvas: MapCanvas, qtbot, monkeypatch: pytest.MonkeyPatch
):
    put(canvas, *blobs(), KEYS)
    region_of = np.arange(K, dtype=np.int32) % 2
    canvas.set_names(MapNames(region_of=region_of, regions=("Money", "Weather")))
    settle(qtbot, canvas)
    monkeypatch.setattr(canvas._background, "start", lambda *_: None)
    before = shown(canvas)
    canvas.set_names(MapNames(region_of=region_of, regions=("Finance", "Weather")))
    after = shown(canvas)
    assert "Money" in before
    assert "Money" not in after
    assert abs(after["Finance"][0] - before["Money"][0]) <= 1
