"""Who answers questions: the protocol of models, their replies and failures, and their registry."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol
from urllib.parse import parse_qsl, urlencode

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.domain.observation import EXAMPLE_MODEL
from toolplanner_core.domain.toolkit import MemberFit
from toolplanner_core.options.option import NoOptions
from toolplanner_core.options.values import make_options
from toolplanner_core.prompts.conversation import Function, FunctionCall, Message
from toolplanner_core.prompts.question import Question
from toolplanner_core.registry import Registry

OFFLINE = "offline"
OFFLINE_LABEL = "offline planner"
EXAMPLE_LABEL = "scripted replies"
EXAMPLE_WORDS = "Example, scripted replies"
"""How a run is labelled, wherever it is shown, whose model is a script."""
_LABELS = {OFFLINE: OFFLINE_LABEL, EXAMPLE_MODEL: EXAMPLE_LABEL}


def model_words(spec: str) -> str:
    """A model as people read it: what answers by rules has a name, others are called as given."""
    return _LABELS.get(spec, spec)


def is_example(model: str) -> bool:
    """Whether a model, by its spec or label, is the script of the examples."""
    return model in (EXAMPLE_MODEL, EXAMPLE_LABEL)


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of a reply; zero for the offline planner.

    Attributes:
        cached_tokens: how many of the input tokens the endpoint had cached.
        is_estimate: the endpoint did not say how many they were.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    is_estimate: bool = False

    @property
    def tokens(self) -> int:
        """Of prompt and reply."""
        return self.input_tokens + self.output_tokens

    def plus(self, other: "Usage") -> "Usage":
        """The sum of two replies."""
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            is_estimate=self.is_estimate or other.is_estimate,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyChunk:
    """What a model has just said of its reply, while it speaks.

    Attributes:
        call: which function call `name` and `arguments` belong to, from 0 on.
    """

    text: str = ""
    reasoning: str = ""
    call: int = 0
    name: str = ""
    arguments: str = ""


ReplyListener = Callable[[ReplyChunk], None]
"""Gets the pieces of a reply in order; must be quick and must not raise."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """One request: a typed question, or a turn of a dialogue.

    Attributes:
        id: of the question or turn, such as "make_plan".
        question: None in a dialogue.
        messages: as they are sent, repairs appended.
        schema: of the typed answer; {} in a dialogue.
        tools: functions that may be called in a dialogue.
        tool_choice: "auto", "none", "required", or the name of a function.
        max_reply_tokens: what is left for the reply, None = no limit. One that it cuts is a
            `ModelError` of class `over_budget`.
        timeout_s: until the first piece of the reply, and from then on until its end, seconds.
        samples: how many replies are wanted; a model may give fewer.
        hear: gets the pieces of the reply, from models that can tell them.
    """

    id: str
    question: Question[Any] | None
    messages: tuple[Message, ...]
    schema: JsonSchema
    temperature: float
    tools: tuple[Function, ...] = ()
    tool_choice: str = ""
    max_reply_tokens: int | None = None
    timeout_s: float = 120.0
    samples: int = 1
    hear: ReplyListener | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A model's reply.

    Attributes:
        data: the answer as JSON; None when the text held none (the gate then asks for a repair).
        text: the reply as received; in a dialogue what the model says beside its calls.
        calls: functions it wants to be called, in a dialogue.
        raw: what else came back (model name, finish reason, id), for the inspector.
        thinking: fields that the endpoint wants back with this turn, see `Message`.
        others: more replies to the same prompt, where samples were wanted; `usage` counts for all.
    """

    data: Any
    text: str
    usage: Usage = Usage()
    raw: Mapping[str, Any] = field(default_factory=dict[str, Any])
    calls: tuple[FunctionCall, ...] = ()
    thinking: Mapping[str, Any] = field(default_factory=dict[str, Any])
    others: tuple["Reply", ...] = ()

    @property
    def unread(self) -> str:
        """Why no answer could be read of a reply without data, for people and models."""
        if self.raw.get("finish_reason") == "length":
            return "The reply was cut for its length before its JSON object ended: answer shorter"
        return "The reply holds no JSON object"


class ModelError(Exception):
    """The model did not reply. The gate retries transient ones and writes each to the log.

    Attributes:
        error: `timeout`, `rate_limited`, `unauthorised`, `server_error`, `network`, `bad_payload`,
        ...
        is_transient: whether the same request may work later.
        retry_after_s: how long the endpoint asked to wait, if it did.
        tries: how often it is worth asking in all; None = as often as anything.
        todo: what a person can do, where the fault says more than its class; "" = it does not.
        usage: what the endpoint said of a reply that cannot be used; None = nothing.
    """

    def __init__(
        self,
        error: ErrorClass,
        message: str,
        *,
        is_transient: bool,
        retry_after_s: float | None = None,
        tries: int | None = None,
        todo: str = "",
        usage: Usage | None = None,
    ) -> None:
        self.error = error
        self.message = message
        self.is_transient = is_transient
        self.retry_after_s = retry_after_s
        self.tries = tries
        self.todo = todo
        self.usage = usage
        super().__init__(f"{error}: {message}")


class Model(Protocol):
    """Something that answers questions."""

    @property
    def label(self) -> str:
        """Name shown wherever its work is shown, such as "offline planner" or "gpt-x"."""
        ...

    async def complete(self, request: ModelRequest) -> Reply:
        """Answer one request. One that may give several samples has a true `gives_samples`.

        Raises:
            ModelError: no reply.
        """
        ...

    async def close(self) -> None:
        """Close connections."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelContext:
    """What a model may use of its surroundings.

    Attributes:
        encode: texts -> (n, dim) float32 unit vectors with the workspace's embedder, None before
        `embed`.
        embedder: storage id of that embedder ("minilm", "lsa@..."); scales differ between them.
        evidence: (text, its words without values, toolkits) -> how much the members of each have
        to do with the text; None where there is no catalogue.
    """

    encode: Callable[[list[str]], Any] | None
    embedder: str = ""
    evidence: Callable[[str, str, Sequence[ToolkitId]], Sequence[MemberFit]] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPlugin:
    """A kind of model.

    Attributes:
        make: `make(name, context, options)`; `name` is what stands after the colon of
            `openai:NAME` ("" if nothing). Raises `ModelUnavailable` when a key or address is
            missing.
        options: see `toolplanner_core.options`. They are part of a model's name, which is stored
            with every run: nothing secret may be one.
        named: what the name after the colon is, for people; "" = there is none.
        named_in: the variable of the environment that holds the usual name.
        is_free: it works on this machine without an endpoint, so nothing is ever charged.
        answers_only_planner: it answers the questions of Tool-Planner and no others.
    """

    id: str
    title: str
    description: str
    make: Callable[[str, ModelContext, Any], Model]
    options: type = NoOptions
    named: str = ""
    named_in: str = ""
    is_free: bool = False
    answers_only_planner: bool = False


models = Registry(ModelPlugin, package="toolplanner_core.llm", kind="models", what="model")


def make_model(spec: str, context: ModelContext) -> Model:
    """The model of a spec such as "offline", "openai:gpt-x" or "mine:name?width=3".

    Raises:
        NotFound: no such kind of model.
        BadInput: an option that it does not have, or that does not fit.
        ModelUnavailable: it lacks a key or an address.
    """
    kind, name, values = parse_model_spec(spec)
    plugin = models.get(kind)
    return plugin.make(name, context, make_options(plugin.options, values, of=f"model {kind}"))


class ModelSpec(NamedTuple):
    """A model as people and runs name it: "KIND:NAME?OPTION=VALUE&OPTION=VALUE".

    Attributes:
        kind: id of the plug-in.
        name: what stands after the colon, "" if nothing.
        values: options as texts.
    """

    kind: str
    name: str
    values: Mapping[str, str]

    def with_values(self, values: Mapping[str, Any]) -> "ModelSpec":
        """The same model with these options, too."""
        return self._replace(values={**self.values, **{n: str(v) for n, v in values.items()}})

    def __str__(self) -> str:
        named = f"{self.kind}:{self.name}" if self.name else self.kind
        return f"{named}?{urlencode(self.values)}" if self.values else named


def parse_model_spec(spec: str) -> ModelSpec:
    """Take a spec apart; nothing is looked up."""
    named, _, options = spec.strip().partition("?")
    kind, _, name = named.partition(":")
    return ModelSpec(kind, name, dict(parse_qsl(options, keep_blank_values=True)))
