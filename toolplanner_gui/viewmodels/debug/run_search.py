"""Search over all runs for the field in the runs panel.

The text is the one of `toolplanner runs search`: words, and fields such as `status:solved` or
`tokens>1000` (`runs/searching/query.py`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from toolplanner_core.errors import ToolPlannerError
from toolplanner_core.runs.searching.query import parse_run_query
from toolplanner_core.runs.searching.search import RunHit, search_runs
from toolplanner_core.words.formatting import counted
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.runs import run_count

LIMIT = 300
"""Runs shown; nobody reads more, and more words find fewer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundRuns:
    """The answer to a search.

    Attributes:
        runs: best first, at most `LIMIT`.
        total: runs of the workspace.
        problem: why the text cannot be searched for, "" if it could.
    """

    text: str
    runs: Sequence[RunHit] = ()
    total: int = 0
    problem: str = ""

    @property
    def words(self) -> str:
        """How many there are, for people."""
        if self.problem:
            return self.problem
        more = "more than " if len(self.runs) == LIMIT else ""
        return f"{more}{len(self.runs):,} of {counted(self.total, 'run')}".capitalize()


def find_runs(workspace: Workspace, text: str) -> FoundRuns:
    """The runs that fit, or why the text cannot be searched for. Blocks: SQLite."""
    try:
        words, filters = parse_run_query(text)
        hits = search_runs(workspace, words, filters, limit=LIMIT)
    except ToolPlannerError as error:
        return FoundRuns(text=text, problem=error.sentence)
    return FoundRuns(text=text, runs=hits, total=run_count(workspace))
