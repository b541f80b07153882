"""Imported runs of which the original is here as well: their calls were counted once already.

A run that is exported and read into the same workspace again, or a file that is read twice, tells
of the same calls. What came from elsewhere tells of calls that nobody counted here, and counts.
"""

from toolplanner_core.domain.ids import RunId
from toolplanner_core.workspace.run_marks import NOT_DELETED
from toolplanner_core.workspace.workspace import Workspace

IMPORT_MARK = "imported"
"""Key in a run's options that says where it came from; it is of this workspace, not of the run."""

_SAME = " AND ".join(
    f"original.{column} IS copy.{column}"
    for column in ("started_us", "ended_us", "query", "strategy", "model", "answer")
)
_COPIES = (
    f"SELECT copy.id FROM runs AS copy JOIN runs AS original ON original.id < copy.id AND {_SAME}"
    f" WHERE json_extract(copy.options, '$.{IMPORT_MARK}') IS NOT NULL"
    f" AND original.id IN (SELECT run_id FROM (SELECT id AS run_id FROM runs) WHERE {NOT_DELETED})"
)
COUNTED_ONCE = f"{NOT_DELETED} AND run_id NOT IN ({_COPIES})"
"""A condition on rows with a `run_id`: of runs that are not deleted, each once."""


def copied_runs(workspace: Workspace) -> set[RunId]:
    """The imported runs that have their original here."""
    return {RunId(run) for (run,) in workspace.reader().execute(_COPIES)}
