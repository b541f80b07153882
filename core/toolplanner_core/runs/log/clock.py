"""The clocks of a run: wall time, monotonic time, waiting.

Tests pass their own. A pause holds budgets, time-outs and waits by this clock standing still, which
is why nobody in `runs/` asks the operating system or asyncio for the time directly.
"""

import asyncio
import contextlib
import time
from datetime import datetime
from types import TracebackType


class TimeLimit:
    """A time-out in the run's time, around a block; `left_s` counts while the run is held.

    Raises:
        TimeoutError: at the end of the block, which is cancelled.
    """

    __slots__ = ("_among", "_timer", "left_s")

    def __init__(self, seconds: float, among: "set[TimeLimit]", *, is_held: bool) -> None:
        self.left_s = seconds
        self._among = among
        self._timer = asyncio.timeout(None if is_held else seconds)

    async def __aenter__(self) -> "TimeLimit":
        await self._timer.__aenter__()
        self._among.add(self)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        self._among.discard(self)
        return await self._timer.__aexit__(kind, error, trace)

    def restart(self, seconds: float) -> None:
        """Count again from now on."""
        self.left_s = seconds
        if self._timer.when() is not None and not self._timer.expired():
            self._timer.reschedule(asyncio.get_running_loop().time() + seconds)

    def stop(self, now_s: float) -> None:
        at_s = self._timer.when()
        if at_s is not None and not self._timer.expired():
            self.left_s = at_s - now_s
            self._timer.reschedule(None)

    def go_on(self, now_s: float) -> None:
        if self._timer.when() is None and not self._timer.expired():
            self._timer.reschedule(now_s + self.left_s)


class Clock:
    """The machine's clocks; monotonic time counts from the making of this object.

    Attributes:
        world: the time of day of an invented world, which stands still; None = the machine's.
    """

    def __init__(self) -> None:
        self.world: datetime | None = None
        self._hands: tuple[int, int | None] = (time.monotonic_ns(), None)
        """When the run began, and when it was held; in one value, since other threads look."""
        self._holds = 0
        self._limits: set[TimeLimit] = set()

    def hold(self) -> None:
        """Let the run's time stand still until as many calls of `release`. On the run's loop."""
        if self._holds == 0:
            self._hands = (self._hands[0], time.monotonic_ns())
            for limit in self._limits:
                limit.stop(asyncio.get_running_loop().time())
        self._holds += 1

    def release(self) -> None:
        """Let the run's time go on where it stood. On the run's loop."""
        self._holds -= 1
        if self._holds == 0:
            self._hands = (time.monotonic_ns() - self.mono_ns(), None)
            for limit in self._limits:
                limit.go_on(asyncio.get_running_loop().time())

    def limit(self, seconds: float) -> TimeLimit:
        """As `asyncio.timeout`, in the run's time: while the run is held, nothing runs out."""
        return TimeLimit(seconds, self._limits, is_held=self._holds > 0)

    def real_ns(self) -> int:
        """Monotonic time that never stands still."""
        return time.monotonic_ns()

    def begin(self) -> None:
        """Count monotonic time from now on: its run begins."""
        self.go_on_from(0)

    def go_on_from(self, mono_ns: int) -> None:
        """Let monotonic time go on where another run (the parent of a fork) stood."""
        self._hands = (time.monotonic_ns() - mono_ns, None)

    def wall_us(self) -> int:
        """Microseconds since 1970, UTC."""
        return time.time_ns() // 1000

    def mono_ns(self) -> int:
        """Nanoseconds since the run began, monotonic; time for which it was held not counted.
        Any thread: what is shown of a run that goes on is counted as its events are."""
        began_ns, held_at_ns = self._hands
        return (time.monotonic_ns() if held_at_ns is None else held_at_ns) - began_ns

    def local_time(self) -> datetime:
        """Local time with its offset."""
        return self.world or datetime.now().astimezone()

    async def wait(self, seconds: float) -> None:
        """Wait between two tries, in the run's time."""
        with contextlib.suppress(TimeoutError):
            async with self.limit(seconds):
                await asyncio.Event().wait()
