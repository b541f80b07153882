"""`toolplanner runs`: list runs, or show one with its tree; the group of all commands on runs."""

import dataclasses
from collections.abc import Callable

import click

from toolplanner_core.cli.options import in_runs, json_option, run_argument
from toolplanner_core.cli.run import print_outcome, summary_row
from toolplanner_core.cli.runs_diff import diff_command
from toolplanner_core.cli.runs_export import export_command
from toolplanner_core.cli.runs_fork import fork_command
from toolplanner_core.cli.runs_import import import_command
from toolplanner_core.cli.runs_judge import judge_command
from toolplanner_core.cli.runs_mark import (
    attempts_command,
    delete_command,
    mark_command,
    restore_command,
)
from toolplanner_core.cli.runs_node import report_lines
from toolplanner_core.cli.runs_record import record_command
from toolplanner_core.cli.runs_replay import replay_command
from toolplanner_core.cli.runs_search import search_command
from toolplanner_core.cli.terminal import print_json, print_line, print_rows, when
from toolplanner_core.cli.watching import print_tree
from toolplanner_core.domain.failure import PUBLISHED
from toolplanner_core.domain.ids import NodePath, RunId
from toolplanner_core.runs.prompts_used import prompt_words, prompts_used
from toolplanner_core.runs.reading import (
    get_summary,
    list_runs,
    load_tree,
    node_rows,
    read_run,
)
from toolplanner_core.runs.spec import RunSummary
from toolplanner_core.runs.telling.node_reading import read_report
from toolplanner_core.runs.telling.run_list import status_words
from toolplanner_core.runs.wording import cost_words
from toolplanner_core.words.wording import one_line
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.error_figures import ErrorFigure, error_figures
from toolplanner_core.workspace.runs import held_runs


@click.group()
def runs() -> None:
    """List, show, search, mark, delete, replay, fork, compare, judge, export and import runs."""


for _command in (
    search_command,
    replay_command,
    fork_command,
    diff_command,
    export_command,
    record_command,
    import_command,
    judge_command,
    mark_command,
    delete_command,
    restore_command,
    attempts_command,
):
    runs.add_command(_command)


@runs.command("list")
@in_runs
@click.option(
    "--by",
    type=click.Choice(["run", "error"]),
    default="run",
    help="A row per run, or per class of failures.",
)
@json_option
def list_command(workspace: Workspace, by: str, as_json: bool) -> None:
    """List all runs, newest first; or how often they failed in which way."""
    if by == "error":
        print_rows(
            error_figures(workspace),
            [*_ERROR_HEADINGS],
            lambda figure: [cell(figure) for cell in _ERROR_HEADINGS.values()],
            as_json=as_json,
            to_json=lambda figure: (
                dataclasses.asdict(figure) | {"type": PUBLISHED.get(figure.error)}
            ),
            empty="Nothing failed in any run.",
        )
        return
    held = held_runs(workspace)

    def cells(run: RunSummary) -> list[object]:
        status = status_words(run, is_held=run.run in held)
        return [run.run, status, *(cell(run) for cell in _HEADINGS.values())]

    print_rows(
        list_runs(workspace),
        [">Run", "Status", *_HEADINGS],
        cells,
        as_json=as_json,
        to_json=lambda run: summary_row(run) | {"is_held": run.run in held},
        empty=f'There are no runs yet. Make one with: toolplanner run {workspace.path} "QUERY"',
    )


@runs.command("show")
@in_runs
@run_argument
@click.option("--node", metavar="PATH", help="What is known of this node instead.")
@json_option
def show_command(workspace: Workspace, run_id: RunId, node: str | None, as_json: bool) -> None:
    """Show a run: its tree, its answer, its totals; or one of its nodes with all texts."""
    if node is not None:
        report = read_report(workspace, run_id, NodePath(node.strip("/")))
        if as_json:
            print_json(dataclasses.asdict(report))
        for line in () if as_json else report_lines(report):
            print_line(line)
        return
    summary, used = get_summary(workspace, run_id), prompts_used(read_run(workspace, run_id))
    if as_json:
        nodes = node_rows(load_tree(workspace, summary.run))
        print_json(summary_row(summary) | {"nodes": nodes, "prompts": used})
        return
    print_tree(workspace, summary.run)
    print_outcome(workspace, summary)
    if used:
        said = (prompt_words(name, hash_) for name, hashes in used.items() for hash_ in hashes)
        print_line(f"Prompts: {', '.join(said)}")


def _origin(summary: RunSummary) -> str:
    """Where a run comes from, "" for one that began here by itself."""
    if summary.is_imported:
        return "imported"
    return f"fork of {summary.parent_run}" if summary.parent_run is not None else ""


_ERROR_HEADINGS: dict[str, Callable[[ErrorFigure], object]] = {
    "Class": lambda figure: figure.error.value.replace("_", " "),
    "Type in the paper": lambda figure: PUBLISHED.get(figure.error, ""),
    ">Failures": lambda figure: figure.n,
    ">Runs": lambda figure: len(figure.runs),
    "Newest": lambda figure: ", ".join(map(str, figure.runs[:5])),
}
_HEADINGS: dict[str, Callable[[RunSummary], object]] = {
    "Query": lambda run: one_line(run.query),
    "Strategy": lambda run: run.strategy,
    ">Calls": lambda run: run.api_calls,
    ">Fallbacks": lambda run: run.fallbacks,
    ">Replans": lambda run: run.replans,
    ">Cost": lambda run: cost_words(run.cost),
    "Started": lambda run: when(run.started_us),
    "From": _origin,
}
