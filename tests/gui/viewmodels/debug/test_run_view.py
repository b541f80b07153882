"""The run that is looked at: a live one goes on live after another was looked at."""

import asyncio
import threading

from fixtures.made_records import make_records

from toolplanner_core.domain.ids import NodePath, RunId
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.domain.plan import Status
from toolplanner_core.runs.config.spec import RunSpec
from toolplanner_core.runs.engine.runner import RunHandle
from toolplanner_core.runs.log.clock import Clock
from toolplanner_core.runs.tree.tree import RunTree
from toolplanner_gui.bridge.tasks import _READERS
from toolplanner_gui.context import AppContext
from toolplanner_gui.viewmodels.debug.run_view import RunView

LIVE = RunId(99)
NOW_NS = 7_000_000_000


class StandingClock(Clock):
    """Stands at a moment of the run."""

    def mono_ns(self) -> int:
        return NOW_NS


def going_on(view: RunView) -> RunHandle:
    """A run whose events the test hands in."""
    loop = asyncio.new_event_loop()
    view._live = handle = RunHandle(loop)
    loop.close()
    handle.clock = StandingClock()
    return handle


def stored_run(context: AppContext, qtbot) -> RunId:
    """A run that is over."""
    view = context.run_view
    view.start(RunSpec(query="Find the cheapest petrol near Springfield.", provider="demo"))
    qtbot.waitUntil(lambda: not view.is_live, timeout=20_000)
    qtbot.waitUntil(
        lambda: view.summary is not None and view.summary.status is not Status.RUNNING,
        timeout=20_000,
    )
    assert view.run is not None
    return view.run


def test_live_run_when_another_was_looked_at_goes_on_live(opened: AppContext, qtbot) -> None:
    view = opened.run_view
    other = stored_run(opened, qtbot)
    records = [record._replace(run=LIVE) for record in make_records(4)]
    third = len(records) // 3
    handle = going_on(view)
    view._on_records(records[:third])
    assert (view.run, view.is_run_live) == (LIVE, True)

    view.show_run(other)
    qtbot.waitUntil(lambda: view.run == other)
    assert not view.is_run_live
    told: list[object] = []
    view.nodes_changed.connect(told.append)
    view._on_records(records[third : 2 * third])
    assert told == []

    view.show_run(LIVE)
    qtbot.waitUntil(lambda: view.run == LIVE)
    assert view.is_run_live
    assert view.now_ns() == handle.clock.mono_ns()
    assert view.last_seq == records[2 * third - 1].seq
    view._on_records(records[2 * third :])
    assert told
    assert view.nodes[NodePath("")].state is NodeState.OK
    view._on_ended(None, None)
    assert (view.is_run_live, view.now_ns()) == (False, None)


def test_last_run_asked_for_is_shown_when_two_are_read_at_once(opened: AppContext, qtbot) -> None:
    view = opened.run_view
    first, second = stored_run(opened, qtbot), stored_run(opened, qtbot)
    view._look_at(RunId(0), RunTree(), clock=None)
    seen: list[RunId | None] = []
    view.run_changed.connect(lambda: seen.append(view.run))
    view.show_run(second)
    view.show_run(first)
    qtbot.waitUntil(lambda: opened.tasks.is_idle)
    assert seen == [first]


def test_run_that_begins_while_it_is_read_is_shown_live(opened: AppContext, qtbot) -> None:
    """As in an empty workspace: the list of runs has its row before its first event is heard."""
    view, readers = opened.run_view, threading.Event()
    run = stored_run(opened, qtbot)
    records = [record._replace(run=run) for record in make_records(4)]
    view._look_at(None, None, clock=None)
    qtbot.waitUntil(lambda: opened.tasks.is_idle)
    busy = [
        opened.tasks.spawn(opened.tasks.in_thread(readers.wait), owner=view)
        for _ in range(_READERS)
    ]
    view.show_run(run)
    turn = asyncio.Event()
    opened.tasks.loop.call_soon(turn.set)
    qtbot.waitUntil(turn.is_set)

    going_on(view)
    view._on_records(records[:5])
    readers.set()
    qtbot.waitUntil(lambda: opened.tasks.is_idle)
    assert all(task.done() for task in busy)
    assert (view.run, view.is_run_live, view.last_seq) == (run, True, records[4].seq)
    view._on_records(records[5:])
    view._on_ended(None, None)
    assert view.nodes[NodePath("")].state is NodeState.OK


def test_engine_when_the_workspace_is_let_go_while_it_is_made_leaves_no_thread(
    opened: AppContext, qtbot
) -> None:
    before = set(threading.enumerate())
    view = opened.run_view
    view.start(RunSpec(query="Find the cheapest petrol near Springfield.", provider="demo"))
    close = view.release()
    qtbot.waitUntil(lambda: opened.tasks.is_idle, timeout=20_000)
    if close is not None:
        close()
    assert not view.is_live
    left = [t for t in set(threading.enumerate()) - before if not t.name.startswith("reader")]
    assert left == []
