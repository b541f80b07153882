"""`toolplanner lab plan|run|status|results|compare`: experiments over many queries."""

import contextlib
import os
import signal
import threading
from collections.abc import Generator
from dataclasses import asdict
from pathlib import Path
from types import FrameType
from typing import Any

import click

from toolplanner_core.cli.options import FilePath, json_option
from toolplanner_core.cli.progress import shown_progress
from toolplanner_core.cli.terminal import print_json, print_line, print_rows, say
from toolplanner_core.domain.experiment import TrialState
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.lab.coordinator import run_experiment
from toolplanner_core.lab.experiment_file import SUFFIX, read_experiment_file, resolve
from toolplanner_core.lab.planning import plan_trials
from toolplanner_core.lab.results import ArmResult, ExperimentResults
from toolplanner_core.lab.statistics.paired import PairedShares
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.edit_history import read_head
from toolplanner_core.workspace.lab_store import LabStore, Standing

_MOST_WORKERS = 8
_DASK = "dask"
_file_argument = click.argument("file", metavar="NAME.lab.toml", type=FilePath())


class _StorePath(FilePath):
    """The results of an experiment; the file that describes it stands for them."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        path = super().convert(value, param, ctx)
        return path.with_suffix("") if path.name.endswith(SUFFIX) else path


store_argument = click.argument("store", metavar="NAME.lab", type=_StorePath())


@click.command("plan")
@_file_argument
@json_option
def plan_command(file: Path, as_json: bool) -> None:
    """Check an experiment and say what it would run; makes no call."""
    read = read_experiment_file(file)
    with Workspace.open(read.workspace) as workspace:
        experiment, data_set = resolve(read, edit=read_head(workspace.reader()))
    trials = plan_trials(experiment, data_set)
    if as_json:
        print_json(
            {
                "experiment": experiment.name,
                "dataset": data_set.reference,
                "queries": len(data_set),
                "seeds": list(experiment.seeds),
                "judges": list(experiment.judges),
                "arms": [
                    {"arm": arm.name, "hash": arm.hash, **arm.settings} for arm in experiment.arms
                ],
                "trials": len(trials),
            }
        )
        return
    print_line(
        f"{counted(len(trials), 'trial')}: {counted(len(data_set), 'query', 'queries')} of"
        f" {data_set.reference} x {counted(len(experiment.arms), 'arm')} x"
        f" {counted(len(experiment.seeds), 'seed')}."
    )
    for arm in experiment.arms:
        settings = arm.settings
        print_line(f"  {arm.name}: {settings['strategy']}, {settings['model']}")
    print_line(f"Judged by: {', '.join(experiment.judges)}.")
    budget = {of: most for of, most in asdict(experiment.budget).items() if most is not None}
    if budget:
        print_line(f"Budget: {', '.join(f'{most:,} {of}' for of, most in budget.items())}.")


@click.command("run")
@_file_argument
@click.option(
    "--executor",
    default="processes",
    show_default=True,
    help="Where trials run: inline, processes; dask with --on.",
)
@click.option(
    "--on",
    "address",
    default="",
    metavar="ADDRESS",
    help="A Dask scheduler, such as tcp://127.0.0.1:8786 or tls://HOST:8786, whose workers run the"
    " trials; needs toolplanner[cluster] here and there.",
)
@click.option(
    "--workers",
    type=click.IntRange(1, 256),
    help=f"Worker processes; the number of cores if none, {_MOST_WORKERS} at most.",
)
@json_option
def run_command(
    *, file: Path, executor: str, address: str, workers: int | None, as_json: bool
) -> int:
    """Run an experiment, or go on with it; one that is finished is left as it is.

    Ctrl+C begins no further trial and waits for those that run; pressed again it stops them, too.
    Either way the same command goes on later. Exit status 1 when trials are left.
    """
    read = read_experiment_file(file)
    number = workers or min(os.cpu_count() or 1, _MOST_WORKERS)
    begun: list[Standing] = []
    with shown_progress() as progress, _stopped_by_keys(progress) as stopping:
        standing = run_experiment(
            read,
            executor=_DASK if address else executor,
            address=address,
            workers=number,
            progress=progress,
            stopping=stopping,
            on_begin=begun.append,
        )
    if as_json:
        print_json(_standing_row(standing))
    elif not begun[0].left:
        print_line(f"Nothing is left to run: {_words(standing)}")
    else:
        print_line(_words(standing))
    return 1 if standing.left else 0


@click.command("status")
@store_argument
@json_option
def status_command(store: Path, as_json: bool) -> None:
    """Say how the trials of an experiment stand."""
    with LabStore.open(store) as opened:
        standing = opened.standing()
    if as_json:
        print_json(_standing_row(standing))
    else:
        print_line(_words(standing))


@click.command("results")
@store_argument
@click.option(
    "--by", default="arm", show_default=True, help="arm, or a setting of arms: strategy, model ..."
)
@json_option
def results_command(store: Path, by: str, as_json: bool) -> None:
    """Show which share of the planned trials each arm solved, with 95 % intervals."""
    with LabStore.open(store) as opened:
        results, standing = ExperimentResults(opened), opened.standing()
    rows = results.by(by)
    print_rows(
        rows,
        [by.capitalize(), "Judge", ">Solved", ">95 %", ">Trials", "Remarks"],
        _cells,
        as_json=as_json,
        to_json=asdict,
        empty="There is no arm.",
    )
    if standing.left and not as_json:
        say(f"So far: {_words(standing)}")


@click.command("compare")
@store_argument
@click.argument("a", metavar="ARM")
@click.argument("b", metavar="ARM")
@click.option("--judge", help="Whose verdicts; the first judge of the experiment if none.")
@json_option
def compare_command(store: Path, a: str, b: str, judge: str | None, as_json: bool) -> None:
    """Compare two arms over the same queries and seeds: the first minus the second."""
    with LabStore.open(store) as opened:
        results = ExperimentResults(opened)
    by = judge or results.judges[0]
    found = results.compare(a, b, by)
    p = results.adjusted_p(by).get(frozenset((a, b)))
    is_named = any({a, b} == set(pair) for pair in results.experiment.compare)
    if as_json:
        paired = None if found is None else asdict(found)
        if paired is not None and found is not None:
            paired["table"] = found.table._asdict()
            del paired["p"]
        said = {"a": a, "b": b, "judge": by, "is_named_in_plan": is_named, "p_holm": p}
        print_json({**said, "paired": paired})
    elif found is None:
        print_line(f"The judge {by} can judge no query of this data set.")
    else:
        for line in [*comparison_lines(a, b, found), _p_line(p, is_named=is_named)]:
            print_line(line)


@contextlib.contextmanager
def _stopped_by_keys(progress: Progress) -> Generator[threading.Event]:
    """Ctrl+C sets the event; a second one cancels what runs."""
    stopping = threading.Event()

    def hear(_number: int, _frame: FrameType | None) -> None:
        if stopping.is_set():
            progress.cancel()
        else:
            stopping.set()
            say("Stopping: no further trial begins. Press Ctrl+C again to stop those that run.")

    before = signal.signal(signal.SIGINT, hear)
    try:
        yield stopping
    finally:
        signal.signal(signal.SIGINT, before)


def _standing_row(standing: Standing) -> dict[str, Any]:
    return {
        "trials": standing.planned,
        "left": standing.left,
        "duplicates": standing.duplicates,
        "stopped": standing.stopped,
        "states": {str(state): standing.by_state.get(state, 0) for state in TrialState},
    }


def _words(standing: Standing) -> str:
    states = ", ".join(
        f"{standing.by_state[state]:,} {state}"
        for state in TrialState
        if state in standing.by_state
    )
    stopped = f" {standing.stopped}." if standing.stopped else ""
    return f"{counted(standing.planned, 'trial')}: {states}.{stopped}"


def _cells(row: ArmResult) -> list[str]:
    remarks = [
        words
        for number, words in (
            (row.broken, f"{row.broken:,} broken"),
            (row.not_measured, f"{row.not_measured:,} not measured"),
            (row.not_checked, f"{row.not_checked:,} not checked"),
            (row.not_judged, f"{counted(row.not_judged, 'query', 'queries')} not judged"),
        )
        if number
    ]
    share = row.share
    if share is None:
        return [row.group, row.judge, "-", "-", "0", ", ".join(remarks)]
    low, high = share.if_missing_fail, share.if_missing_pass
    solved, number = f"{low.value:.1%}", f"{share.planned:,}"
    if share.missing:
        so_far = "so far " if share.missing > row.not_checked else ""
        solved = f"{so_far}{low.value:.1%} to {high.value:.1%}"
        number = f"{share.finished:,} of {share.planned:,}"
    interval = f"{low.low:.1%} to {high.high:.1%}"
    return [row.group, row.judge, solved, interval, number, ", ".join(remarks)]


def comparison_lines(a: str, b: str, found: PairedShares) -> list[str]:
    """The difference, the table of pairs, and what is missing, in sentences."""
    lines: list[str] = []
    difference = found.difference
    if difference is None:
        lines.append("No pair is complete so far.")
    else:
        so_far = "so far, " if found.missing else ""
        lines.append(
            f"{a} minus {b}: {so_far}{difference.value:+.1%}"
            f" [{difference.low:+.1%}, {difference.high:+.1%}], n = {difference.n:,}"
        )
    table = found.table
    lines.append(
        f"Both {table.both:,}, only {a} {table.only_a:,}, only {b} {table.only_b:,},"
        f" neither {table.neither:,}"
    )
    if found.missing:
        lines.append(
            f"{found.missing:,} of {counted(found.planned, 'pair')} have no verdict: decided"
            f" against or for {a} they make {found.worst:+.1%} to {found.best:+.1%}"
        )
    return lines


def _p_line(p: float | None, *, is_named: bool) -> str:
    if p is not None:
        return f"McNemar's exact test: p = {p:.3g}, after Holm over what the plan named"
    if is_named:
        return "No p: that needs one seed, a verdict in each pair and all named comparisons"
    return "A look: the plan did not name this comparison, so it has no p"
