"""Names of toolkits on the map: a click selects the toolkit."""

import numpy as np
from fixtures.map_hand import LEFT, NO, SHIFT, board, move
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from toolplanner_gui.map.label_plan import TOOLKIT


def names(canvas) -> list[tuple[int, QPoint]]:
    """Toolkit and middle of each name on the map."""
    layer = canvas._stage.labels
    boxes = [b for b in layer.shown_boxes() if layer._plan.items.level[b[0]] == TOOLKIT]
    return [(item - layer._first_toolkit, box.center().toPoint()) for item, box in boxes]


def test_name_when_clicked_then_its_toolkit_is_selected_and_shift_adds(canvas):
    (first, at), (second, there) = names(canvas)[:2]
    told = []
    canvas.selection_made.connect(lambda _mask, mode, made: told.append((mode, made)))
    QTest.mouseClick(board(canvas), LEFT, NO, at)
    assert canvas.selected.tolist() == np.flatnonzero(canvas.points.labels == first).tolist()
    assert told == [("replace", {"by": "toolkit", "toolkit": int(canvas.points.keys[first])})]
    QTest.mouseClick(board(canvas), LEFT, SHIFT, there)
    assert set(canvas.points.labels[canvas.selected].tolist()) == {first, second}


def test_name_when_the_cursor_is_over_it_then_a_hand_says_so(canvas):
    _toolkit, at = names(canvas)[0]
    move(canvas, at)
    canvas._stage.view.flush()
    assert board(canvas).cursor().shape() == Qt.CursorShape.PointingHandCursor
    move(canvas, QPoint(2, 2))
    canvas._stage.view.flush()
    assert board(canvas).cursor().shape() == Qt.CursorShape.ArrowCursor


def test_name_when_its_toolkit_is_filtered_then_only_shown_points_are_selected(canvas):
    toolkit, at = names(canvas)[0]
    own = np.flatnonzero(canvas.points.labels == toolkit)
    mask = np.ones(len(canvas.points), bool)
    mask[own[:3]] = False
    canvas.set_visible_mask(mask)
    QTest.mouseClick(board(canvas), LEFT, NO, at)
    assert canvas.selected.tolist() == own[3:].tolist()
