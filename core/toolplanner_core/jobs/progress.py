"""How long work tells where it stands and learns that it shall stop.

A function that works long takes `progress: Progress` and calls `progress.report` between pieces of
about
20 to 200 ms; that call raises `Cancelled` when a person stopped the job.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from toolplanner_core.errors import Cancelled


class Report(Protocol):
    """Says where work stands: `Progress.report`, and what a function in a worker process gets."""

    def __call__(self, stage: str, done: int, total: int | None = None, unit: str = "APIs") -> None:
        """As `Progress.report`."""
        ...


def silent(stage: str, done: int, total: int | None = None, unit: str = "APIs") -> None:
    """A report that nobody hears."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProgressReport:
    """Where a job stands.

    Attributes:
        stage: what is being done, for people, such as "Embedding".
        done: finished units.
        total: all units, None if unknown.
        unit: plural word for the units, such as "APIs".
        rate: units per second in this stage, None before the first second.
        left_s: estimated seconds left in this stage, None if unknown.
    """

    stage: str
    done: int
    total: int | None
    unit: str
    rate: float | None
    left_s: float | None


class Progress:
    """Collects reports of one job and hands them to a listener; thread-safe.

    Args:
        listener: called with each report, on the thread that works; at most every 50 ms and at
        stage ends.
        clock: seconds, monotonic; tests pass their own.
    """

    def __init__(
        self,
        listener: Callable[[ProgressReport], None] | None = None,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._listener = listener
        self._clock = clock
        self._stop = threading.Event()
        self._stage = ""
        self._stage_began_s = 0.0
        self._stage_began_at = 0
        self._said_s = 0.0

    def cancel(self) -> None:
        """Ask the job to stop at its next report. Any thread."""
        self._stop.set()

    @property
    def is_cancelled(self) -> bool:
        """Whether `cancel` was called."""
        return self._stop.is_set()

    def check(self) -> None:
        """Stop here if a person asked for it.

        Raises:
            Cancelled: `cancel` was called.
        """
        if self._stop.is_set():
            raise Cancelled

    def report(self, stage: str, done: int, total: int | None = None, unit: str = "APIs") -> None:
        """Say where the work stands, and stop if asked to.

        Raises:
            Cancelled: `cancel` was called.
        """
        self.check()
        now_s = self._clock()
        is_new_stage = stage != self._stage
        if is_new_stage:
            self._stage, self._stage_began_s, self._stage_began_at = stage, now_s, done
        is_end = total is not None and done >= total
        if self._listener is None or not (is_new_stage or is_end or now_s - self._said_s >= 0.05):
            return
        self._said_s = now_s
        spent_s = now_s - self._stage_began_s
        rate = (done - self._stage_began_at) / spent_s if spent_s >= 1.0 else None
        left_s = (total - done) / rate if rate and total is not None else None
        self._listener(
            ProgressReport(stage=stage, done=done, total=total, unit=unit, rate=rate, left_s=left_s)
        )
