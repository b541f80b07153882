"""`toolplanner presets`: ways to run a query, saved under names in the workspace."""

from pathlib import Path
from typing import Any

import click

from toolplanner_core.cli.options import json_option, workspace_argument
from toolplanner_core.cli.run_choice import ChoiceCommand, chosen_spec
from toolplanner_core.cli.terminal import print_json, print_line, print_table
from toolplanner_core.runs.presets import (
    delete_preset,
    preset_names,
    preset_row,
    read_preset,
    save_preset,
)
from toolplanner_core.workspace import Workspace


@click.group()
def presets() -> None:
    """Ways to run a query under a name: strategy, models, provider, their options, limits."""


@presets.command("list")
@workspace_argument
@json_option
def list_command(workspace: Path, as_json: bool) -> None:
    """List the presets of a workspace."""
    with Workspace.open(workspace) as opened:
        rows = {name: preset_row(read_preset(opened, name)) for name in preset_names(opened)}
    if as_json:
        print_json(rows)
    elif not rows:
        print_line(f"There are none yet. Save one with: toolplanner presets save {workspace} NAME")
    else:
        print_table(
            ["Preset", "Strategy", "Model", "Provider"],
            [[name, row["strategy"], row["model"], row["provider"]] for name, row in rows.items()],
        )


@presets.command("show")
@workspace_argument
@click.argument("name")
def show_command(workspace: Path, name: str) -> None:
    """Show all that the preset NAME says, as JSON."""
    with Workspace.open(workspace) as opened:
        print_json(preset_row(read_preset(opened, name)))


@presets.command("save", cls=ChoiceCommand)
@workspace_argument
@click.argument("name")
def save_command(workspace: Path, name: str, **choice: Any) -> None:
    """Save what the flags choose as the preset NAME; with --preset, what differs from that one."""
    with Workspace.open(workspace) as opened:
        saved = save_preset(opened, name, chosen_spec(opened, choice))
    print_line(f"Saved the preset “{saved}”.")


@presets.command("delete")
@workspace_argument
@click.argument("name")
def delete_command(workspace: Path, name: str) -> None:
    """Forget the preset NAME."""
    with Workspace.open(workspace) as opened:
        delete_preset(opened, name)
    print_line(f"Deleted the preset “{name}”.")
