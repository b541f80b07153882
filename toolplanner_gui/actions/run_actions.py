"""What can be done with runs: replay, fork, go on, export, import, mark, delete, keep as a case.

Replay, fork, go on, re-run live, compare with the parent, export, import: runs from the window.
Each is a flow that asks what must be asked, works off the GUI thread and shows what came out.
"""

import contextlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from toolplanner_core.domain.ids import NodePath, RunId
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.runs.config.spec import RunSpec, RunSummary
from toolplanner_core.words.formatting import counted, one_line
from toolplanner_gui import dialog_commands
from toolplanner_gui.actions.file_exports import FileForm, ask_where, spawned, write_later
from toolplanner_gui.bridge.standard_dialogs import choose_files, confirm
from toolplanner_gui.context import AppContext

if TYPE_CHECKING:
    from toolplanner_core.runs.importing.reading import RunImportReport
    from toolplanner_core.runs.replay.replay import ReplayReport


def label_run(context: AppContext, run: RunId) -> None:
    """Ask for a label and a note."""
    context.shell.open(dialog_commands.label_run, run=run)


@spawned
async def star_run(context: AppContext, run: RunId) -> None:
    """Star a run, or take its star away."""
    from toolplanner_core.workspace.runs import put_mark, read_mark

    workspace = context.file

    def work() -> None:
        mark = read_mark(workspace, run)
        put_mark(workspace, replace(mark, is_starred=not mark.is_starred))

    await context.tasks.in_thread(work)
    context.run_view.refresh()


@spawned
async def delete_these_runs(context: AppContext, runs: Sequence[RunId]) -> None:
    """Take runs out of lists, searches and figures; they can be brought back."""
    from toolplanner_core.workspace.runs import delete_runs

    workspace = context.file
    await context.tasks.in_thread(lambda: delete_runs(workspace, runs))
    context.deleted_runs.note(runs)
    context.run_view.refresh()
    context.figures.refresh_health()
    context.show_message(f"Deleted {counted(len(runs), 'run')}. Edit > Undo takes that back.")


@spawned
async def bring_back_deleted(context: AppContext) -> None:
    """Bring all deleted runs back."""
    context.deleted_runs.forget()
    await _bring_back(context, None)


def undo(context: AppContext) -> None:
    """Take back what was done last here: runs that were deleted, else the last edit."""
    if context.deleted_runs.label:
        _bring_back_newest(context)
    else:
        context.curation.undo()


@spawned
async def _bring_back_newest(context: AppContext) -> None:
    await _bring_back(context, context.deleted_runs.take_newest())


async def _bring_back(context: AppContext, runs: Sequence[RunId] | None) -> None:
    from toolplanner_core.workspace.runs import bring_back_runs

    workspace = context.file
    back = await context.tasks.in_thread(lambda: bring_back_runs(workspace, runs))
    context.run_view.refresh()
    context.figures.refresh_health()
    if len(back) == 1:
        context.run_view.show_run(back[0])
    said = f"Brought back {counted(len(back), 'run')}" if back else "No run was deleted"
    context.show_message(said)


@spawned
async def save_as_case(context: AppContext, run: RunId) -> None:
    """Ask what must be true of later runs of this query."""
    from toolplanner_core.cases.case_drafts import draft_case

    workspace = context.file
    draft = await context.tasks.in_thread(lambda: draft_case(workspace, run))
    context.shell.open(dialog_commands.edit_case, draft=draft)


def save_shown_run(context: AppContext) -> None:
    """Save the run that is looked at as a case."""
    if context.run_view.run is not None:
        save_as_case(context, context.run_view.run)


@spawned
async def save_as_demonstration(context: AppContext, run: RunId) -> None:
    """Save a run as a demonstration, and say what is in it."""
    from toolplanner_core.runs.export.demonstrations import save_demonstration

    workspace = context.file
    made = await context.tasks.in_thread(lambda: save_demonstration(workspace, run))
    context.run_view.refresh()  # who lists demonstrations reads them again
    steps = counted(len(made.steps), "step")
    context.show_message(f"Demonstration {made.id}: {one_line(made.query, 60)}, {steps}")


def judge_shown_run(context: AppContext) -> None:
    """Have a model judge the answer of the run that is looked at."""
    if context.run_view.run is not None:
        judge_answer(context, context.run_view.run)


def judge_answer(context: AppContext, run: RunId) -> None:
    """Have a model judge an answer; what it says is shown beside it."""
    workspace, doing = context.file, f"Judging the answer of run {run}"

    def work(progress: Progress) -> str:
        from toolplanner_core.runs.judging.verdicts import judge_run
        from toolplanner_core.runs.tree.formatting import judged_words

        progress.report(doing, 0, 0)
        return judged_words(judge_run(workspace, run).to_json())

    def show(words: str) -> None:
        context.run_view.refresh()
        context.show_message(words)

    context.start_job(doing, work, show)


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

    def work(progress: Progress) -> "ReplayReport":
        from toolplanner_core.runs.replay.replay import replay

        progress.report(doing, 0, 0)
        return replay(workspace, run)

    context.start_job(
        doing, work, lambda report: context.shell.open(dialog_commands.replay_report, report=report)
    )


def fork_run(context: AppContext, run: RunId, path: NodePath) -> None:
    """Ask what shall be different from a node on, and start the new run."""
    context.shell.open(dialog_commands.fork_run, run=run, path=path)


@spawned
async def go_on(context: AppContext, run: RunId) -> None:
    """Go on with an interrupted run; calls that may have happened are listed first."""
    from toolplanner_core.runs.presentation.run_again import calls_in_doubt, describe_calls
    from toolplanner_core.runs.replay import fork

    workspace = context.file
    doubtful = await context.tasks.in_thread(lambda: calls_in_doubt(workspace, run))
    if doubtful and not await confirm(
        context.shell.window_widget,
        f"Go on with run {run}?",
        why=f"{counted(len(doubtful), 'call')} may have happened before it was"
        f" interrupted:\n{describe_calls(doubtful)}",
        yes="Go on",
    ):
        return
    _start(context, await context.tasks.in_thread(lambda: fork.go_on(workspace, run)))


@spawned
async def rerun_live(context: AppContext, run: RunId, *, is_stepping: bool = False) -> None:
    """Run the same again with real calls, after saying what that cost the first time.

    Args:
        is_stepping: it holds at its first step.
    """
    from toolplanner_core.runs.presentation.run_again import describe_estimate
    from toolplanner_core.runs.replay.fork import estimate_rerun, fork

    workspace = context.file
    spec = await context.tasks.in_thread(lambda: fork(workspace, run, NodePath("")))
    estimate = await context.tasks.in_thread(lambda: estimate_rerun(workspace, run))
    if await confirm(
        context.shell.window_widget,
        f"Run the query of run {run} again, live?",
        why=f"It took {describe_estimate(estimate)}. All calls are really made again,"
        " also those that change something. A replay makes none.",
        yes="Step through it" if is_stepping else "Run again",
    ):
        context.debug.set_step_at_start(is_stepping)
        _start(context, spec)


@spawned
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


@spawned
async def keep_replies(context: AppContext, runs: Sequence[RunId]) -> None:
    """Let the replies of runs answer other runs, and say what was kept."""
    from toolplanner_core.runs.export.recorded import describe_recordings, keep_recordings

    workspace = context.file
    kept = await context.tasks.in_thread(lambda: keep_recordings(workspace, runs))
    after = " Choose the provider Recorded calls to run with them." if kept.recordings else ""
    context.show_message(describe_recordings(kept) + after)


@spawned
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
        context.show_message(
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
