"""A run in a sentence: whether its answer is real, what failed, and what took over.

The same above the tree, in the terminal and on the exported page.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from toolplanner_core.domain.ids import ROOT, NodePath
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.domain.observation import (
    BY_PERSON,
    INJECTED,
    SIMULATED,
    VIRTUAL,
    FailureOrigin,
)
from toolplanner_core.domain.plan import Status
from toolplanner_core.domain.stop_points import Choice
from toolplanner_core.llm.model import EXAMPLE_WORDS, is_example
from toolplanner_core.runs.presentation.edit_words import parts_changed
from toolplanner_core.runs.presentation.states import NODE_LOOKS, status_look
from toolplanner_core.runs.tree.failures import Failure, failures_of, replaced_of
from toolplanner_core.runs.tree.formatting import blamed_words, failure_words
from toolplanner_core.runs.tree.node import Node
from toolplanner_core.words.formatting import counted, one_line

_MADE_UP_WORDS = {
    SIMULATED: "Simulated: the replies are invented.",
    VIRTUAL: "Virtual: the replies may be made up.",
    INJECTED: "A fault was injected.",
}
_TOLD = 3
"""Failures told one by one."""
_WHY = 100
_TITLE = 60
"""Characters of a title, and of an argument."""


def run_headline(nodes: Mapping[NodePath, Node]) -> str:
    """The sentences; "" where the state says enough: nothing failed and nothing is made up."""
    root = nodes.get(ROOT)
    status = root.data.get("status") if root is not None else None
    if root is None or status is None:
        return ""
    made_up = [words for origin, words in _MADE_UP_WORDS.items() if root.data.get(origin)]
    if is_example(str(root.data.get("model", ""))):
        made_up.insert(0, f"{EXAMPLE_WORDS}: no language model was asked.")
    failures = failures_of(nodes)
    made_up += _changes(nodes, {each.call.path for each in failures if each.call is not None})
    if failures:
        word = status_look(Status(status), str(root.data.get("strategy", ""))).word
        made_up.append(f"{word.capitalize()} after {_summed(failures)}.")
    return " ".join(made_up)


def _changes(nodes: Mapping[NodePath, Node], failed: Collection[NodePath]) -> list[str]:
    """What a person had changed that then went well; what failed is told with its failure."""
    said: dict[str, None] = {}
    for node in nodes.values():
        choice = node.data.get("decided")
        title = one_line(node.title, _TITLE)
        if choice == Choice.EDIT and node.path not in failed:
            call = f"the call {title}{_edited_words(node.data.get('edited'))}"
            what = call if node.is_call else f"the messages of “{title}”"
            said[f"You changed {what}."] = None
        elif choice == Choice.ANSWER and not node.is_call:
            said[f"You answered “{title}” in the place of the model."] = None
        elif node.data.get("origin") == BY_PERSON and node.path not in failed:
            said[f"You answered in the place of {title}."] = None
    left = len(said) - _TOLD
    return [*said][:_TOLD] + ([f"You changed {left:,} more."] if left > 0 else [])


def _edited_words(edited: Sequence[Mapping[str, Any]] | None) -> str:
    """Which arguments, from what to what: by them one knows what an answer answers."""
    changed = [one_line(said, _TITLE) for said in parts_changed(*edited)] if edited else []
    more = [f"{len(changed) - _TOLD:,} more"] if len(changed) > _TOLD else []
    return f" ({', '.join([*changed[:_TOLD], *more])})" if changed else ""


def _summed(failures: Sequence[Failure]) -> str:
    """How many, by whom, and the first causes, each once; the last one says what took over."""
    times = Counter(map(_failure_sentence, failures))
    said = [f"{told}, {n} times" if n > 1 else told for told, n in times.items()]
    if len(said) > _TOLD:
        left = sum([*times.values()][_TOLD - 1 : -1])
        said = [*said[: _TOLD - 1], f"{left:,} more", said[-1]]
    return f"{_counts(failures)}: {'; '.join(said)}"


def _counts(failures: Sequence[Failure]) -> str:
    failed = [failure.by for failure in failures if failure.by is not None]
    unsent = sum(each.call is not None and each.by is None for each in failures)
    uncalled = sum(not each.was_called for each in failures)
    useless = sum(each.call is None for each in failures) - uncalled
    parts: list[str] = []
    if failed:
        by_whom = blamed_words(failed.count(FailureOrigin.YOU), failed.count(FailureOrigin.FAULT))
        parts.append(f"{counted(len(failed), 'failed call')}{by_whom}")
    if unsent:
        parts.append(counted(unsent, "call that was not sent", "calls that were not sent"))
    if useless:
        parts.append(counted(useless, "reply of no use", "replies of no use"))
    if uncalled:
        parts.append(counted(uncalled, "API that was not called", "APIs that were not called"))
    return " and ".join(filter(None, (", ".join(parts[:-1]), parts[-1])))


def _failure_sentence(failure: Failure) -> str:
    node, call, by, after, _ = failure
    title = one_line((call or node).title, _TITLE)
    replaced = replaced_of(call or node)
    why = replaced.get("why") or (call or node).reason or NODE_LOOKS[NodeState.FAILED].word
    why = one_line(why, _WHY)
    if by is FailureOrigin.YOU and call is not None:
        said = f"you made {title} fail ({failure_words(call.error or '')})"
    elif call is not None and by is None:
        said = f"{title} was not sent ({why})"
    elif not failure.was_called:
        said = f"{title} was not called ({why})"
    else:
        changed = " as you changed it" if failure.is_changed else ""
        instead = ", you answered in its place" if replaced else ""
        said = f"{title} failed{changed} ({why}){instead}"
    if after is None or after.state is not NodeState.OK:
        return said
    return f"{said}, {one_line(after.title, _TITLE)} took over"
