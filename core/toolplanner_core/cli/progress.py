"""Where long work stands, on stderr; Ctrl+C asks it to stop, a second Ctrl+C ends the program.

SIGTERM asks the same: what the work has started, such as servers of tools, ends with it.
"""

import contextlib
import signal
import sys
import time
from collections.abc import Generator
from types import FrameType

from toolplanner_core.cli.terminal import say
from toolplanner_core.jobs.progress import Progress, ProgressReport
from toolplanner_core.words.formatting import counted


def describe(report: ProgressReport) -> str:
    """A report as one line: "Embedding: 9,931 of 16,000 APIs · 171/s · 58 s left"."""
    parts: list[str] = []
    is_y = report.unit.endswith("ies")
    one = f"{report.unit[:-3]}y" if is_y else report.unit.removesuffix("s")
    if report.total is not None:
        parts = [f"{report.done:,} of {counted(report.total, one, report.unit)}"]
    elif report.done:
        parts = [counted(report.done, one, report.unit)]
    if report.rate:
        parts.append(f"{report.rate:,.0f}/s")
    if report.left_s is not None and report.done < (report.total or 0):
        parts.append(f"{report.left_s:,.0f} s left")
    return f"{report.stage}: {' · '.join(parts)}" if parts else report.stage


class _Line:
    """Rewrites one line on a terminal; elsewhere prints a line every few seconds and per stage."""

    def __init__(self) -> None:
        self.is_terminal = sys.stderr.isatty()
        self.width = 0
        self.stage = ""
        self.said_s = 0.0

    def show(self, report: ProgressReport) -> None:
        text = describe(report)
        if self.is_terminal:
            sys.stderr.write("\r" + text.ljust(self.width))
            sys.stderr.flush()
            self.width = len(text)
            return
        now_s = time.monotonic()
        if report.stage != self.stage or now_s - self.said_s >= 5:
            say(text)
            self.stage, self.said_s = report.stage, now_s

    def end(self) -> None:
        if self.is_terminal and self.width:
            sys.stderr.write("\r" + " " * self.width + "\r")


@contextlib.contextmanager
def shown_progress() -> Generator[Progress]:
    """A `Progress` that is shown on stderr and cancelled by Ctrl+C and SIGTERM."""
    line = _Line()
    progress = Progress(line.show)

    def stop(_signal: int, _frame: FrameType | None) -> None:
        if progress.is_cancelled:
            raise KeyboardInterrupt
        progress.cancel()

    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number, handler in before.items():
        # A script's background job starts with SIGINT ignored, so that Ctrl+C stops what is in
        # front of the person and not this.
        if handler is not signal.SIG_IGN:
            signal.signal(number, stop)
    try:
        yield progress
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        line.end()
