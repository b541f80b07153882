"""`toolplanner cases`: saved queries with what is expected of their runs."""

import asyncio
from contextlib import closing
from typing import Any

import click

from toolplanner_core.cli.options import in_workspace, json_option
from toolplanner_core.cli.run import summary_row
from toolplanner_core.cli.terminal import print_json, print_line, print_rows, say
from toolplanner_core.cli.watching import print_tree
from toolplanner_core.domain.cases import Case
from toolplanner_core.domain.plain_data import without_defaults
from toolplanner_core.runs.cases import CaseResult, run_case
from toolplanner_core.runs.catalogue import WorkspaceCatalogue
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.cases import get_case, list_cases


@click.group()
def cases() -> None:
    """List and run saved queries with what is expected of their runs."""


@cases.command("list")
@in_workspace
@json_option
def list_command(workspace: Workspace, as_json: bool) -> None:
    """List the cases of a workspace."""
    found = list_cases(workspace)
    print_rows(
        found,
        ["Case", "Title", "Query"],
        lambda c: [c.id, c.title, c.query],
        as_json=as_json,
        to_json=_case_row,
        empty="There are no cases in this workspace.",
    )


@cases.command("run")
@in_workspace
@click.option(
    "--case", "case_ids", multiple=True, metavar="CASE", help="Only this one; repeatable."
)
@click.option("--tree", is_flag=True, help="Print the tree of each run.")
@json_option
def run_command(workspace: Workspace, case_ids: tuple[str, ...], tree: bool, as_json: bool) -> int:
    """Run cases and check what their runs show; exit status 1 when one fails."""
    results: list[CaseResult] = []
    with closing(WorkspaceCatalogue(workspace)) as catalogue:
        chosen = [get_case(workspace, case_id) for case_id in case_ids] or list_cases(workspace)
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
        print_line(f"{len(results) - failed} of {len(results)} cases passed.")
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
