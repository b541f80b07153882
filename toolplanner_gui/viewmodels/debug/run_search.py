"""Search over all runs for the field in the runs panel: off the GUI thread, the newest wins.

The text is the one of `toolplanner runs search`: words, and fields such as `status:solved` or
`tokens>1000` (`runs/searching/query.py`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, Signal

from toolplanner_core.runs.searching.query import parse_run_query
from toolplanner_core.runs.searching.search import RunHit, search_runs
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.runs import run_count
from toolplanner_gui.bridge.newest import Newest
from toolplanner_gui.bridge.tasks import Tasks

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
        return f"{more}{len(self.runs):,} of {self.total:,} runs".capitalize()


class RunSearch(QObject):
    """Asks the workspace; answers to older questions are dropped."""

    found = Signal(object)
    """FoundRuns."""

    def __init__(self, tasks: Tasks, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._newest = Newest(tasks, self)

    @property
    def is_idle(self) -> bool:
        """Whether the newest question was answered."""
        return self._newest.is_idle

    def search(self, workspace: Workspace, text: str) -> None:
        """Search; `found` follows unless another search or `forget` comes first."""
        self._newest.ask(
            lambda: find(workspace, text),
            self.found.emit,
            lambda error: self.found.emit(FoundRuns(text=text, problem=error.sentence)),
        )

    def forget(self) -> None:
        """Drop the answer that may still come."""
        self._newest.forget()


def find(workspace: Workspace, text: str) -> FoundRuns:
    """The runs that fit. Blocks: SQLite.

    Raises:
        BadInput: a field has a value that it cannot have.
    """
    words, filters = parse_run_query(text)
    hits = search_runs(workspace, words, filters, limit=LIMIT)
    return FoundRuns(text=text, runs=hits, total=run_count(workspace))
