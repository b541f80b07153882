"""Not more requests to one server than so many a second: who comes too soon waits."""

import asyncio

from toolplanner_core.domain.origin import Origin


class Pacer:
    """Lets requests through, evenly spread.

    Args:
        per_second: to one origin; 0 = without a limit.
    """

    def __init__(self, per_second: float) -> None:
        self._gap_s = 1 / per_second if per_second else 0.0
        self._next_s: dict[Origin, float] = {}

    async def wait(self, origin: Origin, *, per_second: float | None = None) -> None:
        """Return when a request to an origin may leave; in the order of asking.

        Args:
            per_second: for this request; None = the usual.
        """
        gap_s = self._gap_s if per_second is None else 1 / per_second
        now_s = asyncio.get_running_loop().time()
        at_s = max(now_s, self._next_s.get(origin, now_s))
        self._next_s[origin] = at_s + gap_s
        if at_s > now_s:
            await asyncio.sleep(at_s - now_s)
