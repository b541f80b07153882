"""Why a node became necessary: follows cause arrows back to a failed attempt or toolkit.

Callers: `tree.py` (cause texts, attempts that fell back), `cases.py`.
"""

from collections.abc import Mapping
from typing import NamedTuple

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.nodes import NodeKind
from toolplanner_core.runs.events.decision import ToolkitExhausted
from toolplanner_core.runs.events.event import Record
from toolplanner_core.runs.node import Node


class Cause(NamedTuple):
    """The event that is the reason, and the reason in words."""

    seq: int
    text: str


class _Seen(NamedTuple):
    path: NodePath
    cause: int | None
    exhausted: str


class Causes:
    """Remembers of every record where it stands and what it points at: little, for long runs."""

    def __init__(self, nodes: Mapping[NodePath, Node]) -> None:
        self._nodes = nodes
        self._seen: dict[int, _Seen] = {}

    def note(self, record: Record) -> None:
        """Remember a record."""
        event = record.event
        exhausted = event.toolkit_name if isinstance(event, ToolkitExhausted) else ""
        self._seen[record.seq] = _Seen(record.path, record.cause, exhausted)

    def path_of(self, seq: int) -> NodePath | None:
        """The node an event belongs to."""
        seen = self._seen.get(seq)
        return None if seen is None else seen.path

    def attempt_of(self, seq: int) -> Node | None:
        """The attempt in which an event happened."""
        path = self.path_of(seq)
        while path:
            node = self._nodes.get(path)
            if node is not None and node.kind is NodeKind.ATTEMPT:
                return node
            path = NodePath(path.rpartition("/")[0])
        return None

    def explain(self, seq: int) -> Cause:
        """The reason behind an event: a decision to replan points on at the exhausted toolkit."""
        seen = self._seen.get(seq)
        if seen is None:
            return Cause(seq, "")
        if seen.exhausted:
            return Cause(seq, f"because no API of {seen.exhausted} could do the step")
        attempt = self.attempt_of(seq)
        if attempt is not None:
            why = f": {attempt.reason}" if attempt.reason else ""
            return Cause(seq, f"because {attempt.title} failed{why}")
        if seen.cause is not None and seen.cause < seq:
            return self.explain(seen.cause)
        node = self._nodes.get(seen.path)
        return Cause(seq, f"because of {node.title}" if node is not None and seen.path else "")
