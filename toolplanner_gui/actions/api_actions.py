"""What can be done with the selected API: say what its calls may do, check its health."""

from collections.abc import Sequence

from toolplanner_core.domain.api import Risk
from toolplanner_core.risk_overrides import override_risk, risk_overrides
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace.catalogue import apis_by_rowid
from toolplanner_gui import panel_commands
from toolplanner_gui.actions.action import Action, Run, listed
from toolplanner_gui.actions.file_exports import spawned
from toolplanner_gui.bridge.standard_dialogs import confirm
from toolplanner_gui.context import AppContext

RISK_WORDS = {
    Risk.READ: "only reads",
    Risk.WRITE: "writes",
    Risk.DESTRUCTIVE: "may delete or pay",
}


def risk_entries(context: AppContext) -> Sequence[Action]:
    """What can be said of the API that is selected."""
    api = next(iter(apis_by_rowid(context.file, _rowids(context)).values()), None)
    if api is None:
        return ()
    said = risk_overrides().get(api.id)
    documented = api.risk if said is None else said.documented

    def saying(risk: Risk | None) -> Run:
        return lambda context: change_risk(context, risk)

    found: list[tuple[object, str, Run]] = [
        (risk, f"{RISK_WORDS[risk].capitalize()}{' ✓' if risk is api.risk else ''}", saying(risk))
        for risk in Risk
    ]
    found.append(("documented", f"As documented: {RISK_WORDS[documented]}", saying(None)))
    return listed("curate.risk", found)


@spawned
async def change_risk(context: AppContext, risk: Risk | None) -> None:
    """Say it, after a question where less would ask for leave."""
    workspace, rowids = context.file, _rowids(context)
    found = await context.tasks.in_thread(lambda: apis_by_rowid(workspace, rowids))
    api = next(iter(found.values()), None)
    if api is None:
        return
    said = risk_overrides().get(api.id)
    after = risk or (api.risk if said is None else said.documented)
    if after.level < api.risk.level and not await confirm(
        context.shell.window_widget,
        f"Let calls of {api.title} ask less?",
        why=f"Now it {RISK_WORDS[api.risk]}, and such calls ask first. You would say that it"
        f" {RISK_WORDS[after]}. It counts for you, on this machine, as long as the API is"
        " documented as it is now; Run > Providers and keys > Leave takes it back.",
        yes="Lower the risk",
    ):
        return
    await context.tasks.in_thread(lambda: override_risk(api, risk))
    context.show_message(f"{api.title} {RISK_WORDS[after]}, as you said")
    context.selection.select_apis(rowids)
    context.shell.call_panel(panel_commands.refresh_details)


def _rowids(context: AppContext) -> list[int]:
    return [int(each) for each in context.chosen.rowids[:1]]


_MOST_CHECKED = 500


@spawned
async def check_health(context: AppContext) -> None:
    """Call the selected APIs that only read, once each, after saying which."""
    from toolplanner_core.runs.preview.health_check import health_check

    workspace, rowids = context.file, [int(each) for each in context.chosen.rowids[:_MOST_CHECKED]]
    found = await context.tasks.in_thread(lambda: health_check(workspace, rowids))
    if not found.apis:
        context.show_message(found.words)
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
