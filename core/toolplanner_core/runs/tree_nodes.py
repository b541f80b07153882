"""The nodes of a tree while it is folded: adding, ending, and which of them changed.

Callers: `tree.py` (runs, plans, steps, attempts) and `tree_leaves.py` (calls, questions).
"""

from collections.abc import Mapping
from typing import Any

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.nodes import NodeKind, NodeState
from toolplanner_core.runs.events.event import Record
from toolplanner_core.runs.node import Node
from toolplanner_core.runs.totals import add_costs


class NodeTable:
    """Nodes by path, in the order in which they appeared, and the paths that changed."""

    def __init__(self) -> None:
        self.by_path: dict[NodePath, Node] = {}
        self.changed: set[NodePath] = set()
        self._marks: dict[NodePath, dict[str, Any]] = {}

    def mark(self, path: NodePath, name: str, value: str) -> None:
        """Keep a remark on a node, whether it is there already or comes with its first event."""
        self._marks.setdefault(path, {})[name] = value
        node = self.by_path.get(path)
        if node is not None:
            node.data = {**node.data, name: value}
            self.changed.add(path)

    def describe(self, node: Node, data: Mapping[str, Any]) -> None:
        """Replace what a call or question says of itself; remarks stay."""
        node.data = {**data, **self._marks.get(node.path, {})}

    def add(
        self,
        path: NodePath,
        parent: NodePath | None,
        kind: NodeKind,
        title: str,
        state: NodeState,
        *,
        data: Mapping[str, Any] | None = None,
    ) -> Node:
        """A new node, last among its siblings."""
        node = Node(
            path=path, parent=parent, kind=kind, title=title, state=state, data=dict(data or {})
        )
        self.by_path[path] = node
        if parent is not None and parent in self.by_path:
            self.by_path[parent].children.append(path)
            self.changed.add(parent)
        self.changed.add(path)
        return node

    def leaf(self, record: Record, kind: NodeKind, title: str) -> Node:
        """The call or question of a record; made when it is first heard of."""
        node = self.by_path.get(record.path)
        if node is None:
            node = self.add(record.path, record.parent, kind, title, NodeState.RUNNING)
            node.opened_seq = record.seq
            node.started_ns = record.mono_ns
        self.changed.add(record.path)
        return node

    def end(self, record: Record, node: Node, state: NodeState) -> None:
        """A node ends with this record."""
        node.state = state
        node.closed_seq = record.seq
        node.ended_ns = record.mono_ns
        self.changed.add(node.path)

    def fail(self, record: Record, node: Node, error: str, reason: str) -> None:
        """A call or question ends without success."""
        is_cancel = error == ErrorClass.CANCELLED
        self.end(record, node, NodeState.CANCELLED if is_cancel else NodeState.FAILED)
        node.error, node.reason = error, reason

    def reopen(self, node: Node) -> None:
        """A call or question is tried again."""
        node.state, node.reason, node.error = NodeState.RUNNING, "", None
        node.closed_seq = node.ended_ns = None
        self.changed.add(node.path)

    def abandon(self, node: Node) -> None:
        """A waiting step is not reached any more."""
        node.state = NodeState.ABANDONED
        node.reason = "its plan never reached it"
        self.changed.add(node.path)

    def add_usage(self, start: NodePath, tokens: int, cost: float | None) -> None:
        """Count tokens and cost at a node and at all above it."""
        path: NodePath | None = start
        while path is not None and path in self.by_path:
            node = self.by_path[path]
            node.tokens += tokens
            node.cost = add_costs(node.cost, cost)
            self.changed.add(path)
            path = node.parent
