"""`toolplanner runs diff`: two runs as one aligned tree."""

import click

from toolplanner_core.cli.options import ROW_ID, in_runs, json_option
from toolplanner_core.cli.terminal import print_json, print_line, print_table
from toolplanner_core.domain.ids import RunId
from toolplanner_core.runs.compare.diff import diff_runs
from toolplanner_core.runs.compare.side_by_side import diff_rows, render_diff
from toolplanner_core.workspace import Workspace


@click.command("diff")
@in_runs
@click.argument("left", metavar="RUN", type=ROW_ID)
@click.argument("right", metavar="RUN", type=ROW_ID)
@click.option("--all", "everything", is_flag=True, help="Show what is the same, too.")
@json_option
def diff_command(
    workspace: Workspace, left: RunId, right: RunId, everything: bool, as_json: bool
) -> None:
    """Compare two runs: what changed, and where they first went different ways."""
    diff = diff_runs(workspace, left, right)
    if as_json:
        print_json(diff_rows(diff))
        return
    for line in render_diff(diff, everything=everything):
        print_line(line)
    print_line()
    print_table(
        ["", f">Run {left}", f">Run {right}"],
        [[pair.name.replace("_", " "), pair.left, pair.right] for pair in diff.totals],
    )
