"""`toolplanner runs export`: a run as a file for others."""

from pathlib import Path

import click

from toolplanner_core.cli.exporting import export_options, hand_out
from toolplanner_core.cli.options import ROW_ID, in_workspace
from toolplanner_core.domain.ids import RunId
from toolplanner_core.errors import BadInput
from toolplanner_core.runs.export.writing import FORMATS, export_parts
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
