"""Show on stderr what a run is doing, while it runs; only on a terminal."""

import contextlib
import sys
from collections.abc import Callable, Generator

from toolplanner_core.cli.terminal import clean
from toolplanner_core.runs.events.event import Record
from toolplanner_core.runs.events.node import NodeOpened


@contextlib.contextmanager
def shown_events() -> Generator[Callable[[list[Record]], None] | None]:
    """A listener that keeps one line up to date with the node that was opened last."""
    if not sys.stderr.isatty():
        yield None
        return

    def show(records: list[Record]) -> None:
        for record in records:
            if isinstance(record.event, NodeOpened):
                sys.stderr.write(f"\r\x1b[K{clean(record.event.title)[:100]}")
        sys.stderr.flush()

    try:
        yield show
    finally:
        sys.stderr.write("\r\x1b[K")
