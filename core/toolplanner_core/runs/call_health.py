"""How reliable each API was in earlier runs, for ranking the members of a toolkit."""

import threading

from toolplanner_core.domain.ids import ApiId
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.call_figures import CallFigures, call_figures
from toolplanner_core.workspace.catalogue import apis_by_rowid
from toolplanner_core.workspace.runs import newest_run

_UNKNOWN = CallFigures(n_ok=0, n_failed=0).smoothed


class CallHealth:
    """Smoothed share of successful calls of each API, as of the newest run: the calls of a run do
    not change its own order. Thread-safe."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._lock = threading.Lock()
        self._as_of: int | None = None
        self._shares: dict[ApiId, float] = {}

    def of(self, api: ApiId) -> float:
        """0 to 1; one half for an API that was never called."""
        with self._lock:
            newest = newest_run(self._workspace)
            if newest != self._as_of:
                figures = call_figures(self._workspace)
                apis = apis_by_rowid(self._workspace, list(figures))
                self._shares = {apis[rowid].id: each.smoothed for rowid, each in figures.items()}
                self._as_of = newest
            return self._shares.get(api, _UNKNOWN)
