"""Make the demo workspace: invented vendors, toolkits curated by hand, cases, a map, and an example
run of each strategy.

Called by `toolplanner new --demo`, `toolplanner self-test` and the window's welcome page.
"""

from pathlib import Path

from toolplanner_core.curation.grouping.prepare import prepare
from toolplanner_core.errors import WorkspaceExists
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.providers.demo.filling import fill_demo_workspace
from toolplanner_core.runs.examples import make_examples
from toolplanner_core.workspace import Workspace


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
