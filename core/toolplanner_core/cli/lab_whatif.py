"""`toolplanner lab whatif`: what an edit would do to a data set, before it is made."""

from dataclasses import asdict
from typing import Any

import click

from toolplanner_core.cli.options import SEED, in_workspace, json_option
from toolplanner_core.cli.progress import shown_progress
from toolplanner_core.cli.terminal import print_json, print_line, print_table
from toolplanner_core.cli.toolkits_edit import edit_from_words
from toolplanner_core.curation.edits import history
from toolplanner_core.curation.edits.history_reading import changes_between
from toolplanner_core.domain.curated import Changes
from toolplanner_core.domain.ids import EditId
from toolplanner_core.errors import BadInput
from toolplanner_core.lab.datasets.library import find_data_set
from toolplanner_core.lab.experiment_file import make_arm
from toolplanner_core.lab.experiments.edit_effects import (
    ChangedQuery,
    EditEffects,
    EffectOn,
    RunOutcomes,
    foresee_effects,
    run_changed,
)
from toolplanner_core.lab.judges.judge import judges
from toolplanner_core.words.formatting import one_line
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.edit_history import read_head

_LONGEST = 50


@click.command("whatif")
@in_workspace
@click.argument("edit", metavar="EDIT")
@click.option("--dataset", "data_set", required=True, help="A data set: its file or name.")
@click.option("--run", "judge", default="", metavar="JUDGE", help="Run what changed; judged by it.")
@click.option("--provider", default="auto", show_default=True, help="Of calls, with --run.")
@click.option("--limit", type=click.IntRange(min=0), default=20, show_default=True)
@click.option("--seed", type=SEED, default=0, show_default=True, help="Of the intervals.")
@json_option
def whatif_command(
    *,
    workspace: Workspace,
    edit: str,
    data_set: str,
    judge: str,
    provider: str,
    limit: int,
    seed: int,
    as_json: bool,
) -> None:
    """Say which queries of a data set an edit of the toolkits would change; nothing is changed.

    EDIT is what would follow `toolplanner toolkits` without the workspace, such as "merge 17 42",
    or the number of an edit: the toolkits as they were after it (`toolplanner history list`).
    Shortlists and plans are made by rules, without a call; --run runs the queries that are planned
    otherwise, in copies, without the edit and with it.
    """
    queries, changes = find_data_set(data_set).data_set, _changes(workspace, edit)
    with shown_progress() as progress:
        found = foresee_effects(workspace, changes, queries, progress=progress, seed=seed)
        ran = None
        if judge:
            arm = make_arm("whatif", {"provider": provider}, where="--provider")
            ran = run_changed(workspace, changes, found, arm, judges.get(judge), progress=progress)
    if as_json:
        print_json({"data_set": queries.reference, **_row(found), "ran": ran and ran._asdict()})
    else:
        _print(found, ran, limit)


def _changes(workspace: Workspace, edit: str) -> Changes:
    if not edit.strip():
        raise BadInput("No edit was named", todo='Say, for example, "merge 17 42"')
    if not edit.strip().isdecimal():
        return history.preview(workspace, edit_from_words(workspace, edit)).changes
    with workspace.snapshot() as db:
        changes = changes_between(db, read_head(db), EditId(int(edit)))
    if not changes:
        raise BadInput(f"The toolkits are as after edit {edit}")
    return changes


def _print(found: EditEffects, ran: RunOutcomes | None, limit: int) -> None:
    for line in found.lines():
        print_line(f"{line}.")
    if ran is not None:
        print_line(
            f"Of {ran.ran:,} that are planned otherwise, {ran.before:,} were solved without the"
            f" edit and {ran.after:,} with it (judge {ran.judge})."
        )
    if found.changed:
        print_table(
            ["Query", "Differs", "Before", "After", "Gold"],
            [_cells(each) for each in found.changed[:limit]],
        )
    if found.apis:
        print_table(["API that takes part", ">Queries"], [[*each] for each in found.apis[:limit]])


def _cells(each: ChangedQuery) -> list[str]:
    return [
        one_line(each.query.text, _LONGEST),
        ", ".join(part for part in EffectOn if part in each.parts),
        _plan(each.before.steps),
        _plan(each.after.steps),
        {None: "", 0: "same", 1: "nearer", -1: "farther"}[each.better],
    ]


def _plan(steps: Any) -> str:
    said = (" · ".join(part for part in step[:2] if part) for step in steps)
    return one_line(", then ".join(said) or "no plan", _LONGEST)


def _row(found: EditEffects) -> dict[str, Any]:
    return {
        "queries": found.queries,
        "changed": [
            {
                "query": each.query.id,
                "differs": sorted(each.parts),
                "before": [step[:2] for step in each.before.steps],
                "after": [step[:2] for step in each.after.steps],
                "apis": sorted(each.apis),
                "better": each.better,
            }
            for each in found.changed
        ],
        "reach": {
            how: {
                "difference": pairs.difference and asdict(pairs.difference),
                "gained": pairs.table.only_a,
                "lost": pairs.table.only_b,
            }
            for how, pairs in found.reach.items()
        },
        "apis": dict(found.apis),
    }
