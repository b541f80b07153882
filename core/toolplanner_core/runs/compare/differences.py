"""What differs between two nodes of one place beyond what the tree holds: arguments, prompts,
replies, results, and what there was to choose from.

Long texts stay behind their marks: they are addressed by content, so equal marks are equal texts,
and only what differs is ever fetched. An API that was excluded, moved or added between two runs may
change nothing that was done: it was offered in one of them all the same. Scores and order of what
was offered are not compared: what follows from them is seen in what was chosen.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from toolplanner_core.domain.ids import NodePath, RunId
from toolplanner_core.domain.nodes import AnnouncedChild, NodeState
from toolplanner_core.domain.stop_points import Choice
from toolplanner_core.runs.events.call import CallFailed, CallRefused, CallReturned, CallSent
from toolplanner_core.runs.events.decision import CatalogueLookup, Decided
from toolplanner_core.runs.events.event import Record
from toolplanner_core.runs.events.question import ModelAsked, ModelReplied
from toolplanner_core.runs.log.stored_runs import iter_run
from toolplanner_core.runs.tree.failures import UNSENT, blame_of, is_unsent
from toolplanner_core.runs.tree.node import Node
from toolplanner_core.runs.tree.tree import RunTree
from toolplanner_core.strategies.interface.strategy import node_kind
from toolplanner_core.workspace import Workspace
from toolplanner_core.workspace.blobs import resolve

_NAMED = 5
"""Candidates that are named; the others are counted."""


def note_offer(offers: dict[str, Any], event: CatalogueLookup | Decided) -> None:
    """Keep what a lookup found or a choice offered, under what was asked for."""
    if isinstance(event, CatalogueLookup):
        asked = json.dumps([event.what, event.request], sort_keys=True, default=str)
        offers[asked] = event.found
    else:
        offers[f"{event.point} {len(offers)}"] = event.alternatives


def find_other_offers(
    workspace: Workspace, left: Mapping[str, Any], right: Mapping[str, Any]
) -> tuple[str, str]:
    """What each of two nodes could choose from and the other could not, in words; equal texts
    where there is nothing."""
    ours, theirs = dict[str, None](), dict[str, None]()
    for asked, offered in left.items():
        if asked in right and offered != right[asked]:  # long lists are marks of their content
            one = _titles(resolve(workspace, offered))
            other = _titles(resolve(workspace, right[asked]))
            ours.update({title: None for title in one if title not in other})
            theirs.update({title: None for title in other if title not in one})
    return _words(ours), _words(theirs)


def _titles(rows: Iterable[Mapping[str, Any]]) -> dict[str, None]:
    named = (row.get("title") or row.get("name") for row in rows)
    return {str(name): None for name in named if name}


def _words(titles: Mapping[str, None]) -> str:
    if not titles:
        return "no others"
    named = [*titles][:_NAMED]
    more = f" and {len(titles) - _NAMED:,} more" if len(titles) > _NAMED else ""
    return f"also {', '.join(named)}{more}"


SHOWN = 2000
"""Characters of a value that a diff carries; the whole is in the inspector."""


@dataclass(slots=True)
class Payload:
    """What the events of a leaf say last, and what there was to choose from at any node."""

    arguments: Any = None
    prompt: Any = None
    reply: Any = None
    result: Any = None
    offers: dict[str, Any] = field(default_factory=dict[str, Any])


@dataclass(slots=True)
class RunSide:
    """One run of a comparison."""

    tree: RunTree = field(default_factory=RunTree)
    payloads: dict[NodePath, Payload] = field(default_factory=dict[NodePath, Payload])


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One thing that differs; values are JSON, long ones cut.

    Attributes:
        what: "title", "goal", "toolkit", "steps", "api", "candidates", "arguments", "state",
            "error", "result", "reply", "answer", "query", "strategy" ...
        is_outcome: how it went, not what was done.
    """

    what: str
    left: Any
    right: Any
    is_outcome: bool


def load_side(workspace: Workspace, run: RunId) -> RunSide:
    """A run's tree and payloads in one pass.

    Raises:
        NotFound: no such run.
    """
    side = RunSide()
    for records in iter_run(workspace, run):
        side.tree.apply(records)
        for record in records:
            _note(side.payloads, record)
    return side


def find_changes(
    workspace: Workspace, left: RunSide, right: RunSide, a: Node, b: Node
) -> list[Change]:
    """What differs between two nodes themselves; what is below them is not looked at."""
    changes = [
        Change(what=what, left=one, right=other, is_outcome=False)
        for what, one, other in _identity_fields(a, b)
        if one != other
    ]
    ours = left.payloads.get(a.path, _NOTHING)
    theirs = right.payloads.get(b.path, _NOTHING)
    one, other = find_other_offers(workspace, ours.offers, theirs.offers)
    if one != other:
        changes.append(Change(what="candidates", left=one, right=other, is_outcome=False))
    if ours.arguments != theirs.arguments:
        changes.append(_fetched(workspace, "arguments", ours.arguments, theirs.arguments))
    changes += [
        Change(what=what, left=one, right=other, is_outcome=True)
        for what, one, other in _outcome_fields(left.tree, right.tree, a, b)
        if one != other
    ]
    if ours.result != theirs.result:
        changes.append(_fetched(workspace, "result", ours.result, theirs.result, is_outcome=True))
    if ours.reply != theirs.reply:
        changes.append(_fetched(workspace, "reply", ours.reply, theirs.reply, is_outcome=True))
    return changes


def is_prompt_same(left: RunSide, right: RunSide, a: Node, b: Node) -> bool | None:
    """Whether two questions were put in the same words; None for other nodes."""
    if not (a.is_question and b.is_question):
        return None
    ours = left.payloads.get(a.path, _NOTHING)
    return ours.prompt == right.payloads.get(b.path, _NOTHING).prompt


def _identity_fields(a: Node, b: Node) -> Iterator[tuple[str, Any, Any]]:
    kind = node_kind(a.kind)
    if kind.ahead is not None:
        yield "steps", _steps(kind.ahead(a.data)), _steps(kind.ahead(b.data))
        return
    if a.is_run:
        yield "query", a.title, b.title
    elif not kind.compared or a.is_call:
        yield "title", a.title, b.title
    if a.is_call and a.title != b.title:
        return  # of course it is another API
    for name in kind.compared:
        ours, theirs = a.data.get(name), b.data.get(name)
        yield name.removesuffix("_name"), ours, theirs


def _outcome_fields(
    left: RunTree, right: RunTree, a: Node, b: Node
) -> Iterator[tuple[str, Any, Any]]:
    if a.is_run:
        yield "status", a.data.get("status"), b.data.get("status")
        yield "answer", a.data.get("answer"), b.data.get("answer")
        return
    yield "state", _state_words(left, a), _state_words(right, b)
    ours, theirs = _is_skipped(left, a), _is_skipped(right, b)
    yield "error", None if ours else a.error, None if theirs else b.error
    if a.is_leaf:
        yield "tries", a.data.get("tries"), b.data.get("tries")


def _state_words(tree: RunTree, node: Node) -> str:
    """The state, or who made it fail where it was no API: that is no failure of an API."""
    made_by = next((by for call in _calls_of(tree, node) if (by := blame_of(call))), None)
    if made_by:
        return f"made to fail by {made_by}"
    if _is_skipped(tree, node):
        return "skipped by you"
    return "not sent" if is_unsent(node) or node.data.get(UNSENT) else str(node.state)


def _is_skipped(tree: RunTree, node: Node) -> bool:
    """Whether it failed since a person skipped its call; no rule blocked that."""
    calls = _calls_of(tree, node)
    return node.error is not None and any(c.data.get("decided") == Choice.SKIP for c in calls)


def _calls_of(tree: RunTree, node: Node) -> list[Node]:
    """What made a node fail: the call itself, or those of a try that came to nothing."""
    around = node_kind(node.kind).is_try and node.state is not NodeState.OK
    return [tree.nodes[path] for path in node.children] if around else [node]


def _steps(ahead: Sequence[AnnouncedChild]) -> list[dict[str, Any]]:
    return [
        {
            "goal": step.title,
            "toolkit": step.data.get("toolkit_name"),
            "needs": step.data.get("needs"),
        }
        for step in ahead
    ]


_NOTHING = Payload()


def _note(payloads: dict[NodePath, Payload], record: Record) -> None:
    payload = payloads.setdefault(record.path, Payload())
    match record.event:
        case CallSent() as event:
            payload.arguments = dict(event.arguments)
        case CallRefused() as event:
            payload.arguments, payload.result = dict(event.arguments), event.message
        case CallReturned() as event:
            payload.result = event.body
        case CallFailed() as event:
            payload.result = event.body or event.message
        case ModelAsked() as event:
            payload.prompt = event.messages
        case ModelReplied() as event:
            reply = event.text if event.data is None else event.data
            said = {"text": reply, "calls": event.calls} if event.calls else reply
            payload.reply = said
        case CatalogueLookup() | Decided() as event:
            note_offer(payload.offers, event)
        case _:
            pass


def _fetched(
    workspace: Workspace, what: str, left: Any, right: Any, *, is_outcome: bool = False
) -> Change:
    return Change(
        what=what,
        left=_short(resolve(workspace, left)),
        right=_short(resolve(workspace, right)),
        is_outcome=is_outcome,
    )


def _short(value: Any) -> Any:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return value if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"
