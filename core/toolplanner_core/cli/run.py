"""`toolplanner run`: solve a query over the toolkits of a workspace."""

import asyncio
import dataclasses
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import click

from toolplanner_core.cli.fault_option import fault_option
from toolplanner_core.cli.name_lookup import choose_apis
from toolplanner_core.cli.options import in_workspace, json_option, tree_option
from toolplanner_core.cli.run_choice import ChoiceCommand, chosen_spec
from toolplanner_core.cli.stepping import run_stepping
from toolplanner_core.cli.terminal import is_person_there, print_json, print_line, say
from toolplanner_core.cli.watching import print_tree, shown_events
from toolplanner_core.domain.failure import PUBLISHED
from toolplanner_core.domain.ids import ApiId
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.domain.outcome import RunOutcome
from toolplanner_core.domain.plan import Status
from toolplanner_core.errors import BadInput
from toolplanner_core.llm.model import model_words
from toolplanner_core.runs.catalogue.candidates import add_distractors
from toolplanner_core.runs.config.spec import RunSpec, RunSummary
from toolplanner_core.runs.debugging.breakpoints import Breakpoint, parse_breakpoint
from toolplanner_core.runs.debugging.saved_rules import (
    RuleKind,
    active_texts,
    saved_rules,
    warn_of_rules,
)
from toolplanner_core.runs.engine.runner import run
from toolplanner_core.runs.log.stored_runs import load_tree
from toolplanner_core.runs.presentation.run_list import (
    calls_words,
    former_words,
    provider_words,
    roles_words,
)
from toolplanner_core.runs.presentation.states import NODE_LOOKS, status_look
from toolplanner_core.runs.presentation.story import run_headline
from toolplanner_core.runs.tree.formatting import (
    blamed_words,
    cost_words,
    count_words,
    evidence_lines,
    evidence_title,
    model_calls_words,
    token_words,
    verdict_lines,
)
from toolplanner_core.runs.tree.unserved_needs import unserved_needs
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.call_statistics import errors_of_run
from toolplanner_core.workspace.catalogue import ids_by_rowid
from toolplanner_core.workspace.runs import held_runs


@click.command("run", cls=ChoiceCommand)
@in_workspace
@click.argument("query")
@fault_option
@click.option(
    "--candidate",
    "candidates",
    multiple=True,
    metavar="API",
    help='Let it see no API but these: ids, keys, or "-" for lines of stdin.',
)
@click.option(
    "--distractors",
    type=click.IntRange(min=0),
    default=0,
    help="So many other APIs, drawn by the seed, are candidates, too; without --candidate these"
    " alone.",
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
@tree_option
@click.option("--judge", is_flag=True, help="Have a model say afterwards what it makes of it.")
@click.option(
    "--require",
    type=click.Choice(["answered", "solved"]),
    default="answered",
    show_default=True,
    help="What exit status 0 means: an answer that nothing speaks against, or one that was shown"
    " or judged to be right.",
)
@json_option
def run_command(
    *,
    workspace: Workspace,
    query: str,
    faults: tuple[str, ...],
    candidates: tuple[str, ...],
    distractors: int,
    fault_plan: bool,
    breaks: tuple[str, ...],
    breakpoints: bool,
    step: bool,
    tree: bool,
    judge: bool,
    require: str,
    as_json: bool,
    **choice: Any,
) -> int:
    """Solve QUERY; exit status 0 when it is solved, or answered and not checked, 1 when it is not
    solved or evidence and verdict contradict each other, 130 when stopped."""
    if not query.strip():
        raise BadInput("The query is empty", todo="Say in a sentence what is to be done")
    if fault_plan:
        faults += active_texts(saved_rules(workspace, RuleKind.FAULT))
    if breakpoints:
        breaks += active_texts(saved_rules(workspace, RuleKind.BREAKPOINT))
    spec = dataclasses.replace(chosen_spec(workspace, choice, query=query), faults=faults)
    stops = [parse_breakpoint(text) for text in breaks]
    given = _candidates(workspace, candidates, distractors, seed=spec.seed)
    spec = dataclasses.replace(spec, judge=judge or spec.judge, candidates=given)
    return carry_out(
        workspace, spec, tree=tree, as_json=as_json, stops=stops, step=step, require=require
    )


def _candidates(
    workspace: Workspace, texts: Sequence[str], distractors: int, *, seed: int
) -> tuple[ApiId, ...]:
    """The only APIs that a run may see, () = all."""
    if not texts:
        return add_distractors(workspace, (), distractors, seed=seed) if distractors else ()
    named = tuple(ids_by_rowid(workspace, choose_apis(workspace, texts)).values())
    if not named:
        raise BadInput("No candidate is named", todo="Give ids or keys of APIs, one a line")
    return add_distractors(workspace, named, distractors, seed=seed) if distractors else named


def carry_out(
    workspace: Workspace,
    spec: RunSpec,
    *,
    tree: bool,
    as_json: bool,
    stops: Sequence[Breakpoint] = (),
    step: bool = False,
    require: str = "answered",
    about: Mapping[str, Any] = MappingProxyType({}),
) -> int:
    """Run `spec` and print what came of it; returns the exit status.

    Args:
        require: what it must be for status 0: "answered" or "solved".
        about: what is told of it with `as_json`, beside its totals.
    """
    warnings = [
        *warn_of_rules(workspace, RuleKind.FAULT, spec.faults).values(),
        *warn_of_rules(workspace, RuleKind.BREAKPOINT, (stop.text for stop in stops)).values(),
    ]
    for warning in warnings:
        say(f"Warning: {warning}")
    if step or stops:
        summary = run_stepping(workspace, spec, stops, step=step)
    else:
        with shown_events() as watch:
            if is_person_there() and not as_json:  # they can be asked for leave
                summary = run_stepping(workspace, spec, (), step=False, listener=watch)
            else:
                summary = asyncio.run(run(workspace, spec, listener=watch))
    if as_json:
        print_json(summary_row(summary) | dict(about) | {"warnings": warnings})
    else:
        if tree:
            print_tree(workspace, summary.run)
        print_outcome(workspace, summary)
    if summary.status is Status.CANCELLED:
        return 130
    if summary.status is Status.ANSWERED:
        say(_NOT_CHECKED.format(workspace=workspace.path, run=summary.run))
        return 0 if require == "answered" else 1
    return 0 if summary.status is Status.SOLVED else 1


_NOT_CHECKED = (
    "Answered, not checked: nobody has looked whether this is what was asked for. A model does with"
    " --judge or toolplanner runs judge {workspace} {run}"
)


def print_outcome(workspace: Workspace, summary: RunSummary) -> None:
    """Print what happened in a sentence, the answer or why there is none, and the totals."""
    tree = load_tree(workspace, summary.run)
    story = run_headline(tree.nodes)
    # A run that is solved gives a reason where somebody judged it: who did.
    said = [story, summary.answer or summary.reason]
    if summary.answer and summary.outcome == RunOutcome.ANSWERED:
        said.append(summary.reason)
    print_line("\n".join(filter(None, said)))
    root = tree.root.data if tree.root else {}
    for line in evidence_lines(root):
        print_line(f"{evidence_title(root)}: {line}")
    # That nobody could judge stands in no verdict.
    for line in dict.fromkeys([*verdict_lines(summary.verdicts), summary.judged]):
        if line:
            print_line(line)
    if former := former_words(summary):
        print_line(former)
    print_line()
    is_held = summary.run in held_runs(workspace)
    print_line(describe_summary(summary, is_held=is_held))
    if summary.note:
        print_line(f"Note: {summary.note}")
    if tree.root and tree.root.data.get("day"):
        print_line(f"Calls answered by {provider_words(tree.root.data)}")
    figures = errors_of_run(workspace, summary.run)
    if failed := [figure for figure in figures if not figure.is_harness]:
        said = (f"{PUBLISHED.get(f.error) or f.error.replace('_', ' ')} {f.n}" for f in failed)
        by_whom = blamed_words(summary.failed_by_you, summary.failed_by_fault)
        print_line(f"Errors by class: {' · '.join(said)}{by_whom}")
    for need in unserved_needs(tree.nodes):
        print_line(f"Cluster Incomplete: {need.words}")
    if failed := [figure for figure in figures if figure.is_harness]:
        said = (f"{figure.error.replace('_', ' ')} {figure.n}" for figure in failed)
        print_line(f"Errors of the harness, none of the strategy: {' · '.join(said)}")


def summary_row(summary: RunSummary) -> dict[str, Any]:
    """A summary as JSON."""
    row = dataclasses.asdict(summary)
    row["seconds"] = round(summary.seconds, 3)
    return row


def describe_summary(summary: RunSummary, *, is_held: bool = False) -> str:
    """The totals in one line, with who did the planning."""
    ended = status_look(summary.status, summary.strategy)
    status = (NODE_LOOKS[NodeState.PAUSED] if is_held else ended).word
    model = model_words(summary.model)
    asked = model_calls_words(summary.model_calls, summary.repeated_model_calls)
    others = roles_words(summary.models).removeprefix(", ")
    spent = [cost_words(summary.cost)]
    if summary.tokens:
        spent.insert(0, token_words(summary.tokens, summary.estimated_tokens))
    imported = " (imported)" if summary.is_imported else ""
    return (
        f"Run {summary.run}{imported}: {status} by {summary.strategy} with {model}"
        f"{others and f' ({others})'}"
        f" on {summary.provider} · {asked}"
        f" · {calls_words(summary)}"
        f"{''.join(f' · {words}' for words in count_words(summary.counts))}"
        f" · {' · '.join(spent)} · {summary.seconds:.2f} s"
    )
