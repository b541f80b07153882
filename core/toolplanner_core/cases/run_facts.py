"""What a run shows, in the terms of a case: toolkits that answered, failures, causes, parallelism.

Gathered from the log and the tree once per run; `cases.py` compares them with an `Expectation`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from toolplanner_core.domain.ids import NodePath, path_and_ancestors
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.runs.events.call import CallFailed, CallRefused, CallReturned, CallSent
from toolplanner_core.runs.events.decision import Decided
from toolplanner_core.runs.events.event import Record
from toolplanner_core.runs.events.node import NodeClosed, NodeOpened
from toolplanner_core.runs.events.question import AnswerRejected, ModelFailed
from toolplanner_core.runs.tree.node import Node
from toolplanner_core.runs.tree.tree import RunTree
from toolplanner_core.strategies.interface.strategy import node_kind, stop_point

_FAILURES = (CallFailed, CallRefused, ModelFailed, AnswerRejected)


@dataclass(frozen=True, slots=True, kw_only=True)
class CallFact:
    """A call that ended: its API's id, the name of its step's toolkit, its error ("" if ok)."""

    api: str
    toolkit: str
    error: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunFacts:
    """What a run shows.

    Attributes:
        calls: ended calls in the order of their ends, refused ones included.
        called_toolkits: of calls that were sent.
        errors: classes of all failures.
        exhausted: names of exhausted toolkits.
        kept_steps: steps taken over by later plans.
        has_parallel_steps: two steps of one plan were open at the same time.
        has_data_flow: a call took an argument from an earlier result.
        loose_causes: fallbacks and replans whose cause is not a failure, in words.
    """

    calls: tuple[CallFact, ...]
    called_toolkits: frozenset[str]
    errors: frozenset[str]
    exhausted: frozenset[str]
    kept_steps: int
    has_parallel_steps: bool
    has_data_flow: bool
    loose_causes: tuple[str, ...]


def gather_facts(records: Sequence[Record], tree: RunTree) -> RunFacts:
    """The facts of a run from its records and the tree folded from them."""
    apis = {r.path: r.event.api for r in records if isinstance(r.event, CallSent | CallRefused)}
    calls = tuple(
        CallFact(
            api=apis.get(record.path, ""),
            toolkit=_toolkit_of(tree, record.path),
            error="" if isinstance(record.event, CallReturned) else record.event.error,
        )
        for record in records
        if isinstance(record.event, CallReturned | CallFailed | CallRefused)
    )
    sent = [record for record in records if isinstance(record.event, CallSent)]
    return RunFacts(
        calls=calls,
        called_toolkits=frozenset(_toolkit_of(tree, record.path) for record in sent),
        errors=frozenset(_errors(records)),
        exhausted=frozenset(
            str(record.event.data.get("toolkit_name", ""))
            for record in records
            if isinstance(record.event, Decided) and _says_exhausted(record.event)
        ),
        kept_steps=sum(node.state is NodeState.KEPT for node in tree.nodes.values()),
        has_parallel_steps=any(
            _has_overlap(tree, node)
            for node in tree.nodes.values()
            if node_kind(node.kind).is_route
        ),
        has_data_flow=any(
            record.event.bindings for record in sent if isinstance(record.event, CallSent)
        ),
        loose_causes=tuple(_loose_causes(records, tree)),
    )


def _says_exhausted(event: Decided) -> bool:
    return stop_point(event.point).failure == "exhausted" and event.chosen is None


def _toolkit_of(tree: RunTree, path: NodePath) -> str:
    around = (tree.nodes[place] for place in path_and_ancestors(path) if place in tree.nodes)
    return next((str(n.data["toolkit_name"]) for n in around if "toolkit_name" in n.data), "")


def _errors(records: Sequence[Record]) -> Iterator[str]:
    for record in records:
        event = record.event
        if isinstance(event, CallFailed | CallRefused | ModelFailed | NodeClosed) and event.error:
            yield event.error


def _has_overlap(tree: RunTree, plan: Node) -> bool:
    """Whether one step was opened before a step that was opened earlier had ended."""
    spans = sorted(
        (step.opened_seq, step.closed_seq or 2**62)
        for step in (tree.nodes[path] for path in plan.children)
        if node_kind(step.kind).on_map and step.opened_seq
    )
    return any(later[0] < earlier[1] for earlier, later in pairwise(spans))


def _loose_causes(records: Sequence[Record], tree: RunTree) -> Iterator[str]:
    by_seq = {record.seq: record for record in records}
    for record in records:
        event = record.event
        if isinstance(event, Decided):
            is_answer = stop_point(event.point).cause_kind and event.chosen is not None
            if is_answer and not _is_failure(record.cause, by_seq, tree):
                yield f"the choice of {event.chosen_title} does not point at a failure"
        elif isinstance(event, NodeOpened) and (kind := node_kind(event.kind)).counted:
            node = tree.nodes[record.path]
            is_later = node.number >= kind.counted_from
            if is_later and not _is_failure(node.cause, by_seq, tree):
                yield f"{event.title} does not point at what made it necessary"


def _is_failure(seq: int | None, by_seq: dict[int, Record], tree: RunTree) -> bool:
    if seq is None or seq not in by_seq:
        return False
    record = by_seq[seq]
    if isinstance(record.event, _FAILURES):
        return True
    if isinstance(record.event, Decided):
        # A decision points on at what failed, or says so itself: no API is left.
        return _says_exhausted(record.event) or _is_failure(record.cause, by_seq, tree)
    # A useless result: the call returned, and its attempt failed all the same.
    attempt = tree.causes.try_of(seq)
    return attempt is not None and attempt.state in (NodeState.FAILED, NodeState.FELL_BACK)
