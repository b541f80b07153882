"""`toolplanner toolkits`: list and show toolkits; the group of all commands on toolkits."""

import dataclasses
from pathlib import Path
from typing import Any

import click

from toolplanner_core.cli.apis import api_row
from toolplanner_core.cli.options import (
    ROW_ID,
    json_option,
    workspace_argument,
)
from toolplanner_core.cli.terminal import print_json, print_line, print_table
from toolplanner_core.cli.toolkits_apply import apply_command
from toolplanner_core.cli.toolkits_edit import EDIT_COMMANDS
from toolplanner_core.cli.toolkits_export import export_command
from toolplanner_core.cli.toolkits_merge import merge_decisions_command
from toolplanner_core.cli.toolkits_split import split_command
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.toolkit import Author, Toolkit
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import apis_by_rowid
from toolplanner_core.workspace.toolkits import get_toolkit, list_toolkits, member_rowids

_WRITTEN_BY = {Author.RULE: "by rule", Author.MODEL: "by a model", Author.PERSON: "by a person"}


@click.group()
def toolkits() -> None:
    """List, show, edit and export toolkits, apply edits made elsewhere.

    A TOOLKIT is its number, or its name where only one has it. An API is its id, the beginning of
    it, its key CATEGORY/TOOL/NAME, or "-" for lines on stdin.
    """


for _command in (
    *EDIT_COMMANDS,
    split_command,
    export_command,
    apply_command,
    merge_decisions_command,
):
    toolkits.add_command(_command)


@toolkits.command("list")
@workspace_argument
@json_option
def list_command(workspace: Path, as_json: bool) -> None:
    """List all toolkits by name."""
    with Workspace.open(workspace) as opened:
        found = list_toolkits(opened)
    if as_json:
        print_json([_row(toolkit) for toolkit in found])
        return
    if not found:
        print_line(f"There are no toolkits yet. Make them with: toolplanner prepare {workspace}")
        return
    print_table(
        [">Id", "Name", ">Size", "Pinned", "Description"],
        [[t.id, t.name, f"{t.size:,}", "yes" if t.pinned else "", t.description] for t in found],
    )


@toolkits.command("show")
@workspace_argument
@click.argument("toolkit_id", metavar="TOOLKIT", type=ROW_ID)
@json_option
def show_command(workspace: Path, toolkit_id: int, as_json: bool) -> None:
    """Show a toolkit with its members, most central first."""
    with Workspace.open(workspace) as opened:
        toolkit = get_toolkit(opened, ToolkitId(toolkit_id))
        rowids = member_rowids(opened, toolkit.id)
        by_rowid = apis_by_rowid(opened, rowids)
        members = [by_rowid[rowid] for rowid in rowids]
        rows = [api_row(opened, api) for api in members]
    if as_json:
        print_json(_row(toolkit) | {"members": rows})
        return
    print_line(f"{toolkit.name} ({_WRITTEN_BY[toolkit.name_author]})")
    print_line(toolkit.description)
    print_line()
    print_table(
        ["Id", "Tool", "API", "Description"],
        [[api.id, api.tool, api.name, api.description] for api in members],
    )


def _row(toolkit: Toolkit) -> dict[str, Any]:
    return dataclasses.asdict(toolkit)
