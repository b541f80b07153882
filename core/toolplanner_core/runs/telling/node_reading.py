"""From a run and a place in its tree to the report of that node: which events it takes, read back.

The window reads on a thread beside its own and reports on its own; the command line does both at
once (`read_report`).
"""

from collections.abc import Mapping, Sequence
from heapq import nsmallest
from typing import NamedTuple

from toolplanner_core.domain.ids import ApiId, NodePath, RunId
from toolplanner_core.errors import NotFound
from toolplanner_core.runs.events.event import Record
from toolplanner_core.runs.reading import load_records, load_tree
from toolplanner_core.runs.telling.conversation import Conversation, conversations
from toolplanner_core.runs.telling.edit_words import decided_apis
from toolplanner_core.runs.telling.node_report import NodeReport, make_report
from toolplanner_core.runs.tree.node import Node
from toolplanner_core.words.places import SEE_NODES
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.catalogue import apis_by_rowid, rowids_of

_MOST_STEPS = 500
"""Listed of one node; all are in the tree."""
_FOLLOWING = 4
"""Questions after a node that are looked at for what came of its last calls."""


class Told(NamedTuple):
    """Its events with all texts, its conversations, the titles of the APIs that decisions name."""

    records: Sequence[Record]
    said: Sequence[Conversation]
    names: Mapping[ApiId, str]


def read_told(workspace: Workspace, run: RunId, node: Node, nodes: Mapping[NodePath, Node]) -> Told:
    """Read what is told of a node. Blocks; the tree may grow meanwhile."""
    own = [node.path]
    if not node.is_leaf:
        own += [path for path in list(node.children) if nodes[path].is_leaf]
    records = [record for path in own for record in load_records(workspace, run, path)]
    following = _following([nodes[path] for path in own], list(nodes.values()))
    later = [record for path in following for record in load_records(workspace, run, path)]
    rows = rowids_of(workspace, decided_apis(records)).values()
    names = {api.id: api.title for api in apis_by_rowid(workspace, list(rows)).values()}
    records.sort(key=lambda r: r.seq)
    return Told(records, conversations(records, later), names)


def _following(own: Sequence[Node], nodes: Sequence[Node]) -> list[NodePath]:
    """The next questions after the last one here."""
    last = max((node.opened_seq for node in own if node.is_question), default=0)
    after = (node for node in nodes if last and node.is_question and node.opened_seq > last)
    return [node.path for node in nsmallest(_FOLLOWING, after, key=lambda n: n.opened_seq)]


def report_of(
    node: Node, nodes: Mapping[NodePath, Node], told: Told, *, cause: NodePath | None
) -> NodeReport:
    """The report of a node; `cause` is the node its cause belongs to."""
    below = [nodes[path] for path in node.children[:_MOST_STEPS]]
    return make_report(
        node, told.records, cause=cause, below=below, names=told.names, said=told.said
    )


def read_report(workspace: Workspace, run: RunId, path: NodePath) -> NodeReport:
    """What is known of a node of a stored run. Blocks.

    Raises:
        NotFound: no such run or node.
    """
    tree = load_tree(workspace, run)
    node = tree.nodes.get(path)
    if node is None:
        raise NotFound(f"Run {run} has no node {path}", todo=SEE_NODES)
    told = read_told(workspace, run, node, tree.nodes)
    cause = None if node.cause is None else tree.path_of(node.cause)
    return report_of(node, tree.nodes, told, cause=cause)
