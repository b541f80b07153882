"""Judge whether an answer does what the query asks for, from what was done for it.

What was done on the way, as a question about it shows it: thoughts, calls, what came back.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.domain.plan import Judgement
from toolplanner_core.prompts.conversation import Message
from toolplanner_core.prompts.question import (
    Question,
    Role,
    as_object,
    bool_member,
    object_schema,
    text_member,
)
from toolplanner_core.prompts.render import block, chat
from toolplanner_core.prompts.texts import prompt

_LIMIT = 9000
"""Characters of a whole way: its end says more about a failure than its beginning."""


def trajectory_lines(messages: Sequence[Message]) -> Iterator[str]:
    """Thoughts, calls and results; not what the user said."""
    for message in messages:
        if message.role == "assistant":
            yield from (f"thought: {message.content}",) if message.content else ()
            yield from (f"called: {call.name}({call.arguments})" for call in message.calls)
        elif message.role == "tool":
            yield f"{message.name} gave back: {message.content}"


def trajectory_text(messages: Sequence[Message]) -> str:
    """The lines; of a long way its last ones, and how many were left out."""
    lines, left = list(trajectory_lines(messages)), _LIMIT
    for place in reversed(range(len(lines))):
        left -= len(lines[place])
        if left < 0 and place + 1 < len(lines):
            return "\n".join([f"[{place + 1} earlier lines left out]", *lines[place + 1 :]])
    return "\n".join(lines)


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeAnswer(Question[Judgement]):
    """Is the query solved; `way` is the conversation that led to the answer."""

    id: ClassVar[str] = "judge_answer"
    title: ClassVar[str] = "Judge the answer"
    role: ClassVar[Role] = Role.JUDGING
    temperature: ClassVar[float] = 0.0

    query: str
    way: tuple[Message, ...]
    answer: str

    def messages(self) -> list[Message]:
        return chat(
            prompt("judge_answer"),
            block("query", self.query),
            block("done", trajectory_text(self.way)),
            block("answer", self.answer),
        )

    def schema(self) -> JsonSchema:
        return object_schema(reason={"type": "string"}, solved={"type": "boolean"})

    def parse(self, data: Any) -> Judgement:
        found = as_object(data)
        return Judgement(
            solved=bool_member(found, "solved"), reason=text_member(found, "reason", empty=True)
        )
