"""`toolplanner memory`: what strategies keep between runs; list, look, go back, fill."""

import json
from pathlib import Path

import click

from toolplanner_core.cli.options import in_workspace, json_option
from toolplanner_core.cli.terminal import print_line, print_rows, when
from toolplanner_core.runs.graph.trajectories import answered_trajectories, gold_paths
from toolplanner_core.strategies.toolchain_star import MEMORY, memory_with, plans_in
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.memories import (
    MemoryVersion,
    decide_memory,
    memory_versions,
    read_memory,
    revert_memory,
)


@click.group()
def memory() -> None:
    """What strategies keep between runs, such as solved plans; every version of it is kept."""


@memory.command("list")
@in_workspace
@click.argument("name", required=False)
@json_option
def list_command(workspace: Workspace, name: str | None, as_json: bool) -> None:
    """List the versions of all memories, or of the memory NAME; the first of each counts."""
    found = memory_versions(workspace, name)
    print_rows(
        found,
        ["Memory", ">Version", "Written by", "When", ">Characters"],
        lambda v: [
            v.name,
            v.version,
            f"run {v.run}" if v.run else "a person",
            when(v.made_us),
            f"{v.size:,}",
        ],
        as_json=as_json,
        to_json=MemoryVersion._asdict,
        empty="Nothing is remembered yet: strategies with a memory fill it when a run ends.",
    )


@memory.command("show")
@in_workspace
@click.argument("name")
@click.option("--version", type=click.IntRange(min=1), help="An earlier one, not the newest.")
def show_command(workspace: Workspace, name: str, version: int | None) -> None:
    """Show what the memory NAME holds, as JSON."""
    found = read_memory(workspace, name, version)
    print_line(json.dumps(found.value, ensure_ascii=False, indent=2))


@memory.command("revert")
@in_workspace
@click.argument("name")
@click.argument("version", type=click.IntRange(min=1))
def revert_command(workspace: Workspace, name: str, version: int) -> None:
    """Go back to VERSION of the memory NAME; what was learned since stays listed."""
    made = revert_memory(workspace, name, version)
    print_line(f"{name}: version {version} counts again, as version {made}.")


@memory.command("seed")
@in_workspace
@click.argument("files", nargs=-1, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--runs/--no-runs", default=True, help="Also from runs here that answered.")
def seed_command(workspace: Workspace, files: tuple[Path, ...], runs: bool) -> None:
    """Give ToolChain* plans to begin with: the APIs of runs that answered, and of FILES of gold
    paths, in their order. What it remembers stays."""
    plans = [list(way) for way in answered_trajectories(workspace)] if runs else []
    for file in files:
        found = gold_paths(workspace, file)
        plans += [list(path) for path in found.paths]
        if found.left_out:
            print_line(f"{found.left_out:,} of {file.name} left out: no API has one of their names")
    before = plans_in(read_memory(workspace, MEMORY).value)
    value = memory_with(before, plans)
    added = len(value["plans"]) - len(before)
    if value["plans"] == [list(plan) for plan in before]:
        print_line(f"Nothing is new: {MEMORY} holds {counted(len(before), 'plan')}.")
        return
    made = decide_memory(workspace, MEMORY, value)
    print_line(f"{MEMORY}: {counted(max(added, 0), 'plan')} more, as version {made}.")
