"""`toolplanner serving`: profiles of what agents get, tokens, and whether all of it holds."""

import json
from dataclasses import replace
from typing import Any

import click

from toolplanner_core.cli.options import in_workspace, json_option
from toolplanner_core.cli.serve_choice import (
    chosen_profile,
    kept_flags,
    profile_option,
    start_flags,
)
from toolplanner_core.cli.terminal import print_json, print_line, print_table
from toolplanner_core.errors import NotFound
from toolplanner_core.runs.catalogue.workspace_catalogue import WorkspaceCatalogue
from toolplanner_core.serving.checking import ServingCheck, check_serving
from toolplanner_core.serving.guard import token_path
from toolplanner_core.serving.profiles import (
    profile_names,
    profile_row,
    read_profile,
    remove_profile,
    save_profile,
)
from toolplanner_core.words.formatting import when
from toolplanner_core.workspace import Workspace


@click.group()
def serving() -> None:
    """What is served to agents: profiles under names, the token, and checks of all that."""


@serving.command("list")
@in_workspace
@json_option
def list_command(workspace: Workspace, as_json: bool) -> None:
    """List the profiles of a workspace."""
    rows = {name: profile_row(read_profile(workspace, name)) for name in profile_names(workspace)}
    if as_json:
        print_json(rows)
        return
    if not rows:
        print_line("All is served: no profile is kept yet. Keep one with: toolplanner serving save")
        return
    print_table(
        ["Profile", "Mode", "What"],
        [[name, row.get("mode", "auto"), _words(row)] for name, row in rows.items()],
    )


@serving.command("show")
@in_workspace
@click.argument("name")
def show_command(workspace: Workspace, name: str) -> None:
    """Show all that the profile NAME says, as JSON."""
    print_json(profile_row(read_profile(workspace, name)))


@serving.command("save")
@in_workspace
@click.argument("name")
@profile_option
@kept_flags
def save_command(workspace: Workspace, name: str, **choice: Any) -> None:
    """Keep what the flags choose as the profile NAME.

    What may change something, or is made up, is allowed at each start and not kept.
    """
    save_profile(workspace, replace(chosen_profile(workspace, **choice), name=name))
    place = workspace.path
    print_line(f"Saved the profile “{name}”: toolplanner serve {place} --profile {name}")


@serving.command("remove")
@in_workspace
@click.argument("name")
def remove_command(workspace: Workspace, name: str) -> None:
    """Forget the profile NAME."""
    remove_profile(workspace, name)
    print_line(f"Removed the profile “{name}”.")


@serving.command("tokens")
@json_option
def tokens_command(as_json: bool) -> None:
    """Say where the token is that clients over HTTP send, and since when."""
    path = token_path()
    made_s = path.stat().st_mtime if path.exists() else None
    if as_json:
        print_json([] if made_s is None else [{"path": str(path), "made_s": made_s}])
    elif made_s is None:
        print_line("There is no token yet: the first gateway over HTTP makes one.")
    else:
        print_line(f"{path}, made {when(made_s)}. It serves all of your workspaces.")


@serving.command("revoke")
def revoke_command() -> None:
    """Take the token away: the next gateway over HTTP makes another one.

    One that serves now goes on with the old token until it ends.
    """
    try:
        token_path().unlink()
    except FileNotFoundError:
        raise NotFound("There is no token") from None
    print_line("Removed. Gateways that start from now on take another one.")


@serving.command("check")
@in_workspace
@profile_option
@kept_flags
@start_flags
@json_option
def check_command(workspace: Workspace, as_json: bool, **choice: Any) -> int:
    """Check that what is served can be: lists, names, dialects, tokens of context, health.

    Exit status 1 where a check failed.
    """
    profile = chosen_profile(workspace, **choice)
    search = WorkspaceCatalogue(workspace)
    try:
        checks = check_serving(workspace, profile, search)
    finally:
        search.close()
    if as_json:
        print_json([check._asdict() for check in checks])
    else:
        print_table(["Check", "", "What was found"], [_check_row(check) for check in checks])
    return 0 if all(check.is_ok for check in checks) else 1


def _check_row(check: ServingCheck) -> list[str]:
    return [check.title, "ok" if check.is_ok else "failed", check.found]


def _words(row: dict[str, Any]) -> str:
    kept = {name: value for name, value in row.items() if name != "mode"}
    return json.dumps(kept) if kept else "all toolkits"
