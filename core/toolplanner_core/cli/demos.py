"""`toolplanner demos`: demonstrations that models are shown: save a run, edit, tag, search."""

import dataclasses
import json
from pathlib import Path
from typing import Any

import click

from toolplanner_core.cli.options import ROW_ID, FilePath, in_runs, in_workspace, json_option
from toolplanner_core.cli.terminal import print_json, print_line, print_rows
from toolplanner_core.domain.demonstration import Demonstration
from toolplanner_core.domain.ids import RunId
from toolplanner_core.domain.plain_data import from_plain
from toolplanner_core.errors import BadInput
from toolplanner_core.retrieval.demonstrations import DemonstrationIndex
from toolplanner_core.runs.export.demonstrations import save_demonstration, save_solved_runs
from toolplanner_core.words.formatting import one_line
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.demonstrations import (
    add_demonstration,
    change_demonstration,
    get_demonstration,
    list_demonstrations,
    remove_demonstration,
)

_tag_option = click.option("--tag", "tags", multiple=True, help="A tag; may be repeated.")
_number = click.argument("number", type=ROW_ID)


@click.group()
def demos() -> None:
    """Demonstrations: solved tasks that the strategy tptu shows to its model."""


@demos.command("add")
@in_runs
@click.argument("run_id", metavar="[RUN]", type=ROW_ID, required=False)
@_tag_option
@click.option("--file", type=FilePath(), help="JSON of a demonstration, instead of a run.")
@click.option(
    "--solved", is_flag=True, help="All solved runs, the newest of each query, instead of one."
)
@click.option(
    "--answered", is_flag=True, help="As --solved, also runs whose answer nobody has checked."
)
@json_option
def add_command(
    *,
    workspace: Workspace,
    run_id: int | None,
    tags: tuple[str, ...],
    file: Path | None,
    solved: bool,
    answered: bool,
    as_json: bool,
) -> None:
    """Save RUN as a demonstration, all solved runs, or one that was written by hand."""
    if (run_id is not None) + (file is not None) + (solved or answered) != 1:
        raise BadInput("Name either a run, a file with a demonstration, or --solved")
    if solved or answered:
        found = save_solved_runs(workspace, tags=tags, is_answered_enough=answered)
        if as_json:
            print_json({"made": [_row(each) for each in found.made], "left_out": found.left_out})
        else:
            print_line(found.words)
        return
    if file is not None:
        made = add_demonstration(workspace, _read(file, Demonstration(id=0, query="", steps=())))
    else:
        assert run_id is not None
        made = save_demonstration(workspace, RunId(run_id), tags=tags)
    if as_json:
        print_json(_row(made))
    else:
        print_line(f"Demonstration {made.id}: {one_line(made.query)}")


@demos.command("list")
@in_workspace
@_tag_option
@click.option("--like", metavar="QUERY", help="Those whose query is like this one, best first.")
@json_option
def list_command(
    workspace: Workspace, tags: tuple[str, ...], like: str | None, as_json: bool
) -> None:
    """List demonstrations; of those with tags, all of which they must have."""
    found = [(each, 0.0) for each in list_demonstrations(workspace) if set(tags) <= set(each.tags)]
    if like is not None:
        found = DemonstrationIndex(workspace).similar(like, [each for each, _ in found])
    print_rows(
        found,
        [">Number", "Query", ">APIs", "Tags", ">Run", *([">Like"] if like else [])],
        lambda row: [
            row[0].id,
            row[0].query,
            len(row[0].steps),
            ", ".join(row[0].tags),
            row[0].run or "",
            *([f"{row[1]:.2f}"] if like else []),
        ],
        as_json=as_json,
        to_json=lambda row: _row(row[0]) | ({"like": round(row[1], 4)} if like else {}),
        empty=f"There are no demonstrations yet. Save a run: toolplanner demos add {workspace.path}"
        " RUN",
    )


@demos.command("show")
@in_workspace
@_number
def show_command(workspace: Workspace, number: int) -> None:
    """Show a demonstration as JSON, as `edit --file` takes it."""
    print_json(_row(get_demonstration(workspace, number)))


@demos.command("edit")
@in_workspace
@_number
@click.option("--query", help="Another query.")
@click.option("--answer", help="Another answer.")
@click.option("--tag", "tags", multiple=True, help="Its tags from now on; may be repeated.")
@click.option("--file", type=FilePath(), help="JSON with what shall be different.")
def edit_command(
    *,
    workspace: Workspace,
    number: int,
    query: str | None,
    answer: str | None,
    tags: tuple[str, ...],
    file: Path | None,
) -> None:
    """Change a demonstration."""
    old = get_demonstration(workspace, number)
    new = old if file is None else _read(file, old)
    given = {"query": query, "answer": answer, "tags": tags or None}
    new = dataclasses.replace(new, **{n: value for n, value in given.items() if value is not None})
    change_demonstration(workspace, new)
    print_line(f"Demonstration {number}: {one_line(new.query)}")


@demos.command("remove")
@in_workspace
@_number
def remove_command(workspace: Workspace, number: int) -> None:
    """Delete a demonstration; runs that were shown it keep what they saw."""
    remove_demonstration(workspace, number)
    print_line(f"Demonstration {number} is gone.")


def _row(shown: Demonstration) -> dict[str, Any]:
    return dataclasses.asdict(shown)


def _read(file: Path, old: Demonstration) -> Demonstration:
    """A demonstration with what a file says differently; its number and its run stay."""
    try:
        said = {**_row(old), **json.loads(file.read_text(encoding="utf-8"))}
        made = from_plain(Demonstration, {**said, "id": old.id, "run": old.run})
    except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
        raise BadInput(
            "The demonstration cannot be read", where=str(file), why=str(error)
        ) from error
    if not made.query.strip() or not made.steps:
        raise BadInput("A demonstration needs a query and a step", where=str(file))
    return made
