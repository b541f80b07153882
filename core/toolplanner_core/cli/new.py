"""`toolplanner new`: make a workspace, empty or with the demo world in it."""

from pathlib import Path
from typing import Any

import click

from toolplanner_core.cli.options import json_option, workspace_argument
from toolplanner_core.cli.progress import shown_progress
from toolplanner_core.cli.terminal import print_json, print_line
from toolplanner_core.runs.demo_workspace import make_demo_workspace
from toolplanner_core.words.wording import counted
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import api_count
from toolplanner_core.workspace.toolkits import list_toolkits


@click.command()
@workspace_argument
@click.option("--demo", is_flag=True, help="Fill it with the demo world: APIs, toolkits, cases.")
@json_option
def new(workspace: Path, demo: bool, as_json: bool) -> None:
    """Make a new workspace file."""
    path = workspace if workspace.suffix else workspace.with_suffix(".toolplanner")
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
