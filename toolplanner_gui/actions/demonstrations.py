"""Save a run as a demonstration for the strategy that shows some to its model."""

from toolplanner_core.domain.ids import RunId
from toolplanner_core.words.wording import counted, one_line
from toolplanner_gui.actions.files import flow
from toolplanner_gui.context import AppContext


@flow
async def save_as_demonstration(context: AppContext, run: RunId) -> None:
    """Save a run as a demonstration, and say what is in it."""
    from toolplanner_core.runs.demonstrating import save_demonstration

    workspace = context.file
    made = await context.tasks.in_thread(lambda: save_demonstration(workspace, run))
    context.run_view.refresh()  # who lists demonstrations reads them again
    steps = counted(len(made.steps), "step")
    context.tell(f"Demonstration {made.id}: {one_line(made.query, 60)}, {steps}")
