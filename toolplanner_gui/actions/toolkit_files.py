"""Toolkits and decisions as files: export them, apply another's decisions here.

What is asked is asked first, the rest works as a job.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import platformdirs

from toolplanner_core.jobs.progress import Progress
from toolplanner_core.settings import person_name
from toolplanner_core.words.wording import counted
from toolplanner_core.workspace import Workspace
from toolplanner_gui.actions.action import Action
from toolplanner_gui.bridge.questions import choose_files, choose_new_file, confirm
from toolplanner_gui.context import AppContext

if TYPE_CHECKING:
    from toolplanner_core.curation.sharing.decisions.outcome import ApplyReport

_FORMATS = (
    ("json", "As JSON, for programs …", ".json", "Toolkits (*.json)"),
    ("openai", "As OpenAI tools …", ".json", "OpenAI tools (*.json)"),
    ("csv", "As a table …", ".csv", "Tables (*.csv)"),
    ("markdown", "As a report to read …", ".md", "Reports (*.md)"),
    ("decisions", "Decisions, to apply elsewhere …", ".jsonl", "Decisions (*.jsonl)"),
)
_DECISIONS = "Decisions (*.jsonl);;All files (*)"
_CONFLICTS_TOLD = 3


def export_entries(_context: AppContext) -> Sequence[Action]:
    """One entry per form."""
    return [
        Action(
            f"toolkits.export.{form}",
            title,
            "",
            "",
            lambda c, f=form, s=suffix, x=filters: ask_and_export(c, f, s, x),
        )
        for form, title, suffix, filters in _FORMATS
    ]


def ask_and_export(context: AppContext, form: str, suffix: str, filters: str) -> None:
    """Ask for a file and export all toolkits, or the decisions, to it."""
    workspace = context.workspace
    if workspace is None:
        return
    name = f"{workspace.path.stem}-{'decisions' if form == 'decisions' else 'toolkits'}{suffix}"

    async def flow() -> None:
        chosen = await choose_new_file(
            context.shell.window_widget,
            "Export",
            suffix=suffix,
            suggestion=platformdirs.user_documents_path() / name,
            filters=filters,
        )
        for place in chosen:
            export_to(context, form, place)

    context.tasks.spawn(flow(), owner=context)


def export_to(context: AppContext, form: str, place: Path) -> None:
    """Export to a file as a job."""
    workspace = context.workspace
    if workspace is None:
        return

    def work(progress: Progress) -> str:
        from toolplanner_core.curation.sharing.exports.writing import export_parts
        from toolplanner_core.workspace.export_file import write_file

        progress.report("Writing toolkits", 0, None)
        write_file(export_parts(workspace, form, who=person_name()), place)
        return f"Exported to {place}"

    job = context.jobs.start("Exporting toolkits", work)
    job.succeeded.connect(context.tell)
    job.failed.connect(lambda error: context.job_failed(job, error))


def ask_and_apply(context: AppContext) -> None:
    """Ask for a decisions file, say what it would do here, and apply it."""
    workspace = context.workspace
    if workspace is None:
        return

    async def flow() -> None:
        for place in await choose_files(
            context.shell.window_widget, "Apply decisions", filters=_DECISIONS
        ):
            expected = await context.tasks.in_thread(
                lambda p=place: _apply(workspace, p, dry_run=True)
            )
            is_wanted = await confirm(
                context.shell.window_widget,
                f"Apply the decisions of {place.name}?",
                why=describe(expected),
                yes="Apply",
            )
            if is_wanted:
                apply_from(context, place)
            break

    context.tasks.spawn(flow(), owner=context)


def apply_from(context: AppContext, place: Path) -> None:
    """Apply a decisions file as a job; every decision can be undone."""
    workspace = context.workspace
    if workspace is None:
        return

    def work(progress: Progress) -> str:
        progress.report("Applying decisions", 0, None)
        return describe(_apply(workspace, place, dry_run=False))

    job = context.jobs.start("Applying decisions", work)
    job.succeeded.connect(context.tell)
    job.failed.connect(lambda error: context.job_failed(job, error))
    job.ended.connect(context.reload_catalogue)


def describe(report: "ApplyReport") -> str:
    """How many decisions count here, and the first that do not."""
    from toolplanner_core.curation.sharing.decisions.outcome import DecisionVerdict

    words = {
        DecisionVerdict.APPLIED: "applied",
        DecisionVerdict.IN_PART: "applied in part",
        DecisionVerdict.ALREADY: "already so",
        DecisionVerdict.CONFLICT: "in conflict",
    }
    parts = [f"{report.count(v):,} {word}" for v, word in words.items() if report.count(v)]
    text = f"{counted(len(report.outcomes), 'decision')}: {', '.join(parts) or 'none'}."
    conflicts = [one for one in report.outcomes if one.verdict is DecisionVerdict.CONFLICT]
    for one in conflicts[:_CONFLICTS_TOLD]:
        text += f"\n“{one.decision.label}”: {one.why}."
    return text


def _apply(workspace: Workspace, place: Path, *, dry_run: bool) -> "ApplyReport":
    from toolplanner_core.curation.sharing.decisions.applying import apply_decisions
    from toolplanner_core.curation.sharing.decisions.file import read_decisions

    return apply_decisions(workspace, read_decisions(place), who=person_name(), dry_run=dry_run)
