"""`toolplanner runs import`: runs from a file."""

from pathlib import Path

import click

from toolplanner_core.cli.options import FilePath, in_workspace, json_option
from toolplanner_core.cli.progress import shown_progress
from toolplanner_core.cli.terminal import print_json, print_line, say
from toolplanner_core.runs.importing.reading import import_runs
from toolplanner_core.words.wording import counted
from toolplanner_core.workspace import Workspace


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
