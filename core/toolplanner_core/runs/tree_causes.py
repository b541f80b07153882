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


class Causes:
    """Remembers of every record where it stands and what it points at: little, for long runs."""

    def __init__(self, nodes: Mapping[NodePath, Node]) -> None:
        self._nodes = nodes
        self._paths: dict[int, NodePath] = {}
        self._causes: dict[int, int] = {}
        self._exhausted: dict[int, str] = {}

    def note(self, record: Record) -> None:
        """Remember a record."""
        self._paths[record.seq] = record.path
        if record.cause is not None:
            self._causes[record.seq] = record.cause
        if isinstance(record.event, ToolkitExhausted):
            self._exhausted[record.seq] = record.event.toolkit_name

    def path_of(self, seq: int) -> NodePath | None:
        """The node an event belongs to."""
        return self._paths.get(seq)

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
        path = self.path_of(seq)
        if path is None:
            return Cause(seq, "")
        exhausted = self._exhausted.get(seq)
        if exhausted:
            return Cause(seq, f"because no API of {exhausted} could do the step")
        attempt = self.attempt_of(seq)
        if attempt is not None:
            why = f": {attempt.reason}" if attempt.reason else ""
            return Cause(seq, f"because {attempt.title} failed{why}")
        cause = self._causes.get(seq)
        if cause is not None and cause < seq:
            return self.explain(cause)
        node = self._nodes.get(path)
        return Cause(seq, f"because of {node.title}" if node is not None and path else "")
