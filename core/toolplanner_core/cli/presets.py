"""`toolplanner presets`: ways to run a query, saved under names in the workspace."""

from typing import Any

import click

from toolplanner_core.cli.options import in_workspace, json_option
from toolplanner_core.cli.run_choice import ChoiceCommand, chosen_spec
from toolplanner_core.cli.terminal import print_json, print_line, print_table
from toolplanner_core.runs.config.presets import (
    delete_preset,
    paper_preset_names,
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
@in_workspace
@json_option
def list_command(workspace: Workspace, as_json: bool) -> None:
    """List the presets of a workspace, and those with the settings of papers."""
    names = [*preset_names(workspace), *paper_preset_names()]
    rows = {name: preset_row(read_preset(workspace, name)) for name in dict.fromkeys(names)}
    if as_json:
        print_json(rows)
        return
    print_table(
        ["Preset", "Strategy", "Model", "Provider"],
        [[name, row["strategy"], row["model"], row["provider"]] for name, row in rows.items()],
    )
    if not preset_names(workspace):
        place = workspace.path
        print_line(f"None is your own yet: toolplanner presets save {place} NAME")


@presets.command("show")
@in_workspace
@click.argument("name")
def show_command(workspace: Workspace, name: str) -> None:
    """Show all that the preset NAME says, as JSON."""
    print_json(preset_row(read_preset(workspace, name)))


@presets.command("save", cls=ChoiceCommand)
@in_workspace
@click.argument("name")
def save_command(workspace: Workspace, name: str, **choice: Any) -> None:
    """Save what the flags choose as the preset NAME; with --preset, what differs from that one."""
    saved = save_preset(workspace, name, chosen_spec(workspace, choice))
    print_line(f"Saved the preset “{saved}”.")


@presets.command("delete")
@in_workspace
@click.argument("name")
def delete_command(workspace: Workspace, name: str) -> None:
    """Forget the preset NAME."""
    delete_preset(workspace, name)
    print_line(f"Deleted the preset “{name}”.")
