"""Check the health of what is selected: ask, then call what only reads, as a run like any other."""

from toolplanner_core.words.wording import counted
from toolplanner_gui.actions.files import flow
from toolplanner_gui.bridge.questions import confirm
from toolplanner_gui.context import AppContext

_MOST_CHECKED = 500


@flow
async def check_health(context: AppContext) -> None:
    """Call the selected APIs that only read, once each, after saying which."""
    from toolplanner_core.runs.health_check import health_check

    workspace, rowids = context.file, [int(each) for each in context.chosen.rowids[:_MOST_CHECKED]]
    found = await context.tasks.in_thread(lambda: health_check(workspace, rowids))
    if not found.apis:
        context.tell(found.words)
    elif await confirm(
        context.shell.window_widget,
        f"Call {counted(len(found.apis), 'API')}, once each?",
        why=f"{found.words}\n\n{found.listed}",
        yes="Call",
    ):
        context.shell.show_layout("debug")
        context.run_view.start(found.spec)


def cannot_check(context: AppContext) -> str:
    """Why not now, "" if it can be."""
    if context.run_view.is_live:
        return "A run goes on"
    return "" if len(context.chosen.rowids) else "Select APIs or toolkits first"
