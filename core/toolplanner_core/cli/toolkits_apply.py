"""`toolplanner toolkits apply`: make the decisions of a file in a workspace."""

from pathlib import Path

import click

from toolplanner_core.cli.editing import edit_options
from toolplanner_core.cli.options import FilePath, in_workspace
from toolplanner_core.cli.progress import shown_progress
from toolplanner_core.cli.terminal import print_json, print_line, print_table
from toolplanner_core.curation.sharing.decisions.applying import apply_decisions
from toolplanner_core.curation.sharing.decisions.file import read_decisions
from toolplanner_core.curation.sharing.decisions.outcome import ApplyReport, DecisionVerdict
from toolplanner_core.settings import person_name
from toolplanner_core.words.wording import counted
from toolplanner_core.workspace import Workspace


@click.command("apply")
@in_workspace
@click.argument("file", type=FilePath())
@edit_options
def apply_command(workspace: Workspace, file: Path, dry_run: bool, as_json: bool) -> int:
    """Make the decisions of FILE here, one edit each; exit status 1 if some conflict.

    Toolkits are found by their members. What a person pinned, named or excluded here is not
    overwritten. A file can be applied again: what was made already is left as it is.
    """
    decisions = read_decisions(file)
    with shown_progress() as progress:
        report = apply_decisions(
            workspace, decisions, who=person_name(), dry_run=dry_run, report=progress.report
        )
    if as_json:
        print_json({"file": str(file), "dry_run": dry_run} | report.to_json())
    else:
        _print(workspace.path, report, dry_run=dry_run)
    return 1 if report.count(DecisionVerdict.CONFLICT) else 0


def _print(workspace: Path, report: ApplyReport, *, dry_run: bool) -> None:
    notable = [one for one in report.outcomes if one.why]
    if notable:
        print_table(
            [">No.", "", "Decision", "Who", "Why"],
            [[o.number, o.verdict, o.decision.label, o.decision.who, o.why] for o in notable],
        )
    n = {verdict: report.count(verdict) for verdict in DecisionVerdict}
    print_line(
        f"{'Would make ' if dry_run else ''}{counted(len(report.outcomes), 'decision')}:"
        f" {n[DecisionVerdict.APPLIED]:,} applied, {n[DecisionVerdict.IN_PART]:,} in part,"
        f" {n[DecisionVerdict.ALREADY]:,} already so,"
        f" {counted(n[DecisionVerdict.CONFLICT], 'conflict')}."
    )
    if any(outcome.edits for outcome in report.outcomes):
        print_line(f"Take all back with: toolplanner history jump {workspace} {report.point}")
