"""The Run menu."""

from collections.abc import Sequence

from toolplanner_core.words.wording import one_line
from toolplanner_gui.actions.action import Action, Menu, Separator, Submenu
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
            id=f"run.compare.{other.run}",
            title=f"{other.run}  {one_line(other.query, 70)}".replace("&", "&&"),
            run=lambda c, r=run, o=other.run: c.compare_runs(r, o),
        )
        for other in others
    ]


def _shows_a_run(context: AppContext) -> bool:
    return context.run_view.run is not None


def _can_compare(context: AppContext) -> bool:
    return context.run_view.run is not None and len(context.run_view.summaries) > 1


PLUGIN = Menu(
    id="run",
    title="&Run",
    order=5,
    entries=(
        Action(
            id="run.start",
            title="&Run the query",
            shortcut="Ctrl+Return",
            icon="play",
            run=lambda c: c.shell.start_run(),
            enabled_when=lambda c: not c.run_view.is_live,
        ),
        Action(
            id="run.options",
            title="Choose &how it runs …",
            shortcut="Ctrl+Shift+O",
            icon="tune-variant",
            run=lambda c: c.shell.show_run_options(),
        ),
        Action(
            id="run.stop",
            title="&Stop",
            shortcut="Shift+F5",
            icon="stop",
            run=lambda c: c.run_view.stop(),
            enabled_when=lambda c: c.run_view.is_live,
        ),
        Action(
            id="run.decide",
            title="&Decide at the stop",
            shortcut="F7",
            icon="account-edit",
            run=lambda c: c.shell.call_panel("inspector", "decide"),
            enabled_when=lambda c: c.debug.current is not None,
        ),
        Separator(),
        Action(
            id="run.find",
            title="&Find runs",
            shortcut="Ctrl+Shift+R",
            icon="magnify",
            run=lambda c: c.shell.call_panel("runs", "find"),
        ),
        Submenu(
            id="run.compare",
            title="&Compare with",
            entries=compare_entries,
            enabled_when=_can_compare,
        ),
        Submenu(
            id="run.this",
            title="&This run",
            entries=shown_run_entries,
            enabled_when=_shows_a_run,
        ),
        Submenu(
            id="run.export",
            title="&Export this run",
            entries=shown_run_exports,
            enabled_when=_shows_a_run,
        ),
        Action(
            id="run.import",
            title="&Import runs …",
            icon="import",
            run=ask_and_import,
        ),
    ),
)
