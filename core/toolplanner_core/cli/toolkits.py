"""`toolplanner toolkits`: list and show toolkits; the group of all commands on toolkits."""

import dataclasses

import click

from toolplanner_core.cli.apis import api_row
from toolplanner_core.cli.choosing import choose_toolkit
from toolplanner_core.cli.options import in_workspace, json_option
from toolplanner_core.cli.terminal import print_json, print_line, print_rows, print_table
from toolplanner_core.cli.toolkits_apply import apply_command
from toolplanner_core.cli.toolkits_edit import EDIT_COMMANDS
from toolplanner_core.cli.toolkits_export import export_command
from toolplanner_core.cli.toolkits_merge import merge_decisions_command
from toolplanner_core.cli.toolkits_report import report_command
from toolplanner_core.cli.toolkits_split import split_command
from toolplanner_core.curation.looking.details import AUTHOR_WORDS
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import apis_by_rowid
from toolplanner_core.workspace.toolkits import get_toolkit, list_toolkits, member_rowids


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
    report_command,
    apply_command,
    merge_decisions_command,
):
    toolkits.add_command(_command)


@toolkits.command("list")
@in_workspace
@json_option
def list_command(workspace: Workspace, as_json: bool) -> None:
    """List all toolkits by name."""
    found = list_toolkits(workspace)
    print_rows(
        found,
        [">Id", "Name", ">Size", "Pinned", "Description"],
        lambda t: [t.id, t.name, f"{t.size:,}", "yes" if t.pinned else "", t.description],
        as_json=as_json,
        to_json=dataclasses.asdict,
        empty=f"There are no toolkits yet. Make them with: toolplanner prepare {workspace.path}",
    )


@toolkits.command("show")
@in_workspace
@click.argument("toolkit", metavar="TOOLKIT")
@json_option
def show_command(workspace: Workspace, toolkit: str, as_json: bool) -> None:
    """Show a toolkit with its members, most central first."""
    shown = get_toolkit(workspace, choose_toolkit(workspace, toolkit))
    rowids = member_rowids(workspace, shown.id)
    by_rowid = apis_by_rowid(workspace, rowids)
    members = [by_rowid[rowid] for rowid in rowids]
    rows = [api_row(workspace, api) for api in members]
    if as_json:
        print_json(dataclasses.asdict(shown) | {"members": rows})
        return
    print_line(f"{shown.name} ({AUTHOR_WORDS[shown.name_author]})")
    print_line(shown.description)
    print_line()
    print_table(
        ["Id", "Tool", "API", "Description"],
        [[api.id, api.tool, api.name, api.description] for api in members],
    )
