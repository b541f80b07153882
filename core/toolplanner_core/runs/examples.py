"""The example runs of the demo: each strategy on one query, through the real engine.

Who has no language model sees what each system looks like, replays it and steps through it. Calls
are really made, in the demo world; what a model would say is a script (`llm/example.py`), and
whoever shows such a run says so. Made when the demo workspace is made.
"""

import asyncio
import logging

from toolplanner_core.domain.observation import EXAMPLE_MODEL
from toolplanner_core.errors import UserError
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.llm.scripted.known import QUERY
from toolplanner_core.runs.catalogue import WorkspaceCatalogue
from toolplanner_core.runs.demonstrating import save_demonstration
from toolplanner_core.runs.engine import run
from toolplanner_core.runs.graph_keeping import build_graph
from toolplanner_core.runs.spec import RunSpec, RunSummary
from toolplanner_core.runs.trajectories import solved_trajectories
from toolplanner_core.strategies.strategy import DEFAULT_STRATEGY, strategies
from toolplanner_core.workspace import Workspace

_log = logging.getLogger(__name__)


def example_specs() -> list[RunSpec]:
    """The runs, in the order of making; the usual strategy's last, on top of the list."""
    shown = [plugin for plugin in strategies if plugin.example is not None]
    shown.sort(key=lambda plugin: plugin.id == DEFAULT_STRATEGY)
    return [
        RunSpec(
            query=QUERY,
            strategy=plugin.id,
            model=EXAMPLE_MODEL,
            provider="demo",
            options=plugin.example or {},
        )
        for plugin in shown
    ]


def make_examples(workspace: Workspace, *, progress: Progress) -> list[RunSummary]:
    """Make all of them, a demonstration of one, and the graph of what came after what. Blocks for
    a second.

    Raises:
        Cancelled: those that were made stay.
    """
    catalogue = WorkspaceCatalogue(workspace)
    made: list[RunSummary] = []
    specs = example_specs()
    try:
        for spec in specs:
            progress.report("Example runs", len(made), len(specs), unit="runs")
            progress.check()
            try:
                made.append(asyncio.run(run(workspace, spec, catalogue=catalogue)))
            except UserError:  # such as a sandbox that does not start here: the demo goes on
                _log.exception("There is no example run of %s", spec.strategy)
                continue
            if len(made) == 1:  # what others are shown
                save_demonstration(workspace, made[-1].run, tags=("example",))
    finally:
        catalogue.close()
    build_graph(workspace, solved_trajectories(workspace))
    return made
