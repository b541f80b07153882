"""What a client asked for, line by line, as the tree of its run tells it: live or from disk."""

from collections.abc import Iterable
from dataclasses import dataclass

from toolplanner_core.domain.ids import NodePath, RunId
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.runs.tree.formatting import failure_words
from toolplanner_core.runs.tree.node import Node
from toolplanner_core.runs.tree.tree import RunTree
from toolplanner_core.strategies.served import LOOKUP, REQUEST, ServedLookup
from toolplanner_core.words.formatting import one_line

_QUERY_BEGIN = "Served to "
_FEW = 3
"""Names of what was found that a line has room for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ServedLine:
    """A search or a call of an agent.

    Attributes:
        path: its node in the run; None of what no run tells of yet.
        what: the need of a search, or the API that was asked for.
        took_ns: None while it goes on.
        note: who answered in its place, why it failed, or that a person is waited for.
        began_s: seconds since 1970.
    """

    run: RunId | None
    path: NodePath | None
    client: str
    what: str
    is_search: bool
    state: NodeState
    took_ns: int | None
    note: str
    began_s: float

    @property
    def has_fallen_back(self) -> bool:
        """Whether another API answered."""
        return self.state is NodeState.OK and bool(self.note)


def client_of_query(query: str) -> str:
    """The client of a served run, by the words of its query."""
    return query.removeprefix(_QUERY_BEGIN).rpartition(": ")[0] or query


def query_of(client: str, profile: str) -> str:
    """The query of a served run."""
    return f"{_QUERY_BEGIN}{client}: {profile}"


def requests_of(tree: RunTree, changed: Iterable[NodePath]) -> list[Node]:
    """The searches and calls of an agent that these nodes belong to, in their order."""
    paths = {NodePath(path.partition("/")[0]): None for path in changed if path}
    found = (tree.nodes.get(path) for path in paths)
    return [node for node in found if node is not None and node.kind in (LOOKUP.id, REQUEST.id)]


def served_line(
    run: RunId, node: Node, tree: RunTree, *, client: str, began_s: float
) -> ServedLine:
    """What was asked for at a node.

    Args:
        began_s: when the run began, seconds since 1970.
    """
    return ServedLine(
        run=run,
        path=node.path,
        client=client,
        what=one_line(node.title, 200),
        is_search=node.kind == LOOKUP.id,
        state=_state_of(node, tree),
        took_ns=node.took_ns,
        note=_note_of(node, tree),
        began_s=began_s + (node.started_ns or 0) / 1e9,
    )


def line_of_lookup(lookup: ServedLookup, *, client: str, now_s: float) -> ServedLine:
    """A search that no run tells of yet: there is none before the first call."""
    found = ", ".join(lookup.found[:_FEW])
    return ServedLine(
        run=None,
        path=None,
        client=client,
        what=one_line(lookup.need, 200),
        is_search=True,
        state=NodeState.OK,
        took_ns=None,
        note=f"found {found}" if found else "found nothing",
        began_s=now_s,
    )


def _state_of(node: Node, tree: RunTree) -> NodeState:
    is_held = node.state is NodeState.RUNNING and any(
        below.state is NodeState.PAUSED for _, below in tree.walk(node.path)
    )
    return NodeState.PAUSED if is_held else node.state


def _note_of(node: Node, tree: RunTree) -> str:
    if node.kind == LOOKUP.id:
        found = str(node.data.get("found", "")).splitlines()
        return f"found {', '.join(found[:_FEW])}" if found else "found nothing"
    if _state_of(node, tree) is NodeState.PAUSED:
        return "held: waits for a person"
    is_struck = any(below.data.get("fault") for _, below in tree.walk(node.path))
    by_whom = "an injected fault: " if is_struck else ""
    answered = str(node.data.get("answered", ""))
    if node.state is NodeState.OK and answered and answered != node.title:
        failed = tree.nodes[node.children[0]] if node.children else node
        why = one_line(failed.reason or "the first one failed", 160)
        return f"answered by {answered}: {by_whom}{why}"
    if node.state in (NodeState.FAILED, NodeState.CANCELLED):
        return by_whom + one_line(node.reason or failure_words(node.error or "not made"), 200)
    return ""
