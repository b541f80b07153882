"""`toolplanner memory`: what strategies keep between runs; list, look, go back."""

import json
from datetime import UTC, datetime
from pathlib import Path

import click

from toolplanner_core.cli.options import json_option, workspace_argument
from toolplanner_core.cli.terminal import print_json, print_line, print_table
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.memories import memory_versions, read_memory, revert_memory


@click.group()
def memory() -> None:
    """What strategies keep between runs, such as solved plans; every version of it is kept."""


@memory.command("list")
@workspace_argument
@click.argument("name", required=False)
@json_option
def list_command(workspace: Path, name: str | None, as_json: bool) -> None:
    """List the versions of all memories, or of the memory NAME; the first of each counts."""
    with Workspace.open(workspace) as opened:
        found = memory_versions(opened, name)
    if as_json:
        print_json([version._asdict() for version in found])
        return
    if not found:
        print_line("Nothing is remembered yet: strategies with a memory fill it when a run ends.")
        return
    print_table(
        ["Memory", ">Version", "Written by", "When", ">Characters"],
        [
            [
                version.name,
                version.version,
                "a person, going back" if version.run is None else f"run {version.run}",
                f"{datetime.fromtimestamp(version.made_us / 1e6, UTC):%Y-%m-%d %H:%M}",
                f"{version.size:,}",
            ]
            for version in found
        ],
    )


@memory.command("show")
@workspace_argument
@click.argument("name")
@click.option("--version", type=click.IntRange(min=1), help="An earlier one, not the newest.")
def show_command(workspace: Path, name: str, version: int | None) -> None:
    """Show what the memory NAME holds, as JSON."""
    with Workspace.open(workspace) as opened:
        found = read_memory(opened, name, version)
    print_line(json.dumps(found.value, ensure_ascii=False, indent=2))


@memory.command("revert")
@workspace_argument
@click.argument("name")
@click.argument("version", type=click.IntRange(min=1))
def revert_command(workspace: Path, name: str, version: int) -> None:
    """Go back to VERSION of the memory NAME; what was learned since stays listed."""
    with Workspace.open(workspace) as opened:
        made = revert_memory(opened, name, version)
    print_line(f"{name}: version {version} counts again, as version {made}.")
