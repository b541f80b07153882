"""`toolplanner toolkits export`: toolkits as a file for others."""

import sys
from pathlib import Path

import click

from toolplanner_core.cli.choosing import choose_toolkits
from toolplanner_core.cli.options import FilePath, in_workspace, json_option
from toolplanner_core.cli.terminal import print_json, say
from toolplanner_core.curation.sharing.exports.writing import FORMATS, export_parts
from toolplanner_core.errors import BadInput
from toolplanner_core.settings import person_name
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.export_file import write_file


@click.command("export")
@in_workspace
@click.option(
    "--format",
    "format_id",
    type=click.Choice(FORMATS),
    default="json",
    show_default=True,
    help="decisions can be applied to another workspace; openai is for requests to models.",
)
@click.option(
    "--toolkit", "chosen", multiple=True, metavar="TOOLKIT", help="Only this; repeatable."
)
@click.option("--output", type=FilePath(), help="A file instead of stdout.")
@json_option
def export_command(
    workspace: Workspace,
    format_id: str,
    chosen: tuple[str, ...],
    output: Path | None,
    as_json: bool,
) -> None:
    """Write toolkits to a file. With one --toolkit, openai is the bare list of its tools."""
    if as_json and output is None:
        raise BadInput("--json describes a file that was written", todo="Give --output as well")
    size = 0
    toolkits = choose_toolkits(workspace, chosen) if chosen else None
    parts = export_parts(workspace, format_id, toolkits=toolkits, who=person_name())
    if output is None:
        sys.stdout.writelines(parts)
    else:
        size = write_file(parts, output)
    if as_json:
        print_json({"file": str(output), "format": format_id, "bytes": size})
    elif output is not None:
        say(f"Wrote {output}, {size:,} bytes")
