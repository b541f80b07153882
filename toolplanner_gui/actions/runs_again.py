"""Replay, fork, go on, re-run live, compare with the parent, export, import: runs from the window.

Each is a flow that asks what must be asked, works off the GUI thread and shows what came out.
"""

import contextlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from toolplanner_core.domain.ids import NodePath, RunId
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.runs.spec import RunSpec, RunSummary
from toolplanner_core.words.wording import counted
from toolplanner_gui.actions.files import FileForm, ask_where, flow, write_later
from toolplanner_gui.bridge.questions import choose_files, confirm
from toolplanner_gui.context import AppContext

if TYPE_CHECKING:
    from toolplanner_core.runs.importing.reading import RunImportReport

FORMATS = (
    FileForm("jsonl", "JSON lines, without loss …", ".jsonl", "ToolPlanner runs (*.jsonl)"),
    FileForm("html", "HTML page for reading …", ".html", "Web pages (*.html)"),
    FileForm("recorded", "Recorded calls …", ".jsonl", "Recorded calls (*.jsonl)"),
    FileForm("otlp", "OpenTelemetry JSON …", ".json", "OTLP JSON (*.json)"),
)
_IMPORTED = "Runs (*.jsonl *.json *.gz);;All files (*)"


def replay_run(context: AppContext, run: RunId) -> None:
    """Replay a run from its log, without a call, and say whether it is the same."""
    workspace, doing = context.file, f"Replaying run {run}"

    def work(progress: Progress) -> object:
        from toolplanner_core.runs.tape.replay import replay

        progress.report(doing, 0, 0)
        return replay(workspace, run)

    context.start_job(doing, work, lambda report: context.shell.open("replay", report=report))


def fork_run(context: AppContext, run: RunId, path: NodePath) -> None:
    """Ask what shall be different from a node on, and start the new run."""
    context.shell.open("fork", run=run, path=path)


@flow
async def go_on(context: AppContext, run: RunId) -> None:
    """Go on with an interrupted run; calls that may have happened are listed first."""
    from toolplanner_core.runs.tape import fork
    from toolplanner_core.runs.telling.run_again import calls_in_doubt, say_calls

    workspace = context.file
    doubtful = await context.tasks.in_thread(lambda: calls_in_doubt(workspace, run))
    if doubtful and not await confirm(
        context.shell.window_widget,
        f"Go on with run {run}?",
        why=f"{counted(len(doubtful), 'call')} may have happened before it was"
        f" interrupted:\n{say_calls(doubtful)}",
        yes="Go on",
    ):
        return
    _start(context, await context.tasks.in_thread(lambda: fork.go_on(workspace, run)))


@flow
async def rerun_live(context: AppContext, run: RunId, *, is_stepping: bool = False) -> None:
    """Run the same again with real calls, after saying what that cost the first time.

    Args:
        is_stepping: it holds at its first step.
    """
    from toolplanner_core.runs.tape.fork import estimate_rerun, fork
    from toolplanner_core.runs.telling.run_again import say_estimate

    workspace = context.file
    spec = await context.tasks.in_thread(lambda: fork(workspace, run, NodePath("")))
    estimate = await context.tasks.in_thread(lambda: estimate_rerun(workspace, run))
    if await confirm(
        context.shell.window_widget,
        f"Run the query of run {run} again, live?",
        why=f"It took {say_estimate(estimate)}. All calls are really made again,"
        " also those that change something. A replay makes none.",
        yes="Step through it" if is_stepping else "Run again",
    ):
        context.debug.set_step_at_start(is_stepping)
        _start(context, spec)


@flow
async def export_runs(context: AppContext, runs: Sequence[RunId], form: FileForm) -> None:
    """Ask for a file name and write runs there."""
    name = f"run-{runs[0]}" if len(runs) == 1 else f"runs-{min(runs)}-{max(runs)}"
    for place in await ask_where(context, form, name):
        export_to(context, runs, form.id, place)


def export_to(context: AppContext, runs: Sequence[RunId], format_id: str, place: Path) -> None:
    """Write runs to a file as a job."""
    workspace = context.file

    def parts() -> Iterable[str]:
        from toolplanner_core.runs.export.writing import export_parts

        # A person who exports to another tool wants what was said, not names only.
        return export_parts(workspace, runs, format_id, content=True)

    write_later(context, parts, place, what=counted(len(runs), "run"))


@flow
async def keep_replies(context: AppContext, runs: Sequence[RunId]) -> None:
    """Let the replies of runs answer other runs, and say what was kept."""
    from toolplanner_core.runs.export.recorded import keep_recordings, told_recordings

    workspace = context.file
    kept = await context.tasks.in_thread(lambda: keep_recordings(workspace, runs))
    after = " Choose the provider Recorded calls to run with them." if kept.recordings else ""
    context.tell(told_recordings(kept) + after)


@flow
async def ask_and_import(context: AppContext) -> None:
    """Ask for files with runs, and add them."""
    for path in await choose_files(context.shell.window_widget, "Import runs", _IMPORTED):
        import_runs_from(context, path)


def import_runs_from(context: AppContext, path: Path) -> None:
    """Add the runs of a file as a job, and look at the first of them."""
    workspace = context.file

    def work(progress: Progress) -> "RunImportReport":
        from toolplanner_core.errors import BadInput, Cancelled
        from toolplanner_core.runs.importing.reading import import_runs
        from toolplanner_core.runs.searching.search import index_stale_runs

        report = import_runs(workspace, path, progress=progress)
        if not report.runs and report.rejected:
            first = report.rejected[0]
            raise BadInput("No run could be read", where=first.where, why=first.why)
        # Here, where it is seen how far it is: the first search need not wait for it. Whoever
        # stops it has the runs all the same.
        with contextlib.suppress(Cancelled):
            index_stale_runs(workspace, progress=progress)
        return report

    def show(report: "RunImportReport") -> None:
        context.run_view.refresh()
        rejected = f"; {len(report.rejected):,} could not be read" if report.rejected else ""
        context.tell(
            f"Imported {counted(len(report.runs), 'run')} with"
            f" {counted(report.events, 'event')}{rejected}"
        )
        if report.runs:
            context.shell.show_layout("debug")
            context.run_view.show_run(report.runs[0])

    context.start_job(f"Importing runs from {path.name}", work, show)


def _start(context: AppContext, spec: RunSpec) -> None:
    context.shell.show_layout("debug")
    context.run_view.start(spec)


def summary_of(context: AppContext, run: RunId) -> RunSummary | None:
    """The totals of a run of the list, None for one that is not there."""
    return next((s for s in context.run_view.summaries if s.run == run), None)
