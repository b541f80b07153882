"""What the debugger and people make of the nodes of the tree.

A held run shows where it is held: at the call or question itself, or, before it exists and after it
has ended, at the nearest node above that is still open. Caller: `tree.py`.
"""

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.runs.events.debug import DebugResumed, DebugStopped, FaultInjected
from toolplanner_core.runs.events.event import Record
from toolplanner_core.runs.events.fork import PersonDecided
from toolplanner_core.runs.node import Node
from toolplanner_core.runs.tree_nodes import NodeTable

DEBUG_EVENTS = (DebugStopped, DebugResumed, FaultInjected, PersonDecided)
"""Types that are folded here."""


def apply_debug(nodes: NodeTable, record: Record) -> None:
    """Fold a stop, a fault or a decision; others are passed over."""
    match record.event:
        case DebugStopped():
            node = _nearest(nodes, record.path, NodeState.RUNNING)
            if node is not None:
                node.state = NodeState.PAUSED
        case DebugResumed():
            node = _nearest(nodes, record.path, NodeState.PAUSED)
            if node is not None:
                node.state = NodeState.RUNNING
        case FaultInjected() as event:
            nodes.mark(record.path, "fault", event.kind)
        case PersonDecided() as event:
            nodes.mark(record.path, "decided", event.choice)
        case _:
            pass


def _nearest(nodes: NodeTable, path: NodePath, state: NodeState) -> Node | None:
    """The node, or the nearest above it, that is in this state."""
    place = path
    while True:
        node = nodes.by_path.get(place)
        if node is not None and node.state is state:
            nodes.changed.add(place)
            return node
        if not place:
            return None
        place = NodePath(place.rpartition("/")[0])
