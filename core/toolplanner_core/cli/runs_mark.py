"""`toolplanner runs mark`, `delete`, `restore`, `attempts`: what a person says of runs, and all
calls of many runs in one table."""

import dataclasses

import click

from toolplanner_core.cli.options import ROW_ID, in_runs, in_workspace, json_option, run_argument
from toolplanner_core.cli.terminal import print_line, print_rows, when
from toolplanner_core.domain.ids import RunId
from toolplanner_core.words.wording import counted
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.attempts import read_attempts
from toolplanner_core.workspace.run_marks import bring_back_runs, delete_runs, put_mark, read_mark

_runs = click.argument("runs", metavar="RUN...", type=ROW_ID, nargs=-1, required=True)


@click.command("mark")
@in_workspace
@run_argument
@click.option("--label", help='A word to find it by, "" for none.')
@click.option("--note", help='A note for people, "" for none.')
@click.option("--star/--no-star", default=None, help="Star it, or take the star away.")
def mark_command(
    workspace: Workspace, run_id: RunId, label: str | None, note: str | None, star: bool | None
) -> None:
    """Label, note or star RUN; `runs search` finds label:WORD and is:starred."""
    said = {"label": label, "note": note, "is_starred": star}
    given = {name: value for name, value in said.items() if value is not None}
    put_mark(workspace, dataclasses.replace(read_mark(workspace, run_id), **given))
    print_line(f"Marked run {run_id}.")


@click.command("delete")
@in_workspace
@_runs
def delete_command(workspace: Workspace, runs: tuple[RunId, ...]) -> None:
    """Take RUNS out of all lists, searches and figures; `runs restore` brings them back."""
    delete_runs(workspace, runs)
    print_line(f"Deleted {counted(len(runs), 'run')}. Bring back with: toolplanner runs restore")


@click.command("restore")
@in_workspace
@click.argument("runs", metavar="[RUN...]", type=ROW_ID, nargs=-1)
def restore_command(workspace: Workspace, runs: tuple[RunId, ...]) -> None:
    """Bring deleted RUNS back, all if none is named."""
    back = bring_back_runs(workspace, runs or None)
    print_line(f"Brought back {counted(len(back), 'run')}.")


@click.command("attempts")
@in_runs
@click.option("--run", "of_runs", type=ROW_ID, multiple=True, help="Only of this run; repeatable.")
@click.option("--outcome", help='Only these: "ok", or a class of failures.')
@click.option("--limit", default=200, show_default=True, help="Rows at most.")
@json_option
def attempts_command(
    workspace: Workspace,
    of_runs: tuple[RunId, ...],
    outcome: str | None,
    limit: int,
    as_json: bool,
) -> None:
    """List the calls of all runs, newest first: API, toolkit, how it went, how long it took."""
    found = read_attempts(workspace, runs=of_runs or None)
    print_rows(
        [row for row in found if outcome in (None, row.outcome)][:limit],
        [">Run", "API", "Toolkit", "Outcome", ">ms", "When"],
        lambda row: [
            row.run,
            row.title,
            row.toolkit,
            row.words,
            "" if row.elapsed_ms is None else round(row.elapsed_ms),
            when(row.started_us),
        ],
        as_json=as_json,
        to_json=dataclasses.asdict,
        empty="No API was called in any run.",
    )
