"""`toolplanner runs export`: a run as a file for others."""

import sys
from collections.abc import Iterable
from pathlib import Path

import click

from toolplanner_core.cli.options import (
    ROW_ID,
    FilePath,
    json_option,
    workspace_argument,
)
from toolplanner_core.cli.terminal import print_json, say
from toolplanner_core.domain.ids import RunId
from toolplanner_core.errors import BadInput
from toolplanner_core.runs.export.writing import FORMATS, export_parts
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.export_file import write_file
from toolplanner_core.workspace.workspace import SUFFIX


@click.command("export")
@workspace_argument
@click.argument("run_ids", metavar="RUN...", type=ROW_ID, nargs=-1, required=True)
@click.option(
    "--format",
    "format_id",
    type=click.Choice(FORMATS),
    default="jsonl",
    show_default=True,
    help="jsonl can be imported again; html is for reading; otlp is for OpenTelemetry.",
)
@click.option("--output", type=FilePath(), help="A file instead of stdout.")
@click.option(
    "--content",
    is_flag=True,
    help="otlp: include prompts, replies, arguments and results, not only names and numbers.",
)
@json_option
def export_command(
    *,
    workspace: Path,
    run_ids: tuple[int, ...],
    format_id: str,
    output: Path | None,
    content: bool,
    as_json: bool,
) -> None:
    """Write runs to a file. Secrets were blacked out before they were stored."""
    runs = [RunId(run) for run in run_ids]
    if format_id == "html" and len(runs) != 1:
        raise BadInput("An HTML file shows one run", todo="Export each run by itself")
    if output is not None and output.suffix == SUFFIX:
        raise BadInput(
            "An export would replace a workspace", where=str(output), todo="Give it another name"
        )
    if as_json and output is None:
        raise BadInput("--json describes a file that was written", todo="Give --output as well")
    with Workspace.open(workspace) as opened:
        parts = export_parts(opened, runs, format_id, content=content)
        size = _print(parts) if output is None else write_file(parts, output)
    if as_json:
        print_json({"file": str(output), "format": format_id, "runs": runs, "bytes": size})
    elif output is not None:
        say(f"Wrote {output}, {size:,} bytes")


def _print(parts: Iterable[str]) -> int:
    for part in parts:
        sys.stdout.write(part)
    return 0
