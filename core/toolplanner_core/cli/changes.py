"""`toolplanner changes`: documentation that imports changed, and accepting it."""

from dataclasses import asdict
from typing import Any

import click

from toolplanner_core.cli.editing import edit_options, make_edit, print_done
from toolplanner_core.cli.import_catalogue import print_change
from toolplanner_core.cli.options import in_workspace, json_option
from toolplanner_core.cli.terminal import iso, print_json, print_line
from toolplanner_core.curation.looking.waiting import Waiting, acceptance_of, read_waiting
from toolplanner_core.errors import BadInput, NotFound
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace import Workspace

_source_option = click.option("--source", default="", help="Only APIs of this catalogue.")


@click.group()
def changes() -> None:
    """APIs that an import documents otherwise than before; they wait until you accept that.

    Until then they are neither planned with nor called. Accepting can be undone like every edit.
    """


@changes.command("list")
@in_workspace
@_source_option
@json_option
def list_command(workspace: Workspace, source: str, as_json: bool) -> None:
    """List what waits, with what changed word by word."""
    found = read_waiting(workspace, source=source)
    if as_json:
        print_json([_row(each) for each in found])
        return
    for each in found:
        print_line(f"{each.api.id}  {each.api.source}")
        print_change(each.change)
    print_line(f"{counted(len(found), 'API waits', 'APIs wait')} to be accepted.")


@changes.command("accept")
@in_workspace
@click.argument("apis", nargs=-1, metavar="[API]...")
@_source_option
@click.option("--all", "is_all", is_flag=True, help="Accept everything that waits.")
@edit_options
def accept_command(
    *,
    workspace: Workspace,
    apis: tuple[str, ...],
    source: str,
    is_all: bool,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Accept the documentation of some APIs by their ids, of a --source, or of --all."""
    if not (apis or source or is_all):
        raise BadInput("Nothing was chosen", todo="Name APIs, a --source, or --all")
    found = read_waiting(workspace, source=source)
    if missing := sorted(set(apis) - {each.api.id for each in found}):
        raise NotFound(
            f"{missing[0]} does not wait", todo="List what does: toolplanner changes list"
        )
    chosen = [each for each in found if not apis or each.api.id in apis]
    if not chosen:
        raise BadInput("Nothing waits to be accepted")
    done = make_edit(workspace, acceptance_of(chosen), dry_run=dry_run)
    print_done(workspace, done, dry_run=dry_run, as_json=as_json)


def _row(each: Waiting) -> dict[str, Any]:
    return {
        "api": each.api.id,
        "source": each.api.source,
        "title": each.api.title,
        "since": iso(each.since_us),
        "changes": [asdict(part) for part in each.change.details],
    }
