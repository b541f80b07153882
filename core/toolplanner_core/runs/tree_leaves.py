"""The leaves of the tree: what the events of calls and questions make of their nodes.

Caller: `tree.py`.
"""

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.nodes import NodeKind, NodeState
from toolplanner_core.runs.events import call, fork, question
from toolplanner_core.runs.events.event import Record
from toolplanner_core.runs.node import Node
from toolplanner_core.runs.tree_nodes import NodeTable
from toolplanner_core.runs.words import failure_words, title_of_segment

CALL_EVENTS = (
    call.CallSent,
    call.CallReturned,
    call.CallFailed,
    call.CallRefused,
    fork.CallInDoubt,
)
"""Types that `apply_call` folds."""
QUESTION_EVENTS = (
    question.ModelAsked,
    question.ModelReplied,
    question.ModelFailed,
    question.AnswerRejected,
)
"""Types that `apply_question` folds."""


def apply_call(nodes: NodeTable, record: Record) -> None:
    """Fold a record of a call; others are passed over."""
    match record.event:
        case call.CallSent() as event:
            node = nodes.leaf(record, NodeKind.CALL, event.title)
            nodes.reopen(node)
            said = {
                "api": event.api,
                "provider": event.provider,
                "risk": event.risk,
                "tries": event.retry + 1,
                "is_bound": bool(event.bindings),
            }
            nodes.describe(node, said)
            node.cause = record.cause
            node.title = event.title
            _name_attempt(nodes, node, event)
        case call.CallReturned() as event:
            node = nodes.leaf(record, NodeKind.CALL, "")
            nodes.end(record, node, NodeState.OK)
            node.reason = "" if event.status in (None, 200) else f"status {event.status}"
            node.data = {**node.data, "origin": event.origin, "status": event.status}
        case call.CallFailed() as event:
            node = nodes.leaf(record, NodeKind.CALL, "")
            nodes.fail(record, node, event.error, failure_words(event.error, event.status))
            node.data = {**node.data, "origin": event.origin, "status": event.status}
        case fork.CallInDoubt() as event:
            node = nodes.leaf(record, NodeKind.CALL, event.title)
            nodes.end(record, node, NodeState.IN_DOUBT)
            node.reason = "sent, and nobody knows whether it arrived"
        case call.CallRefused() as event:
            node = nodes.leaf(record, NodeKind.CALL, event.title)
            nodes.describe(node, {"api": event.api, "is_refused": True})
            reason = f"{failure_words(event.error)}: {event.message}"
            nodes.fail(record, node, event.error, reason)
        case _:
            pass


def _name_attempt(nodes: NodeTable, node: Node, event: call.CallSent) -> None:
    """An attempt for whose call a person chose another API is called after that one."""
    attempt = None if node.parent is None else nodes.by_path.get(node.parent)
    if attempt is None or attempt.kind is not NodeKind.ATTEMPT or "decided" not in node.data:
        return
    if attempt.data.get("api") not in (None, event.api):
        attempt.title = f"{event.title}, instead of {attempt.data.get('title', attempt.title)}"
        nodes.changed.add(attempt.path)


def apply_question(nodes: NodeTable, record: Record) -> None:
    """Fold a record of a question; others are passed over."""
    match record.event:
        case question.ModelAsked() as event:
            node = nodes.leaf(record, NodeKind.QUESTION, event.title)
            nodes.reopen(node)
            said = {
                "question": event.question,
                "model": event.model,
                "repairs": event.repair,
                "tries": event.retry + 1,
            }
            nodes.describe(node, said)
            node.cause = record.cause
        case question.ModelReplied() as event:
            node = nodes.leaf(record, NodeKind.QUESTION, title_of_segment(record.path))
            nodes.end(record, node, NodeState.OK)
            tokens = event.input_tokens + event.output_tokens
            if tokens or event.cost != 0:
                nodes.add_usage(record.path, tokens, event.cost)
        case question.ModelFailed() as event:
            node = nodes.leaf(record, NodeKind.QUESTION, title_of_segment(record.path))
            words = failure_words(event.error)
            if event.will_retry_after_s is None:
                nodes.fail(record, node, event.error, words)
            else:
                node.reason = f"{words}, trying again in {event.will_retry_after_s:.1f} s"
        case question.AnswerRejected():
            node = nodes.leaf(record, NodeKind.QUESTION, title_of_segment(record.path))
            nodes.fail(record, node, ErrorClass.WRONG_FORMAT, "the answer cannot be used")
        case _:
            pass
