"""Which runs used a toolkit or an API, and how they went. Blocks: SQLite."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass

from toolplanner_core.domain.ids import ApiId, NodePath, RunId
from toolplanner_core.runs.config.spec import RunSummary
from toolplanner_core.runs.log.stored_runs import get_summary
from toolplanner_core.runs.searching.search import index_stale_runs
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.call_statistics import AttemptRow, read_attempts
from toolplanner_core.workspace.run_search import runs_with_facts

_MOST = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class RunUse:
    """A run that called some of the APIs in question.

    Attributes:
        n_calls, n_failed: calls of them, and those that failed; what never left is none.
        path: of its first call of them that failed, else of the first.
    """

    summary: RunSummary
    n_calls: int
    n_failed: int
    last_error: str
    path: NodePath

    @property
    def words(self) -> str:
        """How these calls went."""
        if not self.n_failed:
            return f"{counted(self.n_calls, 'call')}, none failed"
        why = f": {self.last_error}" if self.last_error else ""
        return f"{self.n_failed:,} of {counted(self.n_calls, 'call')} failed{why}"


def uses_of(workspace: Workspace, apis: Collection[ApiId]) -> list[RunUse]:
    """The runs that called any of these APIs, the newest first; at most fifty."""
    index_stale_runs(workspace)
    runs = runs_with_facts(workspace, "api", apis, limit=_MOST)
    if not runs:
        return []
    wanted, by_run = set(apis), defaultdict[RunId, list[AttemptRow]](list)
    for attempt in read_attempts(workspace, runs=runs):
        if attempt.api in wanted and attempt.was_sent:
            by_run[attempt.run].append(attempt)
    return [_use(workspace, run, by_run[run]) for run in runs if by_run[run]]


def _use(workspace: Workspace, run: RunId, calls: list[AttemptRow]) -> RunUse:
    failed = [call for call in calls if call.failed_by is not None]
    return RunUse(
        summary=get_summary(workspace, run),
        n_calls=len(calls),
        n_failed=len(failed),
        last_error=failed[0].words if failed else "",
        path=(failed or calls)[-1].path,
    )
