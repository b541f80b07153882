"""What can be done with runs and with nodes of a run, as entries of menus."""

from collections.abc import Sequence

from toolplanner_core.domain.ids import NodePath, RunId
from toolplanner_core.domain.plan import Status
from toolplanner_core.runs.config.spec import RunSummary
from toolplanner_core.runs.presentation.run_list import best_comparison, run_line, what_differs
from toolplanner_core.workspace.runs import unfinished_reason
from toolplanner_gui import panel_commands
from toolplanner_gui.actions.action import (
    Action,
    Entry,
    Run,
    Separator,
    Submenu,
    listed,
    rows,
    to_panel,
)
from toolplanner_gui.actions.file_exports import FileForm
from toolplanner_gui.actions.run_actions import (
    FORMATS,
    delete_these_runs,
    export_runs,
    fork_run,
    go_on,
    judge_answer,
    keep_replies,
    label_run,
    replay_run,
    rerun_live,
    save_as_case,
    save_as_demonstration,
    star_run,
    summary_of,
)
from toolplanner_gui.context import AppContext

_ROOT = NodePath("")
_MOST_RUNS = 20
COMPARE_TWO = Action(
    "run.compare_two",
    "Compare the t&wo selected runs",
    "Ctrl+D@debug",
    "compare",
    to_panel(panel_commands.compare_selected_runs),
)


def run_entries(context: AppContext, run: RunId) -> Sequence[Entry]:
    """What can be done with one run."""
    summary = summary_of(context, run)
    is_over = summary is not None and summary.status is not Status.RUNNING
    return (
        *_going_on(run, summary),
        *_doing_again(run, summary),
        *_keeping(run, summary),
        Separator(),
        *_comparing(run, summary),
        _export_menu((run,), is_enabled=is_over),
    )


def _going_on(run: RunId, summary: RunSummary | None) -> Sequence[Entry]:
    if summary is None or summary.status is not Status.INTERRUPTED:
        return ()
    title, icon = "&Go on where it was interrupted", "play-circle-outline"
    return (Action("run.go_on", title, "", icon, lambda c: go_on(c, run), _is_live),)


def _doing_again(run: RunId, summary: RunSummary | None) -> Sequence[Entry]:
    def is_fixed(_context: AppContext) -> bool:
        return not _is_ours_and_over(summary)

    def cannot_begin(context: AppContext) -> bool:
        return is_fixed(context) or _is_live(context)

    def by_step(context: AppContext) -> None:
        rerun_live(context, run, is_stepping=True)

    step_again = "Run again, step &by step …"
    return rows(
        "run",
        ("replay", "&Replay without a call", "", "replay", lambda c: replay_run(c, run), is_fixed),
        ("fork", "&Fork …", "", "source-fork", lambda c: fork_run(c, run, _ROOT), cannot_begin),
        ("again", "Run again &live …", "", "play", lambda c: rerun_live(c, run), cannot_begin),
        ("step_again", step_again, "", "debug-step-over", by_step, cannot_begin),
    )


def _keeping(run: RunId, summary: RunSummary | None) -> Sequence[Entry]:
    """What people write on a run, make of it and do away with."""
    has_answer = summary is not None and bool(summary.answer)

    def goes_on(_context: AppContext) -> str:
        is_over = summary is not None and summary.status is not Status.RUNNING
        return "" if is_over else unfinished_reason(run)

    def is_fixed(_context: AppContext) -> bool:
        return not _is_ours_and_over(summary)

    def cannot_judge(context: AppContext) -> bool:
        return bool(goes_on(context)) or not has_answer

    def demonstrate(context: AppContext) -> None:
        save_as_demonstration(context, run)

    def delete(context: AppContext) -> None:
        delete_these_runs(context, (run,))

    is_starred = summary is not None and summary.is_starred
    star = "Take the &star away" if is_starred else "&Star"
    case, record = "Save as a &case …", "&Keep its replies as recorded calls"
    case_icon, record_icon = "clipboard-plus-outline", "database-outline"
    return rows(
        "run",
        ("label", "Label and &note …", "", "tag-outline", lambda c: label_run(c, run)),
        ("star", star, "", "star-outline", lambda c: star_run(c, run)),
        ("demonstration", "Save as &demonstration", "", "school-outline", demonstrate, goes_on),
        ("case", case, "", case_icon, lambda c: save_as_case(c, run), is_fixed),
        ("judge", "&Judge this answer", "", "gavel", lambda c: judge_answer(c, run), cannot_judge),
        ("record", record, "", record_icon, lambda c: keep_replies(c, (run,)), goes_on),
        ("delete", "Dele&te", "", "delete-outline", delete, goes_on),
    )


def compare_entries(context: AppContext, run: RunId) -> Sequence[Action]:
    """One entry per run that a run can be compared with, the likeliest first."""

    def compare(other: RunId) -> Run:
        return lambda c: c.compare_runs(run, other)

    others = best_comparison(context.run_view.summaries, run)[:_MOST_RUNS]
    differs = what_differs(others)
    lines = {s.run: run_line(s, differs=differs.get(s.run, "")) for s in others}
    found = ((other, line.replace("&", "&&"), compare(other)) for other, line in lines.items())
    return listed("run.compare", found)


def _comparing(run: RunId, summary: RunSummary | None) -> Sequence[Entry]:
    others = Submenu(
        "Co&mpare with",
        lambda c: compare_entries(c, run),
        lambda c: len(c.run_view.summaries) < 2,
    )
    if summary is None or (parent := summary.parent_run) is None:
        return (others,)
    title = f"Compare with its &parent, run {parent}"
    return rows(
        "run",
        ("compare_parent", title, "", "compare", lambda c: c.compare_runs(parent, run)),
        others,
    )


def _is_ours_and_over(summary: RunSummary | None) -> bool:
    if summary is None or summary.is_imported:
        return False
    return summary.status is not Status.RUNNING


def runs_entries(_context: AppContext, runs: Sequence[RunId]) -> Sequence[Entry]:
    """What can be done with several runs."""
    title, icon = f"Dele&te {len(runs):,} runs", "delete-outline"
    delete = Action("runs.delete", title, "", icon, lambda c: delete_these_runs(c, runs))
    compare = (COMPARE_TWO,) if len(runs) == 2 else ()
    return (*compare, _export_menu(runs, is_enabled=True), delete)


def node_entries(context: AppContext, path: NodePath) -> Sequence[Entry]:
    """What can be done with a node of the run that is looked at."""
    run = context.run_view.run
    summary = None if run is None else summary_of(context, run)
    if run is None or summary is None:
        return ()
    is_fixed = summary.status is Status.RUNNING or summary.is_imported
    return (
        Action(
            "node.fork",
            "&Fork here …",
            "",
            "source-fork",
            lambda c: fork_run(c, run, path),
            lambda c: is_fixed or c.run_view.is_live,
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
    return Submenu("&Export", lambda _: _exports(runs), lambda _: not is_enabled)


def _exports(runs: Sequence[RunId]) -> list[Action]:
    def export(form: FileForm) -> Run:
        return lambda context: export_runs(context, runs, form)

    fitting = (each for each in FORMATS if each.id != "html" or len(runs) == 1)
    return listed("run.export", ((each.id, each.title, export(each)) for each in fitting))


def _is_live(context: AppContext) -> bool:
    return context.run_view.is_live
