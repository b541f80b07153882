"""`toolplanner toolkits apply|merge-decisions`: decisions files, applied here, or joined."""

from pathlib import Path
from typing import Any, Literal

import click

from toolplanner_core.cli.editing import edit_options
from toolplanner_core.cli.options import FilePath, in_workspace, json_option
from toolplanner_core.cli.progress import shown_progress
from toolplanner_core.cli.terminal import print_json, print_line, print_table, say
from toolplanner_core.curation.sharing.decisions.applying import apply_decisions
from toolplanner_core.curation.sharing.decisions.decision import Decision
from toolplanner_core.curation.sharing.decisions.difference import Side
from toolplanner_core.curation.sharing.decisions.file import read_decisions, write_decisions
from toolplanner_core.curation.sharing.decisions.merging import (
    MergeConflict,
    MergedDecisions,
    merge_decisions,
)
from toolplanner_core.curation.sharing.decisions.outcome import ApplyReport, DecisionVerdict
from toolplanner_core.errors import BadInput
from toolplanner_core.settings import person_name
from toolplanner_core.words.formatting import counted
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


_MOST_NAMES = 3


@click.command("merge-decisions")
@click.argument("ours", type=FilePath())
@click.argument("theirs", type=FilePath())
@click.option(
    "--workspace",
    type=FilePath(),
    required=True,
    help="The workspace that both began from, or one of the two.",
)
@click.option("--output", type=FilePath(), help="Write the joined decisions to this file.")
@click.option(
    "--settle", type=click.Choice(["ours", "theirs"]), help="Whose value counts in conflicts."
)
@click.option(
    "--choose",
    "choices",
    multiple=True,
    metavar="N=SIDE",
    help="Whose value counts in conflict N: ours or theirs; repeatable.",
)
@json_option
def merge_decisions_command(
    *,
    ours: Path,
    theirs: Path,
    workspace: Path,
    output: Path | None,
    settle: Literal["ours", "theirs"] | None,
    choices: tuple[str, ...],
    as_json: bool,
) -> int:
    """Join two decisions files into one; exit status 1 while conflicts are not settled.

    What only one side changed is taken. What both changed differently is listed and stays as it
    was, until --settle or --choose says whose value counts. Apply the result with: toolkits apply
    """
    chosen = dict(_choice(text) for text in choices)
    mine, yours = read_decisions(ours), read_decisions(theirs)
    with Workspace.open(workspace) as opened:
        merged = merge_decisions(opened, mine, yours, settle=settle or "", chosen=chosen)
    if output is not None:
        write_decisions(merged.file, output)
    if as_json:
        print_json(_row(merged, output))
    else:
        _print_merged(merged, output)
    return 1 if merged.unsettled else 0


def _choice(text: str) -> tuple[int, Side]:
    number, _, side = text.partition("=")
    if number.isdecimal() and len(number) < 10 and side in ("ours", "theirs"):
        return int(number), side
    raise BadInput(f"“{text}” is no choice", todo="Write it as N=ours or N=theirs")


def _print_merged(merged: MergedDecisions, output: Path | None) -> None:
    if merged.conflicts:
        print_table(
            [">No.", "What", "About", "Ours", "Theirs", "Settled"],
            [
                [
                    conflict.difference.number,
                    conflict.difference.kind,
                    _about(conflict),
                    _value(conflict.difference.ours, conflict.our_decision),
                    _value(conflict.difference.theirs, conflict.their_decision),
                    conflict.difference.settled or "–",
                ]
                for conflict in merged.conflicts
            ],
        )
    for line in merged.left_out:
        print_line(f"{line}.")
    agreement = merged.agreement
    if agreement.apis:
        print_line(
            f"Of {counted(agreement.apis, 'API')} that were moved,"
            f" {agreement.same_pairs:.0%} of the pairs agree"
            f" (adjusted Rand {agreement.adjusted_rand:.2f})."
        )
    print_line(
        f"{counted(len(merged.file.decisions), 'decision')},"
        f" {counted(len(merged.conflicts), 'conflict')},"
        f" {merged.unsettled:,} not settled."
    )
    if merged.unsettled:
        print_line("Settle them with --settle ours, --settle theirs or --choose N=ours.")
    if output is not None:
        say(f"Wrote {output}")


def _about(conflict: MergeConflict) -> str:
    if conflict.difference.what:
        return f"“{conflict.difference.what}”"
    shown = ", ".join(conflict.names[:_MOST_NAMES])
    more = len(conflict.names) - _MOST_NAMES
    return f"{shown} and {more:,} more" if more > 0 else shown


def _value(value: str, decision: Decision | None) -> str:
    return f"{value or 'nothing'} ({decision.who})" if decision and decision.who else value


def _row(merged: MergedDecisions, output: Path | None) -> dict[str, Any]:
    return {
        "file": None if output is None else str(output),
        "decisions": len(merged.file.decisions),
        "unsettled": merged.unsettled,
        "agreement": {
            "apis": merged.agreement.apis,
            "same_pairs": round(merged.agreement.same_pairs, 4),
            "adjusted_rand": round(merged.agreement.adjusted_rand, 4),
        },
        "left_out": list(merged.left_out),
        "conflicts": [
            {
                "number": conflict.difference.number,
                "kind": conflict.difference.kind,
                "toolkit": conflict.difference.what,
                "apis": list(conflict.apis),
                "before": conflict.difference.base,
                "ours": _side_row(conflict.difference.ours, conflict.our_decision),
                "theirs": _side_row(conflict.difference.theirs, conflict.their_decision),
                "settled": conflict.difference.settled,
            }
            for conflict in merged.conflicts
        ],
    }


def _side_row(value: str, decision: Decision | None) -> dict[str, Any]:
    return {
        "value": value,
        "who": "" if decision is None else decision.who,
        "made_us": None if decision is None else decision.made_us,
        "label": "" if decision is None else decision.label,
    }
