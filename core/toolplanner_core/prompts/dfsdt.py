"""What DFSDT tells a model: how to search, what was tried before, which of two branches is better.

Source: Qin et al., ToolLLM, arXiv 2307.16789.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.prompts.conversation import Message
from toolplanner_core.prompts.question import (
    AnswerInvalid,
    Question,
    Role,
    as_object,
    object_schema,
    text_member,
)
from toolplanner_core.prompts.render import DATA_RULE, block, chat

SYSTEM = f"""You answer a person's query by calling functions, one after the other. In each turn \
say in one or two sentences where you stand and what you do next, and call the function that does \
it; then you are shown what came back, and go on from there. What was done cannot be undone.
Use only what functions gave back; never invent values. Call give_answer when every need of the \
query is answered. When nothing more can come of the way you are on, call give_up_and_restart: \
another way is tried then.
{DATA_RULE}"""
_JUDGE = """You compare two ways of going on with a query, each as far as it was gone: what was \
thought, what was called, what came back. Say which one is nearer to an answer that is right and \
complete. Answer with one JSON object: {"better": "first" or "second", "reason": "..."}."""


def differ_text(tried: Sequence[Sequence[Message]]) -> str:
    """What was tried from here before, with the wish that something else is done; only the next
    branch sees it."""
    return (
        "You stood here before and went on like this, which has not led to the answer:\n"
        + block("tried", "\n\n".join("\n".join(_lines(turn)) for turn in tried))
        + "\nLook at what is known and at what was tried; then do something that differs from all"
        " of it: another function, or other arguments."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class CompareBranches(Question[bool]):
    """Whether the first of two branches is better; `so_far` is what both share."""

    id: ClassVar[str] = "compare_branches"
    title: ClassVar[str] = "Compare two branches"
    role: ClassVar[Role] = Role.JUDGING
    temperature: ClassVar[float] = 0.0

    query: str
    so_far: tuple[Message, ...]
    first: tuple[Message, ...]
    second: tuple[Message, ...]

    def messages(self) -> list[Message]:
        shared = "\n".join(_lines(self.so_far))
        return chat(
            _JUDGE,
            block("query", self.query),
            block("so_far", shared) if shared else "",
            block("first", "\n".join(_lines(self.first))),
            block("second", "\n".join(_lines(self.second))),
        )

    def schema(self) -> JsonSchema:
        better = {"type": "string", "enum": ["first", "second"]}
        return object_schema(better=better, reason={"type": "string"})

    def parse(self, data: Any) -> bool:
        better = text_member(as_object(data), "better")
        if better not in ("first", "second"):
            raise AnswerInvalid('say "first" or "second"', where="$.better")
        return better == "first"


def _lines(messages: Sequence[Message]) -> Iterator[str]:
    """Thoughts, calls and results; not what the user said."""
    for message in messages:
        if message.role == "assistant":
            yield from (f"thought: {message.content}",) if message.content else ()
            yield from (f"called: {call.name}({call.arguments})" for call in message.calls)
        elif message.role == "tool":
            yield f"{message.name} gave back: {message.content}"
