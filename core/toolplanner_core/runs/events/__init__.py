"""The closed list of event types of a run, one file per family.

An event is a small frozen dataclass; `Record` puts it in its place in the log. Texts over 1 KB are
stored as content-addressed blobs by the log, not here. Importing this package enters all types.
"""

from toolplanner_core.runs.events import (
    call,
    debug,
    decision,
    fork,
    node,
    program,
    question,
    run,
    shared,
)

__all__ = [
    "call",
    "debug",
    "decision",
    "fork",
    "node",
    "program",
    "question",
    "run",
    "shared",
]
