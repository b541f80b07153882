"""Carrying the selection from the map and the lists, with a real hand over the real window."""

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from toolplanner_core.curation.edits.history_reading import list_history
from toolplanner_core.domain.toolkit import Toolkit
from toolplanner_gui.panels.details_panel import DetailsPanel
from toolplanner_gui.panels.map_panel import MapPanel
from toolplanner_gui.panels.toolkits_panel import ToolkitsPanel
from toolplanner_gui.viewmodels.item_models import KEY_ROLE
from toolplanner_gui.widgets.draggable_tree import DraggableTree
from toolplanner_gui.windows.main_window import MainWindow

LEFT = Qt.MouseButton.LeftButton


@pytest.fixture
def desk(window: MainWindow, demo, qtbot) -> MainWindow:
    context = window._context
    context.tasks.spawn(context.open_workspace(demo), owner=context)
    qtbot.waitUntil(lambda: context.catalogue.n_apis > 0)
    window.show_layout("curate")
    settle(window, qtbot)
    return window


def settle(window: MainWindow, qtbot) -> None:
    context = window._context
    qtbot.waitUntil(lambda: context.curation.is_idle and context.tasks.is_idle)
    qtbot.waitUntil(lambda: window.findChild(MapPanel).is_idle)


def labels(window: MainWindow) -> list[str]:
    return [entry.label for entry in list_history(window._context.workspace)]


def point(window: MainWindow, toolkit: Toolkit) -> QPoint:
    """A global place where an API of a toolkit can be picked."""
    context, canvas = window._context, window.findChild(MapPanel).canvas
    number = context.catalogue.toolkits.index(toolkit)
    for row in context.catalogue.points_of_toolkit(toolkit.id).tolist():
        at = canvas.mapToGlobal(canvas._stage.place_of(row).toPoint())
        if canvas.label_at(at) == number and QApplication.widgetAt(at) is board(window):
            return at
    raise AssertionError(f"nothing of {toolkit.name} can be seen")


def board(window: MainWindow) -> QWidget:
    return window.findChild(MapPanel).canvas._stage.view.viewport()


def row_of(tree: DraggableTree, text: str) -> QPoint:
    """The global place of the first row that begins with a text."""
    index = tree.model().match(
        tree.model().index(0, 0), Qt.ItemDataRole.DisplayRole, text, 1,
        Qt.MatchFlag.MatchStartsWith | Qt.MatchFlag.MatchRecursive,
    )[0]  # fmt: skip
    tree.setExpanded(index.parent(), True)
    tree.scrollTo(index)
    return tree.viewport().mapToGlobal(tree.visualRect(index).center())


def send(widget: QWidget, kind: QEvent.Type, at: QPoint) -> None:
    place = QPointF(at)
    button = Qt.MouseButton.NoButton if kind is QEvent.Type.MouseMove else LEFT
    held = Qt.MouseButton.NoButton if kind is QEvent.Type.MouseButtonRelease else LEFT
    none = Qt.KeyboardModifier.NoModifier
    event = QMouseEvent(kind, QPointF(widget.mapFromGlobal(place)), place, button, held, none)
    QApplication.sendEvent(widget, event)
    QApplication.processEvents()


def hold(widget: QWidget, start: QPoint, stop: QPoint) -> None:
    """Press and carry, without letting go."""
    send(widget, QEvent.Type.MouseButtonPress, start)
    for at in (start + QPoint(20, 20), (start + stop) / 2, stop):
        send(widget, QEvent.Type.MouseMove, at)


def let_go(widget: QWidget, at: QPoint) -> None:
    send(widget, QEvent.Type.MouseButtonRelease, at)


def ghosts(window: MainWindow) -> list[str]:
    return [
        label.text()
        for label in window.findChildren(QLabel)
        if label.isVisible() and label.property("role") == "card"
    ]


def choose(window: MainWindow, qtbot, row: QPoint, toolkit: Toolkit) -> QPoint:
    """Click a row of the list, to which the map glides; a toolkit's place on the map then."""
    tree = window.findChild(ToolkitsPanel).tree.viewport()
    QTest.mouseClick(tree, LEFT, pos=tree.mapFromGlobal(row))
    settle(window, qtbot)
    return point(window, toolkit)


def largest(window: MainWindow) -> list[Toolkit]:
    return sorted(window._context.catalogue.toolkits, key=lambda t: (-t.size, t.id))


def test_carry_when_the_map_is_dropped_on_map_and_list_then_each_moves_at_once(
    desk: MainWindow, qtbot
) -> None:
    context, tree = desk._context, desk.findChild(ToolkitsPanel).tree
    one, other, third = largest(desk)[:3]
    context.selection.select_apis(
        context.catalogue.rowids[context.catalogue.points_of_toolkit(one.id)], made={"by": "click"}
    )
    settle(desk, qtbot)
    start, stop = point(desk, one), point(desk, other)
    hold(board(desk), start, stop)
    moves = f"Move {one.size} APIs of “{one.name}” to “{other.name}” and pin there"
    assert ghosts(desk) == [f"{moves}; “{one.name}” ends, empty"]
    told: list[str] = []
    context.message_shown.connect(told.append)
    let_go(board(desk), stop)
    settle(desk, qtbot)
    assert told[-1].endswith(f"“{other.name}” · pinned there · “{one.name}” ends, empty")
    assert labels(desk)[-1:] == [f"Move {one.size} APIs to “{other.name}”"]
    assert ghosts(desk) == []
    start, stop = point(desk, context.catalogue.toolkit(other.id)), row_of(tree, third.name)
    hold(board(desk), start, stop)
    assert tree._marked.isValid()
    let_go(board(desk), stop)
    settle(desk, qtbot)
    assert labels(desk)[-1:] == [f"Move {one.size} APIs to “{third.name}”"]
    assert not tree._marked.isValid()


def test_carry_when_rows_of_the_list_are_dropped_then_apis_move_and_toolkits_are_staged(
    desk: MainWindow, qtbot
) -> None:
    context, tree = desk._context, desk.findChild(ToolkitsPanel).tree
    one, other, third = largest(desk)[:3]
    row_of(tree, one.name)
    home = desk.findChild(ToolkitsPanel).model.index_of(one.id)
    tree.expand(home)
    member = tree.model().index(0, 0, home)
    start = tree.viewport().mapToGlobal(tree.visualRect(member).center())
    stop = choose(desk, qtbot, start, other)
    hold(tree.viewport(), start, stop)
    let_go(tree.viewport(), stop)
    settle(desk, qtbot)
    assert labels(desk)[-1:] == [f"Move 1 API to “{other.name}”"]
    start = row_of(tree, other.name)
    stop = choose(desk, qtbot, start, third)
    hold(tree.viewport(), start, stop)
    assert ghosts(desk) == [f"Stage for a merge: “{other.name}” to “{third.name}”"]
    let_go(tree.viewport(), stop)
    assert set(context.staging.staged.toolkits) == {other.id, third.id}
    assert context.staging.staged.into == third.id


def test_carry_when_escape_is_pressed_or_nothing_is_below_then_nothing_moves(
    desk: MainWindow, qtbot
) -> None:
    context, tree = desk._context, desk.findChild(ToolkitsPanel).tree
    one, other = largest(desk)[:2]
    before = labels(desk)
    start = row_of(tree, one.name)
    stop = choose(desk, qtbot, start, other)
    hold(tree.viewport(), start, stop)
    QTest.keyClick(desk, Qt.Key.Key_Escape)
    assert ghosts(desk) == []
    send(tree.viewport(), QEvent.Type.MouseMove, stop + QPoint(3, 3))
    let_go(tree.viewport(), stop)
    hold(tree.viewport(), start, stop)
    let_go(tree.viewport(), QPoint(-5000, -5000))
    hold(tree.viewport(), start, stop)
    let_go(tree.viewport(), start)
    settle(desk, qtbot)
    assert labels(desk) == before
    assert not context.staging.staged.toolkits
    assert [t.id for t in context.chosen.toolkits] == [one.id]


def test_carry_when_a_member_in_details_is_pressed_then_it_can_be_carried_and_only_a_click_shows_it(
    desk: MainWindow, qtbot
) -> None:
    context, details = desk._context, desk.findChild(DetailsPanel)
    one, other = largest(desk)[:2]
    context.selection.select_toolkit(one.id)
    settle(desk, qtbot)
    members = details.toolkit_page.members
    qtbot.waitUntil(lambda: members.model().rowCount() > 2, timeout=5_000)
    rowid = members.model().index(1, 0).data(KEY_ROLE)
    at = members.visualRect(members.model().index(1, 0)).center()
    start, view = members.viewport().mapToGlobal(at), members.viewport()
    send(view, QEvent.Type.MouseButtonPress, start)
    assert members.isVisible(), "the list stays below the hand"
    stop = row_of(desk.findChild(ToolkitsPanel).tree, other.name)
    for place in (start + QPoint(0, 30), stop):
        send(view, QEvent.Type.MouseMove, place)
    assert context.chosen.rowids.tolist() == [rowid]
    assert "to “" + other.name in ghosts(desk)[0]
    let_go(view, stop)
    settle(desk, qtbot)
    assert labels(desk)[-1:] == [f"Move 1 API to “{other.name}”"]
    # What an edit would be about is what is seen.
    assert details.api_page.isVisible()
    assert details._api_shown == rowid
    context.selection.select_toolkit(one.id)
    settle(desk, qtbot)
    qtbot.waitUntil(lambda: members.model().rowCount() > 2, timeout=5_000)
    QTest.mouseClick(view, LEFT, pos=at)
    assert details.api_page.isVisible()


def test_list_when_one_of_several_marked_rows_is_clicked_then_only_it_is_selected(
    desk: MainWindow, qtbot
) -> None:
    context, tree = desk._context, desk.findChild(ToolkitsPanel).tree
    one, other = largest(desk)[:2]
    context.selection.select_toolkits([one.id, other.id])
    settle(desk, qtbot)
    at = tree.viewport().mapFromGlobal(row_of(tree, one.name))
    settle(desk, qtbot)
    QTest.mouseClick(tree.viewport(), LEFT, pos=at)
    assert [t.id for t in context.chosen.toolkits] == [one.id]
