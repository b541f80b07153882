"""What can be done with runs and with nodes of a run, as entries of menus."""

from collections.abc import Sequence

from toolplanner_core.domain.ids import NodePath, RunId
from toolplanner_core.domain.plan import Status
from toolplanner_gui.actions.action import Action, Entry, Separator, Submenu
from toolplanner_gui.actions.runs_again import (
    FORMATS,
    compare_with_parent,
    export_runs,
    fork_run,
    go_on,
    replay_run,
    rerun_live,
    summary_of,
)
from toolplanner_gui.context import AppContext


def run_entries(context: AppContext, run: RunId) -> Sequence[Entry]:
    """What can be done with one run."""
    summary = summary_of(context, run)
    is_over = summary is not None and summary.status is not Status.RUNNING
    is_ours = summary is not None and not summary.is_imported
    entries: list[Entry] = []
    if summary is not None and summary.status is Status.INTERRUPTED:
        entries.append(
            Action(
                "run.go_on",
                "&Go on where it was interrupted",
                "",
                "play-circle-outline",
                lambda c: go_on(c, run),
                enabled_when=_is_free,
            )
        )
    entries += [
        Action(
            "run.replay",
            "&Replay without a call",
            "",
            "replay",
            lambda c: replay_run(c, run),
            enabled_when=lambda _: is_over and is_ours,
        ),
        Action(
            "run.fork",
            "&Fork …",
            "",
            "source-fork",
            lambda c: fork_run(c, run, NodePath("")),
            enabled_when=lambda c: is_over and is_ours and _is_free(c),
        ),
        Action(
            "run.again",
            "Run again &live …",
            "",
            "play",
            lambda c: rerun_live(c, run),
            enabled_when=lambda c: is_over and is_ours and _is_free(c),
        ),
        Separator(),
    ]
    if summary is not None and summary.parent_run is not None:
        entries.append(
            Action(
                "run.compare_parent",
                f"&Compare with its parent, run {summary.parent_run}",
                "",
                "compare",
                lambda c: compare_with_parent(c, run),
            )
        )
    entries.append(_export_menu((run,), is_enabled=is_over))
    return entries


def runs_entries(_context: AppContext, runs: Sequence[RunId]) -> Sequence[Entry]:
    """What can be done with several runs."""
    return (_export_menu(runs, is_enabled=True),)


def node_entries(context: AppContext, path: NodePath) -> Sequence[Entry]:
    """What can be done with a node of the run that is looked at."""
    run = context.run_view.run
    summary = None if run is None else summary_of(context, run)
    if run is None or summary is None:
        return ()
    is_possible = summary.status is not Status.RUNNING and not summary.is_imported
    return (
        Action(
            "node.fork",
            "&Fork here …",
            "",
            "source-fork",
            lambda c: fork_run(c, run, path),
            enabled_when=lambda c: is_possible and _is_free(c),
        ),
    )


def shown_run_entries(context: AppContext) -> Sequence[Action]:
    """What can be done with the run that is looked at, for the menu bar."""
    run = context.run_view.run
    found = () if run is None else run_entries(context, run)
    return [entry for entry in found if isinstance(entry, Action)]


def shown_run_exports(context: AppContext) -> Sequence[Action]:
    """The ways to export the run that is looked at, for the menu bar."""
    run = context.run_view.run
    return () if run is None else _exports((run,))


def _export_menu(runs: Sequence[RunId], *, is_enabled: bool) -> Submenu:
    return Submenu(
        "run.export", "&Export", lambda _: _exports(runs), enabled_when=lambda _: is_enabled
    )


def _exports(runs: Sequence[RunId]) -> list[Action]:
    return [
        Action(
            f"run.export.{format_id}", title, "", "", lambda c, f=format_id: export_runs(c, runs, f)
        )
        for format_id, title, _ in FORMATS
        if format_id != "html" or len(runs) == 1
    ]


def _is_free(context: AppContext) -> bool:
    return not context.run_view.is_live
