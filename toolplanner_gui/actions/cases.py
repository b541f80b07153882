"""Save a run as a case, and run all cases."""

from toolplanner_core.domain.ids import RunId
from toolplanner_gui.actions.files import flow
from toolplanner_gui.context import AppContext


@flow
async def save_as_case(context: AppContext, run: RunId) -> None:
    """Ask what must be true of later runs of this query."""
    from toolplanner_core.runs.case_keeping import draft_case

    workspace = context.file
    draft = await context.tasks.in_thread(lambda: draft_case(workspace, run))
    context.shell.open("case", draft=draft)


def save_shown_run(context: AppContext) -> None:
    """Save the run that is looked at as a case."""
    if context.run_view.run is not None:
        save_as_case(context, context.run_view.run)
