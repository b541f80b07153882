"""A chat completion, put together from one reply or from the pieces of a stream."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from toolplanner_core.prompts.conversation import FunctionCall


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
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    parts: dict[int, _Call] = field(default_factory=dict[int, _Call])

    @property
    def calls(self) -> tuple[FunctionCall, ...]:
        """The function calls, in order; one without an id gets one, since results refer to it."""
        return tuple(
            FunctionCall(part.id or f"call_{index + 1}", part.name, part.arguments)
            for index, part in sorted(self.parts.items())
        )

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
        text=choice.message.content or getattr(choice.message, "refusal", None) or "",
        finish_reason=choice.finish_reason or "",
    )
    for index, call in enumerate(choice.message.tool_calls or []):
        function = call.function
        got.parts[index] = _Call(call.id or "", function.name or "", function.arguments or "")
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
            got.text += delta.content or ""
            for call in delta.tool_calls or []:
                part = got.parts.setdefault(call.index or 0, _Call())
                part.id = call.id or part.id
                if call.function is not None:
                    part.name += call.function.name or ""
                    part.arguments += call.function.arguments or ""
            got.finish_reason = choice.finish_reason or got.finish_reason
    if not has_choice:
        raise ValueError("the stream ended without a reply")
    return got


def _take_frame(got: Assembled, frame: Any) -> None:
    got.model = frame.model or got.model
    got.id = frame.id or got.id
    if frame.usage is not None:
        got.input_tokens = frame.usage.prompt_tokens or 0
        got.output_tokens = frame.usage.completion_tokens or 0
        details = getattr(frame.usage, "prompt_tokens_details", None)
        got.cached_tokens = getattr(details, "cached_tokens", None) or 0
