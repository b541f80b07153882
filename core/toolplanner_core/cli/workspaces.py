"""`toolplanner new` and `toolplanner copy`: make a workspace, or a copy of one."""

from pathlib import Path
from typing import Any

import click

from toolplanner_core.cli.options import FilePath, in_workspace, json_option
from toolplanner_core.cli.progress import shown_progress
from toolplanner_core.cli.terminal import print_json, print_line
from toolplanner_core.domain.workspace_file import SUFFIX
from toolplanner_core.runs.demo.demo_workspace import make_demo_workspace
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import api_count
from toolplanner_core.workspace.copying import save_copy
from toolplanner_core.workspace.toolkits import list_toolkits


@click.command()
@click.argument("workspace", type=FilePath())
@click.option("--demo", is_flag=True, help="Fill it with the demo world: APIs, toolkits, cases.")
@json_option
def new(workspace: Path, demo: bool, as_json: bool) -> None:
    """Make a new workspace file."""
    path = workspace if workspace.suffix else workspace.with_suffix(SUFFIX)
    if not demo:
        Workspace.create(path).close()
    else:
        with shown_progress() as progress:
            make_demo_workspace(path, progress=progress)
    with Workspace.open(path) as opened:
        result: dict[str, Any] = {
            "workspace": str(path),
            "apis": api_count(opened),
            "toolkits": len(list_toolkits(opened)),
        }
    if as_json:
        print_json(result)
        return
    print_line(
        f"Made {path} with {counted(result['apis'], 'API')}"
        f" in {counted(result['toolkits'], 'toolkit')}."
    )
    if demo:
        print_line(f"Next: toolplanner cases run {path}, or open it: toolplanner-gui {path}")
    else:
        print_line(f"Next: toolplanner import {path} CATALOGUE, then: toolplanner prepare {path}")


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
