"""A node of the tree while its work goes on: counters for what is below it, and how it will end.

Callers: `scope.py` keeps the open frames; strategies see them as `OpenNode`.
"""

from collections import Counter
from random import Random

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.nodes import NodeState


def join(parent: NodePath, kind: str, number: int) -> NodePath:
    """Path of a child: made of positions only, so that it is the same in every run."""
    name = f"{kind}.{number}"
    return NodePath(f"{parent}/{name}" if parent else name)


class Frame:
    """One open node.

    Attributes:
        seq: the event that opened it.
    """

    def __init__(self, path: NodePath, *, seq: int, seed: int) -> None:
        self.path = path
        self.seq = seq
        self.random = Random(f"{seed}:{path}")
        self.state = NodeState.OK
        self.reason = ""
        self.error: ErrorClass | None = None
        self._counts: Counter[str] = Counter()

    def next_child(self, kind: str) -> NodePath:
        """Path of the next call or question below this node."""
        self._counts[kind] += 1
        return join(self.path, kind, self._counts[kind])

    def end(self, state: NodeState, reason: str = "", *, error: ErrorClass | None = None) -> None:
        """Say how the node ends; written when it is left."""
        self.state, self.reason, self.error = state, reason, error
