"""`toolplanner runs fork`: go on from any node of a run, with something changed."""

import dataclasses
import json
from typing import Any

import click

from toolplanner_core.cli.fault_option import fault_option
from toolplanner_core.cli.options import (
    argument_values,
    in_runs,
    json_option,
    named_values,
    run_argument,
    tree_option,
)
from toolplanner_core.cli.run import carry_out
from toolplanner_core.cli.terminal import print_json, print_line, say
from toolplanner_core.domain.ids import ApiId, NodePath, RunId
from toolplanner_core.errors import BadInput
from toolplanner_core.runs.tape.fork import ForkChanges, RerunEstimate, estimate_rerun, fork, go_on
from toolplanner_core.runs.wording import cost_words
from toolplanner_core.words.wording import counted
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import get_api

_PAIRS: Any = {"multiple": True, "metavar": "NAME=VALUE"}


@click.command("fork")
@in_runs
@run_argument
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
@click.option("--planning-model", "planning")
@click.option("--judging-model", "judging")
@click.option("--provider")
@fault_option
@click.option(
    "--no-faults", is_flag=True, help="Without those of RUN, which --fault replaces, too."
)
@click.option("-o", "--option", "options", **_PAIRS, help="An option of the strategy.")
@click.option("--provider-option", "provider_options", **_PAIRS, help="An option of the provider.")
@click.option("--estimate", is_flag=True, help="Only say what it would cost.")
@tree_option
@json_option
def fork_command(
    *,
    workspace: Workspace,
    run_id: RunId,
    at: str | None,
    is_going_on: bool,
    arguments: tuple[str, ...],
    api: str | None,
    messages: tuple[str, ...],
    answer: str | None,
    model: str | None,
    provider: str | None,
    faults: tuple[str, ...],
    no_faults: bool,
    options: tuple[str, ...],
    provider_options: tuple[str, ...],
    estimate: bool,
    tree: bool,
    as_json: bool,
    **roles: str | None,
) -> int:
    """Start a new run that shares the beginning of RUN. RUN itself is never changed."""
    if (at is None) is not is_going_on:
        raise BadInput("Say where to fork", todo="Give --at PATH, --at SEQ or --go-on")
    changes = ForkChanges(
        options=named_values(options) or None,
        provider_options=named_values(provider_options) or None,
        model=model,
        roles={role: name for role, name in roles.items() if name} or None,
        provider=provider,
        arguments=argument_values(arguments) or None,
        api=get_api(workspace, ApiId(api)).id if api else None,
        messages=_numbered(messages) or None,
        answer=_json(answer) if answer is not None else None,
        faults=faults if faults or no_faults else None,
    )
    spec = go_on(workspace, run_id) if at is None else fork(workspace, run_id, _place(at), changes)
    parent, seq = (spec.fork.parent, spec.fork.seq) if spec.fork else (None, 0)
    cost = estimate_rerun(workspace, run_id, after_seq=seq)
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
    about = {"parent_run": parent, "fork_seq": seq}
    return carry_out(workspace, spec, tree=tree, as_json=as_json, about=about)


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
