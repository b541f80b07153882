"""What comes back from an OpenAI-compatible endpoint: replies, whole or in a stream, put together
alike and read leniently, since no two endpoints write them the same way.

Frames are read as plain data: the client's own objects take ten times as long to make, which counts
where sixteen branches stream at once.
"""

import json
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from toolplanner_core.domain.failure import ErrorClass
from toolplanner_core.llm.answer_mode import data_of
from toolplanner_core.llm.model import Hear, ModelError, Piece, Usage
from toolplanner_core.prompts.conversation import FunctionCall, Message

_REASONING = ("reasoning_content", "reasoning")
"""Where endpoints put what a model thinks before it answers: DeepSeek, vLLM; OpenRouter, Ollama."""
_TRIES_OF_BROKEN = 2
MOST_CHARACTERS = 1_000_000
"""Of a reply, its thoughts and its calls; a model that repeats itself ends here."""
_Fields = Mapping[str, Any]


def _no_texts() -> list[str]:
    return []


@dataclass(slots=True)
class _Call:
    id: str = ""
    name: str = ""
    given: list[str] = field(default_factory=_no_texts)


@dataclass(slots=True, kw_only=True)
class Assembled:
    """What came back; its texts as the pieces in which they came."""

    said: list[str] = field(default_factory=_no_texts)
    thought: list[str] = field(default_factory=_no_texts)
    size: int = 0
    model: str = ""
    id: str = ""
    finish_reason: str = ""
    usage: Usage = field(default_factory=Usage)
    parts: dict[int, _Call] = field(default_factory=dict[int, _Call])

    @property
    def text(self) -> str:
        """What it said."""
        return "".join(self.said)

    @property
    def calls(self) -> tuple[FunctionCall, ...]:
        """The function calls, in order."""
        return tuple(
            FunctionCall(part.id, part.name, "".join(part.given))
            for _, part in sorted(self.parts.items())
        )

    def add_call(self, index: int, call: _Fields) -> Piece:
        """Add a call, or a piece of one. Some endpoints number all calls of a reply alike, and
        some send arguments as an object."""
        named = _text(call.get("id"))
        part = self.parts.setdefault(index, _Call())
        if named and part.id and named != part.id:
            index = next((i for i, p in self.parts.items() if p.id == named), -1)
            index = max(self.parts) + 1 if index < 0 else index
            part = self.parts.setdefault(index, _Call())
        part.id = named or part.id
        function = _fields(call.get("function"))
        given = function.get("arguments") or ""
        arguments = given if isinstance(given, str) else json.dumps(given)
        piece = Piece(call=index, name=_text(function.get("name")), arguments=arguments)
        part.name += piece.name
        part.given.append(arguments)
        self._grow(len(arguments))
        return piece

    def add(self, choice: _Fields, said: _Fields) -> Iterable[Piece]:
        """Add a message, or a piece of one; what is new of it."""
        self.finish_reason = _text(choice.get("finish_reason")) or self.finish_reason
        text = _text(said.get("content")) or _text(said.get("refusal"))
        reasoning = next((t for name in _REASONING if (t := _text(said.get(name)))), "")
        self.said.append(text)
        self.thought.append(reasoning)
        self._grow(len(text) + len(reasoning))
        if text or reasoning:
            yield Piece(text=text, reasoning=reasoning)
        calls: Any = said.get("tool_calls")
        for position, call in enumerate(map(_fields, calls if isinstance(calls, list) else ())):  # pyright: ignore[reportUnknownArgumentType]
            index = call.get("index")
            yield self.add_call(index if isinstance(index, int) else position, call)

    def take_frame(self, frame: _Fields) -> None:
        """Take what stands around a message: names, and what it cost."""
        self.model = _text(frame.get("model")) or self.model
        self.id = _text(frame.get("id")) or self.id
        usage = _fields(frame.get("usage"))
        if usage:
            self.usage = Usage(
                input_tokens=_count(usage.get("prompt_tokens")),
                output_tokens=_count(usage.get("completion_tokens")),
                cached_tokens=_count(
                    _fields(usage.get("prompt_tokens_details")).get("cached_tokens")
                ),
            )

    def _grow(self, characters: int) -> None:
        self.size += characters
        if self.size > MOST_CHARACTERS:
            raise ModelError(
                ErrorClass.BAD_PAYLOAD,
                f"The reply is longer than {MOST_CHARACTERS:,} characters; it was not read on",
                is_transient=False,
            )

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


def from_completion(body: bytes) -> Assembled:
    """Read a whole reply.

    Raises:
        ValueError: it is no JSON, or holds no choice.
        ModelError: it is too long.
    """
    frame = _fields(json.loads(body))
    choice = _choice(frame)
    if choice is None:
        raise ValueError("the reply holds no choice")
    got = Assembled()
    for _ in got.add(choice, _fields(choice.get("message"))):
        pass
    got.take_frame(frame)
    return got


async def assemble(lines: AsyncIterator[str], hear: Hear | None) -> Assembled:
    """Read a stream of server-sent events to its end.

    Raises:
        ValueError: it holds an error, or ended without a single choice.
        ModelError: it broke off: nothing said why the reply ends where it does; or it is too long.
    """
    got, has_choice = Assembled(), False
    async for line in lines:
        if not line.startswith("data:"):
            continue
        data = line[5:].strip()
        if data == "[DONE]":
            break
        frame = _fields(json.loads(data))
        if "error" in frame:
            raise ValueError(f"the endpoint gave up: {_error_words(frame['error'])}")
        got.take_frame(frame)
        choice = _choice(frame)
        if choice is None:
            continue
        has_choice = True
        for piece in got.add(choice, _fields(choice.get("delta"))):
            if hear is not None:
                hear(piece)
    if not has_choice:
        raise ValueError("the stream ended without a reply")
    if not got.finish_reason:
        raise ModelError(
            ErrorClass.BAD_PAYLOAD,
            "The stream broke off before the reply was whole",
            is_transient=True,
            tries=_TRIES_OF_BROKEN,
        )
    return got


def _choice(frame: _Fields) -> _Fields | None:
    choices: Any = frame.get("choices")
    return _fields(choices[0]) if isinstance(choices, list) and choices else None


def _fields(value: Any) -> _Fields:
    return cast("_Fields", value) if isinstance(value, Mapping) else {}


def _text(content: Any) -> str:
    """Text of a message; some endpoints send it as a list of parts."""
    if isinstance(content, str):
        return content
    parts = cast("list[Any]", content) if isinstance(content, list) else []
    return "".join(_text(_fields(part).get("text")) for part in parts)


def _count(value: Any) -> int:
    """A number of tokens; what is none counts as not told."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return int(value) if is_number and 0 <= value < 2**53 else 0


def _error_words(error: Any) -> str:
    return _text(_fields(error).get("message")) or _text(error) or "it did not say why"


_MOST_CHARACTERS_PER_TOKEN = 8
"""Of any text that people write; English has about 4.5, JSON 3."""
_WORTH_A_LOOK = 500


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
