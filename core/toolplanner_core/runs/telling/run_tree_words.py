"""What the rows of a run tree say: titles, states, and why a row is there."""

from collections.abc import Mapping

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.domain.observation import INJECTED
from toolplanner_core.runs.telling.states import FAULT_MARK, state_word
from toolplanner_core.runs.tree.node import Node
from toolplanner_core.strategies.declared import node_kind
from toolplanner_core.words.wording import one_line

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
    return f"{FAULT_MARK} {_state_words(node)}" if is_struck(node) else _state_words(node)


def is_struck(node: Node) -> bool:
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
