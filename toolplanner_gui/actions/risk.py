"""Say what calls of the selected API may do: it decides what asks for leave. To lower it warns."""

from collections.abc import Sequence

from toolplanner_core.domain.api import Risk
from toolplanner_core.risks import said_risks, say_risk
from toolplanner_core.workspace.catalogue import apis_by_rowid
from toolplanner_gui.actions.action import Action, Run, listed
from toolplanner_gui.actions.files import flow
from toolplanner_gui.bridge.questions import confirm
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
    said = said_risks().get(api.id)
    documented = api.risk if said is None else said.documented

    def saying(risk: Risk | None) -> Run:
        return lambda context: change_risk(context, risk)

    found: list[tuple[object, str, Run]] = [
        (risk, f"{RISK_WORDS[risk].capitalize()}{' ✓' if risk is api.risk else ''}", saying(risk))
        for risk in Risk
    ]
    found.append(("documented", f"As documented: {RISK_WORDS[documented]}", saying(None)))
    return listed("curate.risk", found)


@flow
async def change_risk(context: AppContext, risk: Risk | None) -> None:
    """Say it, after a question where less would ask for leave."""
    workspace, rowids = context.file, _rowids(context)
    found = await context.tasks.in_thread(lambda: apis_by_rowid(workspace, rowids))
    api = next(iter(found.values()), None)
    if api is None:
        return
    said = said_risks().get(api.id)
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
    await context.tasks.in_thread(lambda: say_risk(api, risk))
    context.tell(f"{api.title} {RISK_WORDS[after]}, as you said")
    context.selection.select_apis(rowids)
    context.shell.call_panel("details", "refresh")


def _rowids(context: AppContext) -> list[int]:
    return [int(each) for each in context.chosen.rowids[:1]]
