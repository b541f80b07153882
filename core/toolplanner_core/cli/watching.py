"""Show runs on a terminal: what one is doing while it runs, on stderr; its tree, on stdout."""

import contextlib
import sys
from collections.abc import Callable, Generator

from toolplanner_core.cli.terminal import clean, print_line
from toolplanner_core.domain.ids import RunId
from toolplanner_core.runs.events.event import Record
from toolplanner_core.runs.events.node import NodeOpened
from toolplanner_core.runs.log.stored_runs import load_tree
from toolplanner_core.runs.presentation.tree_text import render_tree
from toolplanner_core.workspace import Workspace


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


def print_tree(workspace: Workspace, run: RunId) -> None:
    """Print the tree of a run on stdout, one node a line."""
    for line in render_tree(load_tree(workspace, run)):
        print_line(line)
    print_line()
