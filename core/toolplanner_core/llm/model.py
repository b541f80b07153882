"""Who answers questions: the protocol of models, their replies and failures, and their registry."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.domain.candidates import MemberFit
from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.domain.ids import ToolkitId
from toolplanner_core.prompts.question import Message, Question
from toolplanner_core.registry import Registry


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens as the endpoint reported them; zero for the offline planner.

    Attributes:
        cached_tokens: how many of the input tokens the endpoint had cached.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """One request: the question, and the messages as they are sent (repairs appended).

    Attributes:
        timeout_s: whole request, seconds.
    """

    question: Question[Any]
    messages: tuple[Message, ...]
    schema: JsonSchema
    temperature: float
    timeout_s: float = 120.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """A model's reply.

    Attributes:
        data: the answer as JSON; None when the text held none (the gate then asks for a repair).
        text: the reply as received.
        raw: what else came back (model name, finish reason, id), for the inspector.
    """

    data: Any
    text: str
    usage: Usage = Usage()
    raw: Mapping[str, Any] = field(default_factory=dict[str, Any])


class ModelFailed(Exception):
    """The model did not reply. The gate retries transient ones and writes each to the log.

    Attributes:
        error: `timeout`, `rate_limited`, `unauthorised`, `server_error`, `network`, `bad_payload`,
        ...
        is_transient: whether the same request may work later.
        retry_after_s: how long the endpoint asked to wait, if it did.
    """

    def __init__(
        self,
        error: ErrorClass,
        message: str,
        *,
        is_transient: bool,
        retry_after_s: float | None = None,
    ) -> None:
        self.error = error
        self.message = message
        self.is_transient = is_transient
        self.retry_after_s = retry_after_s
        super().__init__(f"{error}: {message}")


class Model(Protocol):
    """Something that answers questions."""

    @property
    def label(self) -> str:
        """Name shown wherever its work is shown, such as "offline planner" or "gpt-x"."""
        ...

    async def complete(self, request: ModelRequest) -> Reply:
        """Answer one request.

        Raises:
            ModelFailed: no reply.
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
    """A kind of model. `make` gets the part after the colon of `openai:NAME` ("" if none).

    `make` raises `ModelUnavailable` when a key or address is missing.

    Attributes:
        is_free: it works on this machine without an endpoint, so nothing is ever charged.
    """

    id: str
    title: str
    make: Callable[[str, ModelContext], Model]
    is_free: bool = False


models: Registry[ModelPlugin] = Registry("toolplanner_core.llm", "model")


def make_model(spec: str, context: ModelContext) -> Model:
    """The model of a spec such as "offline" or "openai:gpt-x".

    Raises:
        NotFound: no such kind of model.
        ModelUnavailable: it lacks a key or an address.
    """
    kind, _, name = spec.partition(":")
    return models.get(kind).make(name, context)
