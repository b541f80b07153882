"""What DFSDT tells a model: how to search, what was tried before, which of two branches is better.

Source: Qin et al., ToolLLM, arXiv 2307.16789.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from toolplanner_core.domain.api import JsonSchema
from toolplanner_core.prompts.conversation import Message
from toolplanner_core.prompts.judge_answer import trajectory_lines
from toolplanner_core.prompts.question import (
    AnswerInvalid,
    Question,
    Role,
    as_object,
    object_schema,
    text_member,
)
from toolplanner_core.prompts.render import block, chat
from toolplanner_core.prompts.texts import prompt

SYSTEM = prompt("dfsdt")


def differ_text(tried: Sequence[Sequence[Message]]) -> str:
    """What was tried from here before, with the wish that something else is done; only the next
    branch sees it."""
    turns = "\n\n".join("\n".join(trajectory_lines(turn)) for turn in tried)
    return prompt("differ", tried=block("tried", turns))


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
        shared = "\n".join(trajectory_lines(self.so_far))
        return chat(
            prompt("compare_branches"),
            block("query", self.query),
            block("so_far", shared) if shared else "",
            block("first", "\n".join(trajectory_lines(self.first))),
            block("second", "\n".join(trajectory_lines(self.second))),
        )

    def schema(self) -> JsonSchema:
        better = {"type": "string", "enum": ["first", "second"]}
        return object_schema(better=better, reason={"type": "string"})

    def parse(self, data: Any) -> bool:
        better = text_member(as_object(data), "better")
        if better not in ("first", "second"):
            raise AnswerInvalid('say "first" or "second"', where="$.better")
        return better == "first"
