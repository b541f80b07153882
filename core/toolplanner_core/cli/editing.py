"""Make one edit from the command line and say what it did and how to undo it.

Called by all commands that edit toolkits.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from toolplanner_core.cli.options import dry_run_option, in_workspace, json_option
from toolplanner_core.cli.terminal import print_json, print_line
from toolplanner_core.curation.edits import history
from toolplanner_core.curation.edits.consequences import consequences
from toolplanner_core.curation.edits.edit import Edit
from toolplanner_core.errors import BadInput
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.settings import person_name
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.toolkits import get_toolkit

F = TypeVar("F", bound=Callable[..., Any])

COMMAND_LINE: Mapping[str, Any] = {"by": "command line"}


def edit_options(command: F) -> F:
    """The options of every command that makes an edit: `dry_run` and `as_json`."""
    return dry_run_option(json_option(command))


def edit_command(name: str) -> Callable[[Callable[..., Edit]], click.Command]:
    """A command that makes the edit which the function returns: it gets the open workspace."""

    def decorate(plan: Callable[..., Edit]) -> click.Command:
        def command(*, workspace: Workspace, dry_run: bool, as_json: bool, **given: Any) -> None:
            done = make_edit(workspace, plan(workspace, **given), dry_run=dry_run)
            print_done(workspace, done, dry_run=dry_run, as_json=as_json)

        made: Any = edit_options(command)
        made.__click_params__ += getattr(plan, "__click_params__", [])
        return click.command(name, help=plan.__doc__)(in_workspace(made))

    return decorate


def make_edit(
    workspace: Workspace,
    edit: Edit,
    *,
    dry_run: bool,
    origin: Mapping[str, Any] = COMMAND_LINE,
) -> history.Done:
    """Make an edit, or see what it would do.

    Raises:
        BadInput: it cannot be done.
    """
    if dry_run:
        return history.preview(workspace, edit)
    return history.do(workspace, edit, origin=origin, who=person_name())


def print_done(
    workspace: Workspace, done: history.Done, *, dry_run: bool = False, as_json: bool
) -> None:
    """Print what was done, as a sentence or as JSON."""
    if as_json:
        print_json(done_row(done, dry_run=dry_run))
        return
    lines = consequences(done, name_of=lambda toolkit: get_toolkit(workspace, toolkit).name)
    what = f"{done.label}: {', '.join(lines)}."
    if dry_run:
        print_line(f"Would do: {what} Nothing was changed.")
        _print_plans(workspace, done)
        return
    print_line(f"{what} Edit {done.head}.")
    print_line(f"Undo it with: toolplanner history undo {workspace.path}")


def _print_plans(workspace: Workspace, done: history.Done) -> None:
    """Print which saved queries would be planned differently."""
    from toolplanner_core.cases.plan_foresight import foresee_plans

    try:
        lines = foresee_plans(workspace, done.changes, progress=Progress()).lines()
    except BadInput as error:
        lines = [error.sentence]
    for line in lines:
        print_line(f"  {line}")


def done_row(done: history.Done, *, dry_run: bool = False) -> dict[str, Any]:
    """What was done, for machines."""
    changes = done.changes
    return {
        "edit": None if dry_run else done.head,
        "label": done.label,
        "made": changes.begun,
        "changed": changes.updated,
        "ended": changes.ended,
        "apis": len(
            changes.members.keys()
            | changes.excluded.keys()
            | changes.texts.keys()
            | changes.accepted.keys()
        ),
        "links": len(changes.links),
        "against": done.against,
    }
