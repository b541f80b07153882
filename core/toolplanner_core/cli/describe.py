"""`toolplanner describe`: names and descriptions of toolkits by a language model, as a proposal."""

import asyncio
import dataclasses

import click

from toolplanner_core.cli.options import ROW_ID, FiniteFloat, in_workspace, json_option
from toolplanner_core.cli.progress import shown_progress
from toolplanner_core.cli.terminal import print_json, print_line
from toolplanner_core.describing.estimate import DescribeEstimate, estimate
from toolplanner_core.describing.job import DescribeLimits, DescribeReport, ask_all
from toolplanner_core.describing.proposing import propose_texts
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.errors import BadInput
from toolplanner_core.jobs.progress import Progress
from toolplanner_core.llm.model import ModelContext, make_model, models, parse_model_spec
from toolplanner_core.llm.prices import price_of
from toolplanner_core.runs.wording import cost_words
from toolplanner_core.words.wording import count, counted
from toolplanner_core.workspace import Workspace


@click.command("describe")
@in_workspace
@click.option("--model", required=True, metavar="SPEC", help="Such as openai:NAME.")
@click.option("--toolkit", "toolkits", type=ROW_ID, multiple=True, help="Only this; repeatable.")
@click.option("--estimate", "is_estimate", is_flag=True, help="Only say what it takes.")
@click.option("--at-once", type=click.IntRange(1, 64), default=4, show_default=True)
@click.option("--max-tokens", type=click.IntRange(1), help="Stop after so many tokens.")
@click.option("--max-cost", type=FiniteFloat(min=0), help="Stop after so many US dollars.")
@json_option
def describe_command(
    *,
    workspace: Workspace,
    model: str,
    toolkits: tuple[int, ...],
    is_estimate: bool,
    at_once: int,
    max_tokens: int | None,
    max_cost: float | None,
    as_json: bool,
) -> None:
    """Have a model name and describe toolkits; a person accepts what it wrote.

    What a person wrote, and pinned toolkits, are left out. Stopped (Ctrl+C), it goes on where it
    was when it is called again: nothing is asked twice while the documentation is the same.
    """
    if models.get(parse_model_spec(model).kind).answers_only_planner:
        raise BadInput("Describing needs a language model", todo="Choose one, such as openai:NAME")
    found = estimate(workspace, model, toolkits=[ToolkitId(number) for number in toolkits])
    limits = DescribeLimits(at_once=at_once, max_tokens=max_tokens, max_cost=max_cost)
    if max_cost is not None and found.cost is None:
        raise BadInput(
            f"A limit in dollars cannot be kept: the price of {model} is not known",
            todo="Set it with: toolplanner prices set, or limit tokens instead",
        )
    if is_estimate:
        _print_estimate(found, as_json=as_json)
        return
    with shown_progress() as progress:
        report = asyncio.run(_ask(workspace, found, model, limits, progress))
    proposal = propose_texts(workspace, found, model=model)
    if as_json:
        print_json(dataclasses.asdict(report) | {"proposal": proposal})
        return
    print_line(
        f"{counted(report.asked, 'toolkit')} described, {count(report.known)} known before,"
        f" {count(report.failed)} failed · {counted(report.tokens, 'token')}"
        f" · {cost_words(report.cost)}"
    )
    if report.stopped:
        print_line(f"Stopped: {report.stopped}. Call it again to go on.")
    if proposal is None:
        print_line("No text would change.")
    else:
        print_line(f"See them: toolplanner review list {workspace.path} --proposal {proposal}")


async def _ask(
    workspace: Workspace,
    found: DescribeEstimate,
    spec: str,
    limits: DescribeLimits,
    progress: Progress,
) -> DescribeReport:
    model = make_model(spec, ModelContext(encode=None))
    try:
        price = price_of(workspace, spec)
        return await ask_all(
            workspace, found, model, spec=spec, price=price, limits=limits, progress=progress
        )
    finally:
        await model.close()


def _print_estimate(found: DescribeEstimate, *, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "questions": found.to_ask,
                "known": len(found.wanted) - found.to_ask,
                "left_out": found.left_out,
                "input_tokens": found.input_tokens,
                "output_tokens": found.output_tokens,
                "cost": found.cost,
            }
        )
        return
    print_line(
        f"{counted(found.to_ask, 'question')}, about {counted(found.input_tokens, 'token')} in and"
        f" {counted(found.output_tokens, 'token')} out, {cost_words(found.cost)}."
        f" {count(len(found.wanted) - found.to_ask)} known already,"
        f" {count(found.left_out)} left out: a person wrote them, or they are pinned."
    )
