"""The tree of a run: a pure fold of its records, in order, into nodes.

The same code builds the live tree from batches and a stored one from disk; any split into batches
gives the same tree (a property test holds that). It looks only at what is always at hand: types,
paths, states, short texts; long payloads stay on disk. Every event says in its own file what it
does here (`Event.fold`); nothing here knows an event.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import ROOT, NodePath, path_and_ancestors
from toolplanner_core.domain.nodes import RUN, NodeState
from toolplanner_core.runs.tree.causes import Causes
from toolplanner_core.runs.tree.failures import UNSENT, is_unsent_try
from toolplanner_core.runs.tree.formatting import failure_words
from toolplanner_core.runs.tree.node import Node
from toolplanner_core.strategies.interface.strategy import node_kind
from toolplanner_core.workspace.run_log import LogRow

_OPEN = frozenset({NodeState.RUNNING, NodeState.PAUSED})


Moment = LogRow[Any]
"""Where and when an event happened: what folding needs is its row in the log."""


class RunTree:
    """Nodes by path; `nodes[""]` is the run itself once its first record was applied.

    Attributes:
        nodes: every node so far, in the order in which it appeared; only events change it.
        changed: paths of nodes that are new or changed since the last batch began.
        causes: where events stand and what they point at.
        last_seq: number of the last record applied.
    """

    def __init__(self) -> None:
        self.nodes: dict[NodePath, Node] = {}
        self.changed: set[NodePath] = set()
        self.causes = Causes(self.nodes)
        self.path_of = self.causes.path_of
        self.last_seq = 0
        self._marks: dict[NodePath, dict[str, Any]] = {}

    @property
    def root(self) -> Node | None:
        """The run itself."""
        return self.nodes.get(ROOT)

    @property
    def is_over(self) -> bool:
        """Whether the run has ended, as far as the records say that were applied."""
        return self.root is not None and self.root.state not in _OPEN

    def apply(self, records: Iterable[LogRow[Any]]) -> set[NodePath]:
        """Add records in order; returns the paths of all nodes that are new or changed.

        A record that was applied before (seq not above `last_seq`) is passed over.
        """
        self.changed = changed = set[NodePath]()
        for record in records:
            if record.seq <= self.last_seq:
                continue
            self.last_seq = record.seq
            self.causes.note(record.seq, record.path, record.cause)
            record.event.fold(self, record)
        return changed

    def walk(self, start: NodePath = ROOT) -> Iterator[tuple[int, Node]]:
        """Nodes below and with `start`, depth first, with their depth (0 = `start`)."""
        stack = [(0, start)] if start in self.nodes else []
        while stack:
            depth, path = stack.pop()
            node = self.nodes[path]
            yield depth, node
            stack.extend((depth + 1, child) for child in reversed(node.children))

    def add(
        self,
        path: NodePath,
        parent: NodePath | None,
        kind: str,
        title: str,
        state: NodeState,
        *,
        data: Mapping[str, Any] | None = None,
    ) -> Node:
        """A new node, last among its siblings."""
        node = Node(
            path=path, parent=parent, kind=kind, title=title, state=state, data=dict(data or {})
        )
        self.nodes[path] = node
        if parent is not None and parent in self.nodes:
            self.nodes[parent].children.append(path)
            self.changed.add(parent)
        self.changed.add(path)
        return node

    def start(self, at: Moment, title: str, data: Mapping[str, Any]) -> None:
        """The run begins."""
        node = self.add(ROOT, None, RUN.id, title, NodeState.RUNNING, data=data)
        node.opened_seq = at.seq
        node.started_ns = 0  # its clock began with it; what is made ready before counts, too

    def open(self, at: Moment, kind: str, title: str, data: Mapping[str, Any]) -> Node:
        """A node begins that a strategy opened; the children it announces wait."""
        node = self.nodes.get(at.path)
        if node is None:
            node = self.add(at.path, at.parent, kind, title, NodeState.RUNNING)
        self.reopen(node)
        node.title = title
        node.opened_seq = at.seq
        node.started_ns = at.mono_ns
        node.data = dict(data)
        if at.cause is not None:
            node.cause, node.cause_text = self.causes.explain(at.cause)
        self._announce(node)
        return node

    def _announce(self, node: Node) -> None:
        ahead = node_kind(node.kind).ahead
        for child in ahead(node.data) if ahead is not None else ():
            path = NodePath(f"{node.path}/{child.kind}.{child.number}")
            made = self.add(path, node.path, child.kind, child.title, child.state, data=child.data)
            made.reason = child.reason

    def leaf(self, at: Moment, kind: str, title: str) -> Node:
        """The call or question of an event; made when it is first heard of."""
        node = self.nodes.get(at.path)
        if node is None:
            node = self.add(at.path, at.parent, kind, title, NodeState.RUNNING)
            node.opened_seq = at.seq
            node.started_ns = at.mono_ns
            node.data = {**self._marks.get(at.path, {})}
        self.changed.add(at.path)
        return node

    def reopen(self, node: Node) -> None:
        """A node goes on, or a call or question is tried again."""
        node.state, node.reason, node.error = NodeState.RUNNING, "", None
        node.data = {name: said for name, said in node.data.items() if name != UNSENT}
        node.closed_seq = node.ended_ns = node.reply_ns = None
        self.changed.add(node.path)

    def end(self, at: Moment, node: Node, state: NodeState) -> None:
        """A node ends with this event."""
        node.state = state
        node.closed_seq = at.seq
        node.ended_ns = at.mono_ns
        self.changed.add(node.path)

    def note_reply(self, node: Node, elapsed_ms: float) -> None:
        """A call or question has come back; between several tries it waited, too."""
        is_only = node.data.get("tries", 1) == 1
        node.reply_ns = round(elapsed_ms * 1e6) if is_only else None

    def fail(self, at: Moment, node: Node, error: str, reason: str) -> None:
        """A call or question ends without success."""
        is_cancel = error == ErrorClass.CANCELLED
        self.end(at, node, NodeState.CANCELLED if is_cancel else NodeState.FAILED)
        node.error, node.reason = error, reason

    def close(self, at: Moment, state: NodeState, reason: str, error: str | None) -> Node | None:
        """A node ends that a strategy opened; children that still wait are not reached any more."""
        node = self.nodes.get(at.path)
        if node is None:
            return None
        self.end(at, node, state)
        node.error = error
        node.reason = reason or self._reason_from_below(node)
        if node_kind(node.kind).is_try and is_unsent_try(node, self.nodes):
            self.tell(node, {UNSENT: True})
        self.abandon_waiting(node.children)
        return node

    def _reason_from_below(self, node: Node) -> str:
        """Why a node failed that gave no reason: its last failed call or question says it."""
        if node.error is None:
            return ""
        for path in reversed(node.children):
            child = self.nodes[path]
            if child.error == node.error and child.reason:
                return child.reason
        return failure_words(node.error)

    def abandon_waiting(self, paths: list[NodePath]) -> None:
        """Announced nodes are not reached any more."""
        for path in paths:
            node = self.nodes[path]
            if node.state is NodeState.WAITING:
                node.state = NodeState.ABANDONED
                above = None if node.parent is None else self.nodes[node.parent]
                whose = node_kind(above.kind).word if above is not None else "run"
                went = "reached it" if node.started_ns is None else "went back to it"
                node.reason = f"its {whose} never {went}"
                self.changed.add(path)

    def cancel_open(self, at: Moment, reason: str = "") -> None:
        """Whatever goes on below the run ends with it."""
        for node in self.nodes.values():
            if node.path != ROOT and node.state in _OPEN:
                self.end(at, node, NodeState.CANCELLED)
                node.reason = reason or node.reason

    def tell(self, node: Node, data: Mapping[str, Any]) -> None:
        """Add to what a node says of itself."""
        node.data = {**node.data, **data}
        self.changed.add(node.path)

    def describe(self, node: Node, data: Mapping[str, Any]) -> None:
        """Replace what a call or question says of itself; remarks stay."""
        node.data = {**data, **self._marks.get(node.path, {})}

    def mark(self, path: NodePath, name: str, value: Any) -> None:
        """Keep a remark on a node, whether it is there already or comes with its first event."""
        self._marks.setdefault(path, {})[name] = value
        node = self.nodes.get(path)
        if node is not None:
            self.tell(node, {name: value})

    def switch_nearest(self, path: NodePath, before: NodeState, after: NodeState) -> None:
        """Switch the state of the node, or of the nearest above it, that is in the state before."""
        for place in (*path_and_ancestors(path), ROOT):
            node = self.nodes.get(place)
            if node is not None and node.state is before:
                node.state = after
                self.changed.add(place)
                return

    def add_usage(
        self, start: NodePath, tokens: int, cost: float | None, *, estimated: int = 0
    ) -> None:
        """Count tokens, those of them that were estimated, and cost at a node and all above it."""
        path: NodePath | None = start
        while path is not None and path in self.nodes:
            node = self.nodes[path]
            node.tokens += tokens
            node.estimated_tokens += estimated
            node.cost = None if node.cost is None or cost is None else node.cost + cost
            self.changed.add(path)
            path = node.parent
