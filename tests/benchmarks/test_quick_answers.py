"""What must feel immediate: a frame of a long timeline, a long event log, arguments, a fork.

The bounds are on processor time and wider than the targets, since test machines are shared.
"""

import asyncio
import statistics
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from fixtures.made_records import made_head
from fixtures.question_samples import FILL
from fixtures.scripted_run import ScriptedModel, ScriptedProvider, make_api, make_parts
from PySide6.QtGui import QImage

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.llm.offline.fill import fill_arguments
from toolplanner_core.runs.engine import run
from toolplanner_core.runs.reading import load_tree
from toolplanner_core.runs.spec import RunSpec
from toolplanner_core.runs.tape.fork import fork
from toolplanner_core.runs.telling.timeline import Timeline
from toolplanner_core.runs.tree.node import Node
from toolplanner_core.strategies.strategy import strategies
from toolplanner_core.workspace import Workspace
from toolplanner_gui.panels.timeline.view import TimelineView
from toolplanner_gui.viewmodels.debug.event_facts import Filter
from toolplanner_gui.viewmodels.debug.event_log_model import EventLogModel


def cpu_ms(work: Callable[[], object]) -> float:
    """What some work costs this thread, in milliseconds."""
    began_s = time.thread_time()
    work()
    return (time.thread_time() - began_s) * 1000


def test_timeline_of_5000_bars_when_zoomed_then_frames_are_quick(
    qapp: Any, qtbot: Any, record_property: Any
) -> None:
    """The target is 16 ms."""
    view = TimelineView()
    qtbot.addWidget(view)
    view.resize(900, 260)
    view.show()
    nodes = {
        path: Node(
            path=path, parent=NodePath(f"step.{i % 4}"), kind="call", title=f"API {i}",
            state=NodeState.FAILED if i % 9 == 0 else NodeState.OK, opened_seq=i,
            started_ns=i * 2_000_000, ended_ns=i * 2_000_000 + 7_000_000,
        )
        for i in range(5000)
        for path in [NodePath(f"step.{i % 4}/call.{i}")]
    }  # fmt: skip
    timeline = Timeline()
    timeline.set_nodes(nodes)
    view.set_timeline(timeline)
    picture = QImage(view.size(), QImage.Format.Format_RGB32)
    frames_ms: list[float] = []
    for factor in (1, 1.5, 2, 4, 8, 8):
        view.zoom(factor)
        frames_ms.append(cpu_ms(lambda: view.render(picture)))
    record_property("timeline_frame_ms", round(max(frames_ms), 1))
    print("frames of 5,000 bars:", ", ".join(f"{t:.0f} ms" for t in frames_ms))
    assert min(frames_ms) < 60


def test_event_log_of_50000_rows_when_shown_and_filtered_then_in_a_moment(
    qapp: Any, record_property: Any
) -> None:
    model = EventLogModel()
    heads = [
        made_head(i, "note" if i % 7 else "call.failed", f"a.{i % 90}") for i in range(1, 50_001)
    ]
    shown_ms = cpu_ms(lambda: model.set_events(heads, {}))
    filtered_ms = cpu_ms(lambda: model.set_filter(Filter(text="failed")))
    record_property("event_log_ms", round(shown_ms))
    print(f"50,000 heads shown in {shown_ms:.0f} ms, filtered in {filtered_ms:.0f} ms")
    assert shown_ms < 500


def test_arguments_when_filled_offline_then_in_milliseconds(record_property: Any) -> None:
    question = replace(FILL, goal="weather there tomorrow")
    fill_arguments(question)
    each_ms = statistics.median(cpu_ms(lambda: fill_arguments(question)) for _ in range(50))
    record_property("offline_fill_ms", round(each_ms, 2))
    print(f"arguments filled in {each_ms:.2f} ms")
    assert each_ms < 20


def test_fork_when_made_at_every_node_then_its_strategy_works_soon(
    workspace: Workspace, record_property: Any
) -> None:
    """The target is 50 ms from the wish until the new run stands in the list and works."""
    kits = {f"Kit {i}": [make_api(f"kit{i}_{j}") for j in range(3)] for i in range(1, 4)}
    plans: list[Any] = [[("a", 1, []), ("b", 2, []), ("c", 3, [1, 2])]]
    parts = make_parts(kits, ScriptedModel(plans=[*plans]), ScriptedProvider())
    done = asyncio.run(run(workspace, RunSpec(query="find"), parts=parts))
    original = strategies.get("tool-planner")
    took_ms: list[float] = []
    for path in [path for path in load_tree(workspace, done.run).nodes if path]:
        began_s = time.perf_counter()

        async def solve(task: Any, scope: Any, options: Any, began_s: float = began_s) -> Any:
            took_ms.append((time.perf_counter() - began_s) * 1000)
            return await original.solve(task, scope, options)

        again = make_parts(
            kits, ScriptedModel(plans=[*plans]), ScriptedProvider(),
            strategy=replace(original, solve=solve),
        )  # fmt: skip
        asyncio.run(run(workspace, fork(workspace, done.run, path), parts=again))
    took_ms.sort()
    median, worst = took_ms[len(took_ms) // 2], took_ms[-1]
    record_property("fork_ms", round(median, 1))
    print(f"fork_ms: median {median:.1f}, max {worst:.1f}, forks {len(took_ms)}")
    assert median < 200
