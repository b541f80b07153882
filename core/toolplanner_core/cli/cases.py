"""`toolplanner cases`: saved queries with what is expected of their runs."""

import asyncio
from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from typing import Any

import click

from toolplanner_core.cases.case_drafts import draft_case
from toolplanner_core.cases.case_results import read_standing
from toolplanner_core.cases.case_runs import CaseResult, run_case
from toolplanner_core.cli.options import ROW_ID, in_runs, in_workspace, json_option
from toolplanner_core.cli.run import summary_row
from toolplanner_core.cli.terminal import print_json, print_line, print_rows, say
from toolplanner_core.cli.watching import print_tree
from toolplanner_core.domain.cases import Case
from toolplanner_core.domain.ids import RunId
from toolplanner_core.domain.plain_data import without_defaults
from toolplanner_core.runs.catalogue.workspace_catalogue import WorkspaceCatalogue
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.cases import (
    free_case_id,
    get_case,
    list_cases,
    remove_case,
    save_cases,
)


@click.group()
def cases() -> None:
    """List and run saved queries with what is expected of their runs."""


@cases.command("list")
@in_workspace
@json_option
def list_command(workspace: Workspace, as_json: bool) -> None:
    """List the cases of a workspace and how they stand."""
    standing = read_standing(workspace)
    print_rows(
        standing.cases,
        ["Case", "Stands", "Title", "Query"],
        lambda each: [each.case.id, each.word, each.case.title, each.case.query],
        as_json=as_json,
        to_json=lambda each: _case_row(each.case) | {"stands": each.word},
        empty="There are no cases in this workspace.",
    )
    if standing.cases and not as_json:
        say(standing.words)


@cases.command("save")
@in_runs
@click.argument("run_id", metavar="RUN", type=ROW_ID)
@click.option("--title", help="For people; the query if none.")
@click.option(
    "--answer",
    "answer_contains",
    multiple=True,
    help="A text the answer must hold; repeatable.",
)
@click.option("--toolkit", "toolkits", multiple=True, help="One that must answer; repeatable.")
@click.option(
    "--api",
    "succeeded_apis",
    multiple=True,
    help="Key of an API that must answer; repeatable.",
)
@json_option
def save_command(
    workspace: Workspace,
    run_id: int,
    title: str | None,
    as_json: bool,
    **demanded: tuple[str, ...],
) -> None:
    """Save RUN as a case: it must end as it did, and use the toolkits that it used or those
    named."""
    draft = draft_case(workspace, RunId(run_id))
    named: Mapping[str, Any] = {name: texts for name, texts in demanded.items() if texts}
    case = replace(draft.case, expected=replace(draft.case.expected, **named))
    if title:
        case = replace(case, title=title, id=free_case_id(workspace, title))
    save_cases(workspace, [case])
    if as_json:
        print_json(_case_row(case))
    else:
        print_line(f"Case {case.id}: {case.title}")


@cases.command("remove")
@in_workspace
@click.argument("case_id", metavar="CASE")
def remove_command(workspace: Workspace, case_id: str) -> None:
    """Delete CASE; its runs stay."""
    remove_case(workspace, case_id)
    print_line(f"Removed the case {case_id}.")


@cases.command("run")
@in_workspace
@click.argument("case_ids", metavar="[CASE]...", nargs=-1)
@click.option("--tree", is_flag=True, help="Print the tree of each run.")
@json_option
def run_command(workspace: Workspace, case_ids: tuple[str, ...], tree: bool, as_json: bool) -> int:
    """Run the CASEs named, or all, and check what their runs show; exit status 1 when one fails."""
    results: list[CaseResult] = []
    with closing(WorkspaceCatalogue(workspace)) as catalogue:
        named = dict.fromkeys(case_ids)
        chosen = [get_case(workspace, case_id) for case_id in named] or list_cases(workspace)
        for case in chosen:
            result = asyncio.run(run_case(workspace, case, catalogue=catalogue))
            results.append(result)
            if as_json:
                continue
            if tree:
                print_line(f"=== {case.title}")
                print_tree(workspace, result.summary.run)
                print_line(result.summary.answer)
                print_line()
            say(f"{'passed' if result.passed else 'FAILED'}  {case.id}")
            for why in result.why:
                say(f"        {why}")
    failed = sum(not result.passed for result in results)
    if as_json:
        print_json([_result_row(result) for result in results])
    else:
        print_line(f"{len(results) - failed} of {counted(len(results), 'case')} passed.")
        print_line(read_standing(workspace).words)
    return 1 if failed else 0


def _case_row(case: Case) -> dict[str, Any]:
    return {
        "case": case.id,
        "title": case.title,
        "query": case.query,
        "options": dict(case.options),
        "expected": without_defaults(case.expected),
    }


def _result_row(result: CaseResult) -> dict[str, Any]:
    return {
        "case": result.case,
        "query": result.query,
        "passed": result.passed,
        "why": list(result.why),
    } | summary_row(result.summary)
