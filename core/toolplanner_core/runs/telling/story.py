"""A run in a sentence: whether its answer is real, what failed, and what took over.

The same above the tree, in the terminal and on the exported page.
"""

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from toolplanner_core.domain.ids import ROOT, NodePath
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.domain.observation import BY_PERSON, INJECTED, SIMULATED, VIRTUAL
from toolplanner_core.domain.plan import Status
from toolplanner_core.llm.model import EXAMPLE_WORDS, is_example
from toolplanner_core.runs.telling.states import NODE_LOOKS, RUN_LOOKS
from toolplanner_core.runs.tree.node import Node
from toolplanner_core.strategies.declared import node_kind
from toolplanner_core.words.wording import counted, one_line

_MADE_UP_WORDS = {
    SIMULATED: "Simulated: the replies are invented.",
    VIRTUAL: "Virtual: the replies may be made up.",
    BY_PERSON: "A person answered in the place of an API.",
    INJECTED: "A fault was injected.",
}
_TOLD = 3
"""Failures told one by one."""
_TITLE = 60
"""Characters of a title."""


class _Failure(NamedTuple):
    node: Node
    successor: Node | None


def story_of(nodes: Mapping[NodePath, Node]) -> str:
    """The sentences; "" where the state says enough: nothing failed and nothing is made up."""
    root = nodes.get(ROOT)
    status = root.data.get("status") if root is not None else None
    if root is None or status is None:
        return ""
    made_up = [words for origin, words in _MADE_UP_WORDS.items() if root.data.get(origin)]
    if is_example(str(root.data.get("model", ""))):
        made_up.insert(0, f"{EXAMPLE_WORDS}: no language model was asked.")
    failures = sorted(_failures(nodes), key=lambda failure: failure.node.opened_seq)
    if failures:
        # The last ones: they say what took over.
        told = [_told(failure) for failure in failures[-_TOLD:]]
        if len(failures) > _TOLD:
            told.insert(0, f"{len(failures) - _TOLD:,} earlier")
        word = RUN_LOOKS[Status(status)].word.capitalize()
        made_up.append(f"{word} after {counted(len(failures), 'failure')}: {'; '.join(told)}.")
    return " ".join(made_up)


def _failures(nodes: Mapping[NodePath, Node]) -> Iterator[_Failure]:
    """Tries that failed, and calls that failed without being part of a try."""
    for node in nodes.values():
        parent = nodes.get(node.parent) if node.parent is not None else None
        if parent is None or node.state not in (NodeState.FAILED, NodeState.FELL_BACK):
            continue
        if node_kind(node.kind).is_try:
            later = parent.children[parent.children.index(node.path) + 1 :]
            tries = (nodes[path] for path in later if nodes[path].kind == node.kind)
            yield _Failure(node, next(tries, None))
        elif node.is_call and not node_kind(parent.kind).is_try:
            yield _Failure(node, None)


def _told(failure: _Failure) -> str:
    node, after = failure
    title = one_line(node.title, _TITLE)
    why = node.reason or NODE_LOOKS[NodeState.FAILED].word
    failed = f"{title} failed ({why})"
    if after is None or after.state is not NodeState.OK:
        return failed
    return f"{failed}, {one_line(after.title, _TITLE)} took over"
