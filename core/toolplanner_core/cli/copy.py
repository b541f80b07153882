"""`toolplanner copy`: a copy of a workspace, also while it is open elsewhere."""

from pathlib import Path

import click

from toolplanner_core.cli.options import FilePath, in_workspace, json_option
from toolplanner_core.cli.progress import shown_progress
from toolplanner_core.cli.terminal import print_json, print_line
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.copying import save_copy


@click.command("copy")
@in_workspace
@click.argument("place", type=FilePath())
@click.option("--replace", is_flag=True, help="Replace a file of that name.")
@json_option
def copy_command(*, workspace: Workspace, place: Path, replace: bool, as_json: bool) -> None:
    """Save a copy at PLACE, also while the workspace is open in a window."""
    place = place if place.suffix else place.with_suffix(".toolplanner")
    with shown_progress() as progress:
        size = save_copy(workspace, place, replace=replace, report=progress.report)
    if as_json:
        print_json({"workspace": str(place), "bytes": size})
    else:
        print_line(f"Saved a copy as {place}, {size / 1e6:,.1f} MB.")
