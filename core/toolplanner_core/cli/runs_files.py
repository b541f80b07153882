"""`toolplanner runs export|import|record`: runs as files for others, from files, as recordings."""

from pathlib import Path

import click

from toolplanner_core.cli.export_options import export_options, hand_out
from toolplanner_core.cli.options import ROW_ID, FilePath, in_workspace, json_option
from toolplanner_core.cli.progress import shown_progress
from toolplanner_core.cli.terminal import print_json, print_line, say
from toolplanner_core.domain.ids import RunId
from toolplanner_core.errors import BadInput
from toolplanner_core.runs.export.recorded import describe_recordings, keep_recordings
from toolplanner_core.runs.export.writing import FORMATS, export_parts
from toolplanner_core.runs.importing.reading import import_runs
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace import Workspace


@click.command("export")
@in_workspace
@click.argument("runs", metavar="RUN...", type=ROW_ID, nargs=-1, required=True)
@export_options(
    FORMATS,
    "jsonl can be imported again; html is for reading; otlp is for OpenTelemetry;"
    " recorded answers runs of other workspaces.",
)
@click.option(
    "--content",
    is_flag=True,
    help="otlp: include prompts, replies, arguments and results, not only names and numbers.",
)
def export_command(
    *,
    workspace: Workspace,
    runs: tuple[RunId, ...],
    format_id: str,
    output: Path | None,
    content: bool,
    as_json: bool,
) -> None:
    """Write runs to a file. Secrets were blacked out before they were stored."""
    if format_id == "html" and len(runs) != 1:
        raise BadInput("An HTML file shows one run", todo="Export each run by itself")
    parts = export_parts(workspace, runs, format_id, content=content)
    hand_out(parts, output, as_json=as_json, format=format_id, runs=runs)


@click.command("import")
@in_workspace
@click.argument("file", type=FilePath())
@json_option
def import_command(workspace: Workspace, file: Path, as_json: bool) -> int:
    """Add the runs of FILE: our own JSON lines, ToolBench's traces, StableToolBench's
    answers. Exit status 1 when nothing of it could be read."""
    with shown_progress() as progress:
        report = import_runs(workspace, file, progress=progress)
    if as_json:
        print_json(
            {
                "format": report.format,
                "runs": report.runs,
                "events": report.events,
                "verdicts": report.verdicts,
                "rejected": [rejected._asdict() for rejected in report.rejected],
            }
        )
    else:
        for where, why in report.rejected:
            say(f"Rejected {where}: {why}")
        first = f", {report.runs[0]} to {report.runs[-1]}" if report.runs else ""
        print_line(
            f"Imported {counted(len(report.runs), 'run')}{first} with"
            f" {counted(report.events, 'event')} and {counted(report.verdicts, 'verdict')};"
            f" rejected {len(report.rejected)}."
        )
    return 0 if report.runs else 1


@click.command("record")
@in_workspace
@click.argument("runs", metavar="RUN...", type=ROW_ID, nargs=-1, required=True)
@json_option
def record_command(workspace: Workspace, runs: tuple[RunId, ...], as_json: bool) -> None:
    """Keep the replies of RUNs as recorded calls: then `run --provider recorded` gives them.

    Made-up replies are left out. `runs export --format recorded` writes them to a file, which
    another workspace imports.
    """
    kept = keep_recordings(workspace, runs)
    if as_json:
        calls = len(kept.recordings)
        print_json({"calls": calls, "added": kept.added, "left_out": kept.left_out})
    else:
        print_line(describe_recordings(kept))
