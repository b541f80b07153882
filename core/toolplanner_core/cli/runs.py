"""`toolplanner runs`: list runs, or show one with its tree; the group of all commands on runs."""

import dataclasses
from datetime import UTC, datetime
from pathlib import Path

import click

from toolplanner_core.cli.options import (
    ROW_ID,
    json_option,
    workspace_argument,
)
from toolplanner_core.cli.run import describe_summary, summary_row
from toolplanner_core.cli.runs_diff import diff_command
from toolplanner_core.cli.runs_export import export_command
from toolplanner_core.cli.runs_fork import fork_command
from toolplanner_core.cli.runs_import import import_command
from toolplanner_core.cli.runs_node import report_lines
from toolplanner_core.cli.runs_replay import replay_command
from toolplanner_core.cli.runs_search import search_command
from toolplanner_core.cli.terminal import print_json, print_line, print_table
from toolplanner_core.cli.watching import print_tree
from toolplanner_core.domain.ids import NodePath, RunId
from toolplanner_core.runs.interrupted import mark_interrupted
from toolplanner_core.runs.reading import get_summary, list_runs, load_tree, node_rows
from toolplanner_core.runs.spec import RunSummary
from toolplanner_core.runs.telling.node_reading import read_report
from toolplanner_core.runs.wording import cost_words
from toolplanner_core.workspace import Workspace


@click.group()
def runs() -> None:
    """List, show, search, replay, fork, compare, export and import runs."""


for _command in (
    search_command,
    replay_command,
    fork_command,
    diff_command,
    export_command,
    import_command,
):
    runs.add_command(_command)


@runs.command("list")
@workspace_argument
@json_option
def list_command(workspace: Path, as_json: bool) -> None:
    """List all runs, newest first."""
    with Workspace.open(workspace) as opened:
        mark_interrupted(opened)
        summaries = list_runs(opened)
    if as_json:
        print_json([summary_row(summary) for summary in summaries])
        return
    if not summaries:
        print_line(f'There are no runs yet. Make one with: toolplanner run {workspace} "QUERY"')
        return
    print_table(
        [
            ">Run",
            "Status",
            "Query",
            "Strategy",
            ">Calls",
            ">Fallbacks",
            ">Replans",
            ">Cost",
            "Started",
            "From",
        ],
        [
            [
                s.run,
                s.status,
                s.query,
                s.strategy,
                s.api_calls,
                s.fallbacks,
                s.replans,
                cost_words(s.cost),
                _when(s.started_us),
                _origin(s),
            ]
            for s in summaries
        ],
    )


@runs.command("show")
@workspace_argument
@click.argument("run_id", metavar="RUN", type=ROW_ID)
@click.option("--node", metavar="PATH", help="What is known of this node instead.")
@json_option
def show_command(workspace: Path, run_id: int, node: str | None, as_json: bool) -> None:
    """Show a run: its tree, its answer, its totals; or one of its nodes with all texts."""
    with Workspace.open(workspace) as opened:
        mark_interrupted(opened)
        if node is not None:
            report = read_report(opened, RunId(run_id), NodePath(node.strip("/")))
            if as_json:
                print_json(dataclasses.asdict(report))
            for line in () if as_json else report_lines(report):
                print_line(line)
            return
        summary = get_summary(opened, RunId(run_id))
        if as_json:
            nodes = node_rows(load_tree(opened, summary.run))
            print_json(summary_row(summary) | {"nodes": nodes})
            return
        print_tree(opened, summary.run)
    print_line(summary.answer or summary.reason)
    print_line()
    print_line(describe_summary(summary))


def _origin(summary: RunSummary) -> str:
    """Where a run comes from, "" for one that began here by itself."""
    if summary.is_imported:
        return "imported"
    return f"fork of {summary.parent_run}" if summary.parent_run is not None else ""


def _when(microseconds: int) -> str:
    return (
        datetime.fromtimestamp(microseconds / 1e6, tz=UTC).astimezone().strftime("%Y-%m-%d %H:%M")
    )
