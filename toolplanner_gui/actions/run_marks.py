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
    context.deleted_runs.note(runs)
    context.run_view.refresh()
    context.figures.refresh_health()
    context.tell(f"Deleted {counted(len(runs), 'run')}. Edit > Undo takes that back.")


@flow
async def bring_back_deleted(context: AppContext) -> None:
    """Bring all deleted runs back."""
    context.deleted_runs.forget()
    await _bring_back(context, None)


def undo(context: AppContext) -> None:
    """Take back what was done last here: runs that were deleted, else the last edit."""
    if context.deleted_runs.label:
        _bring_back_newest(context)
    else:
        context.curation.undo()


@flow
async def _bring_back_newest(context: AppContext) -> None:
    await _bring_back(context, context.deleted_runs.take_newest())


async def _bring_back(context: AppContext, runs: Sequence[RunId] | None) -> None:
    from toolplanner_core.workspace.run_marks import bring_back_runs

    workspace = context.file
    back = await context.tasks.in_thread(lambda: bring_back_runs(workspace, runs))
    context.run_view.refresh()
    context.figures.refresh_health()
    if len(back) == 1:
        context.run_view.show_run(back[0])
    said = f"Brought back {counted(len(back), 'run')}" if back else "No run was deleted"
    context.tell(said)
