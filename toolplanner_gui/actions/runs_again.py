"""Replay, fork, go on, re-run live, compare with the parent, export, import: runs from the window.

Each is a flow that asks what must be asked, works off the GUI thread and shows what came out.
"""

import contextlib
from collections.abc import Sequence
from pathlib import Path

import platformdirs

from toolplanner_core.domain.ids import NodePath, RunId
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.runs.spec import RunSpec, RunSummary
from toolplanner_core.runs.telling.run_again import calls_in_doubt, say_calls, say_estimate
from toolplanner_core.words.wording import counted
from toolplanner_gui.bridge.questions import choose_files, choose_new_file, confirm
from toolplanner_gui.context import AppContext

FORMATS = (
    ("jsonl", "JSON lines, without loss …", "ToolPlanner runs (*.jsonl)"),
    ("html", "HTML page for reading …", "Web pages (*.html)"),
    ("otlp", "OpenTelemetry JSON …", "OTLP JSON (*.json)"),
)
_SUFFIXES = {"jsonl": ".jsonl", "html": ".html", "otlp": ".json"}
_IMPORTED = "Runs (*.jsonl *.json *.gz);;All files (*)"


def replay_run(context: AppContext, run: RunId) -> None:
    """Replay a run from its log, without a call, and say whether it is the same."""
    workspace = context.workspace
    if workspace is None:
        return

    def work(progress: Progress) -> object:
        from toolplanner_core.runs.tape.replay import replay

        progress.report(f"Replaying run {run}", 0, 0)
        return replay(workspace, run)

    job = context.jobs.start(f"Replaying run {run}", work)
    job.succeeded.connect(lambda report: context.shell.open("replay", report=report))
    job.failed.connect(lambda error: context.job_failed(job, error))


def fork_run(context: AppContext, run: RunId, path: NodePath) -> None:
    """Ask what shall be different from a node on, and start the new run."""
    context.shell.open("fork", run=run, path=path)


def go_on(context: AppContext, run: RunId) -> None:
    """Go on with an interrupted run; calls that may have happened are listed first."""

    async def flow() -> None:
        from toolplanner_core.runs.tape import fork

        workspace = context.workspace
        if workspace is None:
            return
        doubtful = await context.tasks.in_thread(lambda: calls_in_doubt(workspace, run))
        if doubtful:
            yes = await confirm(
                context.shell.window_widget,
                f"Go on with run {run}?",
                why=f"{counted(len(doubtful), 'call')} may have happened before it was"
                f" interrupted:\n{say_calls(doubtful)}",
                yes="Go on",
            )
            if not yes:
                return
        spec = await context.tasks.in_thread(lambda: fork.go_on(workspace, run))
        _start(context, spec)

    context.tasks.spawn(flow(), owner=context)


def rerun_live(context: AppContext, run: RunId) -> None:
    """Run the same again with real calls, after saying what that cost the first time."""

    async def flow() -> None:
        from toolplanner_core.runs.tape.fork import estimate_rerun, fork

        workspace = context.workspace
        if workspace is None:
            return
        spec = await context.tasks.in_thread(lambda: fork(workspace, run, NodePath("")))
        estimate = await context.tasks.in_thread(lambda: estimate_rerun(workspace, run))
        yes = await confirm(
            context.shell.window_widget,
            f"Run the query of run {run} again, live?",
            why=f"It took {say_estimate(estimate)}. All calls are really made again,"
            " also those that change something. A replay makes none.",
            yes="Run again",
        )
        if yes:
            _start(context, spec)

    context.tasks.spawn(flow(), owner=context)


def compare_with_parent(context: AppContext, run: RunId) -> None:
    """Show how a fork differs from the run it came from."""
    parent = summary_of(context, run)
    if parent is not None and parent.parent_run is not None:
        context.compare_runs(parent.parent_run, run)


def export_runs(context: AppContext, runs: Sequence[RunId], format_id: str) -> None:
    """Ask for a file name and write runs there."""
    filters = next(f for i, _, f in FORMATS if i == format_id)
    name = f"run-{runs[0]}" if len(runs) == 1 else f"runs-{min(runs)}-{max(runs)}"

    async def flow() -> None:
        chosen = await choose_new_file(
            context.shell.window_widget,
            "Export",
            suffix=_SUFFIXES[format_id],
            suggestion=platformdirs.user_documents_path() / f"{name}{_SUFFIXES[format_id]}",
            filters=filters,
        )
        for place in chosen:
            export_to(context, runs, format_id, place)

    context.tasks.spawn(flow(), owner=context)


def export_to(context: AppContext, runs: Sequence[RunId], format_id: str, place: Path) -> None:
    """Write runs to a file as a job."""
    workspace = context.workspace
    if workspace is None:
        return

    def work(progress: Progress) -> int:
        from toolplanner_core.runs.export.writing import export_parts
        from toolplanner_core.workspace.export_file import write_file

        progress.report(f"Exporting {counted(len(runs), 'run')}", 0, 0)
        # A person who exports to another tool wants what was said, not names only.
        return write_file(export_parts(workspace, runs, format_id, content=True), place)

    job = context.jobs.start(f"Exporting to {place.name}", work)
    job.succeeded.connect(lambda size: context.tell(f"Wrote {place}, {size / 1000:,.1f} kB"))
    job.failed.connect(lambda error: context.job_failed(job, error))


def ask_and_import(context: AppContext) -> None:
    """Ask for files with runs, and add them."""

    async def flow() -> None:
        parent = context.shell.window_widget
        for path in await choose_files(parent, "Import runs", filters=_IMPORTED):
            import_runs_from(context, path)

    context.tasks.spawn(flow(), owner=context)


def import_runs_from(context: AppContext, path: Path) -> None:
    """Add the runs of a file as a job, and look at the first of them."""
    workspace = context.workspace
    if workspace is None:
        return

    def work(progress: Progress) -> object:
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

    def show(report: object) -> None:
        from toolplanner_core.runs.importing.reading import RunImportReport

        assert isinstance(report, RunImportReport)
        context.run_view.refresh()
        rejected = f"; {len(report.rejected):,} could not be read" if report.rejected else ""
        context.tell(
            f"Imported {counted(len(report.runs), 'run')} with"
            f" {counted(report.events, 'event')}{rejected}"
        )
        if report.runs:
            context.shell.show_layout("debug")
            context.run_view.show_run(report.runs[0])

    job = context.jobs.start(f"Importing runs from {path.name}", work)
    job.succeeded.connect(show)
    job.failed.connect(lambda error: context.job_failed(job, error))


def _start(context: AppContext, spec: RunSpec) -> None:
    context.shell.show_layout("debug")
    context.run_view.start(spec)


def summary_of(context: AppContext, run: RunId) -> RunSummary | None:
    """The totals of a run of the list, None for one that is not there."""
    return next((s for s in context.run_view.summaries if s.run == run), None)
