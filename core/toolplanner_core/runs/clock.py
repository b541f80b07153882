"""The clocks of a run: wall time, monotonic time, waiting. Tests pass their own.

Callers: the log (stamps), the budget (seconds), the retry stage (waiting), `RunScope.now`. A pause
holds budgets by this clock standing still, which is why nobody in `runs/` asks the operating system
for the time directly.
"""

import asyncio
import time
from datetime import datetime


class Clock:
    """The machine's clocks; monotonic time counts from the making of this object."""

    def __init__(self) -> None:
        self._began_ns = time.monotonic_ns()
        self._holds = 0
        self._held_at_ns = 0

    def hold(self) -> None:
        """Let the run's time stand still until as many calls of `release`."""
        if self._holds == 0:
            self._held_at_ns = time.monotonic_ns()
        self._holds += 1

    def release(self) -> None:
        """Let the run's time go on where it stood."""
        self._holds -= 1
        if self._holds == 0:
            self._began_ns += time.monotonic_ns() - self._held_at_ns

    def real_ns(self) -> int:
        """Monotonic time that never stands still."""
        return time.monotonic_ns()

    def go_on_from(self, mono_ns: int) -> None:
        """Let monotonic time go on where another run (the parent of a fork) stood."""
        self._began_ns = time.monotonic_ns() - mono_ns

    def wall_us(self) -> int:
        """Microseconds since 1970, UTC."""
        return time.time_ns() // 1000

    def mono_ns(self) -> int:
        """Nanoseconds since the run began, monotonic; time for which it was held not counted."""
        now_ns = self._held_at_ns if self._holds else time.monotonic_ns()
        return now_ns - self._began_ns

    def local_time(self) -> datetime:
        """Local time with its offset."""
        return datetime.now().astimezone()

    async def wait(self, seconds: float) -> None:
        """Wait between two tries."""
        await asyncio.sleep(seconds)
