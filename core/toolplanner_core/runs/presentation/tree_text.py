"""The tree of a run as lines of plain text.

    ✓ Find the weather in Zagreb  solved  1.2 s
    ├─ ✓ Make a plan
    └─ ✓ Plan 1 · 1 step
       └─ ✓ Weather in Zagreb [Weather forecasts]
          ├─ ↷ MeteoNow · forecast  failed: server error 500  40 ms
          └─ ✓ SkyCast · daily  fallback  35 ms  ↰ because MeteoNow · forecast failed

A state is always a sign and a word.
"""

from collections.abc import Iterator

from toolplanner_core.domain.ids import ROOT, NodePath
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.runs.presentation.states import (
    FAULT_MARK,
    NODE_LOOKS,
    ended_look,
    state_word,
)
from toolplanner_core.runs.presentation.tree_rows import has_injected_fault, tries_words
from toolplanner_core.runs.tree.formatting import cost_words, token_words
from toolplanner_core.runs.tree.node import Node
from toolplanner_core.runs.tree.tree import RunTree
from toolplanner_core.strategies.interface.strategy import node_kind
from toolplanner_core.words.formatting import duration

_SILENT = NODE_LOOKS[NodeState.OK].word
_TITLE_WIDTH = 160


def render_tree(tree: RunTree, *, questions: bool = True) -> list[str]:
    """The tree, one node per line, without colour.

    Args:
        questions: show the questions to the model too.
    """
    return list(_lines(tree, ROOT, "", "", questions)) if tree.root is not None else []


def _lines(tree: RunTree, path: NodePath, head: str, below: str, questions: bool) -> Iterator[str]:
    node = tree.nodes[path]
    yield f"{head}{render_node(node)}"
    children = [child for child in node.children if questions or not tree.nodes[child].is_question]
    for position, child in enumerate(children, start=1):
        is_last = position == len(children)
        branch, rest = ("└─ ", "   ") if is_last else ("├─ ", "│  ")
        yield from _lines(tree, child, below + branch, below + rest, questions)


def render_node(node: Node) -> str:
    """One node: sign, title, state and reason, time, tokens, cause."""
    struck = f"{FAULT_MARK} " if has_injected_fault(node) else ""
    ended = ended_look(node)
    parts = [f"{(ended or NODE_LOOKS[node.state]).sign} {struck}{_title(node)}"]
    parts += _columns(node)
    words = state_word(node)
    if words != _SILENT or node.path == ROOT:
        has_more = node.reason and node.reason != words
        parts.append(f"{words}: {node.reason}" if has_more else words)
    elif node.reason:
        parts.append(node.reason)
    parts += node_figures(node)
    if node.cause_text:
        parts.append(f"↰ {node.cause_text}")
    return "  ".join(parts)


def node_figures(node: Node) -> list[str]:
    """Time, tokens and cost of a node, as far as there are any."""
    found: list[str] = []
    if node.took_ns is not None:
        found.append(duration(node.took_ns / 1e9))
    if tries := tries_words(node):
        found.append(tries)
    if node.tokens:
        found.append(token_words(node.tokens, node.estimated_tokens))
    return [*found, cost_words(node.cost)] if node.cost else found


def _columns(node: Node) -> list[str]:
    """What nodes of its kind show of themselves in a column: "score 0.5", "rank 1"."""
    told = [
        (each, each.text_of(node.data)) for each in node_kind(node.kind).shown if each.is_column
    ]
    return [f"{each.word.lower()} {said}" for each, said in told if said]


def _title(node: Node) -> str:
    title = " ".join(node.title.split())
    if len(title) > _TITLE_WIDTH:
        title = f"{title[: _TITLE_WIDTH - 1]}…"
    return numbered_title(node, title)


def numbered_title(node: Node, title: str) -> str:
    """A title with the number that nodes of its kind have, and the toolkit it is about."""
    kind = node_kind(node.kind)
    if not kind.is_numbered:
        return title
    toolkit = node.data.get("toolkit_name")
    number = node.data.get("number", node.number)
    return f"{kind.capital_word} {number} · {title}{f' [{toolkit}]' if toolkit else ''}"
