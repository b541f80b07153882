"""A chat completion, put together from one reply or from the pieces of a stream."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any


@dataclass(slots=True, kw_only=True)
class Assembled:
    """What came back. `arguments` is the text of the first function call, "" if there was none."""

    text: str = ""
    arguments: str = ""
    model: str = ""
    id: str = ""
    finish_reason: str = ""
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0


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
    if choice.message.tool_calls:
        got.arguments = choice.message.tool_calls[0].function.arguments or ""
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
                if call.index == 0 and call.function is not None:
                    got.arguments += call.function.arguments or ""
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
