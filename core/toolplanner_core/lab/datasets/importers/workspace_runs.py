"""Starred runs of a workspace: their queries, and the APIs that answered in the solved ones."""

from collections.abc import Iterator
from pathlib import Path

from toolplanner_core.cases.case_runs import keys_of
from toolplanner_core.cases.run_facts import gather_facts
from toolplanner_core.domain.lab import GoldCall, Query, Solvable
from toolplanner_core.domain.plan import Status
from toolplanner_core.lab.datasets.importer import DataSetImporter, gold_of
from toolplanner_core.options.option import NoOptions
from toolplanner_core.runs.log.stored_runs import read_run
from toolplanner_core.runs.tree.tree import RunTree
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.runs import get_run, read_marks


def read(path: Path, options: NoOptions) -> Iterator[Query]:  # noqa: ARG001 - every importer has options
    """The runs that a person has starred and not deleted, oldest first."""
    with Workspace.open(path) as workspace:
        marks = read_marks(workspace)
        starred = sorted(
            run for run, mark in marks.items() if mark.is_starred and mark.deleted_us is None
        )
        for run in starred:
            row = get_run(workspace, run)
            calls: tuple[GoldCall, ...] = ()
            is_solved = row.status == Status.SOLVED
            if is_solved:
                records = read_run(workspace, run)
                tree = RunTree()
                tree.apply(records)
                answered = [fact for fact in gather_facts(records, tree).calls if not fact.error]
                keys = keys_of(workspace, answered)
                calls = tuple(GoldCall(api=keys[fact.api]) for fact in answered)
            yield Query(
                id=f"run-{run}",
                text=row.query,
                gold=gold_of(tuple(dict.fromkeys(call.api for call in calls))),
                path=calls,
                solvable=Solvable.YES if is_solved else Solvable.UNKNOWN,
            )


PLUGIN = DataSetImporter(
    id="runs",
    title="Starred runs of a workspace",
    description="Queries of starred runs; of solved ones the APIs that answered are gold.",
    accepts="a workspace with starred runs",
    options=NoOptions,
    recognises=lambda sample: 0.0,  # noqa: ARG005 - a workspace is not sampled
    read=read,
    reads_workspaces=True,
)
