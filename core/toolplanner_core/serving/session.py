"""What one client asks for, as a run: it begins with the first call, and ends when the client
leaves, was quiet for a while, or has asked for very much; then the next call begins another one.
"""

import asyncio
import contextlib
import dataclasses
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any

from toolplanner_core.domain.ids import ApiId
from toolplanner_core.errors import UserError
from toolplanner_core.runs.catalogue.workspace_catalogue import WorkspaceCatalogue
from toolplanner_core.runs.config.spec import Limits, RunSpec, RunSummary
from toolplanner_core.runs.engine.runner import prepare, run
from toolplanner_core.serving.catalogue import ServedApi
from toolplanner_core.serving.profile import ServingProfile
from toolplanner_core.serving.results import LongResults
from toolplanner_core.strategies.served import (
    Fallback,
    ServedCall,
    ServedLookup,
    ServedReply,
    solve_requests,
)
from toolplanner_core.workspace import Workspace

STRATEGY = "served"
MOST_CALLS = 500
"""Of one run; a longer one is slow to look at."""
QUIET_S = 15 * 60.0
"""A client that asks for nothing so long has left, as far as anybody can tell."""
_LOOKUPS_BEFORE = 50
"""Searches before the first call that its run tells of, the newest ones."""
_NO_LIMITS = Limits(
    max_model_calls=None, max_api_calls=None, max_tokens=None, max_seconds=None, max_cost=None
)


class ServingSession:
    """The calls and searches of one client, on one event loop.

    Attributes:
        results: its long results.

    Args:
        client: its name and version, for people.
        clock: seconds that only grow.
    """

    def __init__(
        self,
        workspace: Workspace,
        profile: ServingProfile,
        search: WorkspaceCatalogue,
        *,
        client: str,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._workspace, self._profile, self._search = workspace, profile, search
        self._client, self._clock = client, clock
        self._lookups: deque[ServedLookup] = deque(maxlen=_LOOKUPS_BEFORE)
        self._run: _LiveRun | None = None
        self._lock = asyncio.Lock()
        self._last_s = clock()
        self.results = LongResults()

    @property
    def quiet_s(self) -> float:
        """Seconds since anything was asked for; none while a call goes on."""
        is_busy = self._run is not None and self._run.going_on > 0
        return 0.0 if is_busy else self._clock() - self._last_s

    def ask(self) -> None:
        """Its client asks for something, whatever it is: it has not left."""
        self._last_s = self._clock()

    def looked_up(self, need: str, found: list[ServedApi]) -> None:
        """A search was answered; it stands in the run of the calls beside it."""
        self._last_s = self._clock()
        lookup = ServedLookup(need=need, found=tuple(each.name for each in found))
        if self._run is not None and not self._run.is_over:
            self._run.put(lookup)
        else:
            self._lookups.append(lookup)

    async def call(
        self,
        served: ServedApi,
        arguments: Mapping[str, Any],
        *,
        is_served: Callable[[ApiId], bool],
        fallback: Fallback,
    ) -> ServedReply:
        """Call an API through the gate; what came of it is on disk when this returns.

        Args:
            is_served: whether another API may stand in.

        Raises:
            UserError: the run could not begin or go on.
        """
        self._last_s = self._clock()
        async with self._lock:
            live = await self._live_run()
            request = ServedCall(
                api=served.api,
                arguments=arguments,
                toolkit=served.toolkit,
                is_served=is_served,
                fallback=fallback,
                reply=asyncio.get_running_loop().create_future(),
            )
            live.put(request)
        live.going_on += 1
        try:
            await asyncio.wait({request.reply, live.done}, return_when=asyncio.FIRST_COMPLETED)
            if not request.reply.done():
                live.done.result()  # it says why, if it broke
                raise UserError("The run of this session has ended", todo="Call again")
            return request.reply.result()
        finally:
            request.reply.cancel()
            live.going_on -= 1
            self._last_s = self._clock()

    async def close(self) -> RunSummary | None:
        """End its run, if there is one: calls that go on are finished."""
        live, self._run = self._run, None
        return None if live is None else await live.close()

    async def _live_run(self) -> "_LiveRun":
        live = self._run
        if live is not None and not live.is_over and live.calls < MOST_CALLS:
            return live
        await self.close()
        spec = RunSpec(
            query=f"Served to {self._client}: {self._profile.name}",
            strategy=STRATEGY,
            limits=_NO_LIMITS,
            faults=self._profile.faults,
        )
        live = _LiveRun()
        parts = await asyncio.to_thread(prepare, self._workspace, spec, self._search)
        strategy = dataclasses.replace(parts.strategy, solve=solve_requests(live.requests()))
        parts = dataclasses.replace(parts, strategy=strategy)
        for lookup in self._lookups:
            live.put(lookup)
        self._lookups.clear()
        live.done = asyncio.ensure_future(run(self._workspace, spec, parts=parts))
        self._run = live
        return live


class _LiveRun:
    """A run while it goes on, and what it is asked for."""

    def __init__(self) -> None:
        self._queue: asyncio.Queue[ServedLookup | ServedCall | None] = asyncio.Queue()
        self.done: asyncio.Future[RunSummary] = asyncio.get_running_loop().create_future()
        self.calls = self.going_on = 0

    @property
    def is_over(self) -> bool:
        return self.done.done()

    def put(self, request: ServedLookup | ServedCall) -> None:
        self.calls += isinstance(request, ServedCall)
        self._queue.put_nowait(request)

    async def requests(self) -> AsyncIterator[ServedLookup | ServedCall]:
        while (request := await self._queue.get()) is not None:
            yield request

    async def close(self) -> RunSummary | None:
        self._queue.put_nowait(None)
        with contextlib.suppress(UserError):
            return await self.done
        return None
