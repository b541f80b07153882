"""Sixteen agents at work at the same time, live in the Debug layout: AnyTool over a scripted model.

Target (issue 12): no turn of the window's event loop over 50 ms, while a person has selected an
agent. A turn is judged by the thread's own time, in parts of what importing PySide6 and pyqtgraph
takes here; wall times are printed. That the tree stays readable is `tests/gui/panels/
test_live_agents.py`.
"""

# pyright: basic

from pathlib import Path

import pytest
from benchmarks.figures import Figures
from benchmarks.measured_window import Turns, wait, window_of_file
from fixtures.catalogues import add_apis
from fixtures.wild_agents import ENDLESS, WildAgents, many_apis

from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.llm.model import ModelPlugin, models
from toolplanner_core.runs.config.spec import Limits, RunSpec
from toolplanner_core.workspace import Workspace
from toolplanner_gui.context import AppContext

TOGETHER = 16
MOST_MS = 50.0
SPEC = RunSpec(
    query="weather and money", strategy="anytool", model="wild", provider="simulated",
    options={**ENDLESS, "hierarchy": "categories"},
    limits=Limits(max_model_calls=None, max_api_calls=None, max_seconds=None),
)  # fmt: skip


@pytest.mark.slow
def test_window_when_sixteen_agents_work_then_no_turn_is_long(
    qapp, tmp_path: Path, figures: Figures, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = WildAgents(seed=3, delay_s=0.15, finds_enough=0)
    wild = ModelPlugin(id="wild", title="Wild", description="", make=lambda *_: model, is_free=True)
    monkeypatch.setitem(models.plugins, "wild", wild)
    path = tmp_path / "w.toolplanner"
    with Workspace.create(path) as workspace:
        add_apis(workspace, many_apis())
    found: list[tuple[float, int, int]] = []
    what = "live tree of 16 agents: longest turn of the window, own"
    with window_of_file(qapp, path, layout="debug") as context:

        def longest_ms() -> float:
            found.append(watched_run(context))
            print(f"{model.most_together} asking at once")
            return found[-1][0]

        is_quick = figures.middle_ms(what, longest_ms, MOST_MS)
    at_once, rows = (max(each[i] for each in found) for i in (1, 2))
    figures.note("live tree: agents at once", at_once)
    figures.note("live tree: rows of the tree", rows)
    assert at_once >= TOGETHER
    assert is_quick


def watched_run(context: AppContext) -> tuple[float, int, int]:
    """A run while it is looked at: its longest turn of the window, own ms; how many agents worked
    at once; rows of its tree."""
    view = context.run_view
    view.start(SPEC)
    wait(lambda: view.is_live)
    wait(lambda: sum("_agent" in node.kind for node in view.nodes.values()) >= 3)
    view.select_node([n.path for n in view.nodes.values() if "_agent" in n.kind][2])
    turns, at_once = Turns(), 0

    def is_over() -> bool:
        nonlocal at_once
        running = [n for n in view.nodes.values() if n.state is NodeState.RUNNING]
        at_once = max(at_once, sum("_agent" in node.kind for node in running))
        return not view.is_live

    wait(is_over)
    turns.end()
    rows = len(view.nodes)
    own, wall = sorted(turns.own), sorted(turns.wall)
    print(
        f"{at_once} agents at once, {rows} rows;"
        f" turns, own ms: p99 {own[int(len(own) * 0.99)]:.1f}, worst {own[-1]:.1f};"
        f" wall ms: p99 {wall[int(len(wall) * 0.99)]:.1f}, worst {wall[-1]:.1f}"
    )
    return own[-1], at_once, rows
