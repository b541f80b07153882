"""The Run menu."""

from collections.abc import Sequence
from dataclasses import replace

from toolplanner_core.domain.plan import Status
from toolplanner_gui import dialog_commands, panel_commands
from toolplanner_gui.actions.action import (
    Action,
    Menu,
    Separator,
    Submenu,
    rows,
    to_dialog,
    to_panel,
)
from toolplanner_gui.actions.run_actions import (
    ask_and_import,
    bring_back_deleted,
    judge_shown_run,
    save_shown_run,
)
from toolplanner_gui.actions.run_context_menu import (
    COMPARE_TWO,
    compare_entries,
    shown_run_entries,
    shown_run_exports,
)
from toolplanner_gui.context import AppContext


def _compare_entries(context: AppContext) -> Sequence[Action]:
    run = context.run_view.run
    return () if run is None else compare_entries(context, run)


def _shows_none(context: AppContext) -> bool:
    return context.run_view.run is None


def _cannot_compare(context: AppContext) -> bool:
    return context.run_view.run is None or len(context.run_view.summaries) < 2


def _is_live(context: AppContext) -> bool:
    return context.run_view.is_live


def _has_nothing_to_judge(context: AppContext) -> str:
    """Why no model can be asked about the run that is looked at, "" if one can."""
    summary = context.run_view.summary
    if summary is None:
        return "Choose a run in the list of runs first"
    if context.run_view.is_run_live or summary.status is Status.RUNNING:
        return f"Run {summary.run} goes on, or is held"
    return "" if summary.answer else f"Run {summary.run} has no answer"


def _show_options(context: AppContext) -> None:
    context.shell.show_run_options()


def _serving_title(context: AppContext) -> str:
    return "Stop ser&ving agents" if context.serving.is_on else "Ser&ve agents"


def _nothing_waits(context: AppContext) -> bool:
    return not context.serving.waiting


_decide = to_panel(panel_commands.decide_at_stop)
_ENTRIES = rows(
    "run",
    ("start", "&Run the query", "Ctrl+Return", "play", lambda c: c.shell.start_run(), _is_live),
    ("options", "Choose &how it runs …", "Ctrl+Shift+O", "tune-variant", _show_options),
    ("stop", "&Stop", "Shift+F5", "stop", lambda c: c.run_view.stop(), lambda c: not _is_live(c)),
    ("decide", "&Decide at the stop", "F7", "account-edit", _decide, lambda c: not c.debug.current),
    Separator(),
    ("find", "&Find runs", "Ctrl+Shift+R", "magnify", to_panel(panel_commands.find_runs)),
    (
        "calls",
        "Ca&lls of all runs",
        "",
        "phone-outgoing-outline",
        to_panel(panel_commands.focus_attempts),
    ),
    Submenu("Co&mpare with", _compare_entries, _cannot_compare),
    replace(COMPARE_TWO, refused_when=_cannot_compare),
    Submenu("&This run", shown_run_entries, _shows_none),
    Submenu("&Export this run", shown_run_exports, _shows_none),
    Separator(),
    (
        "cases",
        "C&ases",
        "Ctrl+Shift+Y",
        "clipboard-list-outline",
        to_panel(panel_commands.focus_cases),
    ),
    (
        "save_case",
        "Save this run as a &case …",
        "",
        "clipboard-plus-outline",
        save_shown_run,
        lambda c: _shows_none(c) or c.run_view.is_run_live,
    ),
    (
        "judge_answer",
        "&Judge the answer of this run",
        "",
        "gavel",
        judge_shown_run,
        _has_nothing_to_judge,
    ),
    (
        "run_cases",
        "Ru&n all cases",
        "",
        "clipboard-play-outline",
        to_panel(panel_commands.run_all_cases),
        lambda c: c.case_runs.is_running,
    ),
    Separator(),
    Action(
        "run.serve",
        "Ser&ve agents, or stop",
        "Ctrl+Shift+G",
        "robot-outline",
        to_panel(panel_commands.toggle_serving),
        title_now=_serving_title,
    ),
    (
        "serving",
        "What a&gents ask for",
        "Ctrl+Shift+U",
        "robot-outline",
        to_panel(panel_commands.focus_serving),
    ),
    (
        "decide_for_agent",
        "Decide a&bout the call of an agent",
        "Ctrl+Shift+H",
        "account-question-outline",
        to_panel(panel_commands.decide_call_of_agent),
        _nothing_waits,
    ),
    Separator(),
    ("providers", "&Providers and keys …", "", "key-outline", to_dialog(dialog_commands.providers)),
    ("restore", "Bring bac&k deleted runs", "", "restore", bring_back_deleted),
    ("import", "&Import runs …", "", "import", ask_and_import),
)

PLUGIN = Menu("run", "&Run", 5, _ENTRIES)
