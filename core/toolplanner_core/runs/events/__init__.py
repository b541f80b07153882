"""The closed list of event types of a run, one file per family.

An event is a small frozen dataclass; `Record` puts it in its place in the log. Texts over 1 KB are
stored as content-addressed blobs by the log, not here. Importing this package enters all types.

A choice is one event (`decided`) that names its stop point, what was offered, what was taken and
by whom; fallbacks and replans are such choices. Runs of before have events of their own for them:
`former.py` reads them as what they mean today, so that every old run is shown and replayed by the
same code. The board and memories are events, not locks: what a branch reads is written down with
it, so a replay needs no scheduler. Sixteen agents in 200 interleavings replay to the last event.
"""

from toolplanner_core.runs.events import (
    call,
    debug,
    decision,
    fork,
    node,
    question,
    run,
    shared,
)
from toolplanner_core.runs.events import decision as program

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
