"""`toolplanner runs replay`: run a recorded run again from its log, without a single call."""

import dataclasses

import click

from toolplanner_core.cli.options import in_runs, json_option, run_argument
from toolplanner_core.cli.terminal import print_json, print_line
from toolplanner_core.domain.ids import RunId
from toolplanner_core.runs.tape.replay import replay
from toolplanner_core.words.wording import counted
from toolplanner_core.workspace import Workspace


@click.command("replay")
@in_runs
@run_argument
@json_option
def replay_command(workspace: Workspace, run_id: RunId, as_json: bool) -> int:
    """Replay RUN from its log: no model, no provider, no network. Exit status 1 at a difference."""
    report = replay(workspace, run_id)
    if as_json:
        print_json(dataclasses.asdict(report))
    elif report.divergence is None:
        print_line(
            f"Run {run_id} replays identically: {counted(report.events, 'event')},"
            f" {report.model_calls} answers and {report.api_calls} results from the tape,"
            f" 0 calls made, {report.seconds:.2f} s"
        )
    else:
        print_line(f"Run {run_id} diverges at event {report.divergence.seq or 'none'}.")
        print_line(report.divergence.what)
        print_line()
        print_line(report.divergence.diff)
    if report.changed_prompts and not as_json:
        names = ", ".join(report.changed_prompts)
        print_line(f"Other texts of these prompts hold now: {names}. The run's own were taken.")
    return 0 if report.identical else 1
