"""What comes back from the `openai` client: replies, whole or in a stream, put together alike; and
what its exceptions mean: an error class, and whether trying again may help.
"""

import contextlib
import json
from collections.abc import AsyncIterator, Collection, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.llm.answer_mode import data_of
from toolplanner_core.llm.model import ModelError, Usage
from toolplanner_core.prompts.conversation import FunctionCall, Message

if TYPE_CHECKING:
    from openai import APIStatusError


@dataclass(slots=True)
class _Call:
    id: str = ""
    name: str = ""
    arguments: str = ""


@dataclass(slots=True, kw_only=True)
class Assembled:
    """What came back."""

    text: str = ""
    model: str = ""
    id: str = ""
    finish_reason: str = ""
    usage: Usage = field(default_factory=Usage)
    parts: dict[int, _Call] = field(default_factory=dict[int, _Call])

    @property
    def calls(self) -> tuple[FunctionCall, ...]:
        """The function calls, in order."""
        return tuple(
            FunctionCall(part.id, part.name, part.arguments)
            for _, part in sorted(self.parts.items())
        )

    def add_call(self, index: int, call: Any) -> None:
        """Add a call, or a piece of one. Some endpoints number all calls of a reply alike, and
        some send arguments as an object."""
        part = self.parts.setdefault(index, _Call())
        if call.id and part.id and call.id != part.id:
            part = next((each for each in self.parts.values() if each.id == call.id), None)
            part = part or self.parts.setdefault(max(self.parts) + 1, _Call())
        part.id = call.id or part.id
        function = getattr(call, "function", None)
        if function is not None:
            given = function.arguments or ""
            part.name += function.name or ""
            part.arguments += given if isinstance(given, str) else json.dumps(given)

    def is_whole(self, question: object) -> bool:
        """Whether a reply that was cut can be used all the same: a typed answer or the arguments
        of calls that are JSON to their end, or in a dialogue just a text."""
        if question is not None:
            return data_of(self.arguments or self.text) is not None
        return all(call.values() is not None for call in self.calls)

    @property
    def arguments(self) -> str:
        """Arguments of the first call, "" if there was none."""
        return self.calls[0].arguments if self.parts else ""


def from_completion(completion: Any) -> Assembled:
    """Read a whole reply.

    Raises:
        ValueError: it holds no choice.
    """
    if not getattr(completion, "choices", None):
        raise ValueError("the reply holds no choice")
    choice = completion.choices[0]
    got = Assembled(
        text=_text(choice.message.content) or getattr(choice.message, "refusal", None) or "",
        finish_reason=choice.finish_reason or "",
    )
    for index, call in enumerate(choice.message.tool_calls or []):
        got.parts[index] = _Call()
        got.add_call(index, call)
    _take_frame(got, completion)
    return got


async def assemble(chunks: AsyncIterator[Any]) -> Assembled:
    """Read a stream to its end.

    Raises:
        ValueError: it ended without a single choice.
    """
    got = Assembled()
    has_choice = False
    async for chunk in chunks:
        _take_frame(got, chunk)
        for choice in chunk.choices[:1]:
            has_choice = True
            delta = choice.delta
            got.text += _text(delta.content)
            for call in delta.tool_calls or []:
                got.add_call(call.index or 0, call)
            got.finish_reason = choice.finish_reason or got.finish_reason
    if not has_choice:
        raise ValueError("the stream ended without a reply")
    return got


def _text(content: Any) -> str:
    """Text of a message; some endpoints send it as a list of parts."""
    if not isinstance(content, list):
        return content or ""
    parts: list[Any] = content
    return "".join(str(part.get("text", "")) for part in parts if isinstance(part, dict))  # pyright: ignore[reportUnknownMemberType, reportUnknownArgumentType]


def _take_frame(got: Assembled, frame: Any) -> None:
    got.model = frame.model or got.model
    got.id = frame.id or got.id
    if frame.usage is not None:
        details = getattr(frame.usage, "prompt_tokens_details", None)
        got.usage = Usage(
            input_tokens=frame.usage.prompt_tokens or 0,
            output_tokens=frame.usage.completion_tokens or 0,
            cached_tokens=getattr(details, "cached_tokens", None) or 0,
        )


_DISPENSABLE = ("max_completion_tokens", "max_tokens", "stream_options", "temperature")
_MOST_CHARACTERS_PER_TOKEN = 8
"""Of any text that people write; English has about 4.5, JSON 3."""
_WORTH_A_LOOK = 500
_MODE_WORDS = ("response_format", "json_schema", "tool_choice", "tools", "tool use", "function")
_REFUSALS = frozenset({400, 404, 422, 501})
_CLASSES = {
    401: ErrorClass.UNAUTHORISED,
    403: ErrorClass.UNAUTHORISED,
    404: ErrorClass.NOT_FOUND,
    408: ErrorClass.TIMEOUT,
    429: ErrorClass.RATE_LIMITED,
}
_TRANSIENT = (ErrorClass.TIMEOUT, ErrorClass.RATE_LIMITED, ErrorClass.SERVER_ERROR)


def is_mode_refusal(error: "APIStatusError") -> bool:
    """Whether an error complains of the way the answer was asked for, not of the request itself; a
    conversation that is too long may have grown so by its functions."""
    said = str(error)
    is_refusal = error.status_code in _REFUSALS and "context" not in said
    return is_refusal and any(word in said for word in _MODE_WORDS)


def refused_field(error: "APIStatusError", sent: Collection[str]) -> str:
    """The field of a request that an endpoint complains of and can do without, "" if it is
    another matter: reasoning models take no temperature, some servers no usage in streams."""
    said = str(error)
    if error.status_code not in (400, 422) or "context" in said:
        return ""
    return next((field for field in _DISPENSABLE if field in sent and field in said), "")


def cut_in_silence(messages: Iterable[Message], usage: Usage) -> str:
    """What to say when an endpoint read far less than was sent to it, "" if it read it all: local
    servers drop the beginning of what is too long for them."""
    sent = sum(len(m.content) + sum(len(c.arguments) for c in m.calls) for m in messages)
    least = sent / _MOST_CHARACTERS_PER_TOKEN
    if usage.input_tokens <= 0 or least < _WORTH_A_LOOK or usage.input_tokens >= least:
        return ""
    return (
        f"The endpoint read {usage.input_tokens:,} tokens of at least {least:,.0f} that were sent:"
        " its context is too small, and it dropped the rest without a word"
    )


def failure_of(error: Exception) -> ModelError:
    """The typed failure of an exception of the client."""
    import openai

    if isinstance(error, openai.APITimeoutError):
        return ModelError(ErrorClass.TIMEOUT, "The model did not answer in time", is_transient=True)
    if isinstance(error, openai.APIConnectionError):
        message = f"The endpoint cannot be reached: {error.__cause__ or error}"
        return ModelError(ErrorClass.NETWORK, message, is_transient=True)
    if isinstance(error, openai.APIStatusError):
        return _status_failure(error)
    message = f"The endpoint's reply cannot be read: {error}"
    return ModelError(ErrorClass.BAD_PAYLOAD, message, is_transient=True)


def _status_failure(error: Any) -> ModelError:
    status: int = error.status_code
    said = str(error.message).removeprefix(f"Error code: {status} - ")
    message = f"HTTP {status}: {said}"
    if status == 400 and "context" in said:
        message += ". The prompt is too long for this model: offer fewer APIs or toolkits"
    kind = _CLASSES.get(
        status, ErrorClass.SERVER_ERROR if status >= 500 else ErrorClass.WRONG_FORMAT
    )
    # Used-up credit answers 429 too; waiting does not bring it back.
    is_transient = kind in _TRANSIENT and error.code != "insufficient_quota"
    return ModelError(kind, message, is_transient=is_transient, retry_after_s=_retry_after_s(error))


def _retry_after_s(error: Any) -> float | None:
    with contextlib.suppress(KeyError, ValueError):
        return max(0.0, float(error.response.headers["retry-after"]))
    return None
