"""The tree of a run: a pure fold of its records, in order, into nodes.

The same code builds the live tree from batches and a stored one from disk; any split into batches
gives the same tree (a property test holds that). It looks only at what is always at hand: types,
paths, states, short texts; long payloads stay on disk. What an event does to the tree stands in the
event's own file.
"""

from collections.abc import Iterable, Iterator, Mapping

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.node_paths import ROOT
from toolplanner_core.runs.events.event import Record
from toolplanner_core.runs.tree.growing import GrowingTree
from toolplanner_core.runs.tree.node import Node


class RunTree:
    """Nodes by path; `nodes[""]` is the run itself once its first record was applied.

    Attributes:
        nodes: every node so far, in the order in which it appeared. Read only.
        causes: where events stand and what they point at.
        last_seq: number of the last record applied.
    """

    def __init__(self) -> None:
        self._growing = GrowingTree()
        self.nodes: Mapping[NodePath, Node] = self._growing.by_path
        self.causes = self._growing.causes
        self.last_seq = 0

    @property
    def root(self) -> Node | None:
        """The run itself."""
        return self._growing.root

    def apply(self, records: Iterable[Record]) -> set[NodePath]:
        """Add records in order; returns the paths of all nodes that are new or changed.

        A record that was applied before (seq not above `last_seq`) is passed over.
        """
        growing = self._growing
        growing.changed = changed = set[NodePath]()
        for record in records:
            if record.seq <= self.last_seq:
                continue
            self.last_seq = record.seq
            growing.causes.note(record.seq, record.path, record.cause)
            record.event.fold(growing, record)
        return changed

    def path_of(self, seq: int) -> NodePath | None:
        """The node an event belongs to: where a cause leads."""
        return self.causes.path_of(seq)

    def walk(self, start: NodePath = ROOT) -> Iterator[tuple[int, Node]]:
        """Nodes below and with `start`, depth first, with their depth (0 = `start`)."""
        stack = [(0, start)] if start in self.nodes else []
        while stack:
            depth, path = stack.pop()
            node = self.nodes[path]
            yield depth, node
            stack.extend((depth + 1, child) for child in reversed(node.children))
