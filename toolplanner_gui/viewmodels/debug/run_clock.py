"""The clock of the run that goes on: it stands still while the run is held."""

import time


class RunClock:
    """Monotonic nanoseconds, without the time for which a person held the run."""

    def __init__(self) -> None:
        self._stood_at_ns: int | None = None
        self._stood_ns = 0

    def now_ns(self) -> int:
        """The machine's monotonic clock, standing still while the run is held."""
        now_ns = time.monotonic_ns() if self._stood_at_ns is None else self._stood_at_ns
        return now_ns - self._stood_ns

    def stand_still(self, is_still: bool) -> None:
        """Stop, or go on from where it stood."""
        if is_still and self._stood_at_ns is None:
            self._stood_at_ns = time.monotonic_ns()
        elif not is_still and self._stood_at_ns is not None:
            self._stood_ns += time.monotonic_ns() - self._stood_at_ns
            self._stood_at_ns = None
