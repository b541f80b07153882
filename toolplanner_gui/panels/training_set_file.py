"""Write a training set for a planner, made of all demonstrations, to a file.

Called by the panel of demonstrations.
"""

from pathlib import Path

import platformdirs

from toolplanner_core.jobs.progress import Progress
from toolplanner_core.workspace import Workspace
from toolplanner_gui.bridge.questions import choose_new_file
from toolplanner_gui.context import AppContext

_FILTERS = "Training sets (*.jsonl)"


def export_training_set(context: AppContext) -> None:
    """Ask for a file, and write a training set there."""
    workspace = context.file
    place = platformdirs.user_documents_path() / "training-set.jsonl"

    async def flow() -> None:
        parent = context.shell.window_widget
        for chosen in await choose_new_file(parent, "Export", place, _FILTERS):
            write_training_set(context, workspace, chosen)

    context.tasks.spawn(flow(), owner=context)


def write_training_set(context: AppContext, workspace: Workspace, place: Path) -> None:
    """Write a training set as a job, and say what is in it."""

    def work(progress: Progress) -> list[str]:
        from toolplanner_core.training.finetuning import tuning_set
        from toolplanner_core.training.tuning_words import tuning_lines
        from toolplanner_core.workspace.export_file import write_file

        progress.report("Writing a training set", 0, None)
        lines, report = tuning_set(workspace)
        write_file((f"{line}\n" for line in lines), place)
        return list(tuning_lines(report))

    def tell(said: list[str]) -> None:
        context.tell(f"Wrote {place}: {'. '.join(said)}")

    context.start_job(f"Writing {place.name}", work, tell)
