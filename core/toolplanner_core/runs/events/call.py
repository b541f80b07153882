"""API calls. Path: `<parent>/call.<n>`. Intent before effect: `call.sent` is on disk before the
request leaves."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from toolplanner_core.domain.ids import ROOT
from toolplanner_core.domain.nodes import CALL, NodeState
from toolplanner_core.domain.observation import (
    BY_PERSON,
    INJECTED,
    MADE_UP,
    NOT_RECORDED,
    NOT_SENT,
    REPEATED,
    SIMULATED,
    VIRTUAL,
    Effect,
    failed_by,
)
from toolplanner_core.domain.stop_points import Choice
from toolplanner_core.runs.events.event import Actor, Event, event_type
from toolplanner_core.runs.tree.failures import blame_of
from toolplanner_core.runs.tree.formatting import (
    failure_words,
    joined_words,
    pairs_words,
    text_words,
)
from toolplanner_core.runs.tree.node import Node
from toolplanner_core.runs.tree.totals import Totals
from toolplanner_core.runs.tree.tree import Moment, RunTree
from toolplanner_core.strategies.interface.strategy import node_kind
from toolplanner_core.words.formatting import duration

_REPLY_WORDS = {
    INJECTED: "made up by an injected fault",
    SIMULATED: "simulated: invented reply",
    BY_PERSON: "answered by you",
    VIRTUAL: "virtual: perhaps made up",
    REPEATED: "not sent again: the first reply",
}
_SLOW = "slow"
"""The one kind of fault (`debugging/faults.py`) whose reply is the API's own."""
_FAULT_WORDS = {"malformed": "malformed JSON", "schema": "wrong shape"}
"""Kinds of faults that have one class of failure."""
_SLOW_WORDS = "slowed down by an injected fault"
_FAILURE_WORDS = {INJECTED: "injected", SIMULATED: "simulated", VIRTUAL: "virtual"}
_COUNTED = {SIMULATED: "simulated replies", VIRTUAL: "virtual replies"}


@event_type("call.sent", "Call sent", Actor.STRATEGY, is_taped=True, uncompared=("provider",))
class CallSent(Event):
    """A call is about to be sent. `bindings`: argument -> {"step", "path"} of the result it came
    from."""

    api: str
    title: str
    arguments: Mapping[str, Any]
    bindings: Mapping[str, Any]
    provider: str
    risk: str
    fingerprint: str
    occurrence: int
    retry: int

    def describe(self) -> str:
        again = f", try {self.retry + 1}" if self.retry else ""
        return joined_words(f"{text_words(self.title)}{again}", pairs_words(self.arguments))

    def fold(self, tree: RunTree, at: Moment, /) -> None:
        node = tree.leaf(at, CALL.id, self.title)
        tree.reopen(node)
        said = {
            "api": self.api,
            "provider": self.provider,
            "risk": self.risk,
            "tries": self.retry + 1,
            "is_bound": bool(self.bindings),
        }
        tree.describe(node, said)
        node.cause = at.cause
        node.title = self.title
        self._name_try(tree, node)

    def _name_try(self, tree: RunTree, node: Node) -> None:
        """A try for whose call a person chose another API is called after that one."""
        tried = None if node.parent is None else tree.nodes.get(node.parent)
        if tried is None or not node_kind(tried.kind).is_try or "decided" not in node.data:
            return
        if tried.data.get("api") not in (None, self.api):
            tried.title = f"{self.title}, instead of {tried.data.get('title', tried.title)}"
            tree.changed.add(tried.path)

    def count(self, totals: Totals, at: Moment, /) -> None:
        totals.note_sent(at.path)
        totals.note_outcome(at.path, None)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Answered(Event):
    """What came back; `body` is the raw text, `origin` says who really answered, `effect` what it
    did outside (`domain.observation.Effect`), `pictures` what came beside the text
    (`providers.pictures`)."""

    status: int | None
    body: str
    content_type: str
    headers: Mapping[str, str]
    origin: str
    elapsed_ms: float
    effect: str = Effect.NONE
    pictures: list[Mapping[str, Any]] = field(default_factory=list[Mapping[str, Any]])

    def count(self, totals: Totals, at: Moment, /) -> None:
        if counted := _COUNTED.get(self.origin):
            totals.add(counted, 1)
        totals.note_outcome(at.path, None)

    def _show_origin(self, tree: RunTree, at: Moment, node: Node) -> None:
        """Say who answered and how soon, at the call; what is made up, at the run, too."""
        tree.note_reply(node, self.elapsed_ms)
        tree.tell(node, {"origin": self.origin, "status": self.status})
        if self.origin in MADE_UP and not (node.error and self.origin == BY_PERSON):
            tree.mark(ROOT, self.origin, at.path)


@event_type("call.returned", "Call returned", Actor.PROVIDER, is_taped=True)
class CallReturned(_Answered):
    """A usable reply."""

    def describe(self) -> str:
        status = "" if self.status is None else f"status {self.status} · "
        head = f"{status}{duration(self.elapsed_ms / 1000)}"
        return joined_words(head, text_words(self.body))

    def count(self, totals: Totals, at: Moment, /) -> None:
        # What a person puts in the place of a failure does not undo it.
        if self.origin == BY_PERSON and totals.has_failed(at.path):
            totals.add("replaced by you", 1)
        else:
            _Answered.count(self, totals, at)

    def fold(self, tree: RunTree, at: Moment, /) -> None:
        node = tree.leaf(at, CALL.id, "")
        if self.origin == BY_PERSON and (by := blame_of(node)) is not None:
            tree.tell(node, {"replaced": {"by": by, "why": node.reason}})
        tree.end(at, node, NodeState.OK)
        node.error = None
        status = "" if self.status in (None, 200) else f"status {self.status}"
        slow = _SLOW_WORDS if node.data.get("fault") == _SLOW else ""
        node.reason = _REPLY_WORDS.get(self.origin, "") or joined_words(status, slow)
        self._show_origin(tree, at, node)


@event_type("call.failed", "Call failed", Actor.PROVIDER, is_taped=True)
class CallFailed(_Answered):
    """The call was made and failed with an `ErrorClass`; the raw reply is kept. One whose origin is
    `NOT_SENT` was stopped by its provider, or by a rule, before anything left. `will_retry_after_s`
    is None when this was the last try."""

    error: str
    message: str
    will_retry_after_s: float | None = None

    @property
    def _words(self) -> str:
        words = failure_words(self.error, self.status)
        if self.origin == BY_PERSON:
            return f"made to fail by you ({words})"
        if self.origin == NOT_RECORDED:
            return "no such recording"
        return f"{_FAILURE_WORDS[self.origin]} {words}" if self.origin in _FAILURE_WORDS else words

    def _words_at(self, node: Node) -> str:
        """As the fault was called by who injected it, where its class alone does not tell."""
        fault = _FAULT_WORDS.get(str(node.data.get("fault")))
        return f"injected {fault}" if fault and self.origin == INJECTED else self._words

    def describe(self) -> str:
        head = f"{self._words.capitalize()} · {duration(self.elapsed_ms / 1000)}"
        after_s = self.will_retry_after_s
        then = "" if after_s is None else f"; again in {duration(after_s)}"
        return f"{joined_words(head, text_words(self.message))}{then}"

    def fold(self, tree: RunTree, at: Moment, /) -> None:
        node = tree.leaf(at, CALL.id, "")
        tree.fail(at, node, self.error, self._words_at(node))
        if self.effect == Effect.UNKNOWN:
            tree.end(at, node, NodeState.IN_DOUBT)
            node.reason = f"{self._words_at(node)}: sent, and nobody knows whether it was done"
        self._show_origin(tree, at, node)

    def count(self, totals: Totals, at: Moment, /) -> None:
        # Without arguments, `super` does not know a class that slots were added to.
        _Answered.count(self, totals, at)
        if self.origin == NOT_SENT:
            totals.api_calls -= 1
        elif self.origin == BY_PERSON and not totals.was_sent(at.path):
            totals.add("failed unsent", 1)  # of the failed calls, but of none that were sent
        failed = failed_by(self.error, origin=self.origin, effect=self.effect)
        # One that is tried again is reopened by its next `call.sent`.
        totals.note_outcome(at.path, failed)


@event_type("call.refused", "Call refused", is_taped=True, is_whole=True)
class CallRefused(Event):
    """No call was made: arguments do not fit the schema, budget used up, or not allowed."""

    api: str
    title: str
    arguments: Mapping[str, Any]
    error: str
    message: str

    def describe(self) -> str:
        return f"{text_words(self.title)}: {failure_words(self.error)}, {text_words(self.message)}"

    def fold(self, tree: RunTree, at: Moment, /) -> None:
        node = tree.leaf(at, CALL.id, self.title)
        tree.describe(node, {"api": self.api, "is_refused": True})
        said = f"{failure_words(self.error)}: {self.message}"
        is_skipped = node.data.get("decided") == Choice.SKIP
        tree.fail(at, node, self.error, "skipped by you" if is_skipped else said)


@event_type("call.allowed", "Call allowed", Actor.PERSON)
class CallAllowed(Event):
    """A call that may change something outside is sent by leave that was given before.

    Attributes:
        rule: the rule of a person that says so.
    """

    title: str
    risk: str
    rule: str

    def describe(self) -> str:
        return f"{text_words(self.title)} ({self.risk}), by the rule {text_words(self.rule)}"

    def fold(self, tree: RunTree, at: Moment, /) -> None:
        tree.mark(at.path, "allowed", self.rule)


@event_type("call.repeated", "Call not repeated", is_taped=True, is_whole=True)
class CallRepeated(Event):
    """The same change was done in this run: nothing is sent, its first reply comes again.

    Attributes:
        first: place in the tree of the call that was sent.
    """

    api: str
    title: str
    arguments: Mapping[str, Any]
    first: str

    def describe(self) -> str:
        same = f"the same as {self.first}, which was served"
        return joined_words(f"{text_words(self.title)}: {same}", pairs_words(self.arguments))

    def fold(self, tree: RunTree, at: Moment, /) -> None:
        node = tree.leaf(at, CALL.id, self.title)
        tree.describe(node, {"api": self.api, "is_repeated": True})


@event_type("call.in_doubt", "Call in doubt", is_taped=True)
class CallInDoubt(Event):
    """A call that may change something was sent and has no outcome on the tape: not repeated.

    The record's cause is its `call.sent`.
    """

    title: str
    message: str

    def describe(self) -> str:
        return joined_words(text_words(self.title), text_words(self.message))

    def fold(self, tree: RunTree, at: Moment, /) -> None:
        node = tree.leaf(at, CALL.id, self.title)
        tree.end(at, node, NodeState.IN_DOUBT)
        node.reason = "sent, and nobody knows whether it arrived"
