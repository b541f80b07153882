"""A node of the run tree as it is folded from events: what the tree view, the CLI and exports
show."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from toolplanner_core.domain.ids import NodePath
from toolplanner_core.domain.nodes import CALL, QUESTION, RUN, NodeState


@dataclass(slots=True, kw_only=True)
class Node:
    """One node; changed in place by `tree.RunTree` while events arrive.

    Attributes:
        kind: id of its `NodeKind`.
        title: for people: the query, "Plan 1 · 3 steps", "OpenCage · forward".
        reason: the state in words, such as "server error 500" or "toolkit exhausted".
        cause: seq of the event that made this node necessary (failure of a fallback, exhausted
        toolkit).
        cause_text: the cause in words, such as "because GasPriceAPI · getGasPrice failed".
        opened_seq, closed_seq: events that opened and ended it (0 = waiting, None = open).
        started_ns, ended_ns: monotonic nanoseconds since the run began.
        reply_ns: of a call or question that was sent once: how long its reply took.
        tokens: of this node and all below; estimated_tokens: those that no endpoint has counted.
        cost: US dollars of this node and all below; None as soon as the cost of a reply is unknown.
        data: what its events said (steps, goal, toolkit, api, scores ...).
    """

    path: NodePath
    parent: NodePath | None
    kind: str
    title: str
    state: NodeState
    reason: str = ""
    error: str | None = None
    cause: int | None = None
    cause_text: str = ""
    opened_seq: int = 0
    closed_seq: int | None = None
    started_ns: int | None = None
    ended_ns: int | None = None
    reply_ns: int | None = None
    tokens: int = 0
    estimated_tokens: int = 0
    cost: float | None = 0.0
    data: Mapping[str, Any] = field(default_factory=dict[str, Any])
    children: list[NodePath] = field(default_factory=list[NodePath])

    @property
    def is_run(self) -> bool:
        """Whether it is the run itself."""
        return self.kind == RUN.id

    @property
    def is_question(self) -> bool:
        """Whether it is a question to a model."""
        return self.kind == QUESTION.id

    @property
    def is_call(self) -> bool:
        """Whether it is an API call."""
        return self.kind == CALL.id

    @property
    def is_leaf(self) -> bool:
        """Whether it is a question or a call: what takes time and money."""
        return self.is_question or self.is_call

    @property
    def took_ns(self) -> int | None:
        """How long it took, None while it goes on. Of a call the time until its reply, as in all
        lists and figures of calls: writing the log before it is sent is not its own time."""
        if self.reply_ns is not None:
            return self.reply_ns
        if self.started_ns is None or self.ended_ns is None:
            return None
        return max(0, self.ended_ns - self.started_ns)

    @property
    def sent_ns(self) -> int:
        """When a call or question left, in nanoseconds since the run began: what its reply took
        before its end. Of what has no reply when it began."""
        if self.reply_ns is not None and self.ended_ns is not None:
            return max(0, self.ended_ns - self.reply_ns)
        return self.started_ns or 0

    @property
    def number(self) -> int:
        """Its number among the nodes of its kind below its parent; 0 for the run."""
        tail = self.path.rpartition(".")[2]
        return int(tail) if tail.isdigit() else 0
