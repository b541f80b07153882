"""Timeline, event log and comparison over real runs of the demo workspace."""

from typing import Any

import pytest
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtWidgets import QTreeView

from toolplanner_core.domain.ids import NodePath, RunId
from toolplanner_core.domain.nodes import CALL, NodeState
from toolplanner_core.domain.plan import Status
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.runs.presentation.timeline import Timeline
from toolplanner_core.runs.tree.node import Node
from toolplanner_core.runs.tree.tree import RunTree
from toolplanner_core.words.formatting import duration
from toolplanner_gui.context import AppContext
from toolplanner_gui.panels.compare_panel import ComparePanel
from toolplanner_gui.panels.event_log_panel import EventLogPanel
from toolplanner_gui.panels.runs_panel import RunsPanel
from toolplanner_gui.panels.timeline.view import TimelineView
from toolplanner_gui.panels.timeline_panel import TimelinePanel
from toolplanner_gui.theme.tokens import current_tokens
from toolplanner_gui.viewmodels.debug.compare_model import TOTAL_TITLES, CompareColumn
from toolplanner_gui.viewmodels.debug.event_log_model import Column

QUERY = "Find the cheapest petrol near Springfield, Illinois."
OTHER = "Show me the crime statistics of Springfield, Illinois."


def run_query(context: AppContext, qtbot, query: str = QUERY) -> None:
    view = context.run_view
    context.run_view.start(RunSpec(query=query, provider="demo"))
    qtbot.waitUntil(lambda: not view.is_live, timeout=20_000)
    qtbot.waitUntil(
        lambda: view.summary is not None and view.summary.status is not Status.RUNNING,
        timeout=10_000,
    )


def shown(panel, qtbot, width: int = 900, height: int = 260):
    qtbot.addWidget(panel)
    panel.resize(width, height)
    panel.show()
    return panel


def test_live_run_shows_bars_and_a_click_selects_the_node(opened: AppContext, qtbot) -> None:
    panel = shown(TimelinePanel(opened), qtbot)
    run_query(opened, qtbot)
    nodes = opened.run_view.nodes
    leaves = [p for p, n in nodes.items() if n.is_leaf]
    assert panel.view.timeline.n_bars == len(leaves)
    call = next(p for p in leaves if nodes[p].is_call)
    place = panel.view.place_of(call)
    assert panel.view.viewport().rect().contains(place)
    qtbot.mouseClick(panel.view.viewport(), Qt.MouseButton.LeftButton, pos=place.center())
    assert opened.run_view.node == call
    assert "API call" in panel.view.accessibleDescription()
    qtbot.keyClick(panel.view, Qt.Key.Key_Right)
    assert opened.run_view.node in leaves
    assert opened.run_view.node != call


def test_timeline_when_another_run_is_looked_at_then_shows_its_bars_at_once(
    opened: AppContext, qtbot
) -> None:
    panel = shown(TimelinePanel(opened), qtbot)
    run_query(opened, qtbot)
    run_query(opened, qtbot, OTHER)
    for run in (1, 2, 1):
        opened.run_view.show_run(RunId(run))
        qtbot.waitUntil(lambda run=run: opened.run_view.run == run and opened.tasks.is_idle)
        leaves = [node for node in opened.run_view.nodes.values() if node.is_leaf]
        assert panel.view.timeline.n_bars == len(leaves)


def test_zoom_keeps_the_place_under_the_pointer_and_fit_shows_all(
    opened: AppContext, qtbot
) -> None:
    panel = shown(TimelinePanel(opened), qtbot)
    run_query(opened, qtbot)
    view = panel.view
    call = next(p for p, n in opened.run_view.nodes.items() if n.is_call)
    before = view.place_of(call).left()
    view.zoom(4, before - 76)
    assert not view.is_fitted
    assert abs(view.place_of(call).left() - before) <= 3
    qtbot.keyClick(view, Qt.Key.Key_0)
    assert view.is_fitted
    assert abs(view.place_of(call).left() - before) <= 1


def test_timeline_of_5000_nodes_is_drawn_with_few_bars(
    theme, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = shown(TimelineView(), qtbot)
    nodes = {}
    for i in range(5000):
        path = NodePath(f"step.{i % 4}/call.{i}")
        nodes[path] = Node(
            path=path, parent=NodePath(f"step.{i % 4}"), kind=CALL.id, title=f"API {i}",
            state=NodeState.FAILED if i % 9 == 0 else NodeState.OK, opened_seq=i,
            started_ns=i * 2_000_000, ended_ns=i * 2_000_000 + 7_000_000,
        )  # fmt: skip
    timeline = Timeline()
    timeline.set_nodes(nodes)
    view.set_timeline(timeline)
    drawn: list[int] = []
    strips = timeline.strips

    def counted(*arguments: Any, **options: Any) -> Any:
        found = strips(*arguments, **options)
        drawn.append(len(found))
        return found

    monkeypatch.setattr(timeline, "strips", counted)
    picture = QImage(view.size(), QImage.Format.Format_RGB32)
    for factor in (1, 1.5, 2, 4, 8, 8):
        view.zoom(factor)
        view.render(picture)
    assert len(view.timeline.lanes) == 5
    # No more than can be told apart, whatever there is: one for two pixels of a lane.
    assert len(drawn) == 6 * 5
    assert 0 < max(drawn) < view.width() / 2


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_timeline_when_zoomed_and_scrolled_then_each_bar_is_seen_where_a_click_finds_it(
    theme, qtbot, mode: str
) -> None:
    theme.set_mode(mode)
    view = shown(TimelineView(), qtbot, height=160)
    states = (NodeState.OK, NodeState.FAILED, NodeState.FELL_BACK)
    nodes = {
        path: Node(
            path=path, parent=NodePath(""), kind=CALL.id, title="", state=states[i % 3],
            opened_seq=i, started_ns=i * 20_000_000, ended_ns=i * 20_000_000 + 100_000_000,
        )
        for i in range(30)
        for path in [NodePath(f"call.{i}")]
    }  # fmt: skip
    timeline = Timeline()
    timeline.set_nodes(nodes)
    view.set_timeline(timeline)
    chosen = NodePath("call.4")
    for factor, down in ((1, 0), (3, 0), (1, 40), (1 / 3, 20)):
        view.zoom(factor)
        view.verticalScrollBar().setValue(down)
        view.choose(chosen)
        picture = view.viewport().grab().toImage()
        seen = 0
        for path, node in nodes.items():
            place = view.place_of(path)
            ground = place.adjusted(3, 5, -3, -5)
            if not view.viewport().rect().adjusted(76, 24, 0, 0).contains(ground):
                continue
            seen += 1
            assert view._node_at(QPointF(ground.center())) is node
            # Without a title there is only its ground, tinted by its state, at its right end.
            inside = picture.pixelColor(ground.right(), ground.center().y())
            state = QColor(current_tokens().colour(timeline.look(node).token))
            share = 0.5 if path == chosen else 0.26
            panel = QColor(current_tokens().panel)
            wanted = [
                round(p + (s - p) * share) for p, s in zip(rgb(panel), rgb(state), strict=True)
            ]
            assert rgb(inside) == wanted, (path, factor)
            below = picture.pixelColor(ground.right(), min(place.bottom(), picture.height() - 1))
            assert rgb(below) != rgb(inside)
        assert seen > 2


def rgb(colour: QColor) -> list[int]:
    return [colour.red(), colour.green(), colour.blue()]


def test_timeline_when_nothing_changes_then_a_frame_asks_for_no_bars(
    theme, qtbot, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = shown(TimelineView(), qtbot)
    view.grab()
    asked: list[object] = []
    monkeypatch.setattr(view.timeline, "strips", lambda *what, **_o: asked.append(what))
    view.grab()
    assert not asked


def test_event_log_of_a_live_run_equals_that_of_the_stored_one(opened: AppContext, qtbot) -> None:
    panel = shown(EventLogPanel(opened), qtbot)
    run_query(opened, qtbot)
    view = opened.run_view
    live = table(panel)
    assert live[0][Column.TYPE] == "Run started"
    assert live[-1][Column.TYPE] == "Run finished"
    run = view.run
    assert run is not None
    view._look_at(RunId(0), RunTree(), clock=None)
    view.show_run(run)
    qtbot.waitUntil(lambda: panel.model.n_events > 0 and panel.is_idle, timeout=10_000)
    qtbot.waitUntil(lambda: all(row[Column.SAYS] for row in table(panel)), timeout=10_000)
    stored = table(panel)
    columns = [c for c in Column if c is not Column.SAYS]
    assert [[row[c] for c in columns] for row in stored] == [
        [row[c] for c in columns] for row in live
    ]
    assert [row[Column.SAYS] for row in stored] == [row[Column.SAYS] for row in live]


def test_panels_that_were_hidden_during_a_run_show_it_when_they_are_looked_at(
    opened: AppContext, qtbot
) -> None:
    log, timeline = EventLogPanel(opened), TimelinePanel(opened)
    for panel in (log, timeline):
        qtbot.addWidget(panel)
    run_query(opened, qtbot)
    assert log.model.n_events == 0
    assert timeline.view.timeline.n_bars == 0
    log.show()
    timeline.show()
    last = opened.run_view.last_seq
    qtbot.waitUntil(lambda: log.is_idle and log.model.n_events == last, timeout=10_000)
    assert timeline.view.timeline.n_bars > 0


def test_words_are_found_in_a_stored_log_whose_texts_nobody_has_read(
    opened: AppContext, qtbot
) -> None:
    run_query(opened, qtbot)
    view = opened.run_view
    run = view.run
    assert run is not None
    view._look_at(RunId(0), RunTree(), clock=None)
    panel = shown(EventLogPanel(opened), qtbot)
    view.show_run(run)
    qtbot.waitUntil(lambda: panel.model.n_events > 0)
    qtbot.keyClicks(panel.field, "cheapest petrol near Springfield")
    qtbot.waitUntil(lambda: 0 < panel.model.rowCount() < panel.model.n_events, timeout=10_000)


def table(panel: EventLogPanel) -> list[list[str]]:
    model = panel.model
    return [[model.index(r, c).data() for c in Column] for r in range(model.rowCount())]


def test_event_selects_its_node_and_its_cause_is_a_link(opened: AppContext, qtbot) -> None:
    panel = shown(EventLogPanel(opened), qtbot)
    run_query(opened, qtbot)
    model = panel.model
    row = next(r for r in range(model.rowCount()) if model.index(r, Column.CAUSE).data())
    panel.view.setCurrentIndex(model.index(row, 0))
    head = model.head(model.index(row, 0))
    assert head is not None
    assert opened.run_view.node == head.path
    panel.view.clicked.emit(model.index(row, Column.CAUSE))
    current = model.head(panel.view.currentIndex())
    assert current is not None
    assert current.seq == head.cause
    panel.find()
    qtbot.keyClicks(panel.field, "failed")
    qtbot.waitUntil(lambda: 0 < model.rowCount() < model.n_events)
    assert "of" in panel._count.text()


def test_event_log_when_it_is_narrow_then_what_an_event_says_has_room(
    opened: AppContext, qtbot
) -> None:
    panel = EventLogPanel(opened)
    qtbot.addWidget(panel)
    panel.show()
    for width, is_hidden in ((600, True), (1000, False)):
        panel.resize(width, 300)
        assert panel.view.isColumnHidden(Column.ACTOR) == is_hidden
    assert panel.view.horizontalHeader().count() == len(Column)


def test_event_log_when_a_run_takes_minutes_then_its_times_are_whole(
    opened: AppContext, qtbot
) -> None:
    panel = shown(EventLogPanel(opened), qtbot)
    run_query(opened, qtbot)
    qtbot.waitUntil(lambda: panel.is_idle and panel.model.rowCount() > 3)
    cell = panel.model.index(3, int(Column.TIME))
    margins = panel.view.sizeHintForIndex(
        cell
    ).width() - panel.view.fontMetrics().horizontalAdvance(str(cell.data()))
    for seconds in (0.1034, 12.34, 75, 3599):
        text = panel.view.fontMetrics().horizontalAdvance(duration(seconds))
        assert panel.view.columnWidth(int(Column.TIME)) >= text + margins


def test_event_log_follows_the_end_until_the_person_scrolls(opened: AppContext, qtbot) -> None:
    panel = shown(EventLogPanel(opened), qtbot, height=160)
    run_query(opened, qtbot)
    bar = panel.view.verticalScrollBar()
    qtbot.waitUntil(lambda: bar.maximum() > 0 and bar.value() == bar.maximum())
    bar.setValue(0)
    panel._show_state()
    assert bar.value() == 0


def test_two_selected_runs_are_compared_with_the_first_difference_marked(
    opened: AppContext, qtbot
) -> None:
    runs = shown(RunsPanel(opened), qtbot)
    panel = shown(ComparePanel(opened), qtbot, height=600)
    run_query(opened, qtbot)
    run_query(opened, qtbot, OTHER)
    runs.view.selectAll()
    assert len(runs.selected()) == 2
    runs.compare_selected()
    qtbot.waitUntil(lambda: panel.model.diff is not None, timeout=10_000)
    diff = panel.model.diff
    assert diff is not None
    assert (diff.left.run, diff.right.run) == (1, 2)
    assert diff.first is not None
    assert panel.sentence.text() == diff.first.sentence
    assert panel.model.value_of(panel.tree.currentIndex()) == diff.first.node
    assert panel.totals_model.rowCount() == 2
    assert not panel.totals.isColumnHidden(TOTAL_TITLES.index("Counted"))
    panel.resize(500, 600)
    header = panel.totals.header()
    assert all(header.sectionSize(i) >= header.sectionSizeHint(i) for i in range(7))
    assert header.sectionSize(0) >= panel.totals.sizeHintForColumn(0)
    everything = rows_below(panel.tree)
    panel.only.setChecked(True)
    assert rows_below(panel.tree) <= everything
    assert panel.model.value_of(panel.tree.currentIndex()) == diff.first.node
    header = panel.model.headerData(CompareColumn.RIGHT, Qt.Orientation.Horizontal)
    assert header == "Run 2"
    assert all(view.accessibleName() for view in panel.findChildren(QTreeView))
    assert panel.warning.isVisible()
    assert panel.warning.text().startswith("These runs are of different queries")
    run_query(opened, qtbot)
    opened.compare_runs(RunId(1), RunId(3))
    qtbot.waitUntil(
        lambda: panel.model.diff is not None and panel.model.diff.right.run == 3, timeout=10_000
    )
    assert not panel.warning.isVisible()


def test_compared_node_when_only_the_other_run_has_it_then_that_one_is_looked_at(
    opened: AppContext, qtbot
) -> None:
    panel = shown(ComparePanel(opened), qtbot, height=600)
    run_query(opened, qtbot)
    run_query(opened, qtbot, OTHER)
    view = opened.run_view
    opened.compare_runs(RunId(1), RunId(2))
    qtbot.waitUntil(lambda: panel.model.diff is not None, timeout=10_000)
    diff = panel.model.diff
    assert diff is not None
    for side, run in (("left", 1), ("right", 2)):
        own = next(n for n, d in enumerate(diff.nodes) if getattr(d, side) is not None
                   and (d.left is None or d.right is None))  # fmt: skip
        panel.tree.setCurrentIndex(panel.model.index_of(own))
        path = getattr(diff.nodes[own], side)
        qtbot.waitUntil(lambda r=run, p=path: (view.run, view.node) == (r, p), timeout=10_000)
        assert panel.model.value_of(panel.tree.currentIndex()) == own
        assert path in view.nodes


def rows_below(tree: QTreeView) -> int:
    model, todo, n_rows = tree.model(), [tree.rootIndex()], 0
    while todo:
        index = todo.pop()
        n_rows += model.rowCount(index)
        todo += [model.index(row, 0, index) for row in range(model.rowCount(index))]
    return n_rows


def test_run_compared_with_its_like_went_the_same_way(opened: AppContext, qtbot) -> None:
    panel = shown(ComparePanel(opened), qtbot, height=600)
    run_query(opened, qtbot, "Convert 26.2 miles to kilometres.")
    run = opened.run_view.run
    assert run is not None
    opened.compare_runs(run, run)
    qtbot.waitUntil(lambda: panel.model.diff is not None, timeout=10_000)
    assert panel.sentence.text() == "The runs went the same way."
    counted = TOTAL_TITLES.index("Counted")
    assert panel.totals.isColumnHidden(counted)  # neither fell back nor replanned
    assert not panel.jump_button.isVisible()
    panel.tree.activated.emit(panel.model.index_of(1))
    diff = panel.model.diff
    assert diff is not None
    qtbot.waitUntil(lambda: opened.run_view.node == diff.nodes[1].left)


@pytest.mark.parametrize("panel_class", [TimelinePanel, EventLogPanel, ComparePanel])
def test_panel_changes_its_theme_live(opened: AppContext, qtbot, panel_class) -> None:
    panel = shown(panel_class(opened), qtbot)
    run_query(opened, qtbot)
    opened.theme.set_mode("dark")
    colour = panel.grab().toImage().pixelColor(QPointF(5, 200).toPoint())
    opened.theme.set_mode("light")
    assert colour.lightness() < 100
