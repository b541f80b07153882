"""`toolplanner run`: solve a query over the toolkits of a workspace."""

import asyncio
import dataclasses
from pathlib import Path
from typing import Any

import click

from toolplanner_core.cli.options import (
    json_option,
    workspace_argument,
)
from toolplanner_core.cli.run_choice import ChoiceCommand, chosen_spec
from toolplanner_core.cli.stepping import run_stepping
from toolplanner_core.cli.terminal import print_json, print_line, say
from toolplanner_core.cli.watching import print_tree, shown_events
from toolplanner_core.domain.plan import Status
from toolplanner_core.errors import BadInput
from toolplanner_core.runs.debugging.breakpoints import parse_breakpoint
from toolplanner_core.runs.debugging.fault_targets import warn_of_faults
from toolplanner_core.runs.debugging.faults import FaultKind, parse_fault
from toolplanner_core.runs.debugging.saved_rules import RuleKind, active_texts, saved_rules
from toolplanner_core.runs.engine import run
from toolplanner_core.runs.spec import RunSummary
from toolplanner_core.runs.wording import cost_words, count_words
from toolplanner_core.words.wording import counted
from toolplanner_core.workspace import Workspace


@click.command("run", cls=ChoiceCommand)
@workspace_argument
@click.argument("query")
@click.option(
    "--fault",
    "faults",
    multiple=True,
    metavar="SPEC",
    help='Make calls fail: "500:api=NAME*", "timeout:toolkit=NAME,next=2", "429:all,p=0.2,seed=7".'
    f" Kinds: {', '.join(FaultKind)}.",
)
@click.option("--fault-plan", is_flag=True, help="Also the faults saved in the workspace.")
@click.option(
    "--break",
    "breaks",
    multiple=True,
    metavar="SPEC",
    help='Hold the run: "api=NAME*", "toolkit=NAME,at=before_call", "failure=exhausted",'
    " \"risk=write,if='arguments.amount > 10',hits=2\", 'api=*,log=\"{title}: {error}\"'.",
)
@click.option("--breakpoints", is_flag=True, help="Also the breakpoints saved in the workspace.")
@click.option("--step", is_flag=True, help="Hold at the first stop point; commands from stdin.")
@click.option("--tree", is_flag=True, help="Print the tree of the run as well.")
@json_option
def run_command(
    *,
    workspace: Path,
    query: str,
    faults: tuple[str, ...],
    fault_plan: bool,
    breaks: tuple[str, ...],
    breakpoints: bool,
    step: bool,
    tree: bool,
    as_json: bool,
    **choice: Any,
) -> int:
    """Solve QUERY; exit status 0 when it is solved, 1 when not, 130 when stopped."""
    if not query.strip():
        raise BadInput("The query is empty", todo="Say in a sentence what is to be done")
    for text in faults:
        parse_fault(text)
    stops = [parse_breakpoint(text) for text in breaks]
    with Workspace.open(workspace) as opened:
        if fault_plan:
            faults += active_texts(saved_rules(opened, RuleKind.FAULT))
        spec = dataclasses.replace(chosen_spec(opened, choice, query=query), faults=faults)
        warnings = warn_of_faults(opened, faults)
        for warning in warnings:
            say(f"Warning: {warning}")
        if breakpoints:
            kept = saved_rules(opened, RuleKind.BREAKPOINT)
            stops += [parse_breakpoint(text) for text in active_texts(kept)]
        if step or stops:
            summary = run_stepping(opened, spec, stops, step=step)
        else:
            with shown_events() as watch:
                summary = asyncio.run(run(opened, spec, listener=watch))
        if tree and not as_json:
            print_tree(opened, summary.run)
    if as_json:
        print_json(summary_row(summary) | {"warnings": warnings})
    else:
        print_line(summary.answer or summary.reason)
        print_line()
        print_line(describe_summary(summary))
    return exit_code(summary)


def exit_code(summary: RunSummary) -> int:
    """0 solved, 1 not solved, 130 stopped."""
    if summary.status is Status.CANCELLED:
        return 130
    return 0 if summary.status is Status.SOLVED else 1


def summary_row(summary: RunSummary) -> dict[str, Any]:
    """A summary as JSON."""
    row = dataclasses.asdict(summary)
    row["seconds"] = round(summary.seconds, 3)
    return row


def describe_summary(summary: RunSummary) -> str:
    """The totals in one line, with who did the planning."""
    model = "offline planner" if summary.model == "offline" else summary.model
    imported = " (imported)" if summary.is_imported else ""
    return (
        f"Run {summary.run}{imported}: {summary.status} by {summary.strategy} with {model}"
        f" on {summary.provider} · {counted(summary.model_calls, 'model call')}"
        f" · {counted(summary.api_calls, 'API call')}, {summary.failed_calls} failed"
        f"{''.join(f' · {words}' for words in count_words(summary.counts))}"
        f" · {cost_words(summary.cost)} · {summary.seconds:.2f} s"
    )
