"""`toolplanner lab stop|gate`: end an experiment from elsewhere, and let its figures decide."""

from dataclasses import asdict
from pathlib import Path

import click

from toolplanner_core.cli.lab_experiments import comparison_lines, store_argument
from toolplanner_core.cli.options import FiniteFloat, json_option
from toolplanner_core.cli.terminal import print_json, print_line
from toolplanner_core.lab.coordinator import stop_experiment
from toolplanner_core.lab.gate import GateVerdict, compare_with_margin
from toolplanner_core.lab.results import ExperimentResults
from toolplanner_core.workspace.lab_store import LabStore

_STATUS = {GateVerdict.NOT_WORSE: 0, GateVerdict.WORSE: 1, GateVerdict.CANNOT_TELL: 3}


@click.command("stop")
@store_argument
@click.option("--now", is_flag=True, help="Stop trials that run, too; they go on later.")
@json_option
def stop_command(store: Path, now: bool, as_json: bool) -> int:
    """Ask the process that runs an experiment to begin no further trial.

    The same `lab run` goes on later. Exit status 1 where nobody runs it.
    """
    is_asked = stop_experiment(store, at_once=now)
    if as_json:
        print_json({"asked": is_asked})
    elif is_asked:
        print_line("Asked to stop: no further trial begins.")
    else:
        print_line("Nobody runs this experiment.")
    return 0 if is_asked else 1


@click.command("gate")
@store_argument
@click.option("--arm", required=True, help="The arm that is put to the test.")
@click.option("--not-worse-than", "other", required=True, metavar="ARM", help="The other arm.")
@click.option(
    "--by", "margin", type=FiniteFloat(), default=0.0, show_default=True,
    help="How much worse is allowed, such as 0.03 for three points.",
)  # fmt: skip
@click.option("--judge", default="", help="Whose verdicts; the experiment's first judge if none.")
@json_option
def gate_command(
    *, store: Path, arm: str, other: str, margin: float, judge: str, as_json: bool
) -> int:
    """Let the 95 % interval of a paired difference decide, for a check without a person.

    Exit status 0: ARM is at most that much worse than the other one. 1: it is worse by more. 3: the
    interval holds both, or trials without a verdict could turn it; more queries would tell.
    """
    with LabStore.open(store) as opened:
        results = ExperimentResults(opened)
    found = compare_with_margin(results, arm, other, margin=margin, judge=judge)
    if as_json:
        difference = found.found and found.found.difference
        print_json(
            {
                "verdict": str(found.verdict),
                "judge": found.judge,
                "margin": margin,
                "difference": difference and asdict(difference),
                "missing": found.found.missing if found.found else None,
            }
        )
        return _STATUS[found.verdict]
    print_line(f"{arm} is {_words(found.verdict)} {other} by more than {margin:.1%}.")
    if found.found is None:
        print_line(f"The judge {found.judge} can judge no query of this data set.")
    else:
        for line in comparison_lines(arm, other, found.found):
            print_line(line)
    return _STATUS[found.verdict]


def _words(verdict: GateVerdict) -> str:
    return {
        GateVerdict.NOT_WORSE: "not worse than",
        GateVerdict.WORSE: "worse than",
        GateVerdict.CANNOT_TELL: "not shown to be worse, nor not to be worse, than",
    }[verdict]
