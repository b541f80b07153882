"""Make the demo workspace: invented vendors, toolkits curated by hand, cases, a map, and an example
run of each strategy, through the real engine.

Who has no language model sees what each system looks like, replays it and steps through it. Calls
are really made, in the demo world; what a model would say is a script (`llm/example.py`), and
whoever shows such a run says so. Called by `toolplanner new --demo`, `toolplanner self-test` and
the window's welcome page.
"""

import asyncio
import logging
from pathlib import Path

from toolplanner_core.curation.grouping.prepare import prepare
from toolplanner_core.domain.observation import EXAMPLE_MODEL
from toolplanner_core.errors import UserError, WorkspaceExists
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.llm.example import QUERY
from toolplanner_core.providers.demo.filling import fill_demo_workspace
from toolplanner_core.runs.catalogue.workspace_catalogue import WorkspaceCatalogue
from toolplanner_core.runs.config.spec import RunSpec, RunSummary
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.runs.export.demonstrations import save_demonstration
from toolplanner_core.runs.graph.tool_graph import build_graph
from toolplanner_core.runs.graph.trajectories import answered_trajectories
from toolplanner_core.strategies.interface.strategy import DEFAULT_STRATEGY, strategies
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
    build_graph(workspace, answered_trajectories(workspace))
    return made


def make_demo_workspace(path: Path, *, progress: Progress) -> None:
    """Make the file; it appears under its name only when it is complete. Blocks for seconds.

    Raises:
        WorkspaceExists: there is a file already.
        WorkspaceError: the folder cannot be written.
        Cancelled, WorkerDied: nothing is left behind.
    """
    path = Path(path)
    if path.exists():
        raise WorkspaceExists(
            "There is a file already", where=str(path), todo="Choose another name"
        )
    part = path.with_name(f"{path.name}.part")
    part.unlink(missing_ok=True)
    try:
        with Workspace.create(part) as workspace:
            fill_demo_workspace(workspace, progress=progress)
            prepare(workspace, progress=progress)
            make_examples(workspace, progress=progress)
        part.replace(path)
    finally:
        for left in path.parent.glob(f"{part.name}*"):
            left.unlink()
