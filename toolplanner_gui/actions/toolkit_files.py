"""Toolkits and decisions as files: export them, apply another's decisions here.

What is asked is asked first, the rest works as a job.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from toolplanner_core.jobs.progress import Progress
from toolplanner_core.settings import person_name
from toolplanner_core.words.wording import counted
from toolplanner_core.workspace import Workspace
from toolplanner_gui.actions.action import Action, Run, listed
from toolplanner_gui.actions.files import FileForm, ask_where, flow, write_later
from toolplanner_gui.bridge.questions import choose_files, confirm
from toolplanner_gui.context import AppContext

if TYPE_CHECKING:
    from toolplanner_core.curation.sharing.decisions.outcome import ApplyReport

_FORMS = (
    FileForm("json", "As JSON, for programs …", ".json", "Toolkits (*.json)"),
    FileForm("openai", "As OpenAI tools …", ".json", "OpenAI tools (*.json)"),
    FileForm("csv", "As a table …", ".csv", "Tables (*.csv)"),
    FileForm("markdown", "As a report to read …", ".md", "Reports (*.md)"),
    FileForm("decisions", "Decisions, to apply elsewhere …", ".jsonl", "Decisions (*.jsonl)"),
)
_DECISIONS = "Decisions (*.jsonl);;All files (*)"
_CONFLICTS_TOLD = 3


def export_entries(_context: AppContext) -> Sequence[Action]:
    """One entry per form."""

    def export(form: FileForm) -> Run:
        return lambda context: ask_and_export(context, form)

    return listed("toolkits.export", ((form.id, form.title, export(form)) for form in _FORMS))


@flow
async def ask_and_export(context: AppContext, form: FileForm) -> None:
    """Ask for a file and export all toolkits, or the decisions, to it."""
    what = "decisions" if form.id == "decisions" else "toolkits"
    for place in await ask_where(context, form, f"{context.file.path.stem}-{what}"):
        export_to(context, form.id, place)


def export_to(context: AppContext, form: str, place: Path) -> None:
    """Export to a file as a job."""
    workspace = context.file

    def parts() -> Iterable[str]:
        from toolplanner_core.curation.sharing.exports.writing import export_parts

        return export_parts(workspace, form, who=person_name())

    write_later(context, parts, place, what="toolkits")


@flow
async def ask_and_apply(context: AppContext) -> None:
    """Ask for a decisions file, say what it would do here, and apply it."""
    workspace, parent = context.file, context.shell.window_widget
    for place in (await choose_files(parent, "Apply decisions", _DECISIONS))[:1]:
        expected = await context.tasks.in_thread(lambda p=place: _apply(workspace, p, dry_run=True))
        question = f"Apply the decisions of {place.name}?"
        if await confirm(parent, question, why=foretell(expected), yes="Apply"):
            apply_from(context, place)


def apply_from(context: AppContext, place: Path) -> None:
    """Apply a decisions file as a job; every decision can be undone."""
    workspace, doing = context.file, "Applying decisions"

    def work(progress: Progress) -> str:
        progress.report(doing, 0, None)
        return describe(_apply(workspace, place, dry_run=False))

    context.start_job(doing, work, context.tell).ended.connect(context.reload_catalogue)


def describe(report: "ApplyReport") -> str:
    """How many decisions were applied, and the first that were not."""
    from toolplanner_core.curation.sharing.decisions.outcome import DecisionVerdict

    words = {
        DecisionVerdict.APPLIED: "applied",
        DecisionVerdict.IN_PART: "applied in part",
        DecisionVerdict.ALREADY: "already so",
        DecisionVerdict.CONFLICT: "did not fit",
    }
    parts = [f"{report.count(v):,} {word}" for v, word in words.items() if report.count(v)]
    return _told(report, parts)


def foretell(report: "ApplyReport") -> str:
    """The same before anything is applied: how many fit here, and how many do not."""
    from toolplanner_core.curation.sharing.decisions.outcome import DecisionVerdict

    n = {verdict: report.count(verdict) for verdict in DecisionVerdict}
    n_out = n[DecisionVerdict.CONFLICT]
    parts = [f"{n[DecisionVerdict.APPLIED]:,} can be applied"]
    if n[DecisionVerdict.IN_PART]:
        parts.append(f"{n[DecisionVerdict.IN_PART]:,} can be applied in part")
    if n[DecisionVerdict.ALREADY]:
        parts.append(f"{n[DecisionVerdict.ALREADY]:,} already so")
    return _told(report, [*parts, f"{n_out:,} {'does' if n_out == 1 else 'do'} not fit"])


def _told(report: "ApplyReport", parts: Sequence[str]) -> str:
    from toolplanner_core.curation.sharing.decisions.outcome import DecisionVerdict

    text = f"{counted(len(report.outcomes), 'decision')}: {', '.join(parts) or 'none'}."
    conflicts = [one for one in report.outcomes if one.verdict is DecisionVerdict.CONFLICT]
    for one in conflicts[:_CONFLICTS_TOLD]:
        text += f"\n“{one.decision.label}”: {one.why}."
    return text


def _apply(workspace: Workspace, place: Path, *, dry_run: bool) -> "ApplyReport":
    from toolplanner_core.curation.sharing.decisions.applying import apply_decisions
    from toolplanner_core.curation.sharing.decisions.file import read_decisions

    return apply_decisions(workspace, read_decisions(place), who=person_name(), dry_run=dry_run)
