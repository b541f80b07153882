"""Cases of a workspace: saved queries with what their runs must show."""

from collections.abc import Iterator
from pathlib import Path

from toolplanner_core.domain.lab import Query, Solvable
from toolplanner_core.domain.plan import Status
from toolplanner_core.lab.datasets.importer import DataSetImporter
from toolplanner_core.options.option import NoOptions
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.cases import list_cases

_SOLVABLE = {str(Status.SOLVED): Solvable.YES, str(Status.UNSOLVED): Solvable.NO}


def read(path: Path, options: NoOptions) -> Iterator[Query]:  # noqa: ARG001 - every importer has options
    """All cases in their order; a case that must end solved is solvable."""
    with Workspace.open(path) as workspace:
        cases = list_cases(workspace)
    for case in cases:
        yield Query(
            id=case.id,
            text=case.query,
            expected=case.expected,
            solvable=_SOLVABLE.get(case.expected.status, Solvable.UNKNOWN),
        )


PLUGIN = DataSetImporter(
    id="cases",
    title="Cases of a workspace",
    description="Saved queries with what is expected of their runs.",
    accepts="a workspace with cases",
    options=NoOptions,
    recognises=lambda sample: 0.0,  # noqa: ARG005 - a workspace is not sampled
    read=read,
    reads_workspaces=True,
)
