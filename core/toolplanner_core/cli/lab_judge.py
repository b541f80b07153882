"""`toolplanner lab judge`: let a model grade the answers of an experiment, without running it."""

from dataclasses import asdict
from pathlib import Path

import click

from toolplanner_core.cli.lab_experiments import store_argument
from toolplanner_core.cli.options import json_option
from toolplanner_core.cli.progress import shown_progress
from toolplanner_core.cli.terminal import print_json, print_line, say
from toolplanner_core.lab.model_judge import ANSWER, judge_answers
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace.lab_store import LabStore


@click.command("judge")
@store_argument
@click.option(
    "--judge",
    "_judge",
    type=click.Choice([ANSWER]),
    default=ANSWER,
    show_default=True,
    help="answer: a model says solved, unsure or unsolved.",
)
@click.option("--model", help="Such as openai:NAME; the usual one if none.")
@click.option(
    "--votes",
    type=click.IntRange(1, 25),
    default=3,
    show_default=True,
    help="How often each answer is graded.",
)
@json_option
def judge_command(store: Path, _judge: str, model: str | None, votes: int, as_json: bool) -> int:
    """Let a model grade what was answered; calls no tool and not the acting model.

    Another model, prompt or number of votes is another judge, beside those that were there. What
    was judged is not asked again. Exit status 1 when answers are left without a verdict.
    """
    with LabStore.open(store) as opened, shown_progress() as progress:
        found = judge_answers(opened, model=model or "", votes=votes, progress=progress)
    if as_json:
        print_json(asdict(found))
        return 1 if found.failed else 0
    print_line(f"Judged by {found.judge}: {counted(found.judged, 'answer')}.")
    if found.before:
        print_line(f"{counted(found.before, 'answer')} had a verdict of this judge.")
    if found.failed:
        say(f"{counted(found.failed, 'answer')} got none: {found.why}")
    return 1 if found.failed else 0
