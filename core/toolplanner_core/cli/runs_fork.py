"""`toolplanner runs fork`: go on from any node of a run, with something changed."""

import asyncio
import dataclasses
import json
from pathlib import Path
from typing import Any

import click

from toolplanner_core.cli.options import (
    ROW_ID,
    argument_values,
    json_option,
    named_roles,
    named_values,
    option_values,
    workspace_argument,
)
from toolplanner_core.cli.run import describe_summary, exit_code, summary_row
from toolplanner_core.cli.terminal import print_json, print_line, say
from toolplanner_core.cli.watching import print_tree, shown_events
from toolplanner_core.domain.ids import ApiId, NodePath, RunId
from toolplanner_core.errors import BadInput
from toolplanner_core.runs.debugging.fault_targets import warn_of_faults
from toolplanner_core.runs.debugging.faults import parse_fault
from toolplanner_core.runs.engine import run
from toolplanner_core.runs.interrupted import mark_interrupted
from toolplanner_core.runs.tape.fork import ForkChanges, RerunEstimate, estimate_rerun, fork, go_on
from toolplanner_core.runs.wording import cost_words
from toolplanner_core.words.wording import counted
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import get_api


@click.command("fork")
@workspace_argument
@click.argument("run_id", metavar="RUN", type=ROW_ID)
@click.option("--at", metavar="PATH|SEQ", help="Node or event from which on it differs.")
@click.option("--go-on", "is_going_on", is_flag=True, help="Go on where RUN was interrupted.")
@click.option(
    "--set-argument",
    "arguments",
    multiple=True,
    metavar="NAME=VALUE",
    help="An argument of the call there; VALUE is JSON or text, nothing = take it away.",
)
@click.option("--api", help="Another API for the call there, by its id.")
@click.option(
    "--set-message",
    "messages",
    multiple=True,
    metavar="NUMBER=TEXT",
    help="Another text for a message of the question there.",
)
@click.option(
    "--answer",
    metavar="JSON",
    help='Answer the question there in the place of the model; in a dialogue {"text", "calls"}.',
)
@click.option("--model")
@click.option("--planning-model")
@click.option("--judging-model")
@click.option("--provider")
@click.option("--fault", "faults", multiple=True, metavar="SPEC", help="As of `toolplanner run`.")
@click.option("--no-faults", is_flag=True, help="Without the faults that RUN had.")
@option_values("An option of the strategy, from there on.")
@option_values("An option of the provider.", flag="--provider-option")
@click.option("--estimate", is_flag=True, help="Only say what it would cost.")
@click.option("--tree", is_flag=True, help="Print the tree of the new run as well.")
@json_option
def fork_command(
    *,
    workspace: Path,
    run_id: int,
    at: str | None,
    is_going_on: bool,
    arguments: tuple[str, ...],
    api: str | None,
    messages: tuple[str, ...],
    answer: str | None,
    model: str | None,
    planning_model: str | None,
    judging_model: str | None,
    provider: str | None,
    faults: tuple[str, ...],
    no_faults: bool,
    options: tuple[str, ...],
    provider_options: tuple[str, ...],
    estimate: bool,
    tree: bool,
    as_json: bool,
) -> int:
    """Start a new run that shares the beginning of RUN. RUN itself is never changed."""
    if (at is None) is not is_going_on:
        raise BadInput("Say where to fork", todo="Give --at PATH, --at SEQ or --go-on")
    for text in faults:
        parse_fault(text)
    with Workspace.open(workspace) as opened:
        mark_interrupted(opened)
        changes = ForkChanges(
            options=named_values(options) or None,
            provider_options=named_values(provider_options) or None,
            model=model,
            roles=named_roles(planning=planning_model, judging=judging_model) or None,
            provider=provider,
            arguments=argument_values(arguments) or None,
            api=get_api(opened, ApiId(api)).id if api else None,
            messages=_numbered(messages) or None,
            answer=_json(answer) if answer is not None else None,
            faults=faults if faults or no_faults else None,
        )
        spec = (
            go_on(opened, RunId(run_id))
            if at is None
            else fork(opened, RunId(run_id), _place(at), changes)
        )
        seq = spec.fork.seq if spec.fork else 0
        cost = estimate_rerun(opened, RunId(run_id), after_seq=seq)
        if estimate:
            _print_estimate(cost, as_json)
            return 0
        if not as_json:
            say(
                "How much is left was never recorded."
                if at is None
                else f"About {counted(cost.model_calls, 'model call')}"
                f" ({cost_words(cost.cost)}) and {counted(cost.api_calls, 'API call')} to go."
            )
        warnings = warn_of_faults(opened, spec.faults)
        for warning in warnings:
            say(f"Warning: {warning}")
        with shown_events() as watch:
            summary = asyncio.run(run(opened, spec, listener=watch))
        if tree and not as_json:
            print_tree(opened, summary.run)
    if as_json:
        parent = spec.fork.parent if spec.fork else None
        print_json(
            summary_row(summary) | {"parent_run": parent, "fork_seq": seq, "warnings": warnings}
        )
    else:
        print_line(summary.answer or summary.reason)
        print_line()
        print_line(describe_summary(summary))
    return exit_code(summary)


def _print_estimate(cost: RerunEstimate, as_json: bool) -> None:
    if as_json:
        print_json(dataclasses.asdict(cost))
        return
    money = "an unknown sum" if cost.cost is None else cost_words(cost.cost)
    print_line(
        f"{cost.model_calls} model calls, {cost.api_calls} API calls, {cost.tokens:,} tokens,"
        f" {money}, {cost.seconds:.1f} s"
    )


def _place(text: str) -> int | NodePath:
    return int(text) if text.isdigit() else NodePath(text.strip("/"))


def _numbered(texts: tuple[str, ...]) -> dict[int, str]:
    found: dict[int, str] = {}
    for text in texts:
        number, mark, said = text.partition("=")
        if not mark or not number.isdigit():
            raise BadInput(f"{text!r} names no message", todo="Write it as NUMBER=TEXT")
        found[int(number)] = said
    return found


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise BadInput(f"The answer is not JSON: {error}") from None
