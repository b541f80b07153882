"""Rows of a run tree: their texts, which of them stand open, and which one the view follows.

Runs, plans and steps are open; questions and calls stay folded away, except below a step that
failed. Steps that went well fold by choice. Each row is decided once, and again when its step ends,
so that what a person opens or folds stays as it is. Of a growing run the view follows what is done
now, but not to and fro between branches that are at work at the same time. Used by the run tree
panel.
"""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from toolplanner_core.domain.ids import ROOT, NodePath, parent_of, path_and_ancestors
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.domain.observation import INJECTED
from toolplanner_core.runs.presentation.states import FAULT_MARK, NODE_LOOKS, state_word
from toolplanner_core.runs.tree.node import Node
from toolplanner_core.strategies.interface.strategy import node_kind
from toolplanner_core.words.formatting import one_line

_WORD_AND_REASON = (
    NodeState.FELL_BACK,
    NodeState.REPLANNED,
    NodeState.PRUNED,
    NodeState.ABANDONED,
    NodeState.KEPT,
    NodeState.IN_DOUBT,
)
"""States whose reason does not say by itself what they are."""
_LONGEST_CAUSE = 90


def title_of(node: Node) -> str:
    """The title of a node; of a numbered one with its number and the toolkit it is about."""
    if not node_kind(node.kind).is_numbered:
        return node.title
    parts = [node.title]
    toolkit = node.data.get("toolkit_name")
    if toolkit:
        parts.append(str(toolkit))
    number = node.data.get("number", node.number)
    return f"{number}  {' · '.join(parts)}" if number else " · ".join(parts)


def state_words(node: Node) -> str:
    """The state in words: the reason where there is one, with the word where it says more; after a
    lightning where an injected fault had a hand in it."""
    return f"{FAULT_MARK} {_state_words(node)}" if has_injected_fault(node) else _state_words(node)


def has_injected_fault(node: Node) -> bool:
    """Whether a fault was injected into this call, or into any call of this run."""
    return bool(node.data.get(INJECTED if node.is_run else "fault"))


def _state_words(node: Node) -> str:
    word = state_word(node)
    if not node.reason:
        return word
    if node.state in _WORD_AND_REASON:
        return f"{word} · {node.reason}"
    return node.reason


def tries_words(node: Node) -> str:
    """How often a call or question was sent, "" if once: each of them counts in the totals."""
    tries = int(node.data.get("tries", 1)) if node.is_leaf else 1
    return f"{tries:,} tries" if tries > 1 else ""


def link_words(node: Node, nodes: Mapping[NodePath, Node]) -> str:
    """The link after a title: why the node is there, or that the run left its parent here."""
    parts = [f"↰ {one_line(node.cause_text, _LONGEST_CAUSE)}"] if node.cause_text else []
    if (parent := forked_from(node, nodes)) is not None:
        parts.append(f"↱ from here on other than run {parent}")
    return "  ".join(parts)


def forked_from(node: Node, nodes: Mapping[NodePath, Node]) -> int | None:
    """The run that the run of a node left at this node, None elsewhere."""
    root = nodes.get(NodePath(""))
    if root is None or not node.path or root.data.get("fork_at") != node.path:
        return None
    parent = root.data.get("parent_run")
    return None if parent is None else int(parent)


MOST_OPEN = 200
"""Steps that are opened by themselves: with more, each new row would cost the view some of its
frame, and nobody reads them at once."""

_FINE = (NodeState.OK, NodeState.KEPT)
_BROKEN = (NodeState.FAILED, NodeState.IN_DOUBT)


class RowChanges(NamedTuple):
    """Rows to open and to fold, those above before those below."""

    opened: list[NodePath]
    folded: list[NodePath]


class OpenRows:
    """Decides for one run after the other.

    Attributes:
        folds_finished: whether steps that went well are folded.
    """

    def __init__(self, *, folds_finished: bool = False) -> None:
        self.folds_finished = folds_finished
        self._decided: dict[NodePath, NodeState] = {}
        self._n_open = 0

    def begin(self) -> None:
        """Another run is shown, all of it folded."""
        self._decided = {}
        self._n_open = 0

    def decide(self, paths: Iterable[NodePath], nodes: Mapping[NodePath, Node]) -> RowChanges:
        """What to open and fold now that these nodes have changed."""
        changes = RowChanges([], [])
        for path in paths:
            node = nodes.get(path)
            if node is None or node.is_leaf or node_kind(node.kind).is_try:
                continue
            before = self._decided.get(path)
            if before is node.state:
                continue
            self._decided[path] = node.state
            if node_kind(node.kind).on_map:
                self._decide_step(node, nodes, changes, is_new=before is None)
            elif before is None:
                changes.opened.append(path)
        return changes

    def refold(self, nodes: Mapping[NodePath, Node]) -> RowChanges:
        """What to open and fold after `folds_finished` was changed."""
        steps = [n for n in nodes.values() if node_kind(n.kind).on_map and n.state in _FINE]
        if self.folds_finished:
            return RowChanges([], [step.path for step in steps])
        return RowChanges([step.path for step in steps[:MOST_OPEN]], [])

    def _decide_step(
        self, step: Node, nodes: Mapping[NodePath, Node], changes: RowChanges, *, is_new: bool
    ) -> None:
        if step.state in _FINE and self.folds_finished:
            if not is_new:
                changes.folded.append(step.path)
        elif step.state in _BROKEN:
            self._open(step.path, changes)
            for path in step.children:
                if nodes[path].state in _BROKEN:
                    self._open(path, changes)
        elif is_new:
            self._open(step.path, changes)

    def _open(self, path: NodePath, changes: RowChanges) -> None:
        if self._n_open < MOST_OPEN:
            self._n_open += 1
            changes.opened.append(path)


_ACTIVE = (NodeState.RUNNING, NodeState.PAUSED)


def active_rows(
    nodes: Mapping[NodePath, Node], before: Iterable[NodePath], changed: Iterable[NodePath]
) -> dict[NodePath, str]:
    """The marked nodes with their colour tokens; costs what changed, not the size of the run.

    Args:
        before: those that were marked.
        changed: nodes that have changed since.
    """
    # What ends makes the one around it the innermost again.
    candidates = {*before, *(place for path in changed for place in path_and_ancestors(path))}
    found = {p for p in candidates if p in nodes and nodes[p].state in _ACTIVE}
    above = {parent_of(path) for path in found}
    return {
        path: NODE_LOOKS[nodes[path].state].token
        for path in found
        if path and (nodes[path].state is NodeState.PAUSED or path not in above)
    }


def row_to_follow(
    nodes: Mapping[NodePath, Node], changed: Iterable[NodePath], followed: NodePath
) -> NodePath | None:
    """The innermost of the running nodes that have just changed, None = stay.

    Args:
        followed: the node that the view went to last. As long as it, or what is around it, runs,
            the view stays within it: one agent of many is seen to its end.
    """
    near = next((at for at in path_and_ancestors(followed) if _runs(nodes, at)), ROOT)
    within = [
        path
        for path in changed
        if path
        and _runs(nodes, path)
        and not nodes[path].is_leaf
        and (not near or path == near or path.startswith(f"{near}/"))
    ]
    return max(within, key=lambda path: path.count("/"), default=None)


def _runs(nodes: Mapping[NodePath, Node], path: NodePath) -> bool:
    return path in nodes and nodes[path].state is NodeState.RUNNING
