"""How runs of cases went: the table `case_results`.

A result says by what it was judged and which edit counted then, so that what a case shows now can
be told from what it showed before the last edits, and from what was judged by other expectations.
"""

import hashlib
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from toolplanner_core.domain.cases import Case
from toolplanner_core.domain.ids import EditId, RunId
from toolplanner_core.workspace.rows import dump, insert, read_rows, row_of
from toolplanner_core.workspace.workspace import Workspace


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredResult:
    """How one run of a case went.

    Attributes:
        edit: the edit of toolkits that counted last when it began; 0 = none.
        judged_by: see `judged_by`.
        why: what the run did not show as expected; empty when passed.
    """

    case_id: str
    run_id: RunId
    edit: EditId
    judged_by: str
    passed: bool
    why: tuple[str, ...]
    made_us: int


def judged_by(case: Case) -> str:
    """What tells two versions of a case apart: of its query, options and expectations."""
    words = dump([case.query, dict(case.options), case.expected])
    return hashlib.sha256(words.encode()).hexdigest()


def add_result(
    workspace: Workspace,
    case: Case,
    run: RunId,
    *,
    edit: EditId,
    why: Sequence[str],
) -> None:
    """Store how a run of a case went. Blocks."""
    result = StoredResult(
        case_id=case.id,
        run_id=run,
        edit=edit,
        judged_by=judged_by(case),
        passed=not why,
        why=tuple(why),
        made_us=time.time_ns() // 1000,
    )
    workspace.writer.run(lambda db: insert(db, "case_results", row_of(result)))


def cases_of_runs(workspace: Workspace) -> dict[RunId, str]:
    """Runs that were made to see whether a case passes, with the id of the case."""
    rows = workspace.reader().execute("SELECT run_id, case_id FROM case_results")
    return {RunId(run): str(case) for run, case in rows}


def results_by_case(workspace: Workspace) -> dict[str, list[StoredResult]]:
    """All results by the id of their case, the newest first."""
    found: dict[str, list[StoredResult]] = defaultdict(list)
    sql = "SELECT * FROM case_results ORDER BY id DESC"
    for result in read_rows(workspace.reader(), StoredResult, sql):
        found[result.case_id].append(result)
    return found
