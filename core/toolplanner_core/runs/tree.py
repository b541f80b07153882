"""The tree of a run: a pure fold of its records, in order, into nodes.

The same code builds the live tree from batches and a stored one from disk; any split into batches
gives the same tree (a property test holds that). It looks only at what is always at hand: types,
paths, states, short texts; long payloads stay on disk. Callers: the run tree's Qt model (through
the set of changed paths), `render.py`, `cases.py`, exports.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import ClassVar

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.nodes import NodeKind, NodeState
from toolplanner_core.domain.plan import Status
from toolplanner_core.runs.events.decision import FallbackChosen
from toolplanner_core.runs.events.event import Event, Record
from toolplanner_core.runs.events.fork import ForkOrigin
from toolplanner_core.runs.events.node import NodeClosed, NodeOpened
from toolplanner_core.runs.events.run import RunFinished, RunInterrupted, RunStarted
from toolplanner_core.runs.node import Node
from toolplanner_core.runs.tree_causes import Causes
from toolplanner_core.runs.tree_debug import DEBUG_EVENTS, apply_debug
from toolplanner_core.runs.tree_leaves import (
    CALL_EVENTS,
    QUESTION_EVENTS,
    apply_call,
    apply_question,
)
from toolplanner_core.runs.tree_nodes import NodeTable
from toolplanner_core.runs.words import failure_words

ROOT = NodePath("")

_ROOT_STATES: dict[str, NodeState] = {
    Status.SOLVED: NodeState.OK,
    Status.UNSOLVED: NodeState.FAILED,
    Status.OVER_BUDGET: NodeState.FAILED,
    Status.ERROR: NodeState.FAILED,
    Status.CANCELLED: NodeState.CANCELLED,
}
_OPEN = frozenset({NodeState.RUNNING, NodeState.PAUSED})


class RunTree:
    """Nodes by path; `nodes[""]` is the run itself once its first record was applied.

    Attributes:
        nodes: every node so far, in the order in which it appeared. Read only.
        causes: where events stand and what they point at.
        last_seq: number of the last record applied.
    """

    def __init__(self) -> None:
        self._table = NodeTable()
        self.nodes: Mapping[NodePath, Node] = self._table.by_path
        self.causes = Causes(self.nodes)
        self.last_seq = 0

    @property
    def root(self) -> Node | None:
        """The run itself."""
        return self.nodes.get(ROOT)

    def apply(self, records: Iterable[Record]) -> set[NodePath]:
        """Add records in order; returns the paths of all nodes that are new or changed.

        A record that was applied before (seq not above `last_seq`) is passed over.
        """
        self._table.changed = changed = set[NodePath]()
        for record in records:
            if record.seq <= self.last_seq:
                continue
            self.last_seq = record.seq
            self.causes.note(record)
            fold = self._FOLDS.get(type(record.event))
            if fold is not None:
                fold(self, record, record.event)
        return changed

    def path_of(self, seq: int) -> NodePath | None:
        """The node an event belongs to: where a cause leads."""
        return self.causes.path_of(seq)

    def walk(self, start: NodePath = ROOT) -> Iterator[tuple[int, Node]]:
        """Nodes below and with `start`, depth first, with their depth (0 = `start`)."""
        stack = [(0, start)] if start in self.nodes else []
        while stack:
            depth, path = stack.pop()
            node = self.nodes[path]
            yield depth, node
            stack.extend((depth + 1, child) for child in reversed(node.children))

    def _start(self, record: Record, event: RunStarted) -> None:
        data = {
            "strategy": event.strategy,
            "model": event.model_label,
            "provider": event.provider,
            "seed": event.seed,
        }
        node = self._table.add(ROOT, None, NodeKind.RUN, event.query, NodeState.RUNNING, data=data)
        node.opened_seq = record.seq
        node.started_ns = record.mono_ns

    def _go_on(self, _record: Record, event: ForkOrigin) -> None:
        node = self.root
        if node is None:
            return
        self._table.reopen(node)
        node.data = {
            **node.data,
            "model": event.model_label,
            "provider": event.provider,
            "parent_run": event.parent_run,
            "fork_seq": event.fork_seq,
            "fork_at": event.at,
            "fork_reason": event.reason,
        }

    def _finish(self, record: Record, event: RunFinished) -> None:
        node = self.root
        if node is None:
            return
        for other in self.nodes.values():
            if other is not node and other.state in _OPEN:
                # A run that has ended holds nothing that goes on, whatever its log left open.
                self._table.end(record, other, NodeState.CANCELLED)
        self._table.end(record, node, _ROOT_STATES.get(event.status, NodeState.FAILED))
        node.reason = event.reason
        node.error = ErrorClass.OVER_BUDGET if event.status == Status.OVER_BUDGET else None
        node.data = {**node.data, "status": event.status, "answer": event.answer}

    def _interrupt(self, record: Record, event: RunInterrupted) -> None:
        in_doubt = {self.causes.path_of(seq) for seq in event.in_doubt}
        for node in self.nodes.values():
            if node.path in in_doubt:
                self._table.end(record, node, NodeState.IN_DOUBT)
                node.reason = "sent, and nobody knows whether it arrived"
            elif node.state in _OPEN:
                self._table.end(record, node, NodeState.CANCELLED)
                node.reason = "the program ended during the run"
            elif node.state is NodeState.WAITING:
                self._table.abandon(node)
        if self.root is not None:
            self.root.data = {**self.root.data, "status": str(Status.INTERRUPTED)}

    def _open(self, record: Record, event: NodeOpened) -> None:
        node = self.nodes.get(record.path)
        if node is None:
            kind = NodeKind(event.kind)
            node = self._table.add(record.path, record.parent, kind, event.title, NodeState.RUNNING)
        self._table.reopen(node)
        node.title = event.title
        node.opened_seq = record.seq
        node.started_ns = record.mono_ns
        node.data = dict(event.data)
        if record.cause is not None:
            node.cause, node.cause_text = self.causes.explain(record.cause)
        if node.kind is NodeKind.PLAN:
            self._add_waiting_steps(node)

    def _add_waiting_steps(self, plan: Node) -> None:
        keeps = int(plan.data.get("keeps", 0))
        also: set[int] = set(plan.data.get("also_kept", ()))
        for position, step in enumerate(plan.data.get("steps", ()), start=1):
            number = int(step.get("number", position))
            is_kept = position <= keeps or number in also
            node = self._table.add(
                NodePath(f"{plan.path}/{NodeKind.STEP}.{number}"),
                plan.path,
                NodeKind.STEP,
                str(step.get("goal", "")),
                NodeState.KEPT if is_kept else NodeState.WAITING,
                data=step,
            )
            if is_kept:
                node.reason = "result taken over from the plan before"

    def _close(self, record: Record, event: NodeClosed) -> None:
        node = self.nodes.get(record.path)
        if node is None:
            return
        self._table.end(record, node, NodeState(event.state))
        node.error = event.error
        node.reason = event.reason or self._reason_from_below(node)
        if node.kind is NodeKind.PLAN:
            for child in node.children:
                if self.nodes[child].state is NodeState.WAITING:
                    self._table.abandon(self.nodes[child])

    def _reason_from_below(self, node: Node) -> str:
        """Why a node failed that gave no reason: its last failed call or question says it."""
        if node.error is None:
            return ""
        for path in reversed(node.children):
            child = self.nodes[path]
            if child.error == node.error and child.reason:
                return child.reason
        return failure_words(node.error)

    def _fall_back(self, record: Record, _event: FallbackChosen) -> None:
        """The attempt that failed before turns out to have fallen back."""
        attempt = None if record.cause is None else self.causes.attempt_of(record.cause)
        if attempt is not None and attempt.state is NodeState.FAILED:
            attempt.state = NodeState.FELL_BACK
            self._table.changed.add(attempt.path)

    def _call(self, record: Record, _event: Event) -> None:
        apply_call(self._table, record)

    def _question(self, record: Record, _event: Event) -> None:
        apply_question(self._table, record)

    def _debug(self, record: Record, _event: Event) -> None:
        apply_debug(self._table, record)

    _FOLDS: ClassVar[Mapping[type[Event], Callable[..., None]]] = {
        RunStarted: _start,
        RunFinished: _finish,
        RunInterrupted: _interrupt,
        ForkOrigin: _go_on,
        NodeOpened: _open,
        NodeClosed: _close,
        FallbackChosen: _fall_back,
        **dict.fromkeys(CALL_EVENTS, _call),
        **dict.fromkeys(QUESTION_EVENTS, _question),
        **dict.fromkeys(DEBUG_EVENTS, _debug),
    }
    # By type, since a run has tens of thousands of events; other types leave the tree as it is.
