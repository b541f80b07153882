"""Toolkits and decisions as files: export them, apply another's decisions here.

What is asked is asked first, the rest works as a job.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from toolplanner_core.settings import person_name
from toolplanner_core.workspace import Workspace
from toolplanner_gui.actions.action import Action, Run, listed
from toolplanner_gui.actions.files import FileForm, ask_where, flow, write_later
from toolplanner_gui.bridge.questions import choose_files
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

    def note() -> str:
        from toolplanner_core.curation.sharing.exports.writing import export_note

        return export_note(workspace, form)

    write_later(context, parts, place, what="toolkits", note=note)


@flow
async def ask_and_apply(context: AppContext) -> None:
    """Ask for a decisions file, and list what each of its decisions would do here."""
    workspace, parent = context.file, context.shell.window_widget
    for place in (await choose_files(parent, "Apply decisions", _DECISIONS))[:1]:
        expected = await context.tasks.in_thread(lambda p=place: foresee(workspace, p))
        context.shell.open("decisions", place=place, expected=expected)


def foresee(workspace: Workspace, place: Path) -> "ApplyReport":
    """What would become of the decisions of a file here; not on the GUI thread."""
    from toolplanner_core.curation.sharing.decisions.applying import apply_decisions
    from toolplanner_core.curation.sharing.decisions.file import read_decisions

    return apply_decisions(workspace, read_decisions(place), who=person_name(), dry_run=True)
