"""The Run menu."""

from collections.abc import Sequence

from toolplanner_core.words.wording import one_line
from toolplanner_gui.actions.action import Action, Entry, Menu, Separator, Submenu, to_panel
from toolplanner_gui.actions.run_entries import shown_run_entries, shown_run_exports
from toolplanner_gui.actions.runs_again import ask_and_import
from toolplanner_gui.context import AppContext

_MOST_RUNS = 20


def compare_entries(context: AppContext) -> Sequence[Action]:
    """One entry per run that the run that is looked at can be compared with."""
    run = context.run_view.run
    if run is None:
        return ()
    others = [s for s in context.run_view.summaries if s.run != run][:_MOST_RUNS]
    return [
        Action(
            f"run.compare.{other.run}",
            f"{other.run}  {one_line(other.query, 70)}".replace("&", "&&"),
            "",
            "",
            lambda c, r=run, o=other.run: c.compare_runs(r, o),
        )
        for other in others
    ]


def _shows_a_run(context: AppContext) -> bool:
    return context.run_view.run is not None


def _can_compare(context: AppContext) -> bool:
    return context.run_view.run is not None and len(context.run_view.summaries) > 1


_ENTRIES: tuple[Entry, ...] = (
    Action(
        "run.start",
        "&Run the query",
        "Ctrl+Return",
        "play",
        lambda c: c.shell.start_run(),
        enabled_when=lambda c: not c.run_view.is_live,
    ),
    Action(
        "run.options",
        "Choose &how it runs …",
        "Ctrl+Shift+O",
        "tune-variant",
        lambda c: c.shell.show_run_options(),
    ),
    Action(
        "run.stop",
        "&Stop",
        "Shift+F5",
        "stop",
        lambda c: c.run_view.stop(),
        enabled_when=lambda c: c.run_view.is_live,
    ),
    Action(
        "run.decide",
        "&Decide at the stop",
        "F7",
        "account-edit",
        to_panel("inspector", "decide"),
        enabled_when=lambda c: c.debug.current is not None,
    ),
    Separator(),
    Action("run.find", "&Find runs", "Ctrl+Shift+R", "magnify", to_panel("runs", "find")),
    Submenu("run.compare", "&Compare with", compare_entries, enabled_when=_can_compare),
    Submenu("run.this", "&This run", shown_run_entries, enabled_when=_shows_a_run),
    Submenu("run.export", "&Export this run", shown_run_exports, enabled_when=_shows_a_run),
    Action("run.import", "&Import runs …", "", "import", ask_and_import),
)

PLUGIN = Menu("run", "&Run", 5, _ENTRIES)
