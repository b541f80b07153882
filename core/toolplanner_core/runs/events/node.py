"""Nodes of the tree: opened, told of, gone back to, and closed."""

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.runs.events.event import Actor, Event, event_type
from toolplanner_core.runs.tree.formatting import (
    joined_words,
    pairs_words,
    sentence_case,
    text_words,
)
from toolplanner_core.runs.tree.totals import Totals
from toolplanner_core.runs.tree.tree import Moment, RunTree
from toolplanner_core.strategies.interface.strategy import node_kind


@event_type("node.opened", "Begun", Actor.STRATEGY, is_taped=True, is_whole=True)
class NodeOpened(Event):
    """A node begins; what its `data` holds is said by its kind (`domain/nodes.py`)."""

    kind: str
    title: str
    data: Mapping[str, Any]

    def describe(self) -> str:
        return f"{node_kind(self.kind).capital_word}: {text_words(self.title)}"

    def fold(self, tree: RunTree, at: Moment, /) -> None:
        tree.open(at, self.kind, self.title, self.data)

    def count(self, totals: Totals, at: Moment, /) -> None:
        kind = node_kind(self.kind)
        if kind.counted:
            number = at.path.rpartition(".")[2]
            totals.add(kind.counted, int(number.isdigit() and int(number) >= kind.counted_from))


@event_type("node.told", "Told", Actor.STRATEGY, is_taped=True, is_whole=True)
class NodeUpdated(Event):
    """Something more is known of a node, such as its score; a "title" replaces its own."""

    data: Mapping[str, Any]

    def describe(self) -> str:
        return pairs_words(self.data)

    def fold(self, tree: RunTree, at: Moment, /) -> None:
        node = tree.nodes.get(at.path)
        if node is not None:
            node.title = str(self.data.get("title", node.title))
            tree.tell(node, self.data)


@event_type("node.resumed", "Gone back to", Actor.STRATEGY, is_taped=True)
class NodeResumed(Event):
    """A search comes back to a node that it had left."""

    title: str

    def describe(self) -> str:
        return text_words(self.title)

    def fold(self, tree: RunTree, at: Moment, /) -> None:
        node = tree.nodes.get(at.path)
        if node is not None:
            tree.reopen(node)


@event_type(
    "node.closed",
    "Ended",
    Actor.STRATEGY,
    is_taped=True,
    is_whole=True,
    uncompared=("reason",),
)
class NodeClosed(Event):
    """It ended in a `NodeState`, with a reason in words and an error class if it failed; `data` is
    what it came to."""

    state: str
    reason: str
    error: str | None
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])

    def describe(self) -> str:
        return joined_words(sentence_case(self.state), self.reason)

    def fold(self, tree: RunTree, at: Moment, /) -> None:
        node = tree.close(at, NodeState(self.state), self.reason, self.error)
        if node is not None and self.data:
            tree.tell(node, self.data)
