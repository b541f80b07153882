"""Make one edit from the command line and say what it did and how to undo it.

Called by all commands that edit toolkits.
"""

import getpass
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from toolplanner_core.cli.options import json_option
from toolplanner_core.cli.terminal import print_json, print_line
from toolplanner_core.curation import history
from toolplanner_core.curation.edits.edit import Edit, counted
from toolplanner_core.domain.curated import Changes
from toolplanner_core.workspace import Workspace

F = TypeVar("F", bound=Callable[..., Any])

COMMAND_LINE: Mapping[str, Any] = {"by": "command line"}


def edit_options(command: F) -> F:
    """The options of every command that makes an edit: `dry_run` and `as_json`."""
    dry = click.option(
        "--dry-run", is_flag=True, help="Say what would be done, and change nothing."
    )
    return dry(json_option(command))


def user_name() -> str:
    """Who makes the edits; "" where the system does not know."""
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):
        return ""


def make_edit(
    workspace: Workspace,
    edit: Edit,
    *,
    dry_run: bool,
    as_json: bool,
    origin: Mapping[str, Any] = COMMAND_LINE,
) -> None:
    """Make an edit, or say what it would do, and print it.

    Raises:
        BadInput: it does not fit the state, or would change nothing; nothing was changed.
    """
    if dry_run:
        done = history.preview(workspace, edit)
    else:
        done = history.do(workspace, edit, origin=origin, who=user_name())
    print_done(workspace.path, done, is_done=not dry_run, as_json=as_json)


def print_done(path: Path, done: history.Done, *, is_done: bool = True, as_json: bool) -> None:
    """Print what was done, as a sentence or as JSON."""
    if as_json:
        print_json(done_row(done) if is_done else done_row(done) | {"edit": None})
        return
    touched = changed_words(done.changes)
    if not is_done:
        print_line(f"Would do: {done.label}{touched}. Nothing was changed.")
        return
    print_line(f"{done.label}{touched}. Edit {done.head}.")
    print_line(f"Undo it with: toolplanner history undo {path}")


def done_row(done: history.Done) -> dict[str, Any]:
    """What was done, for machines."""
    toolkits = done.changes.toolkits
    return {
        "edit": done.head,
        "label": done.label,
        "made": [t for t, fields in toolkits.items() if fields.get("is_living") is True],
        "changed": [t for t, fields in toolkits.items() if "is_living" not in fields],
        "ended": [t for t, fields in toolkits.items() if fields.get("is_living") is False],
        "apis": len(done.changes.members.keys() | done.changes.excluded.keys()),
        "links": len(done.changes.links),
    }


def changed_words(changes: Changes) -> str:
    """ " (12 APIs, 2 toolkits)"; "" if there is nothing to count."""
    apis = len(changes.members.keys() | changes.excluded.keys())
    parts = [
        counted(n, one, many)
        for n, one, many in (
            (apis, "API", "APIs"),
            (len(changes.toolkits), "toolkit", "toolkits"),
            (len(changes.links), "link", "links"),
        )
        if n
    ]
    return f" ({', '.join(parts)})" if parts else ""
