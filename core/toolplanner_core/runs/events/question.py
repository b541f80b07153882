"""Questions to models and turns of dialogues. Path: `<parent>/<question id>.<n>`."""

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.nodes import QUESTION, NodeState
from toolplanner_core.domain.observation import BY_PERSON
from toolplanner_core.runs.events.event import Actor, Event, event_type
from toolplanner_core.runs.tree.formatting import (
    failure_words,
    joined_words,
    pairs_words,
    text_words,
    title_of_segment,
    token_words,
)
from toolplanner_core.runs.tree.totals import Totals
from toolplanner_core.runs.tree.tree import Moment, RunTree
from toolplanner_core.words.formatting import counted, duration


@event_type(
    "model.asked",
    "Model asked",
    Actor.STRATEGY,
    is_taped=True,
    uncompared=("model", "prompts"),
)
class ModelAsked(Event):
    """A request is about to be sent.

    Attributes:
        messages: as `prompts.conversation.Message.to_json`; stored as a chain, so that each
            message is stored once however many requests hold it.
        schema: of a typed answer; {} in a dialogue.
        tools: functions offered in a dialogue: [{"name", "description", "parameters"}].
        tool_choice: "auto", "none", "required" or the name of a function; "" without tools.
        prompts: hashes of the texts that stand in the messages, by name.
        fingerprint: hash of question, version, messages, schema and tools.
        occurrence: counts equal fingerprints on this path.
    """

    question: str
    version: int
    title: str
    model: str
    messages: list[Mapping[str, Any]]
    schema: Mapping[str, Any]
    temperature: float
    fingerprint: str
    occurrence: int
    repair: int
    retry: int
    tools: list[Mapping[str, Any]] = field(default_factory=list[Mapping[str, Any]])
    tool_choice: str = ""
    prompts: Mapping[str, str] = field(default_factory=dict[str, str])

    def describe(self) -> str:
        again = f", repair {self.repair}" if self.repair else ""
        again += f", try {self.retry + 1}" if self.retry else ""
        return f"{text_words(self.title)} to {self.model}{again}"

    def fold(self, tree: RunTree, at: Moment, /) -> None:
        node = tree.leaf(at, QUESTION.id, self.title)
        tree.reopen(node)
        said = {
            "question": self.question,
            "model": self.model,
            "repairs": self.repair,
            "tries": self.retry + 1,
            "prompts": dict(self.prompts),
        }
        tree.describe(node, said)
        node.cause = at.cause

    def count(self, totals: Totals, _: Moment, /) -> None:
        totals.model_calls += 1
        totals.repeated_model_calls += self.retry > 0


@event_type("model.replied", "Model replied", Actor.MODEL, is_taped=True)
class ModelReplied(Event):
    """The reply as received; `cause` of the record is the request.

    Attributes:
        calls: function calls of a dialogue's turn: [{"id", "name", "arguments"}], the arguments as
            the text that came.
        cost: US dollars by the price that was known when it came; None = unknown. A person's
            answer costs 0.
        thinking: what goes back to the endpoint with this turn, see `Message`.
        not_offered: what it names although the request does not offer it: functions, toolkits,
            APIs, steps, arguments ("function.argument"). One reply with any is one hallucination.
        is_estimate: the endpoint did not say how many tokens it took.
    """

    text: str
    data: Any
    input_tokens: int
    output_tokens: int
    elapsed_ms: float
    raw: Mapping[str, Any]
    cached_tokens: int = 0
    cost: float | None = None
    calls: list[Mapping[str, Any]] = field(default_factory=list[Mapping[str, Any]])
    thinking: Mapping[str, Any] = field(default_factory=dict[str, Any])
    not_offered: list[str] = field(default_factory=list[str])
    is_estimate: bool = False

    @property
    def estimated_tokens(self) -> int:
        """Those of its tokens that nobody has counted."""
        return self.input_tokens + self.output_tokens if self.is_estimate else 0

    def describe(self) -> str:
        tokens = self.input_tokens + self.output_tokens
        parts = [duration(self.elapsed_ms / 1000)]
        parts += [token_words(tokens, self.estimated_tokens)] if tokens else []
        parts += [f"calls {call.get('name')}" for call in self.calls]
        if self.not_offered:
            parts.append(f"names what was not offered: {', '.join(self.not_offered)}")
        return joined_words(" · ".join(parts), text_words(self.text) or pairs_words(self.data))

    def fold(self, tree: RunTree, at: Moment, /) -> None:
        node = tree.leaf(at, QUESTION.id, title_of_segment(at.path))
        tree.end(at, node, NodeState.OK)
        tree.note_reply(node, self.elapsed_ms)
        remarks: list[str] = self.raw.get("remarks") or []
        node.reason = ". ".join(filter(None, (str(self.raw.get("cut", "")), *remarks)))
        if self.raw.get("origin") == BY_PERSON:
            tree.tell(
                node, {"said_by_you": [self.text, *(call["arguments"] for call in self.calls)]}
            )
        tokens = self.input_tokens + self.output_tokens
        if tokens or self.cost != 0:
            tree.add_usage(at.path, tokens, self.cost, estimated=self.estimated_tokens)

    def count(self, totals: Totals, _: Moment, /) -> None:
        tokens = self.input_tokens + self.output_tokens
        totals.add_usage(tokens, self.cost, estimated=self.estimated_tokens)


@event_type("model.failed", "Model failed", Actor.MODEL, is_taped=True)
class ModelFailed(Event):
    """No reply; `will_retry_after_s` is None when this was the last try.

    Attributes:
        cost: None for a request that was sent to a model of unknown price: it may have cost.
        text: what had come of a reply that broke off; tokens: of prompt and text.
        is_estimate: the endpoint did not say how many tokens it took.
        todo: what a person can do, where the fault says more than its class.
    """

    error: str
    message: str
    elapsed_ms: float = 0.0
    will_retry_after_s: float | None = None
    cost: float | None = 0.0
    text: str = ""
    tokens: int = 0
    todo: str = ""
    is_estimate: bool = True

    @property
    def estimated_tokens(self) -> int:
        """Those of its tokens that nobody has counted."""
        return self.tokens if self.is_estimate else 0

    def describe(self) -> str:
        after_s = self.will_retry_after_s
        then = "" if after_s is None else f"; again in {duration(after_s)}"
        said = f" · {token_words(self.tokens, self.estimated_tokens)}" if self.tokens else ""
        return f"{joined_words(failure_words(self.error), text_words(self.message))}{said}{then}"

    def fold(self, tree: RunTree, at: Moment, /) -> None:
        node = tree.leaf(at, QUESTION.id, title_of_segment(at.path))
        words = failure_words(self.error)
        if self.will_retry_after_s is None:
            tree.fail(at, node, self.error, words)
        else:
            node.reason = f"{words}, trying again in {self.will_retry_after_s:.1f} s"
        if self.cost is None or self.tokens:
            tree.add_usage(at.path, self.tokens, self.cost, estimated=self.estimated_tokens)

    def count(self, totals: Totals, _: Moment, /) -> None:
        totals.add_usage(self.tokens, self.cost, estimated=self.estimated_tokens)


@event_type("model.answer_rejected", "Answer rejected", is_taped=True)
class AnswerRejected(Event):
    """The reply does not answer the question; it is sent back unless no repair is left."""

    where: str
    what: str
    repairs_left: int

    def describe(self) -> str:
        said = joined_words(text_words(self.where), text_words(self.what))
        return f"{said}, {counted(self.repairs_left, 'repair')} left"

    def fold(self, tree: RunTree, at: Moment, /) -> None:
        node = tree.leaf(at, QUESTION.id, title_of_segment(at.path))
        tree.fail(at, node, ErrorClass.WRONG_FORMAT, "the answer cannot be used")
