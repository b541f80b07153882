"""The run tree model: grown batch by batch it equals the one built at once."""

import threading

from fixtures.made_records import made_record, make_records
from fixtures.own_strategy import own_strategy
from hypothesis import given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QModelIndex, QObject, Qt

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.nodes import NodeKind, NodeState, ShownField
from toolplanner_core.runs.events.event import Record
from toolplanner_core.runs.events.node import NodeClosed, NodeOpened
from toolplanner_core.runs.tree.tree import RunTree
from toolplanner_core.strategies.interface import strategy as declared
from toolplanner_core.strategies.interface.scope import RunScope
from toolplanner_core.strategies.interface.strategy import strategies
from toolplanner_gui.bridge.gui_thread import BatchInbox, GuiThreadCalls
from toolplanner_gui.viewmodels.debug.run_tree_model import (
    CAUSE_ROLE,
    DIM_ROLE,
    MOST_ROWS,
    PATH_ROLE,
    RunColumn,
    RunTreeModel,
)
from toolplanner_gui.widgets.views import QuietTree


def texts(model: RunTreeModel, parent: QModelIndex | None = None) -> list[object]:
    """All that a tree shows, nested."""
    above = parent or QModelIndex()
    return [
        (
            [model.index(row, c, above).data() for c in range(model.columnCount())],
            model.index(row, 0, above).data(PATH_ROLE),
            model.index(row, 0, above).data(CAUSE_ROLE),
            texts(model, model.index(row, 0, above)),
        )
        for row in range(model.rowCount(above))
    ]


def rebuilt(records: list[Record]) -> list[object]:
    tree = RunTree()
    tree.apply(records)
    model = RunTreeModel()
    model.set_nodes(tree.nodes)
    return texts(model)


def test_model_is_a_faithful_item_model(theme, qtmodeltester) -> None:
    model = RunTreeModel()
    tree = RunTree()
    tree.apply(make_records())
    model.set_nodes(tree.nodes)
    qtmodeltester.check(model)


def test_model_when_grown_record_by_record_stays_faithful(theme, qtmodeltester) -> None:
    records = make_records(1)
    tree = RunTree()
    model = RunTreeModel()
    model.set_nodes(tree.nodes, is_live=True)
    qtmodeltester.check(model)
    for record in records:
        model.update(tree.apply([record]))
    model.end()
    assert texts(model) == rebuilt(records)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(1, 12), min_size=1, max_size=12))
def test_model_when_grown_in_any_batches_equals_the_rebuilt_one(sizes: list[int]) -> None:
    records = make_records(3)
    tree = RunTree()
    model = RunTreeModel()
    model.set_nodes(tree.nodes)
    begin, turn = 0, 0
    while begin < len(records):
        size = sizes[turn % len(sizes)]
        model.update(tree.apply(records[begin : begin + size]))
        begin, turn = begin + size, turn + 1
    assert texts(model) == rebuilt(records)


def test_columns_when_kinds_declare_them_then_only_runs_with_such_data_show_them(
    theme, monkeypatch
) -> None:
    score, secret = ShownField("score", "Score", True), ShownField("secret", "Secret")
    idea = NodeKind(id="idea", word="idea", shown=(score, secret))
    plugin = own_strategy(_nothing, kinds=(idea,))
    monkeypatch.setitem(strategies.plugins, plugin.id, plugin)
    declared.node_kinds.cache_clear()
    try:
        begun = make_records(0)[:1]
        tree = RunTree()
        tree.apply(begun)
        model = RunTreeModel()
        model.set_nodes(tree.nodes, is_live=True)
        assert score in model.told
        assert secret not in model.told
        assert not model.has_column(score)
        assert not model.has_cost
        opened = NodeOpened(kind="idea", title="first", data={"score": 0.98765})
        closed = NodeClosed(state="pruned", reason="led nowhere", error=None, data={"secret": 1})
        seq = len(begun)
        path = NodePath("idea.1")
        events = [made_record(seq + 1, opened, path), made_record(seq + 2, closed, path)]
        model.update(tree.apply(events))
        assert model.has_column(score)
        column = len(RunColumn) + model.told.index(score)
        row = model.index_of(path)
        assert model.headerData(column, Qt.Orientation.Horizontal) == "Score"
        assert row.siblingAtColumn(column).data() == "0.988"
        assert model.index_of(NodePath("")).siblingAtColumn(column).data() == ""
        assert row.siblingAtColumn(RunColumn.STATE).data() == "pruned · led nowhere"
        assert row.data(DIM_ROLE)
    finally:
        declared.node_kinds.cache_clear()


async def _nothing(run: RunScope) -> str:
    return ""


def test_model_says_states_in_words_and_causes(theme) -> None:
    tree = RunTree()
    tree.apply(make_records(1))
    model = RunTreeModel()
    model.set_nodes(tree.nodes)
    first = model.index_of(NodePath("plan.1/step.1/attempt.1"))
    second = model.index_of(NodePath("plan.1/step.1/attempt.2"))
    assert first.siblingAtColumn(1).data() == "failed · server error 500"
    assert second.siblingAtColumn(1).data() == "fallback"
    assert first.siblingAtColumn(2).data() == "3.0 ms"
    assert second.data(CAUSE_ROLE).startswith("↰ because Vendor · api1 failed")
    assert first.data(Qt.ItemDataRole.AccessibleTextRole) == (
        "Vendor · api1, failed · server error 500"
    )


def test_call_when_its_server_tells_how_far_it_is_then_its_row_says_it_until_it_has_ended(
    theme, qtbot
) -> None:
    records = make_records(1)
    sent = next(at for at, record in enumerate(records) if record.type == "call.sent")
    path, tree = records[sent].path, RunTree()
    model = RunTreeModel(now_ns=lambda: 10**9, so_far={path: "3 of 10: fetching"}.get)
    tree.apply(records[: sent + 1])
    model.set_nodes(tree.nodes, is_live=True)
    row = model.index_of(path).siblingAtColumn(RunColumn.STATE)
    assert row.data() == "3 of 10: fetching"
    with qtbot.waitSignal(model.dataChanged) as repainted:
        model.tick()
    first, last, _ = repainted.args
    assert first.column() <= RunColumn.STATE <= last.column()
    model.update(tree.apply(records[sent + 1 :]))
    assert row.data() == "server error 500"


def test_tree_while_events_stream_in_then_all_rows_are_there(theme, qtbot) -> None:
    """Events through batch, fold, model and a visible tree, as in a live run."""
    records = make_records(400)
    parent = QObject()
    tree, view = RunTree(), QuietTree("Run tree")
    qtbot.addWidget(view)
    model = RunTreeModel()
    view.set_model(model, {2: 72, 3: 72})
    model.set_nodes(tree.nodes, is_live=True)
    view.resize(800, 600)
    view.show()
    applied = 0

    def deliver(items: list[Record]) -> None:
        nonlocal applied
        applied += len(items)
        model.update(tree.apply(items))
        view.expand(model.index_of(NodePath("")))
        view.expand(model.index_of(NodePath("plan.1")))
        view.executeDelayedItemsLayout()

    inbox: BatchInbox[Record] = BatchInbox(GuiThreadCalls(parent), deliver, parent)

    def stream() -> None:
        pause = threading.Event()
        for begin in range(0, len(records), 50):
            inbox.put(records[begin : begin + 50])
            pause.wait(0.001)

    thread = threading.Thread(target=stream)
    thread.start()
    qtbot.waitUntil(lambda: applied == len(records), timeout=20_000)
    thread.join()
    model.end()
    assert model.rowCount(model.index_of(NodePath("plan.1"))) == 400


def test_rows_below_are_made_when_they_are_asked_for(theme) -> None:
    tree = RunTree()
    tree.apply(make_records(300))
    model = RunTreeModel()
    model.set_nodes(tree.nodes)
    assert len(model._items) == 1
    plan = model.index_of(NodePath("plan.1"))
    assert model.hasChildren(plan)
    assert model.rowCount(plan) == 300
    assert len(model._items) == 302
    deep = model.index_of(NodePath("plan.1/step.7/attempt.2/call.1"))
    assert deep.parent().parent() == model.index_of(NodePath("plan.1/step.7"))
    assert not model.hasChildren(deep)


def test_cost_is_shown_where_it_is_known_and_not_zero(theme) -> None:
    tree = RunTree()
    tree.apply(make_records(1))
    model = RunTreeModel()
    model.set_nodes(tree.nodes)
    plan = tree.nodes[NodePath("plan.1")]
    index = model.index_of(plan.path).siblingAtColumn(RunColumn.COST)
    assert index.data() == ""
    plan.cost = 0.0042
    assert index.data() == "$0.0042"
    plan.cost = None
    assert index.data() == "–"


def test_rows_of_a_very_long_stored_run_are_left_out_until_somebody_wants_them(theme) -> None:
    tree = RunTree()
    tree.apply(make_records(MOST_ROWS + 200))
    model = RunTreeModel()
    model.set_nodes(tree.nodes)
    plan = model.index_of(NodePath("plan.1"))
    assert (model.rowCount(plan), model.n_hidden) == (MOST_ROWS, 200)
    hidden = NodePath(f"plan.1/step.{MOST_ROWS + 5}/attempt.1")
    assert model.index_of(hidden).data(PATH_ROLE) == hidden
    assert (model.rowCount(plan), model.n_hidden) == (MOST_ROWS + 200, 0)
    model.set_nodes(tree.nodes)
    assert model.rowCount(model.index_of(NodePath("plan.1"))) == MOST_ROWS
    model.show_all()
    assert model.rowCount(model.index_of(NodePath("plan.1"))) == MOST_ROWS + 200
    model.set_nodes(tree.nodes, is_live=True)
    assert model.rowCount(model.index_of(NodePath("plan.1"))) == MOST_ROWS + 200


def test_time_when_events_come_late_then_it_is_that_of_the_run_also_of_what_is_held(theme) -> None:
    records = make_records(1)
    sent = next(at for at, record in enumerate(records) if record.type == "call.sent")
    path, tree, stands_ns = records[sent].path, RunTree(), records[sent].mono_ns + 3 * 10**9
    model = RunTreeModel(now_ns=lambda: stands_ns)
    tree.apply(records[: sent + 1])
    model.set_nodes(tree.nodes, is_live=True)
    time = model.index_of(path).siblingAtColumn(RunColumn.TIME)
    assert time.data() == "3.0 s"
    tree.nodes[path].state = NodeState.PAUSED
    assert time.data() == "3.0 s", "it stands still, and is not hidden"
    assert "held does not count" in time.data(Qt.ItemDataRole.ToolTipRole)
