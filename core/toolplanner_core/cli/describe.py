"""`toolplanner describe`: texts of APIs and toolkits by a language model, as proposals."""

import asyncio
import dataclasses

import click

from toolplanner_core.cli.name_lookup import choose_apis
from toolplanner_core.cli.options import ROW_ID, FiniteFloat, in_workspace, json_option
from toolplanner_core.cli.progress import shown_progress
from toolplanner_core.cli.terminal import print_json, print_line
from toolplanner_core.describing.estimate import (
    DescribeEstimate,
    DescribeScope,
    DescribeWhat,
    estimate,
)
from toolplanner_core.describing.job import (
    DescribeLimits,
    DescribeReport,
    ask_model,
    describing_model,
)
from toolplanner_core.describing.proposing import propose_texts
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.runs.tree.formatting import cost_words
from toolplanner_core.words.formatting import count, counted, duration
from toolplanner_core.workspace import Workspace

_WHAT = {
    "toolkits": frozenset({DescribeWhat.TOOLKITS}),
    "apis": frozenset({DescribeWhat.APIS}),
    "both": frozenset(DescribeWhat),
}
_FAILURES_SHOWN = 20


@click.command("describe")
@in_workspace
@click.option(
    "--what",
    type=click.Choice([*_WHAT]),
    default="toolkits",
    show_default=True,
    help="Whose.",
)
@click.option("--model", metavar="SPEC", help="Such as openai:NAME; else the usual one.")
@click.option("--toolkit", "toolkits", type=ROW_ID, multiple=True, help="Only this; repeatable.")
@click.option("--api", "apis", multiple=True, metavar="API", help="Only this; repeatable.")
@click.option("--only-by-rule", is_flag=True, help="Leave out what a model described already.")
@click.option("--estimate", "is_estimate", is_flag=True, help="Only say what it takes.")
@click.option("--at-once", type=click.IntRange(1, 64), default=4, show_default=True)
@click.option("--max-tokens", type=click.IntRange(1), help="Stop after so many tokens.")
@click.option("--max-cost", type=FiniteFloat(min=0), help="Stop after so many US dollars.")
@json_option
def describe_command(
    *,
    workspace: Workspace,
    what: str,
    model: str | None,
    toolkits: tuple[int, ...],
    apis: tuple[str, ...],
    only_by_rule: bool,
    is_estimate: bool,
    at_once: int,
    max_tokens: int | None,
    max_cost: float | None,
    as_json: bool,
) -> None:
    """Have a model describe APIs and name and describe toolkits; a person accepts what it wrote.

    What a person wrote, and pinned toolkits, are left out. Stopped (Ctrl+C), it goes on where it
    was when it is called again: nothing is asked twice while the documentation is the same.
    """
    spec = describing_model(model)
    scope = DescribeScope(
        what=_WHAT[what],
        toolkits=frozenset(ToolkitId(number) for number in toolkits),
        rowids=frozenset(choose_apis(workspace, apis)),
        only_by_rule=only_by_rule,
    )
    found = estimate(workspace, spec, scope=scope)
    limits = DescribeLimits(at_once=at_once, max_tokens=max_tokens, max_cost=max_cost)
    limits.check(found.cost)
    if is_estimate:
        _print_estimate(found, spec, at_once, as_json=as_json)
        return
    with shown_progress() as progress:
        report = asyncio.run(ask_model(workspace, found, spec, limits=limits, progress=progress))
    proposals = propose_texts(workspace, found, model=spec)
    if as_json:
        print_json(dataclasses.asdict(report) | {"proposals": proposals})
        return
    _print_report(report)
    for proposal in proposals:
        print_line(f"See them: toolplanner review list {workspace.path} --proposal {proposal}")
    if not proposals:
        print_line("No text would change.")


def _print_report(report: DescribeReport) -> None:
    print_line(
        f"{count(report.asked)} described, {count(report.known)} known before,"
        f" {count(len(report.failures))} failed · {counted(report.tokens, 'token')}"
        f" · {cost_words(report.cost)}"
    )
    for failure in report.failures[:_FAILURES_SHOWN]:
        print_line(f"  {failure.name}: {failure.reason}")
    if (rest := len(report.failures) - _FAILURES_SHOWN) > 0:
        print_line(f"  and {count(rest)} more")
    if report.stopped:
        print_line(f"Stopped: {report.stopped}. Call it again to go on.")


def _print_estimate(found: DescribeEstimate, spec: str, at_once: int, *, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "model": spec,
                "questions": len(found.wanted),
                "to_ask": found.to_ask,
                "known": found.n_known,
                "left_out": found.left_out,
                "input_tokens": found.input_tokens,
                "output_tokens": found.output_tokens,
                "cost": found.cost,
                "seconds": found.seconds / at_once,
            }
        )
        return
    print_line(
        f"{counted(len(found.wanted), 'question')} to {spec}, about"
        f" {counted(found.input_tokens, 'token')} in and {counted(found.output_tokens, 'token')}"
        f" out, {cost_words(found.cost)}, {duration(found.seconds / at_once)}."
        f" {count(found.n_known)} known already,"
        f" {count(found.left_out)} left out: a person wrote them, or they are pinned."
    )
