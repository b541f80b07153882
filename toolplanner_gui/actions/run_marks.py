"""Label, star, delete and bring back runs."""

from collections.abc import Sequence
from dataclasses import replace

from toolplanner_core.domain.ids import RunId
from toolplanner_core.words.wording import counted
from toolplanner_gui.actions.files import flow
from toolplanner_gui.context import AppContext


def label_run(context: AppContext, run: RunId) -> None:
    """Ask for a label and a note."""
    context.shell.open("run_mark", run=run)


@flow
async def star_run(context: AppContext, run: RunId) -> None:
    """Star a run, or take its star away."""
    from toolplanner_core.workspace.run_marks import put_mark, read_mark

    workspace = context.file

    def work() -> None:
        mark = read_mark(workspace, run)
        put_mark(workspace, replace(mark, is_starred=not mark.is_starred))

    await context.tasks.in_thread(work)
    context.run_view.refresh()


@flow
async def delete_these_runs(context: AppContext, runs: Sequence[RunId]) -> None:
    """Take runs out of lists, searches and figures; they can be brought back."""
    from toolplanner_core.workspace.run_marks import delete_runs

    workspace = context.file
    await context.tasks.in_thread(lambda: delete_runs(workspace, runs))
    context.run_view.refresh()
    context.figures.refresh_health()
    context.tell(f"Deleted {counted(len(runs), 'run')}. Run > Bring back deleted runs undoes it.")


@flow
async def bring_back_deleted(context: AppContext) -> None:
    """Bring all deleted runs back."""
    from toolplanner_core.workspace.run_marks import bring_back_runs

    workspace = context.file
    back = await context.tasks.in_thread(lambda: bring_back_runs(workspace))
    context.run_view.refresh()
    context.figures.refresh_health()
    said = f"Brought back {counted(len(back), 'run')}" if back else "No run was deleted"
    context.tell(said)
