"""`toolplanner toolkits report`: how the catalogue stands, as Markdown."""

from pathlib import Path

import click

from toolplanner_core.cli.exporting import hand_out
from toolplanner_core.cli.options import FilePath, in_workspace
from toolplanner_core.curation.looking.catalogue_report import catalogue_report, read_figures
from toolplanner_core.workspace import Workspace


@click.command("report")
@in_workspace
@click.option("--output", type=FilePath(), help="A file instead of stdout.")
def report_command(workspace: Workspace, output: Path | None) -> None:
    """Write how the catalogue stands: sizes, toolkits of one API, duplicates, health, what to do
    next; Markdown."""
    text = catalogue_report(read_figures(workspace), name=workspace.path.name)
    hand_out([text], output, as_json=False)
