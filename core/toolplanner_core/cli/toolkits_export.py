"""`toolplanner toolkits export`: toolkits as a file for others."""

from pathlib import Path

import click

from toolplanner_core.cli.choosing import choose_toolkits
from toolplanner_core.cli.exporting import export_options, hand_out
from toolplanner_core.cli.options import in_workspace
from toolplanner_core.cli.terminal import say
from toolplanner_core.curation.sharing.exports.writing import FORMATS, export_note, export_parts
from toolplanner_core.settings import person_name
from toolplanner_core.workspace import Workspace


@click.command("export")
@in_workspace
@export_options(
    FORMATS, "decisions can be applied to another workspace; openai is for requests to models."
)
@click.option(
    "--toolkit", "chosen", multiple=True, metavar="TOOLKIT", help="Only this; repeatable."
)
def export_command(
    *,
    workspace: Workspace,
    format_id: str,
    chosen: tuple[str, ...],
    output: Path | None,
    as_json: bool,
) -> None:
    """Write toolkits to a file. With one --toolkit, openai is the bare list of its tools."""
    toolkits = choose_toolkits(workspace, chosen) if chosen else None
    parts = export_parts(workspace, format_id, toolkits=toolkits, who=person_name())
    hand_out(parts, output, as_json=as_json, format=format_id)
    if note := export_note(workspace, format_id, toolkits=toolkits):
        say(note)
