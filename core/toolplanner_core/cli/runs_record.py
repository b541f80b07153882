"""`toolplanner runs record`: let the replies of runs answer other runs."""

import click

from toolplanner_core.cli.options import ROW_ID, in_workspace, json_option
from toolplanner_core.cli.terminal import print_json, print_line
from toolplanner_core.domain.ids import RunId
from toolplanner_core.runs.export.recorded import keep_recordings, told_recordings
from toolplanner_core.workspace import Workspace


@click.command("record")
@in_workspace
@click.argument("runs", metavar="RUN...", type=ROW_ID, nargs=-1, required=True)
@json_option
def record_command(workspace: Workspace, runs: tuple[RunId, ...], as_json: bool) -> None:
    """Keep the replies of RUNs as recorded calls: then `run --provider recorded` gives them.

    Made-up replies are left out. `runs export --format recorded` writes them to a file, which
    another workspace imports.
    """
    kept = keep_recordings(workspace, runs)
    if as_json:
        calls = len(kept.recordings)
        print_json({"calls": calls, "added": kept.added, "left_out": kept.left_out})
    else:
        print_line(told_recordings(kept))
