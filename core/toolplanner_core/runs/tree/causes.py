"""Why a node became necessary: follows cause arrows back to what failed or was decided."""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from toolplanner_core.domain.ids import ROOT, NodePath, path_and_ancestors
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.runs.tree.failures import is_unsent_try
from toolplanner_core.runs.tree.node import Node
from toolplanner_core.strategies.interface.strategy import node_kind

_ENDED_BADLY = {NodeState.FAILED: "failed", NodeState.PRUNED: "was pruned"}


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
        self._said: dict[int, str] = {}

    def note(self, seq: int, path: NodePath, cause: int | None) -> None:
        """Remember where an event stands."""
        self._paths[seq] = path
        if cause is not None:
            self._causes[seq] = cause

    def say(self, seq: int, reason: str) -> None:
        """Remember an event that says by itself what follows from it."""
        self._said[seq] = reason

    def path_of(self, seq: int) -> NodePath | None:
        """The node an event belongs to."""
        return self._paths.get(seq)

    def nearest(self, seq: int, kind: str) -> Node | None:
        """The node of a kind in which an event happened."""
        return next((node for node in self._around(seq) if node.kind == kind), None)

    def try_of(self, seq: int) -> Node | None:
        """The try (an attempt) in which an event happened."""
        return next((node for node in self._around(seq) if node_kind(node.kind).is_try), None)

    def _around(self, seq: int) -> Iterator[Node]:
        """The node of an event and all around it but the run, from the inside out."""
        for path in path_and_ancestors(self.path_of(seq) or ROOT):
            if path in self._nodes:
                yield self._nodes[path]

    def explain(self, seq: int) -> Cause:
        """The reason behind an event: a decision that gives none points on at its own cause."""
        path = self.path_of(seq)
        if path is None:
            return Cause(seq, "")
        said = self._said.get(seq)
        if said:
            return Cause(seq, f"because {said}")
        tried = self.try_of(seq)
        if tried is not None:
            why = f": {tried.reason}" if tried.reason else ""
            failed = "was not sent" if is_unsent_try(tried, self._nodes) else "failed"
            return Cause(seq, f"because {tried.title} {failed}{why}")
        cause = self._causes.get(seq)
        if cause is not None and cause < seq and not self._ended_badly(path):
            return self.explain(cause)
        why = next(filter(None, map(self._ended_badly, path_and_ancestors(path))), "")
        node = self._nodes.get(path)
        return Cause(seq, why or (f"because of {node.title}" if node is not None and path else ""))

    def _ended_badly(self, path: NodePath) -> str:
        """What became of a node, if nothing good."""
        node = self._nodes.get(path)
        if node is None or not node.reason or node.state not in _ENDED_BADLY:
            return ""
        who = node.title if node.is_leaf else f"{node_kind(node.kind).word} {node.number}"
        return f"because {who} {_ENDED_BADLY[node.state]}: {node.reason}"
