"""`toolplanner lab build-tasks`: a data set made of the user's own catalogue."""

from pathlib import Path

import click

from toolplanner_core.cli.options import SEED, FilePath, in_workspace, json_option
from toolplanner_core.cli.progress import shown_progress
from toolplanner_core.cli.terminal import print_json, print_line, print_table, say
from toolplanner_core.domain.lab import row_of_query
from toolplanner_core.errors import BadInput
from toolplanner_core.lab.datasets.jsonl import SUFFIX, write_data_set
from toolplanner_core.lab.datasets.library import add_to_library, check_name, library_folder
from toolplanner_core.lab.experiment_file import make_arm
from toolplanner_core.lab.tasks.building import (
    EVIDENCE,
    BuiltTasks,
    TaskPlan,
    build_tasks,
    remove_build,
)
from toolplanner_core.words.formatting import counted, one_line
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.edit_history import read_head

_DRAWS_A_TASK = 10
_SHOWN = 5


@click.command("build-tasks")
@in_workspace
@click.option(
    "--n",
    "number",
    type=click.IntRange(1, 10_000),
    default=20,
    show_default=True,
    help="Verified tasks that are wanted.",
)
@click.option(
    "--model",
    help="Writes the tasks and solves them; none: rules and the offline"
    " planner, which cost nothing.",
)
@click.option(
    "--judge",
    help="Model that grades the answers; the one of --model if none, and"
    f" without that the {EVIDENCE} in the replies.",
)
@click.option("--strategy", default="tool-planner", show_default=True, help="That solves them.")
@click.option("--provider", default="auto", show_default=True, help="Who executes calls.")
@click.option(
    "--apis",
    type=click.IntRange(1, 5),
    default=2,
    show_default=True,
    help="APIs of a task at most.",
)
@click.option(
    "--draws",
    type=click.IntRange(min=1),
    help=f"After so many it ends with fewer; {_DRAWS_A_TASK} for each task if none.",
)
@click.option("--seed", type=SEED, default=0, show_default=True, help="Of what is drawn.")
@click.option("--name", help="Of the data set; none: that of the workspace, with “-tasks”.")
@click.option("--replace", is_flag=True, help="Replace another data set of this name.")
@click.option(
    "--to",
    type=FilePath(),
    help=f"Write this file, NAME{SUFFIX}, and leave the library alone.",
)
@json_option
def build_tasks_command(
    *,
    workspace: Workspace,
    number: int,
    model: str | None,
    judge: str | None,
    strategy: str,
    provider: str,
    apis: int,
    draws: int | None,
    seed: int,
    name: str | None,
    replace: bool,
    to: Path | None,
    as_json: bool,
) -> int:
    """Make a data set of the catalogue of WORKSPACE: tasks that were solved, with their gold APIs.

    APIs that only read are drawn, a task is written for them, solved, and judged; what is not
    solved with these APIs is left out and counted with its reason. Calls are really made. The same
    seed draws the same APIs. Ctrl+C keeps what is verified; the same command goes on after that, or
    after a crash, and asks nothing twice that was answered. Exit status 1 when there are fewer
    than were wanted.
    """
    if to is not None and to.suffix != SUFFIX:
        raise BadInput("This is no name of a data set", where=str(to), todo=f"NAME{SUFFIX}")
    settings = {"strategy": strategy, "provider": provider, "model": model or "offline"}
    solver = make_arm("solver", settings, where="solver", edit=read_head(workspace.reader()))
    plan = TaskPlan(
        name=check_name(name or f"{workspace.path.stem}-tasks"),
        number=number,
        most_draws=draws or number * _DRAWS_A_TASK,
        most_apis=apis,
        seed=seed,
        writer=model,
        judge=judge or model,
        solver=solver,
    )
    folder = plan.folder(workspace.path, to.parent if to is not None else library_folder())
    with shown_progress() as progress:
        built = build_tasks(workspace, plan, folder=folder, progress=progress)
    place = to
    if built.data_set.queries:
        if to is None:
            place = add_to_library(built.data_set, replace=replace)
        else:
            write_data_set(built.data_set, to)
    if not built.stopped:
        remove_build(folder)
    if as_json:
        print_json(_row(built, place))
    else:
        _print(built, place, folder)
    return 0 if len(built.data_set) == number else 1


def _print(built: BuiltTasks, place: Path | None, folder: Path) -> None:
    tasks, found = counted(len(built.data_set), "verified task"), built.data_set
    if found.queries:
        print_line(f"{found.reference}: {tasks} of {counted(built.draws, 'draw')}, in {place}")
    else:
        print_line(f"No task was verified in {counted(built.draws, 'draw')}; nothing is written.")
    if built.rejected:
        print_table([">Left out", "Why"], [[n, why] for why, n in built.reasons.items()])
    for each in found.queries[:_SHOWN]:
        print_line(f"  {each.id}: {one_line(each.text)}")
    if built.stopped:
        say(f"It ended early: {built.stopped}. The same command goes on; till then what was")
        say(f"answered stays in {folder}")


def _row(built: BuiltTasks, place: Path | None) -> dict[str, object]:
    return {
        "file": str(place) if built.data_set.queries else None,
        "name": built.data_set.name,
        "version": built.data_set.version,
        "source": built.data_set.source,
        "draws": built.draws,
        "tasks": [row_of_query(each) for each in built.data_set],
        "reasons": built.reasons,
        "rejected": [each._asdict() for each in built.rejected],
        "stopped": built.stopped,
    }
