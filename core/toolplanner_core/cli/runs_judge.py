"""`toolplanner runs judge`: what a model says of a run's answer, kept beside the run."""

import dataclasses

import click

from toolplanner_core.cli.options import in_runs, json_option, run_argument
from toolplanner_core.cli.terminal import print_json, print_line
from toolplanner_core.domain.ids import RunId
from toolplanner_core.runs.judging import judge_run
from toolplanner_core.workspace import Workspace


@click.command("judge")
@in_runs
@run_argument
@click.option(
    "--model", metavar="SPEC", default="", help="Such as openai:NAME; else the run's or the usual."
)
@json_option
def judge_command(workspace: Workspace, run_id: RunId, model: str, as_json: bool) -> int:
    """Ask a model whether the answer of RUN is one. Exit status 1 if it says that it is none.

    The verdict stands beside the run; how the run ended stays as it is.
    """
    verdict = judge_run(workspace, run_id, model=model)
    if as_json:
        print_json(dataclasses.asdict(verdict))
    else:
        print_line(verdict.words)
    return 0 if verdict.solved else 1
