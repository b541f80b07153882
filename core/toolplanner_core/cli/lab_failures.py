"""`toolplanner lab forks|parting|fallbacks`: why trials failed, and what rescued others."""

from dataclasses import asdict
from pathlib import Path

import click

from toolplanner_core.cli.lab_experiments import store_argument
from toolplanner_core.cli.options import json_option
from toolplanner_core.cli.progress import shown_progress
from toolplanner_core.cli.terminal import print_json, print_line, print_rows, print_table
from toolplanner_core.errors import BadInput
from toolplanner_core.lab.experiment_file import ExperimentFile, read_experiment_file
from toolplanner_core.lab.experiments.fallbacks import FallbackPair, fallback_pairs, send_to_review
from toolplanner_core.lab.experiments.forks import MOST, Remedy, fork_failures
from toolplanner_core.lab.experiments.partings import arms_part
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.lab_store import LabStore

_judge = click.option("--judge", default="", help="Who says what is solved; the first if none.")
_arm = click.option("--arm", default="", help="Trials of this arm only.")
_limit = click.option("--limit", type=click.IntRange(min=0), default=20, show_default=True)
_NO_CAUSE = "none of these"


def description_of(store: Path) -> ExperimentFile:
    """The file that describes an experiment, beside its results: it names the workspace.

    Raises:
        BadInput: it is not there.
    """
    description = store.with_name(f"{store.name}.toml")
    if not description.is_file():
        raise BadInput(
            "The file that describes the experiment is not there",
            where=str(description),
            todo="Put it beside the results; it names the workspace of the trials",
        )
    return read_experiment_file(description)


@click.command("forks")
@store_argument
@_arm
@_judge
@click.option(
    "--most", type=click.IntRange(min=1), default=MOST, show_default=True, help="Trials to fork."
)
@json_option
def forks_command(*, store: Path, arm: str, judge: str, most: int, as_json: bool) -> None:
    """Find the first causes of failures: fork failed trials, each with one thing changed.

    At the first failed call: the API up, the gold arguments, the next API of its toolkit, a gold
    API; and the gold APIs alone from the start. Calls go to the provider of the arm; an arm with a
    model asks it again from there on. The file NAME.lab.toml and its workspace must be there.
    """
    file = description_of(store)
    with LabStore.open(store) as opened, shown_progress() as progress:
        found = fork_failures(file, opened, progress=progress, arm=arm, judge=judge, most=most)
    causes, shares = found.first_causes(), found.shares()
    if as_json:
        print_json(
            {
                "judge": found.judge,
                "failures": [
                    {
                        "trial": each.trial.number,
                        "arm": each.trial.arm,
                        "query": each.trial.query,
                        "api": each.api,
                        "error": each.error,
                        "rescued": each.rescued,
                        "first_cause": each.first_cause,
                    }
                    for each in found.failures
                ],
                "shares": {remedy: asdict(share) for remedy, share in shares.items()},
                "first_causes": {cause or "": n for cause, n in causes.items()},
                "left_out": found.left_out,
                "unreadable": found.unreadable,
            }
        )
        return
    print_line(
        f"{counted(len(found.failures), 'failed trial')} forked (judge {found.judge});"
        f" {found.left_out:,} more were left out, {found.unreadable:,} have no run."
    )
    print_table(
        ["Changed", "Solved then", ">First cause of"],
        [
            [remedy, str(shares[remedy]), f"{causes.get(remedy, 0):,}"]
            for remedy in Remedy
            if remedy in shares
        ]
        + [[_NO_CAUSE, "", f"{causes.get(None, 0):,}"]],
    )


@click.command("parting")
@store_argument
@click.argument("a", metavar="ARM")
@click.argument("b", metavar="ARM")
@_judge
@_limit
@json_option
def parting_command(*, store: Path, a: str, b: str, judge: str, limit: int, as_json: bool) -> None:
    """Show where the runs of two arms first differ, for queries that only one of them solved."""
    with LabStore.open(store) as opened, shown_progress() as progress:
        found = arms_part(opened, a, b, progress=progress, judge=judge)
    groups = found.groups()
    if as_json:
        print_json({**asdict(found), "groups": groups})
        return
    print_line(
        f"Of {counted(found.pairs, 'pair')} {len(found.partings) + found.unreadable:,} were solved"
        f" by one arm only (judge {found.judge}); {found.unreadable:,} of them have no run."
    )
    print_table(["Solved by", "First difference", ">Pairs"], [[*each] for each in groups])
    print_table(
        ["Query", ">Seed", "Solved by", "What differs first"],
        [[e.query, e.seed, e.solved_by, e.sentence] for e in found.partings[:limit]],
    )


@click.command("fallbacks")
@store_argument
@_arm
@_limit
@click.option("--to-review", is_flag=True, help="Let the review of the workspace ask about them.")
@json_option
def fallbacks_command(*, store: Path, arm: str, limit: int, to_review: bool, as_json: bool) -> None:
    """Show which APIs were tried in the place of others that failed, and how often they served.

    With --to-review those that served become questions of the review: are they one toolkit?
    """
    with LabStore.open(store) as opened, shown_progress() as progress:
        found = fallback_pairs(opened, progress=progress, arm=arm)
    if to_review:
        with Workspace.open(description_of(store).workspace) as workspace:
            sent = send_to_review(workspace, store.stem, found)
        if not as_json:
            print_line(f"{counted(sent, 'pair')} sent to the review (toolplanner review list).")

    def cells(each: FallbackPair) -> list[str]:
        return [each.failed_title, each.tried_title, each.toolkit, str(each.share)]

    print_rows(
        found if as_json else found[:limit],
        ["Failed", "Tried instead", "Toolkit", "Served"],
        cells,
        as_json=as_json,
        to_json=asdict,
        empty="No API was tried in the place of another one.",
    )
