"""How calls of APIs went of late, as an agent reads it beside a hit.

The log is read beside the searches, never while one waits for it: it takes a second for a day of
50,000 calls.
"""

import asyncio
import time
from collections.abc import Callable, Mapping

from toolplanner_core.domain.ids import ApiId
from toolplanner_core.errors import UserError
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.call_statistics import CallFigures, call_figures
from toolplanner_core.workspace.catalogue import apis_by_rowid

_FRESH_S = 10.0
"""Figures that are so old are read anew, beside the search that sees it."""
_SHARE = 20.0
"""Reading takes at most one part in so many of the time: a long log is read more seldom."""
_FIRST_S = 2.0
"""The first search waits so long for figures; without them it says nothing of health."""
_WORKS, _FAILS = 0.9, 0.5


class ApiHealth:
    """The figures of the calls of a workspace, on one event loop.

    Args:
        clock: seconds that only grow.
    """

    def __init__(
        self, workspace: Workspace, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._workspace, self._clock = workspace, clock
        self._figures: Mapping[ApiId, CallFigures] | None = None
        self._read_s, self._took_s = 0.0, 0.0
        self._reading: asyncio.Future[None] | None = None

    async def figures(self) -> Mapping[ApiId, CallFigures]:
        """Those that are known; newer ones are read meanwhile."""
        is_old = self._clock() - self._read_s >= max(_FRESH_S, self._took_s * _SHARE)
        if self._reading is None and (self._figures is None or is_old):
            self._reading = asyncio.ensure_future(self._read())
        if self._figures is None and self._reading is not None:
            await asyncio.wait({self._reading}, timeout=_FIRST_S)
            self._figures = self._figures or {}
        return self._figures or {}

    async def _read(self) -> None:
        begin_s = self._clock()
        try:
            self._figures = await asyncio.to_thread(_figures_by_id, self._workspace)
        except UserError:  # the file is not there this moment: what was known still holds
            pass
        finally:
            self._read_s = self._clock()
            self._took_s, self._reading = self._read_s - begin_s, None


def health_word(figures: CallFigures | None) -> str:
    """ "works", "fails sometimes: timeout" or "fails: timeout"; "" where no call counts."""
    health = None if figures is None else figures.health
    if figures is None or health is None:
        return ""
    if health >= _WORKS:
        return "works"
    return f"fails{' sometimes' if health >= _FAILS else ''}: {figures.last_error}"


def _figures_by_id(workspace: Workspace) -> dict[ApiId, CallFigures]:
    figures = call_figures(workspace)
    apis = apis_by_rowid(workspace, list(figures))
    return {apis[rowid].id: each for rowid, each in figures.items() if rowid in apis}
