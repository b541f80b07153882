"""Begin and end of a run."""

import json
from collections.abc import Mapping
from dataclasses import field
from typing import Any

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.nodes import NodeState
from toolplanner_core.domain.plan import Status
from toolplanner_core.runs.events.event import Event, event_type
from toolplanner_core.runs.tree.formatting import joined_words, sentence_case, text_words
from toolplanner_core.runs.tree.totals import Totals
from toolplanner_core.runs.tree.tree import Moment, RunTree
from toolplanner_core.words.formatting import counted

ENDED_STATES: dict[str, NodeState] = {
    Status.SOLVED: NodeState.OK,
    Status.SERVED: NodeState.OK,
    Status.ANSWERED: NodeState.OK,
    Status.UNSOLVED: NodeState.FAILED,
    Status.NOTHING_SERVED: NodeState.FAILED,
    Status.OVER_BUDGET: NodeState.FAILED,
    Status.NOT_MEASURED: NodeState.FAILED,
    Status.ERROR: NodeState.FAILED,
    Status.CANCELLED: NodeState.CANCELLED,
}


@event_type("run.started", "Run started", is_whole=True)
class RunStarted(Event):
    """The first event of every run: all that is needed to run it again.

    Attributes:
        sampling: what was chosen of how the models' replies are drawn, by role: temperature, top_p,
            seed, reply_tokens, reasoning_effort; {} where each question's own holds, and in logs of
            earlier programs.
    """

    query: str
    strategy: str
    model: str
    model_label: str
    provider: str
    options: Mapping[str, Any]
    limits: Mapping[str, Any]
    seed: int
    toolkits_version: int
    app_version: str
    strategy_version: int = 1
    sampling: Mapping[str, Mapping[str, str]] = field(default_factory=dict[str, Mapping[str, str]])

    def describe(self) -> str:
        who = f"{self.strategy} with {self.model_label} on {self.provider}"
        return f"{who}: {text_words(self.query)}"

    def fold(self, tree: RunTree, at: Moment, /) -> None:
        data = {
            "strategy": self.strategy,
            "model": self.model_label,
            "provider": self.provider,
            "seed": self.seed,
        }
        tree.start(at, self.query, data)


@event_type("run.finished", "Run finished", is_whole=True)
class RunFinished(Event):
    """The last event; `status` is a `domain.plan.Status`.

    Attributes:
        evidence: of an answer which need was met by which result (`runs/judging/evidence.py`).
        outcome: a `domain.outcome.RunOutcome`, "" in logs of earlier programs.
        checked: what the replies say of the answer, see `AnswerEvidence.to_json`; {} in those.
        verdicts: what the strategy's own judge said of it.
    """

    status: str
    answer: str
    reason: str
    evidence: list[Mapping[str, Any]] = field(default_factory=list[Mapping[str, Any]])
    outcome: str = ""
    checked: Mapping[str, Any] = field(default_factory=dict[str, Any])
    verdicts: list[Mapping[str, Any]] = field(default_factory=list[Mapping[str, Any]])

    def describe(self) -> str:
        why = text_words(self.reason) or text_words(self.answer)
        return joined_words(sentence_case(self.status), why)

    def fold(self, tree: RunTree, at: Moment, /) -> None:
        root = tree.root
        if root is None:
            return
        # A run that has ended holds nothing that goes on, whatever its log left open.
        tree.cancel_open(at)
        tree.abandon_waiting(list(tree.nodes))
        tree.end(at, root, ENDED_STATES.get(self.status, NodeState.FAILED))
        root.reason = self.reason
        root.error = ErrorClass.OVER_BUDGET if self.status == Status.OVER_BUDGET else None
        shown = {"evidence": list(self.evidence)} if self.evidence else {}
        yours = {"is_your_answer": True} if self._is_yours(tree) else {}
        told = {"outcome": self.outcome, "checked": self.checked, "verdicts": self.verdicts}
        known = {name: value for name, value in told.items() if value}
        tree.tell(root, {"status": self.status, "answer": self.answer, **shown, **yours, **known})

    def _is_yours(self, tree: RunTree) -> bool:
        """Whether a person gave this answer in the place of a model."""
        said = (text for node in tree.nodes.values() for text in node.data.get("said_by_you", ()))
        quoted = json.dumps(self.answer, ensure_ascii=False)
        return bool(self.answer) and any(text == self.answer or quoted in text for text in said)


@event_type("run.interrupted", "Run interrupted")
class RunInterrupted(Event):
    """Written at the next start for a run whose process died; lists calls that may have
    happened.

    Attributes:
        unpriced: questions that were sent, got no reply, and may cost something.
    """

    in_doubt: list[int]
    unpriced: list[int] = field(default_factory=list[int])

    def describe(self) -> str:
        return f"The program ended; {counted(len(self.in_doubt), 'call')} in doubt"

    def fold(self, tree: RunTree, at: Moment, /) -> None:
        for seq in self.in_doubt:
            node = tree.nodes.get(tree.causes.path_of(seq) or at.path)
            if node is not None and not node.is_run:
                tree.end(at, node, NodeState.IN_DOUBT)
                node.reason = "sent, and nobody knows whether it arrived"
        for seq in self.unpriced:
            tree.add_usage(tree.causes.path_of(seq) or at.path, 0, None)
        why = "the program ended during the run"
        tree.cancel_open(at, why)
        tree.abandon_waiting(list(tree.nodes))
        root = tree.root
        if root is not None:
            tree.end(at, root, NodeState.CANCELLED)
            root.reason = why
            tree.tell(root, {"status": str(Status.INTERRUPTED)})

    def count(self, totals: Totals, _: Moment, /) -> None:
        if self.unpriced:
            totals.add_usage(0, None)
