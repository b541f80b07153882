"""`toolplanner toolkits rename|describe|note|merge|move|new|pin|...`: edit toolkits, one edit a
command.

Each is one entry of the history and can be undone: `toolplanner history undo`.
"""

from pathlib import Path

import click

from toolplanner_core.cli.choosing import NOWHERE, choose_apis, choose_toolkit, choose_toolkits
from toolplanner_core.cli.editing import edit_options, make_edit
from toolplanner_core.cli.options import workspace_argument
from toolplanner_core.curation.edits.describe import Describe, Note, Rename
from toolplanner_core.curation.edits.edit import Edit
from toolplanner_core.curation.edits.exclude import Exclude, Include
from toolplanner_core.curation.edits.lineage import take_out_of_merge
from toolplanner_core.curation.edits.link import Link
from toolplanner_core.curation.edits.merge import Merge
from toolplanner_core.curation.edits.move import Move, NewToolkit
from toolplanner_core.curation.edits.pin import PinApis, PinToolkits
from toolplanner_core.domain.curated import LinkKind
from toolplanner_core.errors import BadInput
from toolplanner_core.workspace import Workspace

_toolkit = click.argument("toolkit", metavar="TOOLKIT")
_apis = click.argument("apis", metavar="API...", nargs=-1, required=True)


@click.command("rename")
@workspace_argument
@_toolkit
@click.argument("name")
@edit_options
def rename_command(workspace: Path, toolkit: str, name: str, dry_run: bool, as_json: bool) -> None:
    """Give a toolkit another name."""
    with Workspace.open(workspace) as opened:
        edit = Rename(toolkit=choose_toolkit(opened, toolkit), name=name)
        make_edit(opened, edit, dry_run=dry_run, as_json=as_json)


@click.command("describe")
@workspace_argument
@_toolkit
@click.argument("description")
@edit_options
def describe_command(
    workspace: Path, toolkit: str, description: str, dry_run: bool, as_json: bool
) -> None:
    """Give a toolkit another description: what a planner reads about it."""
    with Workspace.open(workspace) as opened:
        edit = Describe(toolkit=choose_toolkit(opened, toolkit), description=description)
        make_edit(opened, edit, dry_run=dry_run, as_json=as_json)


@click.command("note")
@workspace_argument
@_toolkit
@click.argument("note")
@edit_options
def note_command(workspace: Path, toolkit: str, note: str, dry_run: bool, as_json: bool) -> None:
    """Write a note for people about a toolkit; no planner reads it. "" takes it away."""
    with Workspace.open(workspace) as opened:
        edit = Note(toolkit=choose_toolkit(opened, toolkit), note=note)
        make_edit(opened, edit, dry_run=dry_run, as_json=as_json)


@click.command("merge")
@workspace_argument
@click.argument("into", metavar="INTO")
@click.argument("others", metavar="TOOLKIT...", nargs=-1, required=True)
@click.option("--name", default="", help="A new name for the result; else INTO keeps its own.")
@click.option("--leave-out", multiple=True, metavar="API", help="Let this API stay; repeatable.")
@edit_options
def merge_command(
    *,
    workspace: Path,
    into: str,
    others: tuple[str, ...],
    name: str,
    leave_out: tuple[str, ...],
    dry_run: bool,
    as_json: bool,
) -> None:
    """Move the members of toolkits into one, INTO, which keeps its id and name."""
    with Workspace.open(workspace) as opened:
        target, *sources = choose_toolkits(opened, [into, *others])
        edit = Merge(
            toolkits=tuple(sources),
            into=target,
            left_out=choose_apis(opened, leave_out),
            name=" ".join(name.split()),
        )
        make_edit(opened, edit, dry_run=dry_run, as_json=as_json)


@click.command("take-out")
@workspace_argument
@_apis
@edit_options
def take_out_command(workspace: Path, apis: tuple[str, ...], dry_run: bool, as_json: bool) -> None:
    """Bring APIs back to the toolkits they were in before they were merged."""
    with Workspace.open(workspace) as opened:
        edit = take_out_of_merge(opened, choose_apis(opened, apis))
        make_edit(opened, edit, dry_run=dry_run, as_json=as_json)


@click.command("move")
@workspace_argument
@_apis
@click.option(
    "--to", required=True, metavar="TOOLKIT", help=f'Where they go; "{NOWHERE}": to no toolkit.'
)
@click.option("--no-pin", is_flag=True, help="Let a later clustering move them again.")
@edit_options
def move_command(
    *, workspace: Path, apis: tuple[str, ...], to: str, no_pin: bool, dry_run: bool, as_json: bool
) -> None:
    """Put APIs into a toolkit, and pin them there."""
    with Workspace.open(workspace) as opened:
        edit = Move(
            rowids=choose_apis(opened, apis),
            to=None if to == NOWHERE else choose_toolkit(opened, to),
            is_pinned=not no_pin,
        )
        make_edit(opened, edit, dry_run=dry_run, as_json=as_json)


@click.command("new")
@workspace_argument
@click.argument("name")
@_apis
@click.option("--description", default="", help="What a planner reads about it.")
@edit_options
def new_command(
    *,
    workspace: Path,
    name: str,
    apis: tuple[str, ...],
    description: str,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Make a toolkit of APIs, wherever they are now."""
    with Workspace.open(workspace) as opened:
        edit = NewToolkit(rowids=choose_apis(opened, apis), name=name, description=description)
        make_edit(opened, edit, dry_run=dry_run, as_json=as_json)


@click.command("pin")
@workspace_argument
@click.argument("toolkits", metavar="[TOOLKIT]...", nargs=-1)
@click.option("--api", "apis", multiple=True, metavar="API", help="Pin this API; repeatable.")
@edit_options
def pin_command(
    workspace: Path, toolkits: tuple[str, ...], apis: tuple[str, ...], dry_run: bool, as_json: bool
) -> None:
    """Fix whole toolkits, or APIs in the toolkit they are in: no machine changes them any more."""
    with Workspace.open(workspace) as opened:
        edit = _pin(opened, toolkits, apis, is_pinned=True)
        make_edit(opened, edit, dry_run=dry_run, as_json=as_json)


@click.command("unpin")
@workspace_argument
@click.argument("toolkits", metavar="[TOOLKIT]...", nargs=-1)
@click.option("--api", "apis", multiple=True, metavar="API", help="Unpin this API; repeatable.")
@edit_options
def unpin_command(
    workspace: Path, toolkits: tuple[str, ...], apis: tuple[str, ...], dry_run: bool, as_json: bool
) -> None:
    """Let go of pinned toolkits or APIs."""
    with Workspace.open(workspace) as opened:
        edit = _pin(opened, toolkits, apis, is_pinned=False)
        make_edit(opened, edit, dry_run=dry_run, as_json=as_json)


@click.command("exclude")
@workspace_argument
@_apis
@click.option("--reason", default="", help="Why, for people.")
@edit_options
def exclude_command(
    workspace: Path, apis: tuple[str, ...], reason: str, dry_run: bool, as_json: bool
) -> None:
    """Offer APIs to no plan; they stay in their toolkits and on the map."""
    with Workspace.open(workspace) as opened:
        edit = Exclude(rowids=choose_apis(opened, apis), reason=reason)
        make_edit(opened, edit, dry_run=dry_run, as_json=as_json)


@click.command("include")
@workspace_argument
@_apis
@edit_options
def include_command(workspace: Path, apis: tuple[str, ...], dry_run: bool, as_json: bool) -> None:
    """Offer excluded APIs to plans again."""
    with Workspace.open(workspace) as opened:
        edit = Include(rowids=choose_apis(opened, apis))
        make_edit(opened, edit, dry_run=dry_run, as_json=as_json)


@click.command("link")
@workspace_argument
@_apis
@click.option("--must", "link", flag_value=LinkKind.MUST.value, help="Keep them in one toolkit.")
@click.option(
    "--cannot", "link", flag_value=LinkKind.CANNOT.value, help="Keep each two of them apart."
)
@click.option("--remove", "link", flag_value="", help="Take links between them away.")
@edit_options
def link_command(
    workspace: Path, apis: tuple[str, ...], link: str | None, dry_run: bool, as_json: bool
) -> None:
    """Say that APIs must, or must not, be in one toolkit, for every later clustering."""
    if link is None:
        raise BadInput("What kind of link is missing", todo="Give --must, --cannot or --remove")
    with Workspace.open(workspace) as opened:
        edit = Link(rowids=choose_apis(opened, apis), link=link)
        make_edit(opened, edit, dry_run=dry_run, as_json=as_json)


def _pin(
    workspace: Workspace, toolkits: tuple[str, ...], apis: tuple[str, ...], *, is_pinned: bool
) -> Edit:
    if bool(toolkits) == bool(apis):
        raise BadInput("Name either toolkits or APIs", todo="Use TOOLKIT... or --api API")
    if apis:
        return PinApis(rowids=choose_apis(workspace, apis), is_pinned=is_pinned)
    return PinToolkits(toolkits=tuple(choose_toolkits(workspace, toolkits)), is_pinned=is_pinned)


EDIT_COMMANDS = (
    rename_command,
    describe_command,
    note_command,
    merge_command,
    take_out_command,
    move_command,
    new_command,
    pin_command,
    unpin_command,
    exclude_command,
    include_command,
    link_command,
)
"""For the group in `toolkits.py`, in the order of its help."""
