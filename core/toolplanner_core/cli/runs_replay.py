"""`toolplanner runs fork|replay|diff|judge`: run again, go on from a node, compare, judge."""

import dataclasses
import json
from typing import Any

import click

from toolplanner_core.cli.fault_option import fault_option
from toolplanner_core.cli.options import (
    ROW_ID,
    argument_values,
    in_runs,
    json_option,
    named_values,
    run_argument,
    tree_option,
)
from toolplanner_core.cli.run import carry_out
from toolplanner_core.cli.terminal import print_json, print_line, print_table, say
from toolplanner_core.domain.ids import ApiId, NodePath, RunId
from toolplanner_core.domain.outcome import AnswerVerdict, VerdictSource
from toolplanner_core.errors import BadInput
from toolplanner_core.runs.compare.diff import diff_runs, total_words
from toolplanner_core.runs.compare.side_by_side import diff_rows, other_queries_words, render_diff
from toolplanner_core.runs.judging.verdicts import judge_run, store_verdict
from toolplanner_core.runs.presentation.run_columns import (
    OUTCOME_COLUMNS,
    VERDICT_COLUMNS,
    filled,
)
from toolplanner_core.runs.presentation.run_settings import other_settings
from toolplanner_core.runs.replay.fork import (
    ForkChanges,
    RerunEstimate,
    estimate_rerun,
    fork,
    go_on,
)
from toolplanner_core.runs.replay.replay import replay
from toolplanner_core.runs.tree.formatting import cost_words, judged_words, token_words
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import get_api
from toolplanner_core.workspace.runs import get_run

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
        f"{cost.model_calls} model calls, {cost.api_calls} API calls,"
        f" {token_words(cost.tokens, cost.estimated_tokens)}, {money}, {cost.seconds:.1f} s"
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


@click.command("replay")
@in_runs
@run_argument
@json_option
def replay_command(workspace: Workspace, run_id: RunId, as_json: bool) -> int:
    """Replay RUN from its log: no model, no provider, no network. Exit status 1 at a difference."""
    report = replay(workspace, run_id)
    if as_json:
        print_json(dataclasses.asdict(report))
    elif report.divergence is None:
        print_line(
            f"Run {run_id} replays identically: {counted(report.events, 'event')},"
            f" {report.model_calls} answers and {report.api_calls} results from the tape,"
            f" 0 calls made, {report.seconds:.2f} s"
        )
    else:
        print_line(f"Run {run_id} diverges at event {report.divergence.seq or 'none'}.")
        print_line(report.divergence.what)
        print_line()
        print_line(report.divergence.diff)
    if report.changed_prompts and not as_json:
        names = ", ".join(report.changed_prompts)
        print_line(f"Other texts of these prompts hold now: {names}. The run's own were taken.")
    return 0 if report.identical else 1


@click.command("diff")
@in_runs
@click.argument("left", metavar="RUN", type=ROW_ID)
@click.argument("right", metavar="RUN", type=ROW_ID)
@click.option("--all", "everything", is_flag=True, help="Show what is the same, too.")
@json_option
def diff_command(
    workspace: Workspace, left: RunId, right: RunId, everything: bool, as_json: bool
) -> None:
    """Compare two runs: what changed, and where they first went different ways."""
    diff = diff_runs(workspace, left, right)
    settings = other_settings(get_run(workspace, left), get_run(workspace, right))
    if warning := other_queries_words(diff):
        say(f"Warning: {warning[:1].lower()}{warning[1:]}")
    if as_json:
        rows = [{"setting": name, "left": mine, "right": theirs} for name, mine, theirs in settings]
        print_json(diff_rows(diff) | {"settings": rows})
        return
    for line in render_diff(diff, everything=everything):
        print_line(line)
    print_line()
    print_table(
        ["", f">Run {left}", f">Run {right}"],
        [[pair.name.replace("_", " "), *total_words(diff, pair)] for pair in diff.totals]
        + [
            [column.title.lower(), *map(column.told, (diff.left, diff.right))]
            for column in filled([*OUTCOME_COLUMNS, *VERDICT_COLUMNS], [diff.left, diff.right])
        ]
        + [list(row) for row in settings],
    )


@click.command("judge")
@in_runs
@run_argument
@click.option(
    "--model", metavar="SPEC", default="", help="Such as openai:NAME; else the run's or the usual."
)
@click.option(
    "--votes", type=click.IntRange(1, 99), default=1, help="How often the model is asked."
)
@click.option(
    "--solved/--not-solved", "yours", default=None, help="Your own verdict; no model is asked."
)
@click.option("--reason", default="", help="Why you say so.")
@json_option
def judge_command(
    *,
    workspace: Workspace,
    run_id: RunId,
    model: str,
    votes: int,
    yours: bool | None,
    reason: str,
    as_json: bool,
) -> int:
    """Ask a model whether the answer of RUN is right, or say it yourself. Exit status 1 if not.

    Verdicts stand beside the run, each with who gave it; its log stays as it is.
    """
    if yours is None:
        verdict = judge_run(workspace, run_id, model=model, votes=votes)
    else:
        person = VerdictSource.PERSON
        verdict = AnswerVerdict(source=person, solved=yours, reason=reason, who="you")
        store_verdict(workspace, run_id, verdict)
    if as_json:
        print_json(verdict.to_json())
    else:
        print_line(judged_words(verdict.to_json()))
    return 0 if verdict.solved else 1
