"""What failed in a run: its failed calls, and the tries that came to nothing without one.

The count of failed calls is the same as that of the totals, the list of calls and the exports: all
ask `domain.observation.failed_by`. A call that was tried again and served did not fail.
"""

from collections.abc import Mapping
from typing import NamedTuple

from toolplanner_core.domain.ids import NodePath, path_and_ancestors
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.domain.observation import NOT_SENT, FailureOrigin, failed_by
from toolplanner_core.runs.tree.node import Node
from toolplanner_core.strategies.interface.strategy import node_kind

UNSENT = "is_unsent"
"""In the data of a try: none of its calls left."""
_TRY_FAILED = (NodeState.FAILED, NodeState.FELL_BACK)


class Failure(NamedTuple):
    """Something that failed.

    Attributes:
        node: the try it made fail, or the call itself.
        call: the call that failed or was not sent; None where a reply was of no use.
        by: who made the call fail, None if no call failed.
        successor: the try that came next.
        was_called: False where a try ended before it called anything.
    """

    node: Node
    call: Node | None
    by: FailureOrigin | None
    successor: Node | None
    was_called: bool = True

    @property
    def is_changed(self) -> bool:
        """Whether a person had changed the call before it was sent."""
        return self.call is not None and self.call.data.get("decided") == "edit"


def blame_of(node: Node) -> FailureOrigin | None:
    """Who made a call fail, None for whatever is no failed call."""
    if not node.is_call or is_unsent(node):
        return None
    if replaced := replaced_of(node):
        return FailureOrigin(replaced["by"])
    if node.state is not NodeState.FAILED:
        return None
    return failed_by(node.error, origin=str(node.data.get("origin", "")))


def replaced_of(node: Node) -> Mapping[str, str]:
    """The failure in whose place a person put a reply: "by" whom and "why"; {} if none."""
    return node.data.get("replaced", {})


def is_unsent(node: Node) -> bool:
    """Whether a call was stopped before anything left."""
    is_refused = bool(node.data.get("is_refused")) or node.data.get("origin") == NOT_SENT
    return node.is_call and node.error is not None and is_refused


def is_unsent_try(tried: Node, nodes: Mapping[NodePath, Node]) -> bool:
    """Whether a try came to nothing because none of its calls left."""
    calls = [nodes[path] for path in tried.children if nodes[path].is_call]
    return tried.error is not None and bool(calls) and all(map(is_unsent, calls))


def failures_of(nodes: Mapping[NodePath, Node]) -> list[Failure]:
    """Failed calls, and tries that failed without one; in the order in which they began."""
    found: list[Failure] = []
    spoken_for: set[NodePath] = set()
    for node in nodes.values():
        by = blame_of(node)
        if by is None and not is_unsent(node):
            continue
        around = None if node.parent is None else nodes.get(node.parent)
        if around is None or not node_kind(around.kind).is_try:
            found.append(Failure(node, node, by, None))
            spoken_for.update(_try_around(nodes, node))
        elif around.state in _TRY_FAILED:
            spoken_for.add(around.path)
            found.append(Failure(around, node, by, _successor(nodes, around)))
        elif by is not None:
            found.append(Failure(node, node, by, None))
    calling = {
        path for node in nodes.values() if node.is_call for path in path_and_ancestors(node.path)
    }
    for node in nodes.values():
        is_silent = node_kind(node.kind).is_try and node.path not in spoken_for
        if is_silent and node.state in _TRY_FAILED:
            after = _successor(nodes, node)
            found.append(Failure(node, None, None, after, was_called=node.path in calling))
    return sorted(found, key=lambda failure: (failure.call or failure.node).opened_seq)


def _try_around(nodes: Mapping[NodePath, Node], call: Node) -> list[NodePath]:
    """The innermost try around a call of a program: this call is why it failed."""
    around = (path for path in path_and_ancestors(call.path) if path in nodes)
    return [path for path in around if node_kind(nodes[path].kind).is_try][:1]


def _successor(nodes: Mapping[NodePath, Node], tried: Node) -> Node | None:
    around = None if tried.parent is None else nodes.get(tried.parent)
    if around is None:
        return None
    later = around.children[around.children.index(tried.path) + 1 :]
    return next((nodes[path] for path in later if nodes[path].kind == tried.kind), None)
